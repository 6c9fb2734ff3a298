#include "proxy/program/base/interruption.h"

#include <atomic>
#include <csignal>
#include <initializer_list>

namespace entente {
namespace {

// Global, because a signal handler gets only the signal's number.
std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void handle(void (*handler)(int)) {
  for (const int number : {SIGTERM, SIGINT}) std::signal(number, handler);
}

void interrupt(int) {
  handle(SIG_DFL);
  interrupted = true;
}

}  // namespace

Interruption::Interruption() { handle(interrupt); }

Interruption::~Interruption() {
  handle(SIG_DFL);
  interrupted = false;
}

bool Interruption::came() { return interrupted; }

}  // namespace entente
