// A rate limit: a token bucket, stored as the time at which everything sent is paid for.
// Invariant: never more than the rate over a long time; a short burst passes at once.
#pragma once

#include <algorithm>

#include "proxy/core/word.h"

namespace entente::core {

class Pace {
 public:
  /// One per `every`, `burst` of them at once. REQUIRES: both above 0.
  constexpr Pace(Micros every, unsigned burst) : every_(every), slack_(every * (burst - 1)) {}

  /// Whether one may be sent now; if so, it counts as sent.
  bool take(Micros now) {
    if (next() > now) return false;
    paid_until_ = std::max(paid_until_, now) + every_;
    return true;
  }
  /// Counts several as sent regardless of the rate; they are paid for before the next one.
  void owe(Micros now, std::size_t count) {
    paid_until_ = std::max(paid_until_, now) + every_ * static_cast<Micros>(count);
  }
  /// When take() will next succeed; 0: at once.
  Micros next() const { return paid_until_ > slack_ ? paid_until_ - slack_ : 0; }
  /// Resets to the state before anything was sent.
  void start_again() { paid_until_ = 0; }

 private:
  Micros every_, slack_;
  Micros paid_until_ = 0;
};

}  // namespace entente::core
