// What Panic's front and back drop, and why. Law: each line is also in the mapping table.
#pragma once

#include "adapters/wire/mapping.h"

namespace entente::panic::loss {

using wire::lost_down, wire::lost_fact, wire::lost_intent, wire::lost_up, wire::Mapping;

// -- By the front: what a client sends --------------------------------------------------------------------------------

inline constexpr Mapping kActionTooEarly = lost_up("Action", "", "the game has not begun");
inline constexpr Mapping kActionOfAnother = lost_up("Action", "player", "it is another player's number");
inline constexpr Mapping kNoAction = lost_up("Action", "action", "the action is unknown");
inline constexpr Mapping kActionNoDirection = lost_up("Action", "direction", "not a valid direction");
inline constexpr Mapping kActionNoTank = lost_up("Action", "piece", "it is not a living tank of the player");
inline constexpr Mapping kActionOfDead = lost_up("Action", "piece", "the tank is dead and waits to be put into play");

// -- By the front: what a client cannot be told -----------------------------------------------------------------------

inline constexpr Mapping kMapsUnreadable = lost_fact("World", "the folder of maps, or a file in it, cannot be read");
inline constexpr Mapping kMapIsFixed = lost_fact("WorldEdit", "the client has its own map, which does not change");
inline constexpr Mapping kUnitUnlike = lost_fact("Unit", "the client has nothing like viruses and ejected mass");
inline constexpr Mapping kTokensFull = lost_fact("Token", "more than a client can read in time");
inline constexpr Mapping kRoundGoesOn =
    lost_fact("Round", "another round follows, but a client that learns of an end ignores all keys");

// -- By the back: what a server sends ---------------------------------------------------------------------------------

inline constexpr Mapping kBeforeState = lost_down("*", "", "it came before the first GameState");
inline constexpr Mapping kCreateReserved =
    wire::down("CreateReserved", "*", "", wire::Fidelity::kDropped,
               "the document reserves the type, and the released client crashes on it");
inline constexpr Mapping kEventReserved =
    wire::down("EventReserved", "*", "", wire::Fidelity::kDropped,
               "the document reserves the type, and the released client crashes on it");
inline constexpr Mapping kPiecesFull = lost_down("*", "", "it creates more pieces than a map has tiles");
inline constexpr Mapping kNoPiece = lost_down("*", "", "its piece was never created, or is gone");
inline constexpr Mapping kMoveNoDirection = lost_down("Move", "direction", "not a valid direction");
inline constexpr Mapping kOverAlready = lost_down("GameOver", "", "only the first one counts");

// -- By the back: what a server cannot be told ------------------------------------------------------------------------

inline constexpr Mapping kOtherPlayer = lost_intent("*", "a connection has only one player");
inline constexpr Mapping kWatching = lost_intent("*", "the player only watches");
inline constexpr Mapping kNotInPlay = lost_intent("*", "the player is not in play");
inline constexpr Mapping kNoTank = lost_intent("*", "it is not a living tank of the player");
inline constexpr Mapping kStepNoDirection = lost_intent("Step.direction", "not a valid direction");
inline constexpr Mapping kNoAmmo = lost_intent("Fire", "the tank has no ammunition");
inline constexpr Mapping kShotLeavesMap = lost_intent("Fire", "the shot might leave the map, which crashes the server");

}  // namespace entente::panic::loss
