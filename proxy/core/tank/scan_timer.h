// When a front must look through all its tanks again. Without this, a hundred fronts with a hundred tanks each would do
// little else.
#pragma once

#include <algorithm>
#include <limits>

#include "proxy/core/room_member.h"

namespace entente::core {

class ScanTimer {
 public:
  static constexpr Micros kNever = std::numeric_limits<Micros>::max();

  /// Look at the next tick.
  void schedule_now() { at_ = 0; }
  /// Look at this time at the latest.
  void schedule(Micros at) { at_ = std::min(at_, at); }
  /// Asks for a tick when it is time.
  void ask(FrontOut& out) const {
    if (at_ != kNever) out.wake(at_);
  }
  /// Whether it is time. If so, the caller looks, and sets the next time by schedule() or schedule_now(). Otherwise
  /// asks for a tick.
  bool is_due(FrontOut& out) {
    if (out.now() >= at_) return at_ = kNever, true;
    ask(out);
    return false;
  }

 private:
  Micros at_ = 0;
};

}  // namespace entente::core
