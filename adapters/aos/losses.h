// What the front and back of Ace of Spades drop, and why. Law: each line is also in the mapping table.
#pragma once

#include "adapters/wire/mapping.h"
#include "proxy/core/losses.h"

namespace entente::aos::loss {

using wire::lost_down, wire::lost_fact, wire::lost_intent, wire::lost_up, wire::Mapping;

// -- By the front: what a client sends --------------------------------------------------------------------------------

inline constexpr Mapping kUnknownUp = lost_up("*", "", "no known version of Ace of Spades has this id");
inline constexpr Mapping kTooEarly = lost_up("*", "", "it came before the client identified itself");
inline constexpr Mapping kEnteredAlready = lost_up("ExistingPlayer", "", "the player has already entered");
inline constexpr Mapping kNoWeapon = lost_up("ChangeWeapon", "", "no such weapon, or the player has not entered");
inline constexpr Mapping kUpdateWrongLength = lost_up("StateUpdate", "", "its length does not match its content");
inline constexpr Mapping kUpdateNoPlace = lost_up("StateUpdate", "", "the position is not in the map");
inline constexpr Mapping kPositionNoPlace = lost_up("PositionData", "position", "the position is not in the map");
inline constexpr Mapping kNoLook = lost_up("OrientationData", "orientation", "not a valid direction");
inline constexpr Mapping kNoToolUp = lost_up("SetTool", "tool", "no such tool");
inline constexpr Mapping kHitNobody = lost_up("Hit", "", "no player has that number, or the player is not in play");
inline constexpr Mapping kNoThrow = lost_up("Grenade", "", "the position, speed or time is not valid");
inline constexpr Mapping kCannotBuild = lost_up("BlockAction", "", "the player cannot change that block");
inline constexpr Mapping kServersAction = lost_up("BlockAction", "action", "only servers send that");
inline constexpr Mapping kLineTooLong = lost_up("BlockLine", "", "the line is longer than the player has blocks");
inline constexpr Mapping kChatTooEarly = lost_up("ChatMessage", "", "the player has not entered");
inline constexpr Mapping kServersChat = lost_up("ChatMessage", "type", "only servers send that");

// -- By the front: what a client cannot be told -----------------------------------------------------------------------

inline constexpr Mapping kMapBroken = lost_fact("World.voxels", "the map cannot be read");
inline constexpr Mapping kSolidsLeftOut =
    lost_fact("World.solids", "units can pass through it, or there are too many solids");
inline constexpr Mapping kEditsFull = lost_fact("WorldEdit", "too many changes while the client loads its map");
inline constexpr Mapping kEditOutside = lost_fact("WorldEdit", "the position is outside the map");
inline constexpr Mapping kPlayersFull = lost_fact("Player", "more players than a client can show");
inline constexpr Mapping kUnitOfNobody = lost_fact("Unit", "a client sees only the men, tanks and cells of players");
using core::loss::kShooterUnseen;
inline constexpr Mapping kShotNoPlace = lost_fact("Shot", "the position is not in the map");
inline constexpr Mapping kTokenUnlike = lost_fact("Token", "the client's game has nothing like it");
inline constexpr Mapping kTakenUnseen = lost_fact("TokenTaken", "the client does not see that object or that player");
inline constexpr Mapping kDroppedUnseen = lost_fact("TokenDropped", "the client does not see that object");
inline constexpr Mapping kCapturedUnseen =
    lost_fact("TokenCaptured", "the client does not see that object or that player");
inline constexpr Mapping kZoneNotFinite = lost_fact("Zone", "a number is not finite");
inline constexpr Mapping kZoneUnseen = lost_fact("Zone", "the client does not see that territory");

// -- By the back: what a server sends ---------------------------------------------------------------------------------

inline constexpr Mapping kUnknownDown = lost_down("*", "", "no known version of Ace of Spades has this id");
inline constexpr Mapping kMalformed = lost_down("*", "", "it cannot be decoded");
inline constexpr Mapping kExtensionInfo =
    wire::down("ExtensionInfo", "*", "", wire::Fidelity::kDropped, "Entente uses no extensions");
inline constexpr Mapping kPlayerProperties =
    wire::down("PlayerProperties", "*", "", wire::Fidelity::kDropped, "Entente uses no extensions");
inline constexpr Mapping kExtensionPacket =
    wire::down("ExtensionPacket", "*", "", wire::Fidelity::kDropped, "Entente uses no extensions");
inline constexpr Mapping kChangeWeapon =
    wire::down("ChangeWeapon", "*", "", wire::Fidelity::kDropped, "servers always send zeros here");
inline constexpr Mapping kOrientation =
    wire::down("OrientationData", "orientation", "", wire::Fidelity::kDropped, "servers do not turn players");
inline constexpr Mapping kNoMapBegun = lost_down("MapChunk", "", "it came without a MapStart");
inline constexpr Mapping kMapLoaded = lost_down("StateData", "", "the map is loaded already");
inline constexpr Mapping kExistingIsUs = lost_down("ExistingPlayer", "", "it is the player of this session");
inline constexpr Mapping kCreatedOutside = lost_down("CreatePlayer", "position", "the position is outside the map");
inline constexpr Mapping kLeftIsUs = lost_down("PlayerLeft", "", "it is the player of this session");
inline constexpr Mapping kLeftNobody = lost_down("PlayerLeft", "player", "no player has that number");
inline constexpr Mapping kKilledNobody = lost_down("KillAction", "victim", "no player has that number");
inline constexpr Mapping kColourOfNobody = lost_down("SetColour", "player", "no player has that number");
inline constexpr Mapping kObjectTooEarly = lost_down("MoveObject", "", "the map is not loaded yet");
inline constexpr Mapping kNoObject = lost_down("MoveObject", "object", "no such object");
inline constexpr Mapping kPickupByNobody = lost_down("IntelPickup", "player", "the player is in neither team");
inline constexpr Mapping kDropByNobody = lost_down("IntelDrop", "player", "the player is in neither team");
inline constexpr Mapping kCaptureByNobody = lost_down("IntelCapture", "player", "the player is in neither team");
inline constexpr Mapping kNoTerritory = lost_down("TerritoryCapture", "territory", "no such territory");
inline constexpr Mapping kNoProgressTerritory = lost_down("ProgressBar", "territory", "no such territory");
inline constexpr Mapping kNoProgress = lost_down("ProgressBar", "progress", "the progress is out of range");
inline constexpr Mapping kBlockTooEarly = lost_down("BlockAction", "", "the map is not loaded yet");
inline constexpr Mapping kBlockOutside =
    lost_down("BlockAction", "", "the position is outside the map, or the action is unknown");
inline constexpr Mapping kLineTooEarly = lost_down("BlockLine", "", "the map is not loaded yet");
inline constexpr Mapping kLineOutside = lost_down("BlockLine", "", "the position is outside the map");
inline constexpr Mapping kUpdateOld = lost_down("StateUpdate", "", "a newer one arrived first");
inline constexpr Mapping kGrenadeOfNobody = lost_down("Grenade", "player", "no player has that number");
inline constexpr Mapping kGrenadeNoPlace = lost_down("Grenade", "", "the position, speed or time is not valid");
inline constexpr Mapping kReloadOfNobody = lost_down("WeaponReload", "player", "no player has that number");
inline constexpr Mapping kPositionOfDead =
    lost_down("PositionData", "", "the player is not in play, or the position is not valid");
inline constexpr Mapping kHpOfDead = lost_down("SetHp", "", "the player is not in play");
inline constexpr Mapping kRestockOfOther =
    lost_down("Restock", "", "it is for another player, or the player is not in play");

// -- By the back: what a server cannot be told ------------------------------------------------------------------------

inline constexpr Mapping kNobody = lost_intent("*", "spectators of a broadcast cannot play");
inline constexpr Mapping kNoTool = lost_intent("Tool", "no such tool");
inline constexpr Mapping kNotInPlay = lost_intent("*", "the player is not in play");
inline constexpr Mapping kReloadNotInPlay = lost_intent("Reload", "the player is not in play");
inline constexpr Mapping kHitNobodyInPlay = lost_intent("HitClaim", "the victim or the shooter is not in play");
inline constexpr Mapping kNewName = lost_intent("Change", "names and looks cannot change during a session");
inline constexpr Mapping kBlast = lost_intent("Edit", "only the server's own grenades destroy blocks");
inline constexpr Mapping kWishOutside = lost_intent("Edit", "the position is outside the map");
inline constexpr Mapping kEditTooFast = lost_intent("Edit", "the player builds faster than servers allow");
inline constexpr Mapping kClaimOutside = lost_intent("PoseClaim", "the position is outside the map");
inline constexpr Mapping kClaimTooOften = lost_intent("PoseClaim", "more often than servers allow");
inline constexpr Mapping kNoGrenades = lost_intent("Fire", "no grenades left");
inline constexpr Mapping kThrowTooFast = lost_intent("Fire", "the player throws grenades faster than the game allows");
inline constexpr Mapping kFireNotFinite = lost_intent("Fire", "a number is not finite");
inline constexpr Mapping kNoRounds = lost_intent("Fire", "no rounds left");
inline constexpr Mapping kReloading = lost_intent("Fire", "the gun is being reloaded");
inline constexpr Mapping kClipEmpty = lost_intent("Fire", "no rounds in the clip");
inline constexpr Mapping kNextRound = lost_intent("Fire", "the gun is not ready for the next shot");
inline constexpr Mapping kChatForFew = lost_intent("Say", "chat can reach only everybody or the own team");
inline constexpr Mapping kChatTooFast = lost_intent("Say", "the player chats faster than servers allow");
using core::loss::kCommandTooLong;
using core::loss::kFireNotInPlay;

}  // namespace entente::aos::loss
