// What Ogar's front and back drop, and why. Invariant: each line is also in the mapping table.
#pragma once

#include "adapters/wire/mapping.h"
#include "proxy/core/drops.h"

namespace entente::ogar::drops {

using wire::dropped_down, wire::dropped_fact, wire::dropped_intent, wire::MappingLine;

// -- By the front -----------------------------------------------------------------------------------------------------

inline constexpr MappingLine kMinionCollect =
    wire::up("MinionCollect", "", "", wire::Fidelity::kDropped, "no server acts on it");
inline constexpr MappingLine kVoxels = wire::no_fact("World.voxels", "blocks are not drawn");
inline constexpr MappingLine kSolidsFull = dropped_fact("World.solids", "more than a client can show");
inline constexpr MappingLine kTokensFull = dropped_fact("Token", "more than a client is shown");
inline constexpr MappingLine kShotsFull = dropped_fact("Shot", "more than a client is shown at once");
inline constexpr MappingLine kChatFull = dropped_fact("Said", "too many chat lines for one update");

// -- By the back: what a server sends ---------------------------------------------------------------------------------

inline constexpr MappingLine kCellsOfOneFull = dropped_down("Update", "added", "more cells than a player can have");
inline constexpr MappingLine kCellsFull = dropped_down("Update", "added", "more cells than a room keeps");
inline constexpr MappingLine kTraceFull =
    dropped_down("Update", "added", "too much is ejected at once to know by whom");
inline constexpr MappingLine kPlayersFull = dropped_down("Update", "added.name", "more players than a room keeps");
inline constexpr MappingLine kBoardFull = dropped_down("Update", "board", "more rows than a board can have");
inline constexpr MappingLine kSlicesNotFinite = dropped_down("Update", "board.slices", "a number is not finite");

// -- By the back: what a server cannot be told ------------------------------------------------------------------------

inline constexpr MappingLine kNobody = dropped_intent("*", "spectators of a broadcast cannot play");
inline constexpr MappingLine kOtherChange = dropped_intent("Change", "a player chooses only its name and its skin");
inline constexpr MappingLine kWatchOne = dropped_intent("Watch.target", "a spectator can follow only the leader");
inline constexpr MappingLine kWatchInPlay = dropped_intent("Watch", "a player who has a cell cannot watch");
inline constexpr MappingLine kChatForSome =
    dropped_intent("Say", "chat reaches everybody, but this was not for everybody");
inline constexpr MappingLine kChatTooFast = dropped_intent("Say", "the server accepts one line a second");
inline constexpr MappingLine kChatWithoutWorld =
    dropped_intent("Say", "the server shows no world, and takes no chat meanwhile");
inline constexpr MappingLine kNoCell = dropped_intent("Fire", "the player has no cell");
inline constexpr MappingLine kTooSmall =
    dropped_intent("Fire", "the cell is too small to shoot: it can neither split nor eject mass");
using core::drops::kCommandTooLong;
using core::drops::kWorldLate;

}  // namespace entente::ogar::drops
