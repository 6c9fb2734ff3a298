// What the draft's front and back drop, and why. Invariant: each line is also in the mapping table.
#pragma once

#include "adapters/wire/mapping.h"
#include "proxy/core/drops.h"

namespace entente::bzdraft::drops {

using wire::dropped_down, wire::dropped_fact, wire::dropped_intent, wire::dropped_up, wire::MappingLine;

// -- By the front: what a client sends --------------------------------------------------------------------------------

inline constexpr MappingLine kUnknownUp = dropped_up("*", "", "its code is not in the document");
inline constexpr MappingLine kGreetedAlready = dropped_up("MsgVersion", "", "the client has already greeted");
inline constexpr MappingLine kEntersAlready =
    dropped_up("MsgEnter", "", "the client's last MsgEnter is not answered yet");
inline constexpr MappingLine kChangeTooEarly = dropped_up("MsgAddPlayer", "", "the player is not in the game");
inline constexpr MappingLine kAliveTooEarly = dropped_up("MsgAlive", "", "the player is not in the game");
inline constexpr MappingLine kChatTooEarly = dropped_up("MsgMessage", "", "the player is not in the game");
inline constexpr MappingLine kChatToNobody = dropped_up("MsgMessage", "to", "its recipient is not there");
inline constexpr MappingLine kNoFlagToDrop = dropped_up("MsgDropFlag", "", "the player has no flag");

// -- By the front: what a client cannot be told -----------------------------------------------------------------------

inline constexpr MappingLine kWorldEdit =
    wire::no_fact("WorldEdit", "clients cannot change the world that they loaded");
inline constexpr MappingLine kVoxels = wire::no_fact("World.voxels", "a client's world has no blocks");
inline constexpr MappingLine kAddress = wire::no_fact("Player.address", "clients do not learn addresses");
inline constexpr MappingLine kTakenFrom = wire::no_fact("TokenTaken.from", "flags can be taken only from the ground");
inline constexpr MappingLine kPaused = wire::no_fact("Round.paused", "the client's clock cannot stop");
inline constexpr MappingLine kHealthOfOther = dropped_fact("Health", "a client shows only whether others are alive");
inline constexpr MappingLine kUnitUnlike = dropped_fact("Unit", "the client's game has nothing like it");
inline constexpr MappingLine kUnitsFull = dropped_fact("Unit", "no number is left for another player");
inline constexpr MappingLine kPickupsFull = dropped_fact("Unit", "no number is left for another flag");
inline constexpr MappingLine kTokensFull = dropped_fact("Token", "no number is left for another flag");
inline constexpr MappingLine kCapturedUnseen = dropped_fact("TokenCaptured", "the client does not see that flag");
inline constexpr MappingLine kOtherTeam = dropped_fact("TeamScore", "the client has no such team");
inline constexpr MappingLine kClock = dropped_fact("Clock", "a client sets its clock only when it joins");
inline constexpr MappingLine kOtherWorld = dropped_fact("World", "clients load a world only when they join");
using core::drops::kIncomingFull;
using core::drops::kShooterUnseen;
using core::drops::kShotsFull;
using core::drops::kWorldLate;
inline constexpr MappingLine kOtherRefusal =
    dropped_fact("ClaimRefused", "the client learns only about refused names, deaths and spawns");
inline constexpr MappingLine kShotUnseen = dropped_fact("ShotMoved", "the client does not see that shot");

// -- By the back: what a server sends ---------------------------------------------------------------------------------

inline constexpr MappingLine kUnknownDown = dropped_down("*", "", "its code is not in the document");
inline constexpr MappingLine kNoModel = dropped_down("MsgGetWorld", "model", "not the name of a resource");
inline constexpr MappingLine kNoResource =
    dropped_down("MsgGetResource", "data", "the server does not have it, or its content does not match its name");
inline constexpr MappingLine kNoRecords = dropped_down("MsgGetResource", "data", "the data is not a list of records");
inline constexpr MappingLine kNoPlayer = dropped_down("MsgAddPlayer", "player", "no player can have that number");
inline constexpr MappingLine kNoTeam = dropped_down("MsgTeamUpdate", "team", "the team is unknown");

// -- By the back: what a server cannot be told ------------------------------------------------------------------------

inline constexpr MappingLine kKitOrColour = dropped_intent("Change", "all tanks of a team look alike");
inline constexpr MappingLine kNewAvatar = dropped_intent("Change.skin", "an avatar cannot change during a session");
inline constexpr MappingLine kNotIn = dropped_intent("Change", "the player is not in the game");
inline constexpr MappingLine kWishNotInPlay = dropped_intent("TokenWish", "the player is not in play");
inline constexpr MappingLine kNoToken = dropped_intent("TokenWish", "no flag can have that number");
inline constexpr MappingLine kOtherWish = dropped_intent("TokenWish", "flags can be taken only from the ground");
inline constexpr MappingLine kShotOfNobody = dropped_intent("ShotEndClaim", "its shooter is not in the game");
inline constexpr MappingLine kShotOfAnother =
    dropped_intent("ShotEndClaim", "shots of others end with the deaths that they cause");
using core::drops::kCommandTooLong;
using core::drops::kFireNotInPlay;
using core::drops::kNoRecipient;
using core::drops::kNotInGame;
using core::drops::kReloading;
using core::drops::kShotNumberGone;
using core::drops::kShotNumberTaken;

}  // namespace entente::bzdraft::drops
