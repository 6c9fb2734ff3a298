#include "proxy/program/signals.h"

#include <atomic>
#include <csignal>

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

}  // namespace

StopOnSignal::StopOnSignal(relay::Server& server) {
  to_stop = &server;
  use(stop);
}

StopOnSignal::~StopOnSignal() {
  use(SIG_DFL);
  to_stop = nullptr;
}

}  // namespace entente
