#include "proxy/program/signals.h"

#include <semaphore.h>

#include <atomic>
#include <csignal>
#include <utility>

#include "proxy/relay/server.h"

namespace entente {
namespace {

// A handler is given nothing but the signal's number, so what it acts on can only be here.
std::atomic<relay::Server*> to_stop{nullptr};
static_assert(std::atomic<relay::Server*>::is_always_lock_free);

void use(void (*handler)(int)) {
  for (const int number : {SIGTERM, SIGINT}) std::signal(number, handler);
}

void stop(int) {
  use(SIG_DFL);
  if (relay::Server* server = to_stop.load()) server->stop();
}

/// Posted for each SIGHUP; the one thing of its kind that a handler may touch.
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

StopOnSignal::StopOnSignal(relay::Server& server) {
  to_stop = &server;
  use(stop);
}

StopOnSignal::~StopOnSignal() { to_stop = nullptr; }

CallOnHangUp::CallOnHangUp(std::function<void()> then) {
  hang_ups();  // before a handler needs it
  thread_ = std::thread([this, then = std::move(then)] {
    for (;;) {
      if (sem_wait(hang_ups()) != 0) continue;
      if (ends_) return;
      then();
    }
  });
  std::signal(SIGHUP, hang_up);
}

CallOnHangUp::~CallOnHangUp() {
  std::signal(SIGHUP, SIG_IGN);
  ends_ = true;
  sem_post(hang_ups());
  thread_.join();
}

}  // namespace entente
