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
/// The same; a tank or a man is larger by one for each win of who drives it, up to kMostWins, as a client shows as its
/// score what its cells weigh.
std::uint16_t size_of(const words::Unit& unit, const core::World& world);
inline constexpr std::uint32_t kMostWins = 60;

/// Of that player or of what is its: its own colour, if it has one; else its side's. Who is on no side gets a colour
/// that nobody else is likely to have, for as long as it is in: pale where there are sides. `team`: of the thing
/// itself, if it has one.
Colour colour_of(const core::World& world, core::Id player, words::Team team);

/// Whether its player's mouse moves it: all cells of a player, but of three tanks only the one that is steered. (The
/// others are to a client what minions are: it would look at the middle between them.)
/// `in_play`: it was put into play since the one that it steered died.
bool is_owned(const words::Unit& unit, const core::PlayerState& me, bool in_play);

/// All but place and ownership.
void dress(const words::Unit& unit, const core::World& world, Look& look);

}  // namespace entente::ogar
