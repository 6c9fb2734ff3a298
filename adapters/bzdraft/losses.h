// What the draft's front and back drop, and why. Law: each line is also in the mapping table.
#pragma once

#include "adapters/wire/mapping.h"
#include "proxy/core/losses.h"

namespace entente::bzdraft::loss {

using wire::lost_down, wire::lost_fact, wire::lost_intent, wire::lost_up, wire::Mapping;

// -- By the front: what a client sends --------------------------------------------------------------------------------

inline constexpr Mapping kUnknownUp = lost_up("*", "", "its code is not in the document");
inline constexpr Mapping kGreetedAlready = lost_up("MsgVersion", "", "the client has already greeted");
inline constexpr Mapping kEntersAlready = lost_up("MsgEnter", "", "the client's last MsgEnter is not answered yet");
inline constexpr Mapping kChangeTooEarly = lost_up("MsgAddPlayer", "", "the player is not in the game");
inline constexpr Mapping kAliveTooEarly = lost_up("MsgAlive", "", "the player is not in the game");
inline constexpr Mapping kChatTooEarly = lost_up("MsgMessage", "", "the player is not in the game");
inline constexpr Mapping kChatToNobody = lost_up("MsgMessage", "to", "its recipient is not there");
inline constexpr Mapping kNoFlagToDrop = lost_up("MsgDropFlag", "", "the player has no flag");

// -- By the front: what a client cannot be told -----------------------------------------------------------------------

inline constexpr Mapping kWorldEdit = wire::no_fact("WorldEdit", "clients cannot change the world that they loaded");
inline constexpr Mapping kVoxels = wire::no_fact("World.voxels", "a client's world has no blocks");
inline constexpr Mapping kAddress = wire::no_fact("Player.address", "clients do not learn addresses");
inline constexpr Mapping kTakenFrom = wire::no_fact("TokenTaken.from", "flags can be taken only from the ground");
inline constexpr Mapping kPaused = wire::no_fact("Round.paused", "the client's clock cannot stop");
inline constexpr Mapping kHealthOfOther = lost_fact("Health", "a client shows only whether others are alive");
inline constexpr Mapping kUnitUnlike = lost_fact("Unit", "the client's game has nothing like it");
inline constexpr Mapping kUnitsFull = lost_fact("Unit", "no number is left for another player");
inline constexpr Mapping kPickupsFull = lost_fact("Unit", "no number is left for another flag");
inline constexpr Mapping kTokensFull = lost_fact("Token", "no number is left for another flag");
inline constexpr Mapping kCapturedUnseen = lost_fact("TokenCaptured", "the client does not see that flag");
inline constexpr Mapping kOtherTeam = lost_fact("TeamScore", "the client has no such team");
using core::loss::kShooterUnseen;
using core::loss::kShotsFull;
inline constexpr Mapping kOtherRefusal =
    lost_fact("ClaimRefused", "the client learns only about refused names and deaths");
inline constexpr Mapping kShotUnseen = lost_fact("ShotMoved", "the client does not see that shot");

// -- By the back: what a server sends ---------------------------------------------------------------------------------

inline constexpr Mapping kUnknownDown = lost_down("*", "", "its code is not in the document");
inline constexpr Mapping kNoModel = lost_down("MsgGetWorld", "model", "not the name of a resource");
inline constexpr Mapping kNoResource =
    lost_down("MsgGetResource", "data", "the server does not have it, or its content does not match its name");
inline constexpr Mapping kNoRecords = lost_down("MsgGetResource", "data", "the data is not a list of records");
inline constexpr Mapping kNoPlayer = lost_down("MsgAddPlayer", "player", "no player can have that number");
inline constexpr Mapping kNoTeam = lost_down("MsgTeamUpdate", "team", "the team is unknown");

// -- By the back: what a server cannot be told ------------------------------------------------------------------------

inline constexpr Mapping kKitOrColour = lost_intent("Change", "all tanks of a team look alike");
inline constexpr Mapping kNewAvatar = lost_intent("Change.skin", "an avatar cannot change during a session");
inline constexpr Mapping kNotIn = lost_intent("Change", "the player is not in the game");
inline constexpr Mapping kWishNotInPlay = lost_intent("TokenWish", "the player is not in play");
inline constexpr Mapping kNoToken = lost_intent("TokenWish", "no flag can have that number");
inline constexpr Mapping kOtherWish = lost_intent("TokenWish", "flags can be taken only from the ground");
inline constexpr Mapping kShotOfNobody = lost_intent("ShotEndClaim", "its shooter is not in the game");
inline constexpr Mapping kShotOfAnother =
    lost_intent("ShotEndClaim", "shots of others end with the deaths that they cause");
using core::loss::kCommandTooLong;
using core::loss::kFireNotInPlay;
using core::loss::kNoListener;
using core::loss::kReloading;

}  // namespace entente::bzdraft::loss
