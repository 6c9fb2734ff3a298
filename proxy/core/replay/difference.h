// The difference of two worlds in ordinary facts: what a front that knows the first must receive to know the second.
// Seek, loop and pause of a recording all use it.
// Invariant: after these facts are folded, the first world equals the second, as far as words allow: a rule cannot be
// removed, and a shot is ended and sent again. None of the facts is an event: deaths and spawns are sent as Unit, never
// as Died or Spawned.
#pragma once

#include <cstddef>
#include <functional>

#include "proxy/core/world.h"

namespace entente::core {

/// `stays`: players that exist only in `from` and must stay. `say` must not fold into either world before this has
/// returned.
void tell_difference(const WorldState& from, const WorldState& to, const std::function<bool(Id player)>& stays,
                     const std::function<void(Fact)>& say);

/// The most facts that tell_difference() says for two worlds with these limits.
constexpr std::size_t most_facts_of_difference(const WorldLimits& limits) {
  static_assert(sizeof(WorldLimits) == 7 * sizeof(std::size_t), "a new limit may need a line here");
  // A unit is removed, told anew and hidden; or it gets other health, moves and is hidden. A player is removed, or told
  // anew with its units and its score.
  const std::size_t units = 3 * limits.units, players = 4 * limits.players;
  const std::size_t shots = 2 * limits.shots, tokens = 2 * limits.tokens;
  const std::size_t edits = limits.units * 3 / 2 + EditList::kFew;  // EditList::add()
  const std::size_t once = 5;                                       // Room, World, Board, Round and Ready
  return units + players + shots + tokens + limits.rules + edits + words::Team_ARRAYSIZE + once;
}

/// Whether these facts include the whole land again, because words cannot undo an edit.
bool resends_land(const WorldState& from, const WorldState& to);

}  // namespace entente::core
