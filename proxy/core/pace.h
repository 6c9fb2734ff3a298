// How often something may be sent: a token bucket, kept as the time at which what was sent is paid for.
// Law: over any long time no more than the rate; a short burst goes through at once.
#pragma once

#include <algorithm>

#include "proxy/core/word.h"

namespace entente::core {

class Pace {
 public:
  /// One each `every`, `burst` of them at once. REQUIRES: both above 0.
  constexpr Pace(Micros every, unsigned burst) : every_(every), slack_(every * (burst - 1)) {}

  /// Whether one may be sent now, which then counts as sent.
  bool take(Micros now) {
    if (next() > now) return false;
    paid_until_ = std::max(paid_until_, now) + every_;
    return true;
  }
  /// So many were sent at once, whatever the rate: they are paid for before the next.
  void owe(Micros now, std::size_t count) {
    paid_until_ = std::max(paid_until_, now) + every_ * static_cast<Micros>(count);
  }
  /// When take() would next succeed; 0 is at once.
  Micros next() const { return paid_until_ > slack_ ? paid_until_ - slack_ : 0; }
  /// As if nothing had been sent.
  void start_again() { paid_until_ = 0; }

 private:
  Micros every_, slack_;
  Micros paid_until_ = 0;
};

}  // namespace entente::core
