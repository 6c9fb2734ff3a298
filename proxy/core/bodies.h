// Which unit stands for a player in games where each player has one unit (tanks and men, or one of a player's
// cells), and how the back of such a game reports it.
#pragma once

#include <vector>

#include "proxy/core/room_member.h"
#include "proxy/core/world.h"

namespace entente::core {

/// A tank or a man: steered directly, and facing a direction.
inline bool is_body(words::Unit::Kind kind) { return kind == words::Unit::TANK || kind == words::Unit::MAN; }
/// A unit that can be shown as a tank.
inline bool shown_as_tank(words::Unit::Kind kind) { return is_body(kind) || kind == words::Unit::CELL; }

/// Whether the cell `one`, rather than `other`, stands for their player, who steers `active`.
bool is_better_cell(const UnitState& one, const UnitState& other, Id active);

/// The player's bodies, the steered one first, then one cell: the steered one, or the largest. Hidden bodies are
/// included; a visible cell is preferred to a hidden one.
std::vector<Id> tank_units_of(const PlayerState& player, const WorldState& world);

/// Whether the unit is in play and visible. False for null.
inline bool is_seen(const UnitState* state) { return state != nullptr && state->unit.alive() && !state->hidden; }

/// Visible units without an owner that can be shown as tanks, by id.
std::vector<Id> tank_units_of_nobody(const WorldState& world);

/// Reports a unit, and that it is the only unit of its owner, who steers it.
void say_owned(words::Unit unit, BackOut& out);

/// The health of a unit.
words::Health health_word(Id unit, double now, double max);

/// Reports that a player has left, after its unit, if it has one (not 0).
void say_gone(Id player, Id unit, BackOut& out);

}  // namespace entente::core
