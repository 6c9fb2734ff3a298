#include "proxy/core/tank/tank_keeper.h"

namespace entente::core {
namespace {

const UnitState* own_unit(const TankNumbers& cast, const FrontOut& out) {
  const TankActor* own = cast.own_actor();
  return own != nullptr ? out.world().unit(own->unit) : nullptr;
}

}  // namespace

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

void TankKeeper::correct(const TankNumbers& cast, FrontOut& out) {
  move(cast, tank_.pull(own_unit(cast, out), out), out);
}

void TankKeeper::revive(const TankNumbers& cast, FrontOut& out) {
  move(cast, tank_.revive(own_unit(cast, out), out), out);
}

void TankKeeper::check_leash(const TankNumbers& cast, FrontOut& out) {
  const TankActor* own = cast.own_actor();
  if (own != nullptr && own->unit != 0 && own->alive) move(cast, tank_.look(own_unit(cast, out), out), out);
}

void TankKeeper::move(const TankNumbers& cast, const std::optional<words::Pose>& place, FrontOut& out) {
  if (place) sight_.put(cast.own_number(), *place, out);
}

}  // namespace entente::core
