#include "proxy/core/tank/tank_keeper.h"

namespace entente::core {

void TankKeeper::put(const words::Pose& pose, Micros now) {
  tank_.put(pose, now);
  death_claimed_ = 0;
}

bool TankKeeper::claim_death(Micros now) {
  if (death_claimed_ != 0) return false;
  death_claimed_ = std::max<Micros>(now, 1);
  return true;
}

bool TankKeeper::survives(Micros patience, FrontOut& out) {
  if (death_claimed_ == 0) return false;
  if (out.now() < death_claimed_ + patience) return out.wake(death_claimed_ + patience), false;
  death_claimed_ = 0;
  return true;
}

}  // namespace entente::core
