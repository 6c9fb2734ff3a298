// What the draft's front and back drop, and why: the lines by which they count it. Law: each stands in the mapping,
// too.
#pragma once

#include "adapters/wire/mapping.h"
#include "proxy/core/losses.h"

namespace entente::bzdraft::loss {

using wire::lost_down, wire::lost_fact, wire::lost_intent, wire::lost_up, wire::Mapping;

// -- By the front: what a client sends --------------------------------------------------------------------------------

inline constexpr Mapping kUnknownUp = lost_up("*", "", "its code is not in the document");
inline constexpr Mapping kGreetedAlready = lost_up("MsgVersion", "", "the client has greeted already");
inline constexpr Mapping kEntersAlready = lost_up("MsgEnter", "", "the last one is not answered yet");
inline constexpr Mapping kChangeTooEarly = lost_up("MsgAddPlayer", "", "the player is not in the game");
inline constexpr Mapping kAliveTooEarly = lost_up("MsgAlive", "", "the player is not in the game");
inline constexpr Mapping kChatTooEarly = lost_up("MsgMessage", "", "the player is not in the game");
inline constexpr Mapping kChatToNobody = lost_up("MsgMessage", "to", "the player it is for is not there");
inline constexpr Mapping kNoFlagToDrop = lost_up("MsgDropFlag", "", "the player has no flag");

// -- By the front: what a client cannot be told -----------------------------------------------------------------------

inline constexpr Mapping kWorldEdit = wire::no_fact("WorldEdit", "a client keeps the world it loaded");
inline constexpr Mapping kVoxels = wire::no_fact("World.voxels", "a client's world has no blocks");
inline constexpr Mapping kAddress = wire::no_fact("Player.address", "a client is told no addresses");
inline constexpr Mapping kTakenFrom = wire::no_fact("TokenTaken.from", "flags are only taken from the ground");
inline constexpr Mapping kPaused = wire::no_fact("Round.paused", "a client's time cannot stop");
inline constexpr Mapping kHealthOfOther = lost_fact("Health", "a client sees only whether others live");
inline constexpr Mapping kUnitUnlike = lost_fact("Unit", "the client has nothing like it");
inline constexpr Mapping kUnitsFull = lost_fact("Unit", "more than there are numbers of players");
inline constexpr Mapping kPickupsFull = lost_fact("Unit", "more than there are numbers of flags");
inline constexpr Mapping kTokensFull = lost_fact("Token", "more than there are numbers of flags");
inline constexpr Mapping kCapturedUnseen = lost_fact("TokenCaptured", "the client is not shown that flag");
inline constexpr Mapping kOtherTeam = lost_fact("TeamScore", "the client has no such team");
using core::loss::kShooterUnseen;
using core::loss::kShotsFull;
inline constexpr Mapping kOtherRefusal = lost_fact("ClaimRefused", "neither a change of name nor a death was refused");
inline constexpr Mapping kShotUnseen = lost_fact("ShotMoved", "the client is not shown that shot");

// -- By the back: what a server sends ---------------------------------------------------------------------------------

inline constexpr Mapping kUnknownDown = lost_down("*", "", "its code is not in the document");
inline constexpr Mapping kNoModel = lost_down("MsgGetWorld", "model", "not the name of a resource");
inline constexpr Mapping kNoResource =
    lost_down("MsgGetResource", "data", "the server does not have it, or it does not match its name");
inline constexpr Mapping kNoRecords = lost_down("MsgGetResource", "data", "not a list of records");
inline constexpr Mapping kNoPlayer = lost_down("MsgAddPlayer", "player", "not a number that a player can have");
inline constexpr Mapping kNoTeam = lost_down("MsgTeamUpdate", "team", "not a known team");

// -- By the back: what a server cannot be told ------------------------------------------------------------------------

inline constexpr Mapping kKitOrColour = lost_intent("Change", "a tank looks like all of its team");
inline constexpr Mapping kNewAvatar = lost_intent("Change.skin", "an avatar cannot change during a session");
inline constexpr Mapping kNotIn = lost_intent("Change", "the player is not in the game");
inline constexpr Mapping kWishNotInPlay = lost_intent("TokenWish", "the player is not in play");
inline constexpr Mapping kNoToken = lost_intent("TokenWish", "no flag can have that number");
inline constexpr Mapping kOtherWish = lost_intent("TokenWish", "flags are only taken from the ground");
inline constexpr Mapping kShotOfNobody = lost_intent("ShotEndClaim", "its shooter is not there");
inline constexpr Mapping kShotOfAnother =
    lost_intent("ShotEndClaim", "the shots of others end by the deaths they cause");
using core::loss::kCommandTooLong;
using core::loss::kFireNotInPlay;
using core::loss::kNoListener;
using core::loss::kReloading;

}  // namespace entente::bzdraft::loss
