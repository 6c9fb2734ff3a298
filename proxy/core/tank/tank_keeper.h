// Keeps a client's own tank at its true place, and remembers a death that the client has claimed and nobody has
// confirmed.
// Invariant: only TankDisplay::put() moves the tank, and its implementation also calls put() of this class.
#pragma once

#include "proxy/core/gameplay/correction_timer.h"
#include "proxy/core/tank/tank_player_table.h"

namespace entente::core {

class TankKeeper {
 public:
  explicit TankKeeper(TankDisplay& display) : display_(display) {}

  /// The client claims this place.
  void claimed(const words::Pose& pose, Micros now) { tank_.claimed(pose, now); }
  /// The tank was placed there and is alive.
  void put(const words::Pose& pose, Micros now);
  /// Its place, as far as known.
  words::Pose place(Micros now) const { return tank_.place(now); }

  /// The client claims that the tank died. False: it has claimed so already.
  bool claim_death(Micros now);
  /// Forgets the claimed death, because it was confirmed or is no longer awaited. True if there was one.
  bool forget_death() { return std::exchange(death_claimed_, 0) != 0; }
  bool claims_death() const { return death_claimed_ != 0; }
  /// True, once, if a claimed death was not confirmed within `patience`: the tank lives. Asks for a tick until then.
  bool survives(Micros patience, FrontOut& out);

  /// Moves the tank to its true place, now or as soon as a correction is allowed.
  void correct(const TankNumbers& numbers, FrontOut& out);
  /// Like correct(), for a tank that its client considers dead.
  void revive(const TankNumbers& numbers, FrontOut& out);
  /// Like correct(), but only if the tank is too far from its true place.
  void check_place(const TankNumbers& numbers, FrontOut& out);

 private:
  void move(const TankNumbers& numbers, const std::optional<words::Pose>& place, FrontOut& out);

  TankDisplay& display_;
  OwnTank tank_;
  Micros death_claimed_ = 0;  // when the client claimed it; 0: no claim
};

}  // namespace entente::core
