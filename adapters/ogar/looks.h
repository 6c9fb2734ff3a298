// How a unit of any game looks as a cell: what it is drawn as, how large, in what colour, and whether it is shown at
// all.
#pragma once

#include <string_view>

#include "adapters/ogar/map.h"
#include "proxy/core/world.h"

namespace entente::ogar {

/// A cell as it is to be painted, in Ogar's units.
struct Look {
  CellType type = CellType::kPlayer;
  float x = 0, y = 0;
  std::uint16_t size = 0;
  Colour colour{};
  bool owned = false;
  std::string_view name, skin;
};

/// Who is dead, or waits to be put into play, is not shown.
bool is_shown(const core::UnitState& state);

/// 1 or more. Who has no radius is drawn by its kind, and smaller the less health it has.
std::uint16_t size_of(const words::Unit& unit);

/// Whether its player's mouse moves it: all cells of a player, but of three tanks only the one that is steered. (The
/// others are to a client what minions are: it would look at the middle between them.)
/// `in_play`: it was put into play since the one that it steered died.
bool is_owned(const words::Unit& unit, const core::PlayerState& me, bool in_play);

/// All but place and ownership.
void dress(const words::Unit& unit, const core::World& world, Look& look);

}  // namespace entente::ogar
