// Wakes a waiting thread. A wake() costs a system call only if nobody has called it since the thread last woke.
#pragma once

#include <atomic>

#include "proxy/net/fd.h"

namespace entente::net {

/// Any thread may wake(); one thread waits.
class Waker {
 public:
  Waker();
  Waker(const Waker&) = delete;
  Waker& operator=(const Waker&) = delete;

  void wake();
  /// Returns after wake(), or after `ms` milliseconds (-1: no limit).
  void wait(int ms);

 private:
  Fd event_;
  std::atomic<bool> woken_{false};
};

}  // namespace entente::net
