// What BZFlag's front and back drop, and why. Law: each line is also in the mapping table.
#pragma once

#include "adapters/wire/mapping.h"
#include "proxy/core/losses.h"

namespace entente::bzflag::loss {

using wire::lost_down, wire::lost_fact, wire::lost_intent, wire::lost_up, wire::Mapping;

// -- By both ----------------------------------------------------------------------------------------------------------

inline constexpr Mapping kUnsaid = {"*", wire::kUp | wire::kDown,    "",
                                    "",  wire::Fidelity::kSometimes, "the peer's dialect has no message for it"};

// -- By the front: what a client sends --------------------------------------------------------------------------------

inline constexpr Mapping kUnknownUp = lost_up("*", "", "no known version of BZFlag has this code");
inline constexpr Mapping kNewRabbit =
    wire::up("MsgNewRabbit", "", "", wire::Fidelity::kDropped, "there is no word for the wish to be the rabbit");
inline constexpr Mapping kEnteredAlready = lost_up("MsgEnter", "", "the client has already entered");
inline constexpr Mapping kAliveTooEarly = lost_up("MsgAlive", "", "the player is not in the game");
inline constexpr Mapping kUpdateTooEarly = lost_up("MsgPlayerUpdate", "", "the player is not in the game");
inline constexpr Mapping kPushed =
    lost_up("MsgPlayerUpdate", "status", "there is no word for what moves a tank besides its own drive");
inline constexpr Mapping kChatTooEarly = lost_up("MsgMessage", "", "the player is not in the game");
inline constexpr Mapping kChatToNobody = lost_up("MsgMessage", "to", "its recipient is not there");

// -- By the front: what a client cannot be told -----------------------------------------------------------------------

inline constexpr Mapping kWorldEdit = wire::no_fact("WorldEdit", "clients cannot change the world that they loaded");
inline constexpr Mapping kVoxels = wire::no_fact("World.voxels", "a client's world has no blocks");
inline constexpr Mapping kAddress = lost_fact("Player.address", "only operators learn it, when they ask");
inline constexpr Mapping kOwnName = lost_fact("Player", "the client's own name and team cannot change");
inline constexpr Mapping kSolidsFull = lost_fact("World.solids", "more than the client can load");
inline constexpr Mapping kHealthOfOther = lost_fact("Health", "a client shows only whether others are alive");
inline constexpr Mapping kUnitUnlike = lost_fact("Unit", "the client's game has nothing like it");
inline constexpr Mapping kUnitsFull = lost_fact("Unit", "no number is left for another player");
inline constexpr Mapping kPickupsFull = lost_fact("Unit", "no number is left for another flag");
inline constexpr Mapping kTokensFull = lost_fact("Token", "no number is left for another flag");
inline constexpr Mapping kCapturedUnseen =
    lost_fact("TokenCaptured", "the client does not see that flag or that player");
using core::loss::kShooterUnseen;
using core::loss::kShotsFull;

// -- By the back: what a server sends ---------------------------------------------------------------------------------

inline constexpr Mapping kUnknownDown = lost_down("*", "", "no known version of BZFlag has this code");
inline constexpr Mapping kHandicap =
    wire::down("MsgHandicap", "*", "", wire::Fidelity::kDropped, "there is no word for handicaps");
inline constexpr Mapping kFlagType =
    wire::down("MsgFlagType", "*", "", wire::Fidelity::kDropped, "there is no word for flags of plugins");
inline constexpr Mapping kCacheUrl =
    wire::down("MsgCacheURL", "url", "", wire::Fidelity::kDropped, "worlds are loaded from the server itself");
inline constexpr Mapping kFetchResources =
    wire::down("MsgFetchResources", "*", "", wire::Fidelity::kDropped, "Entente downloads only the world");
inline constexpr Mapping kCustomSound =
    wire::down("MsgCustomSound", "*", "", wire::Fidelity::kDropped, "there is no word for sounds");
inline constexpr Mapping kMissingFlags =
    lost_down("MsgNegotiateFlags", "flags", "there is no word for flags of plugins");
inline constexpr Mapping kMesh = lost_down("MsgGetWorld", "data", "a mesh becomes the box around it");
inline constexpr Mapping kNoPlayer = lost_down("MsgAddPlayer", "", "no player can have that number");

// -- By the back: what a server cannot be told ------------------------------------------------------------------------

inline constexpr Mapping kWishNotInPlay = lost_intent("TokenWish", "the player is not in play");
inline constexpr Mapping kNoDatagrams =
    lost_intent("Fire", "there is no UDP link, and the server kicks players who shoot over TCP");
inline constexpr Mapping kServerCounts = lost_intent("ScoreClaim", "the server keeps the score");
inline constexpr Mapping kShotOfNobody = lost_intent("ShotEndClaim", "its shooter is not in the game");
inline constexpr Mapping kEndsFull =
    lost_intent("ShotEndClaim", "more claims about other players' shots than the server allows");
using core::loss::kCommandTooLong;
using core::loss::kFireNotInPlay;
using core::loss::kNoListener;
using core::loss::kReloading;

}  // namespace entente::bzflag::loss
