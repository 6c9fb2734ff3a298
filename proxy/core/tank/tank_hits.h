// The shots that may hit a back's own tank, on a server where victims report hits.
// Law: a hit is reported once, by the back or by the player's client, never by both.
#pragma once

#include "proxy/core/gameplay/incoming.h"
#include "proxy/core/tank/driven_tank.h"

namespace entente::core {

class TankHits {
 public:
  /// Whether a shot met the tank in this step.
  void test(const DrivenTank::TimeStep& step, BackOut& out);

 protected:
  TankHits(JoinState& state, TankOnServer& tank) : state_(state), tank_(tank) {}
  ~TankHits() = default;

  /// A shot of another player begins. `weapon`: the game's number; `code`: of the flag it was fired under; `harmless`:
  /// it cannot hurt us.
  void watch(std::uint8_t shooter, const words::Shot& shot, std::uint32_t weapon, std::string_view code, double life,
             bool harmless, BackOut& out);
  /// Tells the server that this shot killed the tank.
  virtual void tell_hit(const Incoming& shot, BackOut& out) = 0;

  JoinState& state_;
  TankOnServer& tank_;
  IncomingShots incoming_;
};

/// The seconds that a peer's shot lives: at most a minute; 0 if `life` is not a positive number.
inline double sane_life(double life) { return life > 0 ? std::min(life, 60.0) : 0; }

}  // namespace entente::core
