// What Ogar's front and back drop, and why. Law: each line is also in the mapping table.
#pragma once

#include "adapters/wire/mapping.h"
#include "proxy/core/losses.h"

namespace entente::ogar::loss {

using wire::lost_down, wire::lost_fact, wire::lost_intent, wire::Mapping;

// -- By the front -----------------------------------------------------------------------------------------------------

inline constexpr Mapping kMinionCollect =
    wire::up("MinionCollect", "", "", wire::Fidelity::kDropped, "no server acts on it");
inline constexpr Mapping kVoxels = wire::no_fact("World.voxels", "blocks are not drawn");
inline constexpr Mapping kSolidsFull = lost_fact("World.solids", "more than a client can show");
inline constexpr Mapping kChatFull = lost_fact("Said", "too many chat lines for one update");

// -- By the back: what a server sends ---------------------------------------------------------------------------------

inline constexpr Mapping kCellsOfOneFull = lost_down("Update", "added", "more cells than a player can have");
inline constexpr Mapping kCellsFull = lost_down("Update", "added", "more cells than a room keeps");
inline constexpr Mapping kTraceFull = lost_down("Update", "added", "too much is ejected at once to know by whom");
inline constexpr Mapping kPlayersFull = lost_down("Update", "added.name", "more players than a room keeps");
inline constexpr Mapping kBoardFull = lost_down("Update", "board", "more rows than a board can have");
inline constexpr Mapping kSlicesNotFinite = lost_down("Update", "board.slices", "a number is not finite");

// -- By the back: what a server cannot be told ------------------------------------------------------------------------

inline constexpr Mapping kNobody = lost_intent("*", "spectators of a broadcast cannot play");
inline constexpr Mapping kOtherChange = lost_intent("Change", "a player chooses only its name and its skin");
inline constexpr Mapping kWatchOne = lost_intent("Watch.target", "a spectator can follow only the leader");
inline constexpr Mapping kChatForSome = lost_intent("Say", "chat reaches everybody, but this was not for everybody");
inline constexpr Mapping kChatTooFast = lost_intent("Say", "the server accepts one line a second");
inline constexpr Mapping kNoCell = lost_intent("Fire", "the player has no cell");
using core::loss::kCommandTooLong;

}  // namespace entente::ogar::loss
