// Points in time. Sessions and links are handed the time, they never look at a clock.
#pragma once

#include <chrono>
#include <cstdint>

namespace entente {

/// Nanoseconds since the Unix epoch, as recordings keep it.
using WallTime = std::uint64_t;

/// Milliseconds on a clock that never goes back; only differences mean anything.
using Millis = std::uint64_t;

inline WallTime wall_now() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<WallTime>(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}

inline Millis steady_now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<Millis>(std::chrono::duration_cast<std::chrono::milliseconds>(since).count());
}

}  // namespace entente
