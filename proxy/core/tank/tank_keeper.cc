#include "proxy/core/tank/tank_keeper.h"

namespace entente::core {
namespace {

const UnitState* own_unit(const TankNumbers& numbers, const FrontOut& out) {
  const TankPlayerEntry* own = numbers.own_entry();
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

void TankKeeper::correct(const TankNumbers& numbers, FrontOut& out) {
  move(numbers, tank_.force(own_unit(numbers, out), out), out);
}

void TankKeeper::revive(const TankNumbers& numbers, FrontOut& out) {
  move(numbers, tank_.revive(own_unit(numbers, out), out), out);
}

void TankKeeper::check_place(const TankNumbers& numbers, FrontOut& out) {
  const TankPlayerEntry* own = numbers.own_entry();
  if (own != nullptr && own->unit != 0 && own->alive) move(numbers, tank_.look(own_unit(numbers, out), out), out);
}

void TankKeeper::move(const TankNumbers& numbers, const std::optional<words::Pose>& place, FrontOut& out) {
  if (place) display_.put(numbers.own_number(), *place, out);
}

}  // namespace entente::core
