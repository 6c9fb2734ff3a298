// The clock of the load: monotonic, in nanoseconds.
#pragma once

#include <cstdint>
#include <ctime>

namespace entente::bench {

using Nanos = std::uint64_t;
inline constexpr Nanos kSecond = 1'000'000'000;

inline Nanos now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<Nanos>(now.tv_sec) * kSecond + static_cast<Nanos>(now.tv_nsec);
}

}  // namespace entente::bench
