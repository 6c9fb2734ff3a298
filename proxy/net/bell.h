// Wakes a waiting thread. A ring costs a system call only if nobody has rung since the thread last woke.
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
  /// Returns when the bell rings, or after `ms` milliseconds (-1: no limit).
  void wait(int ms);

 private:
  Fd event_;
  std::atomic<bool> rung_{false};
};

}  // namespace entente::net
