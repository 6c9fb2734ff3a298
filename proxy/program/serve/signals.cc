#include "proxy/program/serve/signals.h"

#include <semaphore.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <string_view>
#include <utility>

#include "proxy/net/named_thread.h"
#include "proxy/program/base/interruption.h"
#include "proxy/program/control/drainer.h"
#include "proxy/relay/proxy_server.h"

namespace entente {
namespace {

// Global, because a signal handler gets only the signal's number.
std::atomic<relay::ProxyServer*> to_stop{nullptr};
std::atomic<Drainer*> to_drain{nullptr};
static_assert(std::atomic<relay::ProxyServer*>::is_always_lock_free && std::atomic<Drainer*>::is_always_lock_free);

void use(void (*handler)(int)) {
  for (const int number : {SIGTERM, SIGINT}) std::signal(number, handler);
}

bool would_end_us(int number) {
  struct sigaction now {};
  return sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_DFL;
}

/// Prints a message, and ends the process.
void end_at_once(int number) {
  constexpr std::string_view kSaid =
      "entente: another signal, ending at once. `entente recover` repairs an unfinished recording.\n";
  (void)!::write(STDERR_FILENO, kSaid.data(), kSaid.size());
  end_by_signal(number);
}

// A closing terminal sends SIGHUP twice, from the shell and from the kernel. The second must not kill the process.
void stop(int number) {
  if (number != SIGHUP) use(end_at_once);
  if (relay::ProxyServer* server = to_stop.load()) server->stop();
}

void drain(int) {
  std::signal(SIGTERM, stop);
  if (Drainer* drainer = to_drain.load()) drainer->begin_stop();
}

/// Posted for each SIGHUP: a signal handler may call sem_post().
sem_t* hang_ups() {
  struct Counted {
    Counted() { sem_init(&count, 0, 0); }
    sem_t count;
  };
  static Counted counted;
  return &counted.count;
}

void hang_up(int) { sem_post(hang_ups()); }

}  // namespace

StopOnSignal::StopOnSignal(relay::ProxyServer& server, Drainer& drainer) {
  to_stop = &server;
  to_drain = &drainer;
  use(stop);
  if (drainer.drains_before_stop()) std::signal(SIGTERM, drain);
  if (would_end_us(SIGHUP)) std::signal(SIGHUP, stop);
}

StopOnSignal::~StopOnSignal() {
  to_stop = nullptr;
  to_drain = nullptr;
}

void keep_hang_ups() {
  hang_ups();  // before a handler needs it
  std::signal(SIGHUP, hang_up);
}

CallOnHangUp::CallOnHangUp(std::function<void()> then) {
  keep_hang_ups();
  thread_ = net::named_thread("reload", [this, then = std::move(then)] {
    for (;;) {
      if (sem_wait(hang_ups()) != 0) continue;
      if (ends_) return;
      then();
    }
  });
}

CallOnHangUp::~CallOnHangUp() {
  std::signal(SIGHUP, SIG_IGN);
  ends_ = true;
  sem_post(hang_ups());
  thread_.join();
}

}  // namespace entente
