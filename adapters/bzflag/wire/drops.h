// What BZFlag's front and back drop, and why. Invariant: each line is also in the mapping table.
#pragma once

#include "adapters/wire/mapping.h"
#include "proxy/core/drops.h"

namespace entente::bzflag::drops {

using wire::dropped_down, wire::dropped_fact, wire::dropped_intent, wire::dropped_up, wire::MappingLine;

// -- By both ----------------------------------------------------------------------------------------------------------

inline constexpr MappingLine kUnsaid = {
    "*", wire::kUp | wire::kDown,           "",
    "",  wire::Fidelity::kDroppedSometimes, "the peer's dialect has no message for it"};

// -- By the front: what a client sends --------------------------------------------------------------------------------

inline constexpr MappingLine kUnknownUp = dropped_up("*", "", "no known version of BZFlag has this code");
inline constexpr MappingLine kNewRabbit =
    wire::up("MsgNewRabbit", "", "", wire::Fidelity::kDropped, "there is no word for the wish to be the rabbit");
inline constexpr MappingLine kEnteredAlready = dropped_up("MsgEnter", "", "the client has already entered");
inline constexpr MappingLine kAliveTooEarly = dropped_up("MsgAlive", "", "the player is not in the game");
inline constexpr MappingLine kUpdateTooEarly = dropped_up("MsgPlayerUpdate", "", "the player is not in the game");
inline constexpr MappingLine kPushed =
    dropped_up("MsgPlayerUpdate", "status", "there is no word for what moves a tank besides its own drive");
inline constexpr MappingLine kChatTooEarly = dropped_up("MsgMessage", "", "the player is not in the game");
inline constexpr MappingLine kChatToNobody = dropped_up("MsgMessage", "to", "its recipient is not there");

// -- By the front: what a client cannot be told -----------------------------------------------------------------------

inline constexpr MappingLine kWorldEdit =
    wire::no_fact("WorldEdit", "clients cannot change the world that they loaded");
inline constexpr MappingLine kVoxels = wire::no_fact("World.voxels", "a client's world has no blocks");
inline constexpr MappingLine kAddress = dropped_fact("Player.address", "only operators learn it, when they ask");
inline constexpr MappingLine kOwnName = dropped_fact("Player", "the client's own name and team cannot change");
inline constexpr MappingLine kSolidsFull = dropped_fact("World.solids", "more than the client can load");
inline constexpr MappingLine kHealthOfOther = dropped_fact("Health", "a client shows only whether others are alive");
inline constexpr MappingLine kUnitUnlike = dropped_fact("Unit", "the client's game has nothing like it");
inline constexpr MappingLine kUnitsFull = dropped_fact("Unit", "no number is left for another player");
inline constexpr MappingLine kPickupsFull = dropped_fact("Unit", "no number is left for another flag");
inline constexpr MappingLine kTokensFull = dropped_fact("Token", "no number is left for another flag");
inline constexpr MappingLine kCapturedUnseen =
    dropped_fact("TokenCaptured", "the client does not see that flag or that player");
inline constexpr MappingLine kOtherWorld = dropped_fact("World", "clients load a world only when they join");
using core::drops::kIncomingFull;
using core::drops::kShooterUnseen;
using core::drops::kShotsFull;
using core::drops::kWorldLate;

// -- By the back: what a server sends ---------------------------------------------------------------------------------

inline constexpr MappingLine kUnknownDown = dropped_down("*", "", "no known version of BZFlag has this code");
inline constexpr MappingLine kHandicap =
    wire::down("MsgHandicap", "*", "", wire::Fidelity::kDropped, "there is no word for handicaps");
inline constexpr MappingLine kFlagType =
    wire::down("MsgFlagType", "*", "", wire::Fidelity::kDropped, "there is no word for flags of plugins");
inline constexpr MappingLine kCacheUrl =
    wire::down("MsgCacheURL", "url", "", wire::Fidelity::kDropped, "worlds are loaded from the server itself");
inline constexpr MappingLine kFetchResources =
    wire::down("MsgFetchResources", "*", "", wire::Fidelity::kDropped, "Entente downloads only the world");
inline constexpr MappingLine kCustomSound =
    wire::down("MsgCustomSound", "*", "", wire::Fidelity::kDropped, "there is no word for sounds");
inline constexpr MappingLine kMissingFlags =
    dropped_down("MsgNegotiateFlags", "flags", "there is no word for flags of plugins");
inline constexpr MappingLine kWorldCut =
    dropped_down("MsgGetWorld", "data", "more obstacles or links than Entente reads");
inline constexpr MappingLine kShapesFull =
    dropped_down("MsgGetWorld", "data", "a part of a mesh is more than a room keeps");
inline constexpr MappingLine kNoPlayer = dropped_down("MsgAddPlayer", "", "no player can have that number");

// -- By the back: what a server cannot be told ------------------------------------------------------------------------

inline constexpr MappingLine kWishNotInPlay = dropped_intent("TokenWish", "the player is not in play");
inline constexpr MappingLine kGivesOfOther = dropped_intent("TokenWish", "a player can give away only its own flag");
inline constexpr MappingLine kPauseNotInPlay = dropped_intent("Pause", "the player is not in play");
inline constexpr MappingLine kNoDatagrams =
    dropped_intent("Fire", "there is no UDP link, and the server kicks players who shoot over TCP");
inline constexpr MappingLine kServerCounts = dropped_intent("ScoreClaim", "the server keeps the score");
inline constexpr MappingLine kShotOfNobody = dropped_intent("ShotEndClaim", "its shooter is not in the game");
inline constexpr MappingLine kEndsFull = dropped_intent("ShotEndClaim", "more shots have ended than the server allows");
using core::drops::kCommandNotExact;
using core::drops::kCommandTooLong;
using core::drops::kFireNotInPlay;
using core::drops::kNoRecipient;
using core::drops::kNotInGame;
using core::drops::kReloading;
using core::drops::kShotNumberGone;
using core::drops::kShotNumberTaken;

}  // namespace entente::bzflag::drops
