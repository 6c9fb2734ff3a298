// What the front and back of Ace of Spades drop, and why. Invariant: each line is also in the mapping table.
#pragma once

#include "adapters/wire/mapping.h"
#include "proxy/core/drops.h"

namespace entente::aos::drops {

using wire::dropped_and_told, wire::dropped_down, wire::dropped_fact, wire::dropped_intent, wire::dropped_up;
using wire::MappingLine;

// -- By the front: what a client sends --------------------------------------------------------------------------------

inline constexpr MappingLine kUnknownUp = dropped_up("*", "", "no known version of Ace of Spades has this id");
inline constexpr MappingLine kTooEarly = dropped_up("*", "", "it came before the client identified itself");
inline constexpr MappingLine kEnteredAlready = dropped_up("ExistingPlayer", "", "the player has already entered");
inline constexpr MappingLine kNoWeapon =
    dropped_up("ChangeWeapon", "", "no such weapon, or the player has not entered");
inline constexpr MappingLine kNoSpectators =
    dropped_up("ChangeTeam", "team", "on servers of other games, players cannot become spectators");
inline constexpr MappingLine kUpdateWrongLength =
    dropped_up("StateUpdate", "", "its length does not match its content");
inline constexpr MappingLine kUpdateNoPlace = dropped_up("StateUpdate", "", "the position is not in the map");
inline constexpr MappingLine kPositionNoPlace =
    dropped_up("PositionData", "position", "the position is not in the map");
inline constexpr MappingLine kNoLook = dropped_up("OrientationData", "orientation", "not a valid direction");
inline constexpr MappingLine kNoToolUp = dropped_up("SetTool", "tool", "no such tool");
inline constexpr MappingLine kHitNobody =
    dropped_up("Hit", "", "no player has that number, or the player is not in play");
inline constexpr MappingLine kNoThrow = dropped_up("Grenade", "", "the position, speed or time is not valid");
inline constexpr MappingLine kCannotBuild = dropped_up("BlockAction", "", "the player cannot change that block");
inline constexpr MappingLine kServersAction = dropped_up("BlockAction", "action", "only servers send that");
inline constexpr MappingLine kLineTooLong =
    dropped_up("BlockLine", "", "the line is longer than the player has blocks");
inline constexpr MappingLine kChatTooEarly = dropped_up("ChatMessage", "", "the player has not entered");
inline constexpr MappingLine kServersChat = dropped_up("ChatMessage", "type", "only servers send that");

// -- By the front: what a client cannot be told -----------------------------------------------------------------------

inline constexpr MappingLine kMapBroken = dropped_fact("World.voxels", "the map cannot be read");
inline constexpr MappingLine kSolidsLeftOut =
    dropped_fact("World.solids", "units can pass through it, or there are too many solids");
inline constexpr MappingLine kWallsFull = dropped_fact("WorldEdit", "more walls than a client is shown");
inline constexpr MappingLine kBricksFull = dropped_fact("Unit", "more bricks than a client is shown");
inline constexpr MappingLine kEditOutside = dropped_fact("WorldEdit", "the position is outside the map");
inline constexpr MappingLine kPlayersFull = dropped_fact("Player", "more players than a client can show");
inline constexpr MappingLine kUnitOfNobody =
    dropped_fact("Unit", "a client sees only the men, tanks and cells of players");
using core::drops::kShooterUnseen;
using core::drops::kWorldLate;
inline constexpr MappingLine kShotNoPlace = dropped_fact("Shot", "the position is not in the map");
inline constexpr MappingLine kTokenUnlike = dropped_fact("Token", "the client's game has nothing like it");
inline constexpr MappingLine kTakenUnseen =
    dropped_fact("TokenTaken", "the client does not see that object or that player");
inline constexpr MappingLine kDroppedUnseen = dropped_fact("TokenDropped", "the client does not see that object");
inline constexpr MappingLine kCapturedUnseen =
    dropped_fact("TokenCaptured", "the client does not see that object or that player");
inline constexpr MappingLine kZoneNotFinite = dropped_fact("Zone", "a number is not finite");
inline constexpr MappingLine kZoneUnseen = dropped_fact("Zone", "the client does not see that territory");

// -- By the back: what a server sends ---------------------------------------------------------------------------------

inline constexpr MappingLine kUnknownDown = dropped_down("*", "", "no known version of Ace of Spades has this id");
inline constexpr MappingLine kMalformed = dropped_down("*", "", "it cannot be decoded");
inline constexpr MappingLine kExtensionInfo =
    wire::down("ExtensionInfo", "*", "", wire::Fidelity::kDropped, "Entente uses no extensions");
inline constexpr MappingLine kPlayerProperties =
    wire::down("PlayerProperties", "*", "", wire::Fidelity::kDropped, "Entente uses no extensions");
inline constexpr MappingLine kExtensionPacket =
    wire::down("ExtensionPacket", "*", "", wire::Fidelity::kDropped, "Entente uses no extensions");
inline constexpr MappingLine kChangeWeapon =
    wire::down("ChangeWeapon", "*", "", wire::Fidelity::kDropped, "servers always send zeros here");
inline constexpr MappingLine kOrientation =
    wire::down("OrientationData", "orientation", "", wire::Fidelity::kDropped, "servers do not turn players");
inline constexpr MappingLine kNoMapBegun = dropped_down("MapChunk", "", "it came without a MapStart");
inline constexpr MappingLine kMapLoaded = dropped_down("StateData", "", "the map is loaded already");
inline constexpr MappingLine kExistingIsUs = dropped_down("ExistingPlayer", "", "it is the player of this session");
inline constexpr MappingLine kCreatedOutside =
    dropped_down("CreatePlayer", "position", "the position is outside the map");
inline constexpr MappingLine kLeftIsUs = dropped_down("PlayerLeft", "", "it is the player of this session");
inline constexpr MappingLine kLeftNobody = dropped_down("PlayerLeft", "player", "no player has that number");
inline constexpr MappingLine kKilledNobody = dropped_down("KillAction", "victim", "no player has that number");
inline constexpr MappingLine kColourOfNobody = dropped_down("SetColour", "player", "no player has that number");
inline constexpr MappingLine kObjectTooEarly = dropped_down("MoveObject", "", "the map is not loaded yet");
inline constexpr MappingLine kNoObject = dropped_down("MoveObject", "object", "no such object");
inline constexpr MappingLine kPickupByNobody = dropped_down("IntelPickup", "player", "the player is in neither team");
inline constexpr MappingLine kDropByNobody = dropped_down("IntelDrop", "player", "the player is in neither team");
inline constexpr MappingLine kCaptureByNobody = dropped_down("IntelCapture", "player", "the player is in neither team");
inline constexpr MappingLine kNoTerritory = dropped_down("TerritoryCapture", "territory", "no such territory");
inline constexpr MappingLine kNoProgressTerritory = dropped_down("ProgressBar", "territory", "no such territory");
inline constexpr MappingLine kNoProgress = dropped_down("ProgressBar", "progress", "the progress is out of range");
inline constexpr MappingLine kBlockTooEarly = dropped_down("BlockAction", "", "the map is not loaded yet");
inline constexpr MappingLine kBlockOutside =
    dropped_down("BlockAction", "", "the position is outside the map, or the action is unknown");
inline constexpr MappingLine kLineTooEarly = dropped_down("BlockLine", "", "the map is not loaded yet");
inline constexpr MappingLine kLineOutside = dropped_down("BlockLine", "", "the position is outside the map");
inline constexpr MappingLine kUpdateOld = dropped_down("StateUpdate", "", "a newer one arrived first");
inline constexpr MappingLine kGrenadeOfNobody = dropped_down("Grenade", "player", "no player has that number");
inline constexpr MappingLine kGrenadeNoPlace = dropped_down("Grenade", "", "the position, speed or time is not valid");
inline constexpr MappingLine kReloadOfNobody = dropped_down("WeaponReload", "player", "no player has that number");
inline constexpr MappingLine kPositionOfDead =
    dropped_down("PositionData", "", "the player is not in play, or the position is not valid");
inline constexpr MappingLine kHpOfDead = dropped_down("SetHp", "", "the player is not in play");
inline constexpr MappingLine kRestockOfOther =
    dropped_down("Restock", "", "it is for another player, or the player is not in play");

// -- By the back: what a server cannot be told ------------------------------------------------------------------------

inline constexpr MappingLine kNobody = dropped_intent("*", "spectators of a broadcast cannot play");
inline constexpr MappingLine kNoTool = dropped_intent("Tool", "no such tool");
inline constexpr MappingLine kNotInPlay = dropped_intent("*", "the player is not in play");
inline constexpr MappingLine kReloadNotInPlay = dropped_intent("Reload", "the player is not in play");
inline constexpr MappingLine kHitNobodyInPlay = dropped_intent("HitClaim", "the victim or the shooter is not in play");
inline constexpr MappingLine kNewName = dropped_intent("Change", "names and looks cannot change during a session");
inline constexpr MappingLine kBlast = dropped_intent("Edit", "only the server's own grenades destroy blocks");
inline constexpr MappingLine kWishOutside = dropped_intent("Edit", "the position is outside the map");
inline constexpr MappingLine kEditTooFast = dropped_intent("Edit", "the player builds faster than servers allow");
inline constexpr MappingLine kClaimOutside = dropped_intent("PoseClaim", "the position is outside the map");
inline constexpr MappingLine kClaimTooOften = dropped_intent("PoseClaim", "more often than servers allow");
inline constexpr MappingLine kNoGrenades = dropped_intent("Fire", "no grenades left");
inline constexpr MappingLine kThrowTooFast =
    dropped_intent("Fire", "the player throws grenades faster than the game allows");
inline constexpr MappingLine kFireNotFinite = dropped_intent("Fire", "a number is not finite");
inline constexpr MappingLine kNoRounds = dropped_and_told("Fire", "no rounds left");
inline constexpr MappingLine kReloading = dropped_intent("Fire", "the gun is being reloaded");
inline constexpr MappingLine kClipEmpty = dropped_intent("Fire", "no rounds in the clip");
inline constexpr MappingLine kNextRound = dropped_intent("Fire", "the gun is not ready for the next shot");
inline constexpr MappingLine kChatForFew = dropped_intent("Say", "chat can reach only everybody or the own team");
inline constexpr MappingLine kChatTooFast = dropped_intent("Say", "the player chats faster than servers allow");
using core::drops::kCommandTooLong;
using core::drops::kFireNotInPlay;

}  // namespace entente::aos::drops
