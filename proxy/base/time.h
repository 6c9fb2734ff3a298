// Points in time. Sessions and links are given the time; they never read a clock.
#pragma once

#include <chrono>
#include <cstdint>

namespace entente {

/// Nanoseconds since the Unix epoch, as in recordings.
using WallTime = std::uint64_t;

/// Milliseconds on a monotonic clock; only differences have a meaning.
using Millis = std::uint64_t;

inline WallTime wall_now() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<WallTime>(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}

/// Nanoseconds on the same clock as Millis.
inline std::uint64_t steady_nanos() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}

inline Millis steady_now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<Millis>(std::chrono::duration_cast<std::chrono::milliseconds>(since).count());
}

}  // namespace entente
