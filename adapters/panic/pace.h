// How fast the released client can be told things: it reads one message a frame, 57 a second were measured.
// Law: no more than 45 in any second, 10 of them at once; nothing while it does not read.
#pragma once

#include <algorithm>

#include "proxy/core/session.h"

namespace entente::panic {

class Pace {
 public:
  /// Whether a message may go out now, which then counts as sent. If not, a tick comes when it may.
  bool may_send(core::FrontOut& out) {
    if (out.waiting() > kMostWaiting) return out.wake(out.now() + kLook), false;
    if (next_ > out.now() + kBurst) return out.wake(next_ - kBurst), false;
    next_ = std::max(next_, out.now()) + kInterval;
    return true;
  }
  void start_again() { next_ = 0; }

 private:
  static constexpr core::Micros kInterval = core::kSecond / 35;
  static constexpr core::Micros kBurst = 9 * kInterval;
  static constexpr core::Micros kLook = 100 * core::kMillisecond;
  static constexpr std::size_t kMostWaiting = 2048;  // bytes

  core::Micros next_ = 0;  // when the next is due at the steady rate
};

}  // namespace entente::panic
