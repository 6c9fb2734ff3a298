// Keeps a client's own tank where the truth is, and remembers that its client takes it for dead before that is true.
// Law: it is put elsewhere only by TankSight::put(), which tells this too.
#pragma once

#include "proxy/core/arena/leash.h"
#include "proxy/core/tank/tank_cast.h"

namespace entente::core {

class TankKeeper {
 public:
  explicit TankKeeper(TankSight& sight) : sight_(sight) {}

  /// Its client says that it is there.
  void said(const words::Pose& pose, Micros now) { tank_.said(pose, now); }
  /// It was put there, and lives.
  void put(const words::Pose& pose, Micros now);
  /// Where it is, as far as that is known.
  words::Pose place(Micros now) const { return tank_.place(now); }

  /// Its client says that it died. False: it has said so already.
  bool claim_death(Micros now);
  /// It died, or nobody has confirmed it. True: its client had said so.
  bool forget_death() { return std::exchange(death_claimed_, 0) != 0; }
  bool claims_death() const { return death_claimed_ != 0; }
  /// True once a death that nobody confirmed for so long did not happen; wishes for a tick until then.
  bool survives(Micros patience, FrontOut& out);

  /// Puts it where the room says.
  void correct(const TankNumbers& cast, FrontOut& out);
  /// The same of one that its client takes for dead.
  void revive(const TankNumbers& cast, FrontOut& out);
  /// The same of one that has strayed.
  void check_leash(const TankNumbers& cast, FrontOut& out);

 private:
  void move(const TankNumbers& cast, const std::optional<words::Pose>& place, FrontOut& out);

  TankSight& sight_;
  OwnTank tank_;
  Micros death_claimed_ = 0;  // 0: it lives, as far as it knows
};

}  // namespace entente::core
