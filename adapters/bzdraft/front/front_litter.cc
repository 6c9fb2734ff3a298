// What lies about to be picked up is a flag of no kind, and of pellets only the nearest are. See front.h.
#include "adapters/bzdraft/front/front.h"

#include "adapters/bzdraft/losses.h"

namespace entente::bzdraft {

std::optional<std::uint16_t> FrontSession::free_flag() const {
  for (std::uint16_t number = 0; number < most_flags_; ++number)
    if (flags_.id(number) == 0 && pickups_.id(number) == 0) return number;
  return std::nullopt;
}

/// Where it lies, or, once it does not, that it is not in the game.
void FrontSession::tell_pickup(core::Id unit, bool lies, Outlet& out) {
  if (pickups_.wire(unit) == nullptr) {
    const auto free = lies ? free_flag() : std::nullopt;
    if (!lies) return;
    if (!free) return out.lose(loss::kPickupsFull);
    pickups_.add(*free, unit);
  }
  FlagUpdate update;
  update.number = pickups_.wire_or(unit, 0);
  if (lies) {
    const words::Pose& pose = out.world().unit(unit)->unit.pose();
    update.flag.status = static_cast<std::uint8_t>(words::Token::GROUND);
    update.flag.position = triple(pose.x(), pose.y(), pose.z());
  } else {
    pickups_.remove_id(unit);
  }
  peer_.send(out, update);
}

void FrontSession::see_pickup(core::Id unit, Outlet& out) {
  const core::UnitState* state = out.world().unit(unit);
  tell_pickup(unit, state != nullptr && !state->hidden && state->unit.alive(), out);
}

void FrontSession::see_all_pickups(Outlet& out) {
  const auto is_pickup = [](const core::UnitState& state) { return state.unit.kind() == words::Unit::PICKUP; };
  for (const core::Id unit : out.world().sorted_units(is_pickup)) see_pickup(unit, out);
  litter_.stir(out);
}

void FrontSession::look_about(Outlet& out) {
  if (!litter_.look_about(out.world().unit(own_unit()), out)) return;
  for (const core::Id unit : litter_.gone()) tell_pickup(unit, false, out);
  for (const core::Id unit : litter_.come()) see_pickup(unit, out);
}

}  // namespace entente::bzdraft
