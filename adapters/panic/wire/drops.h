// What Panic's front and back drop, and why. Invariant: each line is also in the mapping table.
#pragma once

#include "adapters/wire/mapping.h"
#include "proxy/core/drops.h"

namespace entente::panic::drops {

using wire::dropped_down, wire::dropped_fact, wire::dropped_intent, wire::dropped_up, wire::MappingLine;

// -- By the front: what a client sends --------------------------------------------------------------------------------

inline constexpr MappingLine kActionTooEarly = dropped_up("Action", "", "the game has not begun");
inline constexpr MappingLine kActionOfAnother = dropped_up("Action", "player", "it is another player's number");
inline constexpr MappingLine kNoAction = dropped_up("Action", "action", "the action is unknown");
inline constexpr MappingLine kActionNoDirection = dropped_up("Action", "direction", "not a valid direction");
inline constexpr MappingLine kActionNoTank = dropped_up("Action", "piece", "it is not a living tank of the player");
inline constexpr MappingLine kActionOfDead =
    dropped_up("Action", "piece", "the tank is dead and waits to be put into play");

// -- By the front: what a client cannot be told -----------------------------------------------------------------------

inline constexpr MappingLine kMapsUnreadable =
    dropped_fact("World", "the folder of maps, or a file in it, cannot be read, or there are too many");
inline constexpr MappingLine kMapIsFixed =
    dropped_fact("WorldEdit", "the client has its own map, which does not change");
inline constexpr MappingLine kMasonryFull = dropped_fact("WorldEdit", "more is built than can be shown as walls");
inline constexpr MappingLine kObstaclesFull =
    dropped_fact("World", "it has more obstacles than can be looked at; the last ones make no walls");
inline constexpr MappingLine kWallsFull =
    dropped_fact("World", "it has more walls than a client can read in time; only 400 are shown");
inline constexpr MappingLine kUnitUnlike = dropped_fact("Unit", "the client has nothing like viruses and ejected mass");
inline constexpr MappingLine kTokensFull = dropped_fact("Token", "more than a client can read in time");
inline constexpr MappingLine kRoundGoesOn =
    dropped_fact("Round", "another round follows, but a client that learns of an end ignores all keys");

// -- By the back: what a server sends ---------------------------------------------------------------------------------

inline constexpr MappingLine kBeforeState = dropped_down("*", "", "it came before the first GameState");
inline constexpr MappingLine kCreateReserved =
    wire::down("CreateReserved", "*", "", wire::Fidelity::kDropped,
               "the document reserves the type, and the released client crashes on it");
inline constexpr MappingLine kEventReserved =
    wire::down("EventReserved", "*", "", wire::Fidelity::kDropped,
               "the document reserves the type, and the released client crashes on it");
inline constexpr MappingLine kPiecesFull = dropped_down("*", "", "it creates more pieces than a map has tiles");
inline constexpr MappingLine kNoPiece = dropped_down("*", "", "its piece was never created, or is gone");
inline constexpr MappingLine kMoveNoDirection = dropped_down("Move", "direction", "not a valid direction");
inline constexpr MappingLine kOverAlready = dropped_down("GameOver", "", "only the first one counts");

// -- By the back: what a server cannot be told ------------------------------------------------------------------------

inline constexpr MappingLine kOtherPlayer = dropped_intent("*", "a connection has only one player");
inline constexpr MappingLine kWatching = dropped_intent("*", "the player only watches");
inline constexpr MappingLine kNotInPlay = dropped_intent("*", "the player is not in play");
inline constexpr MappingLine kNoTank = dropped_intent("*", "it is not a living tank of the player");
inline constexpr MappingLine kStepNoDirection = dropped_intent("Step.direction", "not a valid direction");
inline constexpr MappingLine kNoAmmo = dropped_intent("Fire", "the tank has no ammunition");
inline constexpr MappingLine kShotLeavesMap =
    dropped_intent("Fire", "the shot might leave the map, which crashes the server");
inline constexpr MappingLine kShotUnanswered = dropped_intent("Fire", "the server did not carry out the shot in time");
inline constexpr MappingLine kShotReplaced = dropped_intent("Fire", "a newer shot came before it could be sent");
inline constexpr MappingLine kShotOfLost = dropped_intent("Fire", "the tank was lost before the shot was carried out");
using core::drops::kUnanswered;  // for a step

}  // namespace entente::panic::drops
