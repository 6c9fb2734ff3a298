// Whether what is told has happened just now, or a replay has gone to another moment (a seek, a pause, the start of a
// loop) and tells what is true there. The replay says so by two clocks: one that stands at speed 0 comes first, and the
// next one ends it.
#pragma once

#include "proxy/core/word.h"

namespace entente::core {

/// The clock that comes first. `us`: the moment that is gone to.
inline words::Clock retelling_clock(std::uint64_t us) {
  words::Clock clock;
  clock.set_us(us);
  clock.set_paused(true);
  return clock;
}

/// For a front: facts that it hears while this is true are no events. It announces nothing of what they say.
class Retelling {
 public:
  /// REQUIRES: called with each fact, before anything is made of it.
  void hear(const Fact& fact) {
    if (const auto* clock = as<words::Clock>(fact)) on_ = clock->paused() && clock->speed() == 0;
  }
  explicit operator bool() const { return on_; }

 private:
  bool on_ = false;
};

}  // namespace entente::core
