// A token bucket: a rate per second in the long run, and a burst.
// Invariant: it counts whole thousandths of a token. Its level may fall below zero; it is ready again once it has
// refilled.
#pragma once

#include <algorithm>
#include <cstdint>

#include "proxy/base/time.h"

namespace entente::relay {

class Bucket {
 public:
  /// `per_second` 0: no limit.
  Bucket(std::uint32_t per_second, std::uint64_t burst, Millis now)
      : rate_(per_second), full_(static_cast<std::int64_t>(burst) * 1000), level_(full_), at_(now) {}

  /// Changes the rate and the burst. A level below zero stays. If there was no limit before, the bucket is full.
  void adapt(std::uint32_t per_second, std::uint64_t burst, Millis now) {
    refill(now);
    const bool was_limited = rate_ != 0;
    rate_ = per_second;
    full_ = static_cast<std::int64_t>(burst) * 1000;
    level_ = was_limited && rate_ != 0 ? std::min(level_, full_) : full_;
  }

  /// Always takes `n` tokens. False if there were fewer.
  bool charge(std::size_t n, Millis now) {
    if (rate_ == 0) return true;
    refill(now);
    level_ -= static_cast<std::int64_t>(n) * 1000;
    return level_ >= 0;
  }

  /// Takes one if there is one.
  bool take_one(Millis now) {
    if (rate_ == 0) return true;
    if (!ready(now)) return false;
    level_ -= 1000;
    return true;
  }

  /// Whether at least one token is there, or there is no limit.
  bool ready(Millis now) {
    if (rate_ == 0) return true;
    refill(now);
    return level_ >= std::min<std::int64_t>(1000, full_);
  }

  /// From when on ready() is true, if nothing is taken meanwhile: `now`, or the first millisecond after it.
  Millis ready_at(Millis now) {
    if (ready(now)) return now;
    const std::int64_t lacks = std::min<std::int64_t>(1000, full_) - level_;
    return at_ + static_cast<Millis>((lacks + rate_ - 1) / rate_);
  }

  bool full(Millis now) const {
    Bucket then = *this;
    then.refill(now);
    return then.level_ == full_;
  }

 private:
  void refill(Millis now) {
    if (now <= at_) return;  // another loop's clock may be a little behind
    // An hour fills any bucket: the product cannot overflow.
    const auto passed = static_cast<std::int64_t>(std::min<Millis>(now - at_, 3'600'000));
    level_ = std::min(full_, level_ + rate_ * passed);
    at_ = now;
  }

  std::int64_t rate_;  // tokens a second = thousandths a millisecond
  std::int64_t full_;
  std::int64_t level_;
  Millis at_;
};

}  // namespace entente::relay
