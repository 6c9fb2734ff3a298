// Tells whether facts are events, or a replay has moved to another moment (a seek, a pause, the start of a loop) and
// describes that moment. The replay marks a resync by two clocks: one with speed 0 begins it, and the next one
// ends it.
#pragma once

#include "proxy/core/word.h"

namespace entente::core {

/// The clock that begins a resync. `us`: the new moment.
inline words::Clock resync_clock(std::uint64_t us) {
  words::Clock clock;
  clock.set_us(us);
  clock.set_paused(true);
  return clock;
}

/// For a front: while this is true, facts are not events, and the front announces nothing.
class ResyncPhase {
 public:
  /// REQUIRES: called with each fact, before it is used.
  void hear(const Fact& fact) {
    if (const auto* clock = as<words::Clock>(fact)) on_ = clock->paused() && clock->speed() == 0;
  }
  explicit operator bool() const { return on_; }

 private:
  bool on_ = false;
};

}  // namespace entente::core
