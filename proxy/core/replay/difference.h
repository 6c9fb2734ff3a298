// From one world to another in ordinary facts: what a front that knew the one must hear to know the other. Seeking in a
// recording, looping it and pausing it are all this one function.
// Law: after these facts are folded, the first world is the second, as far as words can say it: a rule cannot be
// unsaid, and a shot is ended and told anew. None of them is an event: whoever is dead or alive in the second is told
// so by its Unit, never by Died or Spawned.
#pragma once

#include <functional>

#include "proxy/core/world.h"

namespace entente::core {

/// `stays`: players that are in `from` only, and are not to go. `say` must not fold into either world before this has
/// returned.
void tell_difference(const World& from, const World& to, const std::function<bool(Id player)>& stays,
                     const std::function<void(Fact)>& say);

}  // namespace entente::core
