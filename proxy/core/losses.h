// What rooms, arenas and replays drop, and why: the lines by which they count it.
// Law: each line is in one of the tables below; a test checks this.
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
                                     "*", Fidelity::kSometimes, "too many words wait in the room; the room ends"};
inline constexpr Mapping kHeldTooMany = lost_intent("*", "too many requests while the player waits to enter");
inline constexpr Mapping kServerAway = lost_intent("*", "the server is away");
inline constexpr Mapping kChatTooFast = lost_intent("Say", "chat is faster than the limit");
inline constexpr Mapping kCommandElsewhere =
    lost_intent("Say", "commands are passed on only to servers of the same game");
inline constexpr Mapping kCommandWithoutSlash = lost_intent("Say", "it is not a command: commands begin with '/'");
inline constexpr Mapping kCommandNotExact =
    lost_intent("Say", "the command cannot be passed on exactly as it was written");
inline constexpr Mapping kNothingSaid = lost_intent("Say", "nothing was said");

/// For games whose servers limit a command's length. Each of them has this line in its own table.
inline constexpr Mapping kCommandTooLong = lost_intent("Say", "the command is longer than the server accepts");

// -- Faces of tank games; each game has them in its own table
// -----------------------------------------------------------

inline constexpr Mapping kFireNotInPlay = lost_intent("Fire", "the player is not in play");
inline constexpr Mapping kReloading = lost_intent("Fire", "every gun is reloading");
inline constexpr Mapping kShooterUnseen = lost_fact("Shot", "the client does not see its shooter");
inline constexpr Mapping kShotsFull = lost_fact("Shot", "no number is left for another shot");

// -- An arena ---------------------------------------------------------------------------------------------------------

inline constexpr Mapping kNotEntered = lost_intent("*", "the player has not entered");
inline constexpr Mapping kMeansNothing = lost_intent("*", "it has no meaning in an arena");
inline constexpr Mapping kHitClaim = {"", kUp, "", "HitClaim", Fidelity::kDropped, "the arena decides who is hit"};
inline constexpr Mapping kEdit = {"", kUp, "", "Edit", Fidelity::kDropped, "an arena's world does not change"};
inline constexpr Mapping kEnteredAlready = lost_intent("Enter", "the player has already entered");
inline constexpr Mapping kKitOrColour =
    lost_intent("Change", "all players have the same weapons, and the colour of their team");
inline constexpr Mapping kNoServer = lost_intent("Say", "an arena has no commands and no moderators");
inline constexpr Mapping kNoListener = lost_intent("Say", "its recipient is not there");
inline constexpr Mapping kThrownFromAfar = lost_intent("Fire", "a grenade starts where its player stands");
inline constexpr Mapping kNotLoaded = lost_intent("Fire", "the gun is not loaded yet");
inline constexpr Mapping kNoGuidedShot = lost_intent("ShotMoveClaim", "no guided shot of that number is in the air");
inline constexpr Mapping kShotOfAnother = lost_intent("ShotEndClaim", "the shot is another player's");
inline constexpr Mapping kFlagGiven = lost_intent("TokenWish", "flags of an arena cannot be given away");

// -- A replay ---------------------------------------------------------------------------------------------------------

inline constexpr Mapping kOnlyWatched = lost_intent("*", "viewers of a recording cannot play");
inline constexpr Mapping kChangeOfWatcher =
    lost_intent("Change", "a spectator can change only its name, after it has entered");
inline constexpr Mapping kSayOfWatcher = lost_intent("Say", "spectators can talk only to all spectators");
inline constexpr Mapping kWishReplaced =
    lost_intent("Playback", "the viewer moves its clock too often; merged into a later request");
inline constexpr Mapping kForSome = lost_fact("*", "it was meant for some players only");
inline constexpr Mapping kAside = lost_fact("*", "it was not said to everybody");

}  // namespace loss
}  // namespace entente::core
