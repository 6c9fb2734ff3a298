// Pellets lie about as flags, as other things do that can be picked up, but only the nearest. See front.h.
#include "adapters/bzflag/front/front.h"

namespace entente::bzflag {

void FrontSession::look_about(Outlet& out) {
  if (!litter_.look_about(out.world().unit(own_unit()), out)) return;
  for (const core::Id unit : litter_.gone()) drop_pickup(unit, out);
  for (const core::Id unit : litter_.come()) tell_pickup(unit, out);
}

/// It may still lie there, but our client is told no more of it.
void FrontSession::drop_pickup(core::Id unit, Outlet& out) {
  const std::uint16_t* number = pickups_.wire(unit);
  if (number == nullptr) return;
  FlagUpdate update;
  update.flags.push_back(flag_of(words::Token()));
  update.flags.back().number = *number;
  pickups_.remove_id(unit);
  peer_.stream(out, update);
}

}  // namespace entente::bzflag
