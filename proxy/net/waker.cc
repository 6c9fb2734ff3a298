#include "proxy/net/waker.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cassert>
#include <cstdint>

namespace entente::net {

Waker::Waker() : event_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) { assert(event_); }

void Waker::wake() {
  if (woken_.exchange(true, std::memory_order_acq_rel)) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(event_.get(), &one, sizeof(one));
}

void Waker::wait(int ms) {
  pollfd poll{event_.get(), POLLIN, 0};
  if (::poll(&poll, 1, ms) <= 0) return;
  std::uint64_t count = 0;
  [[maybe_unused]] const auto read = ::read(event_.get(), &count, sizeof(count));
  // Last. The acquire makes visible what was written before a wake() that found the waker already woken.
  woken_.exchange(false, std::memory_order_acq_rel);
}

}  // namespace entente::net
