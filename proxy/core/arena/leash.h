// When a client that moves its own unit must be put where the truth is: half a second after it left it (Leash), and a
// tank of which its client says where it is (OwnTank).
// Law: not within a second after the last time: what is put somewhere again and again cannot be driven.
#pragma once

#include <optional>

#include "proxy/core/session.h"
#include "proxy/core/world.h"

namespace entente::core {

class Leash {
 public:
  /// It was put somewhere.
  void put(Micros now) {
    put_at_ = now;
    astray_since_ = 0;
    pulls_ = false;
  }
  Micros put_at() const { return put_at_; }

  /// Nothing if it may stay: it is where it should be. Else when to put it there: now, or then, by another look.
  std::optional<Micros> look(bool astray, Micros now);
  /// The same of one that must be put there wherever it is. It is kept in mind until it is done, or forgotten.
  Micros pull(Micros now);
  /// Whether a pull was put off.
  bool pulls() const { return pulls_; }
  void forget_pull() { pulls_ = false; }

 private:
  Micros put_at_ = 0;
  Micros astray_since_ = 0;  // 0: it is where it should be
  bool pulls_ = false;
};

/// A client's own tank. It is put where look() or pull() say, if they say so; else they wish for a tick when they need
/// one.
class OwnTank {
 public:
  /// Its client says that it is there.
  void said(const words::Pose& pose, Micros now);
  /// Its client was told to be there, and has not said that it is.
  void put(const words::Pose& pose, Micros now);
  /// Where it is, as far as that is known.
  words::Pose place(Micros now) const;

  /// `truth`: the same tank in the world; null if there is none.
  std::optional<words::Pose> look(const UnitState* truth, FrontOut& out);
  /// It must be put there; put off, not if its client says by then that it is there.
  std::optional<words::Pose> pull(const UnitState* truth, FrontOut& out);
  /// It must be put there whatever its client says: that takes it for dead.
  std::optional<words::Pose> revive(const UnitState* truth, FrontOut& out);

 private:
  words::Pose pose_;
  Micros posed_ = 0;  // when its client said so; 0: not since it was put there
  Leash leash_;
  bool revives_ = false;  // a pull that was put off is no mere correction
};

}  // namespace entente::core
