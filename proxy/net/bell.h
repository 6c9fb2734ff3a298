// Wakes a thread that waits. A ring costs a system call only if nobody rang since the thread last woke.
#pragma once

#include <atomic>

#include "proxy/net/fd.h"

namespace entente::net {

/// Any thread may ring(); one thread waits.
class Bell {
 public:
  Bell();
  Bell(const Bell&) = delete;
  Bell& operator=(const Bell&) = delete;

  void ring();
  /// Returns when it was rung, or after `ms` milliseconds (-1: only when it was rung).
  void wait(int ms);

 private:
  Fd event_;
  std::atomic<bool> rung_{false};
};

}  // namespace entente::net
