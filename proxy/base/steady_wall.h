// A wall clock that nobody sets: the wall time when the program began, plus the time since then on the monotonic clock.
// Durations, rates, ages and the order of events by this clock are right, also if the wall clock is set meanwhile (by
// NTP after the boot, or when a virtual machine is resumed).
// Invariant: it never goes back.
#pragma once

#include <cstdint>
#include <ctime>

#include "proxy/base/time.h"

namespace entente {

inline WallTime steady_wall_now() {
  static const WallTime began = wall_now() - steady_nanos();
  return began + steady_nanos();
}

/// How far the wall clock is ahead of steady_wall_now(), in ns: by how much it was set since the program began.
inline std::int64_t wall_is_ahead() { return static_cast<std::int64_t>(wall_now() - steady_wall_now()); }

/// A time of steady_wall_now() as the wall clock would show it now, if it is `ahead`.
inline WallTime shown(WallTime steady, std::int64_t ahead) { return steady + static_cast<WallTime>(ahead); }

/// steady_wall_now(), in seconds.
inline std::time_t steady_seconds() { return static_cast<std::time_t>(steady_wall_now() / 1'000'000'000); }

/// wall_is_ahead(), in whole seconds: clocks differ by less all the time.
inline std::time_t wall_seconds_ahead() {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t ahead = wall_is_ahead();
  return static_cast<std::time_t>((ahead + (ahead < 0 ? -kSecond : kSecond) / 2) / kSecond);
}

/// Whether a wall clock that shows this was set since the machine booted: this program is younger than 2025.
inline bool clock_is_set(WallTime wall) { return wall / 1'000'000'000 >= 1'767'225'600; }

}  // namespace entente
