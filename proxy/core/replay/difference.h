// The difference of two worlds in ordinary facts: what a front that knows the first must receive to know the second.
// Seek, loop and pause of a recording all use it.
// Invariant: after these facts are folded, the first world equals the second, as far as words allow: a rule cannot be
// removed, and a shot is ended and sent again. None of the facts is an event: deaths and spawns are sent as Unit, never
// as Died or Spawned.
#pragma once

#include <functional>

#include "proxy/core/world.h"

namespace entente::core {

/// `stays`: players that exist only in `from` and must stay. `say` must not fold into either world before this has
/// returned.
void tell_difference(const WorldState& from, const WorldState& to, const std::function<bool(Id player)>& stays,
                     const std::function<void(Fact)>& say);

/// Whether these facts include the whole land again, because words cannot undo an edit.
bool resends_land(const WorldState& from, const WorldState& to);

}  // namespace entente::core
