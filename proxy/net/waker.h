// Wakes a waiting thread. A wake() costs a system call only if nobody has called it since the thread last woke.
#pragma once

#include <atomic>

#include "proxy/net/fd.h"

namespace entente::net {

/// Any thread may wake(); one thread waits.
class Waker {
 public:
  /// REQUIRES: a descriptor is left.
  Waker();
  Waker(const Waker&) = delete;
  Waker& operator=(const Waker&) = delete;

  /// What was written before is visible to the thread that it wakes.
  void wake();
  /// Returns after wake() (at once, if it was called since the last return), after a signal, or after `ms` milliseconds
  /// (-1: no limit).
  void wait(int ms);

 private:
  Fd event_;
  std::atomic<bool> woken_{false};
};

}  // namespace entente::net
