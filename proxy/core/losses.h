// What rooms, arenas and replays drop, and why: the lines by which they count it.
// Law: each line stands in one of the tables below; a test holds them together.
#pragma once

#include <span>

#include "proxy/base/mapping.h"

namespace entente::core {

/// What any room drops.
std::span<const Mapping> room_mapping();
/// What an arena drops besides.
std::span<const Mapping> arena_mapping();
/// What a replay drops besides.
std::span<const Mapping> replay_mapping();

namespace loss {

// -- A room -----------------------------------------------------------------------------------------------------------

inline constexpr Mapping kNotFinite = lost_intent("*", "a number in it is not finite");
inline constexpr Mapping kFlooded = {"",  kUp | kDown,          "",
                                     "*", Fidelity::kSometimes, "more wait than a room holds; the room ends"};
inline constexpr Mapping kHeldTooMany = lost_intent("*", "more than is kept for a player who waits to enter");
inline constexpr Mapping kServerAway = lost_intent("*", "the server is away");
inline constexpr Mapping kChatTooFast = lost_intent("Say", "chat faster than the limit");
inline constexpr Mapping kCommandElsewhere =
    lost_intent("Say", "a command is passed on only to a server of the same game");
inline constexpr Mapping kCommandWithoutSlash = lost_intent("Say", "a command begins with '/'");
inline constexpr Mapping kCommandNotExact =
    lost_intent("Say", "a command that cannot be passed on exactly as it was written");
inline constexpr Mapping kNothingSaid = lost_intent("Say", "nothing was said");

/// For games whose servers limit a command's length. Each of them has this line in its own table.
inline constexpr Mapping kCommandTooLong = lost_intent("Say", "a command is longer than the server takes");

// -- Faces of tank games; each game has them in its own table
// -----------------------------------------------------------

inline constexpr Mapping kFireNotInPlay = lost_intent("Fire", "the player is not in play");
inline constexpr Mapping kReloading = lost_intent("Fire", "every gun is reloading");
inline constexpr Mapping kShooterUnseen = lost_fact("Shot", "the client is not shown its shooter");
inline constexpr Mapping kShotsFull = lost_fact("Shot", "more than there are numbers of shots");

// -- An arena ---------------------------------------------------------------------------------------------------------

inline constexpr Mapping kNotEntered = lost_intent("*", "the player has not entered");
inline constexpr Mapping kMeansNothing = lost_intent("*", "it means nothing in an arena");
inline constexpr Mapping kHitClaim = {"", kUp, "", "HitClaim", Fidelity::kDropped, "the arena decides who is hit"};
inline constexpr Mapping kEdit = {"", kUp, "", "Edit", Fidelity::kDropped, "an arena's world does not change"};
inline constexpr Mapping kEnteredAlready = lost_intent("Enter", "the player has entered already");
inline constexpr Mapping kKitOrColour =
    lost_intent("Change", "all players have the same weapons, and the colour of their team");
inline constexpr Mapping kNoServer = lost_intent("Say", "an arena takes no commands, and nobody moderates it");
inline constexpr Mapping kNoListener = lost_intent("Say", "the player it is for is not there");
inline constexpr Mapping kThrownFromAfar = lost_intent("Fire", "a grenade starts where its player stands");
inline constexpr Mapping kNotLoaded = lost_intent("Fire", "the gun is not loaded yet");
inline constexpr Mapping kNoGuidedShot = lost_intent("ShotMoveClaim", "no guided shot of that number is in the air");
inline constexpr Mapping kShotOfAnother = lost_intent("ShotEndClaim", "the shot is another player's");
inline constexpr Mapping kFlagGiven = lost_intent("TokenWish", "flags of an arena cannot be given away");

// -- A replay ---------------------------------------------------------------------------------------------------------

inline constexpr Mapping kOnlyWatched = lost_intent("*", "a recording is watched, not played");
inline constexpr Mapping kChangeOfWatcher =
    lost_intent("Change", "a watcher changes only its name, once it has entered");
inline constexpr Mapping kSayOfWatcher = lost_intent("Say", "watchers can only talk to all watchers");
inline constexpr Mapping kWishReplaced =
    lost_intent("Playback", "faster than a viewer's clock is moved; added to a later one");
inline constexpr Mapping kForSome = lost_fact("*", "it was meant for some players only");
inline constexpr Mapping kAside = lost_fact("*", "it was not said to everybody");

}  // namespace loss
}  // namespace entente::core
