// How often something may be sent. Law: over any long time no more than the rate; a short burst goes through at once.
#pragma once

#include <algorithm>

#include "proxy/core/word.h"

namespace entente::bzflag {

class Pace {
 public:
  /// One each `every`, `burst` of them at once.
  Pace(core::Micros every, unsigned burst) : every_(every), slack_(every * (burst - 1)) {}

  bool take(core::Micros now) {
    if (next() > now) return false;
    paid_until_ = std::max(paid_until_, now) + every_;
    return true;
  }
  /// When take() would next succeed.
  core::Micros next() const { return paid_until_ > slack_ ? paid_until_ - slack_ : 0; }

 private:
  core::Micros every_, slack_;
  core::Micros paid_until_ = 0;
};

}  // namespace entente::bzflag
