// What the front and back of Ace of Spades drop, and why: the lines by which they count it. Law: each stands in the
// mapping, too.
#pragma once

#include "adapters/wire/mapping.h"
#include "proxy/core/losses.h"

namespace entente::aos::loss {

using wire::lost_down, wire::lost_fact, wire::lost_intent, wire::lost_up, wire::Mapping;

// -- By the front: what a client sends --------------------------------------------------------------------------------

inline constexpr Mapping kUnknownUp = lost_up("*", "", "an id that no known Ace of Spades has");
inline constexpr Mapping kTooEarly = lost_up("*", "", "it came before the client said who it is");
inline constexpr Mapping kEnteredAlready = lost_up("ExistingPlayer", "", "the player has entered already");
inline constexpr Mapping kNoWeapon = lost_up("ChangeWeapon", "", "no such weapon, or the player has not entered");
inline constexpr Mapping kUpdateWrongLength = lost_up("StateUpdate", "", "its length contradicts what it says");
inline constexpr Mapping kUpdateNoPlace = lost_up("StateUpdate", "", "not a place in the map");
inline constexpr Mapping kPositionNoPlace = lost_up("PositionData", "position", "not a place in the map");
inline constexpr Mapping kNoLook = lost_up("OrientationData", "orientation", "not a direction");
inline constexpr Mapping kNoToolUp = lost_up("SetTool", "tool", "no such tool");
inline constexpr Mapping kHitNobody = lost_up("Hit", "", "nobody has that number, or the player is not in play");
inline constexpr Mapping kNoThrow = lost_up("Grenade", "", "not a place, a speed or a time");
inline constexpr Mapping kCannotBuild = lost_up("BlockAction", "", "the player cannot change that block");
inline constexpr Mapping kServersAction = lost_up("BlockAction", "action", "only a server says that");
inline constexpr Mapping kLineTooLong = lost_up("BlockLine", "", "longer than a player has blocks");
inline constexpr Mapping kChatTooEarly = lost_up("ChatMessage", "", "the player has not entered");
inline constexpr Mapping kServersChat = lost_up("ChatMessage", "type", "only a server says that");

// -- By the front: what a client cannot be told -----------------------------------------------------------------------

inline constexpr Mapping kMapBroken = lost_fact("World.voxels", "the map cannot be read");
inline constexpr Mapping kSolidsLeftOut =
    lost_fact("World.solids", "units can pass through them, or there are too many");
inline constexpr Mapping kEditsFull = lost_fact("WorldEdit", "more than are kept for a client that loads its map");
inline constexpr Mapping kEditOutside = lost_fact("WorldEdit", "outside the map");
inline constexpr Mapping kPlayersFull = lost_fact("Player", "more than a client has room for");
inline constexpr Mapping kUnitOfNobody = lost_fact("Unit", "a client is shown only players' men, tanks and cells");
using core::loss::kShooterUnseen;
inline constexpr Mapping kShotNoPlace = lost_fact("Shot", "not a place in the map");
inline constexpr Mapping kTokenUnlike = lost_fact("Token", "the client has nothing like it");
inline constexpr Mapping kTakenUnseen =
    lost_fact("TokenTaken", "the client is not shown that thing, or not that player");
inline constexpr Mapping kDroppedUnseen = lost_fact("TokenDropped", "the client is not shown that thing");
inline constexpr Mapping kCapturedUnseen =
    lost_fact("TokenCaptured", "the client is not shown that thing, or not that player");
inline constexpr Mapping kZoneNotFinite = lost_fact("Zone", "not finite numbers");
inline constexpr Mapping kZoneUnseen = lost_fact("Zone", "the client is not shown that territory");

// -- By the back: what a server sends ---------------------------------------------------------------------------------

inline constexpr Mapping kUnknownDown = lost_down("*", "", "an id that no known Ace of Spades has");
inline constexpr Mapping kMalformed = lost_down("*", "", "it cannot be decoded");
inline constexpr Mapping kExtensionInfo =
    wire::down("ExtensionInfo", "*", "", wire::Fidelity::kDropped, "no extension is offered or used");
inline constexpr Mapping kPlayerProperties =
    wire::down("PlayerProperties", "*", "", wire::Fidelity::kDropped, "no extension is offered or used");
inline constexpr Mapping kExtensionPacket =
    wire::down("ExtensionPacket", "*", "", wire::Fidelity::kDropped, "no extension is offered or used");
inline constexpr Mapping kChangeWeapon =
    wire::down("ChangeWeapon", "*", "", wire::Fidelity::kDropped, "servers send zeros, whatever happened");
inline constexpr Mapping kOrientation =
    wire::down("OrientationData", "orientation", "", wire::Fidelity::kDropped, "a server does not turn players");
inline constexpr Mapping kNoMapBegun = lost_down("MapChunk", "", "no map was begun");
inline constexpr Mapping kMapLoaded = lost_down("StateData", "", "the map is loaded already");
inline constexpr Mapping kExistingIsUs = lost_down("ExistingPlayer", "", "it is our own player");
inline constexpr Mapping kCreatedOutside = lost_down("CreatePlayer", "position", "outside the map");
inline constexpr Mapping kLeftIsUs = lost_down("PlayerLeft", "", "it is our own player");
inline constexpr Mapping kLeftNobody = lost_down("PlayerLeft", "player", "nobody has that number");
inline constexpr Mapping kKilledNobody = lost_down("KillAction", "victim", "nobody has that number");
inline constexpr Mapping kColourOfNobody = lost_down("SetColour", "player", "nobody has that number");
inline constexpr Mapping kObjectTooEarly = lost_down("MoveObject", "", "the map is not loaded yet");
inline constexpr Mapping kNoObject = lost_down("MoveObject", "object", "no such object");
inline constexpr Mapping kPickupByNobody = lost_down("IntelPickup", "player", "not a player of either team");
inline constexpr Mapping kDropByNobody = lost_down("IntelDrop", "player", "not a player of either team");
inline constexpr Mapping kCaptureByNobody = lost_down("IntelCapture", "player", "not a player of either team");
inline constexpr Mapping kNoTerritory = lost_down("TerritoryCapture", "territory", "no such territory");
inline constexpr Mapping kNoProgressTerritory = lost_down("ProgressBar", "territory", "no such territory");
inline constexpr Mapping kNoProgress = lost_down("ProgressBar", "progress", "not a share");
inline constexpr Mapping kBlockTooEarly = lost_down("BlockAction", "", "the map is not loaded yet");
inline constexpr Mapping kBlockOutside = lost_down("BlockAction", "", "outside the map, or no known action");
inline constexpr Mapping kLineTooEarly = lost_down("BlockLine", "", "the map is not loaded yet");
inline constexpr Mapping kLineOutside = lost_down("BlockLine", "", "outside the map");
inline constexpr Mapping kUpdateOld = lost_down("StateUpdate", "", "a newer one came before it");
inline constexpr Mapping kGrenadeOfNobody = lost_down("Grenade", "player", "nobody has that number");
inline constexpr Mapping kGrenadeNoPlace = lost_down("Grenade", "", "not a place, a speed or a time");
inline constexpr Mapping kReloadOfNobody = lost_down("WeaponReload", "player", "nobody has that number");
inline constexpr Mapping kPositionOfDead =
    lost_down("PositionData", "", "the player is not in play, or it is not a place");
inline constexpr Mapping kHpOfDead = lost_down("SetHp", "", "the player is not in play");
inline constexpr Mapping kRestockOfOther = lost_down("Restock", "", "not of our own player, or it is not in play");

// -- By the back: what a server cannot be told ------------------------------------------------------------------------

inline constexpr Mapping kNobody = lost_intent("*", "nobody plays in a room of watchers");
inline constexpr Mapping kNoTool = lost_intent("Tool", "no such tool");
inline constexpr Mapping kNotInPlay = lost_intent("*", "the player is not in play");
inline constexpr Mapping kReloadNotInPlay = lost_intent("Reload", "the player is not in play");
inline constexpr Mapping kHitNobodyInPlay = lost_intent("HitClaim", "not a player in play, or by none");
inline constexpr Mapping kNewName = lost_intent("Change", "names and looks cannot change during a session");
inline constexpr Mapping kBlast = lost_intent("Edit", "only the server's grenades blast");
inline constexpr Mapping kWishOutside = lost_intent("Edit", "outside the map");
inline constexpr Mapping kEditTooFast = lost_intent("Edit", "faster than a server lets players build");
inline constexpr Mapping kClaimOutside = lost_intent("PoseClaim", "outside the map");
inline constexpr Mapping kClaimTooOften = lost_intent("PoseClaim", "more often than servers allow");
inline constexpr Mapping kNoGrenades = lost_intent("Fire", "no grenades left");
inline constexpr Mapping kThrowTooFast = lost_intent("Fire", "faster than grenades are thrown");
inline constexpr Mapping kFireNotFinite = lost_intent("Fire", "not finite numbers");
inline constexpr Mapping kNoRounds = lost_intent("Fire", "no rounds left");
inline constexpr Mapping kReloading = lost_intent("Fire", "the gun is being reloaded");
inline constexpr Mapping kClipEmpty = lost_intent("Fire", "no rounds in the clip");
inline constexpr Mapping kNextRound = lost_intent("Fire", "the gun is loading the next round");
inline constexpr Mapping kChatForFew = lost_intent("Say", "chat reaches everybody or the own team, nobody else");
inline constexpr Mapping kChatTooFast = lost_intent("Say", "faster than a server lets players talk");
using core::loss::kCommandTooLong;
using core::loss::kFireNotInPlay;

}  // namespace entente::aos::loss
