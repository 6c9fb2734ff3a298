// Wakes a waiting thread. A wake() costs a system call only if nobody has called it since the thread last woke.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace entente::net {

/// Any thread may wake(); one thread waits.
class Waker {
 public:
  Waker() = default;
  Waker(const Waker&) = delete;
  Waker& operator=(const Waker&) = delete;

  /// What was written before is visible to the thread that it wakes.
  void wake();
  /// Returns after wake() (at once, if it was called since the last return), or after `ms` milliseconds (-1: no limit).
  /// False: after that time.
  bool wait(int ms);

 private:
  std::mutex mutex_;
  std::condition_variable awakes_;
  std::atomic<bool> woken_{false};
};

}  // namespace entente::net
