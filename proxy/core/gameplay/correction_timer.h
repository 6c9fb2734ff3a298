// Decides when a client that moves its own unit must be moved to the true place: half a second after leaving it
// (CorrectionTimer). OwnTank does this for a client's own tank.
// Law: never within a second of the last correction, because a unit that is moved again and again cannot be driven.
#pragma once

#include <optional>

#include "proxy/core/room_member.h"
#include "proxy/core/world.h"

namespace entente::core {

class CorrectionTimer {
 public:
  /// The unit was moved.
  void put(Micros now) {
    put_at_ = now;
    astray_since_ = 0;
    forced_ = false;
  }
  Micros put_at() const { return put_at_; }

  /// Nothing if the unit is where it should be. Otherwise when to move it: now, or later after another look.
  std::optional<Micros> look(bool astray, Micros now);
  /// The same for a unit that must be moved wherever it is. Remembered until it is done or forgotten.
  Micros force(Micros now);
  /// Whether a correction was postponed.
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
  /// Its client claims this place.
  void said(const words::Pose& pose, Micros now);
  /// Its client was told to move there, and has not confirmed it.
  void put(const words::Pose& pose, Micros now);
  /// Its place, as far as known.
  words::Pose place(Micros now) const;

  /// `truth`: the same tank in the world; null if there is none.
  std::optional<words::Pose> look(const UnitState* truth, FrontOut& out);
  /// It must be moved there; postponed, and cancelled if its client claims the place by then.
  std::optional<words::Pose> force(const UnitState* truth, FrontOut& out);
  /// It must be moved there whatever its client claims, because the client considers it dead.
  std::optional<words::Pose> revive(const UnitState* truth, FrontOut& out);

 private:
  words::Pose pose_;
  Micros posed_ = 0;  // when the client claimed it; 0: not since put()
  CorrectionTimer timer_;
  bool revives_ = false;  // the postponed correction is a revival: a claim of the right place does not cancel it
};

}  // namespace entente::core
