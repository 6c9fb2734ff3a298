// Decides when a client that moves its own unit must be moved to the true place: half a second after leaving it
// (CorrectionTimer). OwnTank does this for a client's own tank.
// Invariant: never within a second of the last correction, because a unit that is moved again and again cannot be
// driven.
#pragma once

#include <optional>

#include "proxy/core/room_member.h"
#include "proxy/core/world.h"

namespace entente::core {

class CorrectionTimer {
 public:
  /// The client was told to move the unit.
  void put(Micros now) {
    put_at_ = now;
    astray_since_ = 0;
    forced_ = false;
  }
  Micros put_at() const { return put_at_; }

  /// Returns when to correct the unit; nothing if no correction is needed. If that is later than now, call look() again
  /// at that time. `astray`: whether the unit is too far from its true place.
  std::optional<Micros> look(bool astray, Micros now);
  /// Returns when to correct the unit although it may not be astray. If that is later than now, forced() is true until
  /// put() or forget_forced().
  Micros force(Micros now);
  /// Whether a correction by force() was postponed.
  bool forced() const { return forced_; }
  void forget_forced() { forced_ = false; }

 private:
  Micros put_at_ = 0;
  Micros astray_since_ = 0;  // 0: it is where it should be
  bool forced_ = false;
};

/// A client's own tank. If look(), force() or revive() return a place, the caller moves the tank there. Otherwise they
/// ask for a tick when they need one.
class OwnTank {
 public:
  /// The client claims that the tank is there.
  void claimed(const words::Pose& pose, Micros now);
  /// The client was told to move the tank there, and has not confirmed it yet.
  void put(const words::Pose& pose, Micros now);
  /// The tank's place, as far as known.
  words::Pose place(Micros now) const;

  /// Corrects the tank if it has been too far from its true place for too long. `truth`: the tank in the world; null if
  /// there is none.
  std::optional<words::Pose> look(const UnitState* truth, FrontOut& out);
  /// Corrects the tank wherever it is. A postponed correction is cancelled if the client claims the true place
  /// meanwhile.
  std::optional<words::Pose> force(const UnitState* truth, FrontOut& out);
  /// Corrects a tank that its client considers dead. No claim of the client cancels this.
  std::optional<words::Pose> revive(const UnitState* truth, FrontOut& out);

 private:
  words::Pose pose_;
  Micros posed_ = 0;  // when the client claimed it; 0: not since put()
  CorrectionTimer timer_;
  bool revives_ = false;  // the postponed correction is a revival: a claim of the right place does not cancel it
};

}  // namespace entente::core
