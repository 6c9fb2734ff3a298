// The times of a player who lost the server, or found it full, and waits for it or for another one of the route.
// Invariant: a player waits at most as long as the route allows, however often the connection breaks meanwhile. A
// server that is lost again and again is tried less and less often.
#pragma once

#include <algorithm>

#include "proxy/base/time.h"

namespace entente::relay {

class Hold {
 public:
  bool on() const { return until_ != 0; }

  /// The player waits from now on. If it waits already, nothing changes.
  void begin(Millis now, Millis most) {
    if (on()) return;
    if (now > back_ + kCalm) lost_ = 0;
    since_ = now;
    until_ = now + most;
  }
  /// A server was lost, or not reached.
  void count_loss() { ++lost_; }
  /// How many servers were lost in a row.
  unsigned lost() const { return lost_; }
  /// The player is in again. Returns how long it took.
  Millis end(Millis now) {
    until_ = 0;
    back_ = now;
    return now - since_;
  }
  /// The player plays elsewhere meanwhile, without a time limit.
  void rest() { until_ = 0; }
  /// The player waits again, or is on the way.
  void resume(Millis now, Millis until) {
    if (since_ == 0) since_ = now;
    until_ = until;
  }
  bool is_over(Millis now) const { return now >= until_; }
  Millis until() const { return until_; }
  /// When to connect again: at once after the first loss, later after the next ones. A player who can play elsewhere
  /// meanwhile is not taken from there so often.
  Millis next_try(Millis now, bool plays_meanwhile) const {
    if (lost_ <= 1) return now;
    return now + std::min(plays_meanwhile ? kLongestAtPlay : kLongest, kShortest << std::min(lost_ - 2, 10U));
  }

 private:
  static constexpr Millis kShortest = 250, kLongest = 2'000, kLongestAtPlay = 15'000;
  static constexpr Millis kCalm = 2'000;  // after this much play, earlier losses do not count

  Millis since_ = 0, until_ = 0, back_ = 0;
  unsigned lost_ = 0;  // how often in a row
};

}  // namespace entente::relay
