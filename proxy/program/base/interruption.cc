#include "proxy/program/base/interruption.h"

#include <unistd.h>

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
  handle(end_by_signal);
  interrupted = true;
}

}  // namespace

void end_by_signal(int number) {
  std::signal(number, SIG_DFL);
  sigset_t its;  // blocked while its handler runs
  sigemptyset(&its);
  sigaddset(&its, number);
  sigprocmask(SIG_UNBLOCK, &its, nullptr);  // on Linux, of this thread
  std::raise(number);
  ::_exit(128 + number);
}

Interruption::Interruption() { handle(interrupt); }

Interruption::~Interruption() {
  handle(SIG_DFL);
  interrupted = false;
}

bool Interruption::came() { return interrupted; }

}  // namespace entente
