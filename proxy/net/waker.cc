#include "proxy/net/waker.h"

#include <chrono>

namespace entente::net {

void Waker::wake() {
  if (woken_.exchange(true, std::memory_order_acq_rel)) return;
  { const std::lock_guard lock(mutex_); }  // the other thread waits, or has not looked yet
  awakes_.notify_one();
}

bool Waker::wait(int ms) {
  const auto woken = [this] { return woken_.load(std::memory_order_acquire); };
  {
    std::unique_lock lock(mutex_);
    if (ms < 0)
      awakes_.wait(lock, woken);
    else if (!awakes_.wait_for(lock, std::chrono::milliseconds(ms), woken))
      return false;
  }
  // Last. The acquire makes visible what was written before a wake() that found the waker already woken.
  woken_.exchange(false, std::memory_order_acq_rel);
  return true;
}

}  // namespace entente::net
