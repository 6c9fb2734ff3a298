// How a unit of any game looks as a cell: its type, size and colour, and whether it is shown at all.
#pragma once

#include <string_view>

#include "adapters/ogar/wire/conversions.h"
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

/// Whether a unit is shown: it is not hidden, not dead, and does not wait to be put into play.
bool is_shown(const core::UnitState& state);

/// The size as a cell, 1 or more. A unit without a radius is drawn by its kind, and smaller the less health it has.
std::uint16_t size_of(const words::Unit& unit);
/// As above, but a tank or a man is larger by one for each win of its player, up to kMostWins: a client shows the mass
/// of its cells as its score.
std::uint16_t size_of(const words::Unit& unit, const core::WorldState& world);
inline constexpr std::uint32_t kMostWins = 60;
/// The size of what stands still: smaller than any unhurt player, so that nobody takes it for a cell that could eat it.
inline constexpr double kPost = 40;

/// The colour of a player, or of what belongs to it: its own colour if it has one, else that of its team. A player
/// without a team gets a colour that is probably unique, for as long as it is in the room; pale if there are teams.
/// `team`: of the unit itself, if it has one.
Colour colour_of(const core::WorldState& world, core::Id player, words::Team team);

/// Whether a unit is shown as the client's own: all cells of its player, but of several tanks only the steered one.
/// (The others look like minions; otherwise the client would look at the middle between them.) `in_play`: the player
/// was put into play since the steered one died.
bool is_owned(const words::Unit& unit, const core::PlayerState& me, bool in_play);

/// Sets everything except place and ownership.
void set_look(const words::Unit& unit, const core::WorldState& world, Look& look);

}  // namespace entente::ogar
