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
inline constexpr Mapping kSolidsFull = lost_fact("World.solids", "more than a client's picture holds");
inline constexpr Mapping kChatFull = lost_fact("Said", "more lines at once than one update takes");

// -- By the back: what a server sends ---------------------------------------------------------------------------------

inline constexpr Mapping kCellsOfOneFull = lost_down("Update", "added", "more cells than one player has");
inline constexpr Mapping kCellsFull = lost_down("Update", "added", "more cells than a room keeps");
inline constexpr Mapping kTraceFull =
    lost_down("Update", "added", "more is ejected at once than can be traced to its player");
inline constexpr Mapping kPlayersFull = lost_down("Update", "added.name", "more players than a room keeps");
inline constexpr Mapping kBoardFull = lost_down("Update", "board", "more rows than a board has");
inline constexpr Mapping kSlicesNotFinite = lost_down("Update", "board.slices", "not finite numbers");

// -- By the back: what a server cannot be told ------------------------------------------------------------------------

inline constexpr Mapping kNobody = lost_intent("*", "nobody plays in a room of watchers");
inline constexpr Mapping kOtherChange = lost_intent("Change", "a player chooses only its name and its skin");
inline constexpr Mapping kWatchOne = lost_intent("Watch.target", "a watcher can follow only the leader");
inline constexpr Mapping kChatForSome = lost_intent("Say", "chat reaches everybody, and this was not for everybody");
inline constexpr Mapping kChatTooFast = lost_intent("Say", "the server takes one line a second");
inline constexpr Mapping kNoCell = lost_intent("Fire", "the player has no cell");
using core::loss::kCommandTooLong;

}  // namespace entente::ogar::loss
