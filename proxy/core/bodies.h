// Which units stand for a world's players in a game where everybody drives one: tanks and men, and of cells one; and
// how the back of such a game tells of them.
#pragma once

#include <vector>

#include "proxy/core/session.h"
#include "proxy/core/world.h"

namespace entente::core {

/// A tank or a man: steered by itself, and facing somewhere.
inline bool is_body(words::Unit::Kind kind) { return kind == words::Unit::TANK || kind == words::Unit::MAN; }
/// What a tank can stand for.
inline bool is_driven(words::Unit::Kind kind) { return is_body(kind) || kind == words::Unit::CELL; }

/// The player's bodies, the one it steers first, then one cell: that it steers, or the largest. Who is hidden is there,
/// too; but a cell that is not stands before one that is.
std::vector<Id> bodies_of(const PlayerState& player, const World& world);

/// Whether it is in play and in sight. Null: it is not.
inline bool is_seen(const UnitState* state) { return state != nullptr && state->unit.alive() && !state->hidden; }

/// What is driven and not hidden, but nobody's; by id.
std::vector<Id> bodies_of_nobody(const World& world);

/// Says a unit, and that its owner has it alone and steers it.
void say_owned(words::Unit unit, BackOut& out);

/// Says that a player has gone, after its unit, if it has one (not 0).
void say_gone(Id player, Id unit, BackOut& out);

}  // namespace entente::core
