// Players and what they drive, for games in which a player is one tank or one man: who of a room is one to their
// clients, and how their backs tell of one.
// Law: only what the world says counts; who plays whom, and by which number, is the front's.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "proxy/core/session.h"
#include "proxy/core/world.h"

namespace entente::core {

/// Tanks, men, and cells, which a tank can stand for.
bool drives(const words::Unit& unit);

/// Which of a player's many cells stands for all: the largest, or the one it steers, if it steers one of them.
enum class CellShown : std::uint8_t { kLargest, kSteered };

/// The units of a player that drive and are not hidden, the one that it steers first; of cells only one.
std::vector<Id> shown_units(const PlayerState& player, const World& world, CellShown cell);

/// Says a unit, and that its owner has it alone and steers it.
void say_owned(words::Unit unit, BackOut& out);

/// Says that a player has gone, after its unit, if it has one (not 0).
void say_gone(Id player, Id unit, BackOut& out);

}  // namespace entente::core
