// What rooms, arenas and replays drop, and why: the lines by which they count it.
// Invariant: each line is in one of the tables below or in that of a game; a test checks this.
#pragma once

#include <span>

#include "proxy/base/mapping.h"

namespace entente::core {

/// What any room drops.
std::span<const MappingLine> room_mapping();
/// What an arena drops in addition.
std::span<const MappingLine> arena_mapping();
/// What a replay drops in addition.
std::span<const MappingLine> replay_mapping();

namespace drops {

// -- A room -----------------------------------------------------------------------------------------------------------

inline constexpr MappingLine kNotFinite = dropped_intent("*", "a number in it is not finite");
inline constexpr MappingLine kFlooded = {
    "", kUp | kDown, "", "*", Fidelity::kDroppedSometimes, "too many words wait in the room; the room ends"};
inline constexpr MappingLine kNotEntered = dropped_intent("*", "the player has not entered");
inline constexpr MappingLine kHeldTooMany = dropped_intent("*", "too many requests while the player waits to enter");
inline constexpr MappingLine kEarlyTooMany =
    dropped_intent("*", "too many requests before the server was there, and it was lost before it answered");
/// The word is the one that was sent to the server (pending_claims.h).
inline constexpr MappingLine kUnanswered = dropped_and_told("*", "the server did not answer in time");
inline constexpr MappingLine kRule = dropped_intent("*", "a rule of the operator does not pass it on");
inline constexpr MappingLine kServerAway = dropped_intent("*", "the server is away");
inline constexpr MappingLine kOtherServer = dropped_fact("*", "the player is not on that server yet");
inline constexpr MappingLine kTerrainFull =
    dropped_fact("World", "it has more than 32,768 obstacles; the last ones stop no tank and no shot");
inline constexpr MappingLine kNoMessage = dropped_fact("*", "the game has no message for it");
inline constexpr MappingLine kChatTooFast = dropped_intent("Say", "chat is faster than the limit");
inline constexpr MappingLine kCommandElsewhere =
    dropped_intent("Say", "commands are passed on only to servers of the same game");
inline constexpr MappingLine kCommandWithoutSlash =
    dropped_intent("Say", "it is not a command: commands begin with '/'");
inline constexpr MappingLine kCommandNotExact =
    dropped_intent("Say", "the command cannot be passed on exactly as it was written");
inline constexpr MappingLine kNothingSaid = dropped_intent("Say", "the text is empty");

/// For games whose servers limit a command's length. Each of them has this line in its own table.
inline constexpr MappingLine kCommandTooLong = dropped_intent("Say", "the command is longer than the server accepts");

// -- Faces of tank games; each game has them in its own table ---------------------------------------------------------

inline constexpr MappingLine kNotInGame = dropped_intent("*", "the player is not in the game");
inline constexpr MappingLine kFireNotInPlay = dropped_intent("Fire", "the player is not in play");
inline constexpr MappingLine kReloading = dropped_intent("Fire", "every gun is reloading");
inline constexpr MappingLine kShotNumberTaken =
    dropped_fact("*", "the shot is not known any more, and its number in the room is that of another one");
inline constexpr MappingLine kShotNumberGone =
    dropped_intent("*", "the shot is not known any more, and its number on the server is that of another one");
inline constexpr MappingLine kIncomingFull =
    dropped_fact("Shot", "more shots are in the air than can be tested; this one does not hit the player's tank");
inline constexpr MappingLine kWorldLate = dropped_fact("World", "it is not known yet; the client gets an open field");
inline constexpr MappingLine kShooterUnseen = dropped_fact("Shot", "the client does not see its shooter");
inline constexpr MappingLine kShotsFull = dropped_fact("Shot", "no number is left for another shot");

// -- An arena ---------------------------------------------------------------------------------------------------------

inline constexpr MappingLine kMeansNothing = dropped_intent("*", "it has no meaning in an arena");
inline constexpr MappingLine kHitClaim = {"", kUp, "", "HitClaim", Fidelity::kDropped, "the arena decides who is hit"};
inline constexpr MappingLine kDeathClaim = dropped_and_told("DeathClaim", "the referee decides who dies");
inline constexpr MappingLine kSpawnOfWatcher = dropped_and_told("Spawn", "spectators have no tank");
inline constexpr MappingLine kEdit = {"", kUp, "", "Edit", Fidelity::kDropped, "an arena's world does not change"};
inline constexpr MappingLine kEnteredAlready = dropped_intent("Enter", "the player has already entered");
inline constexpr MappingLine kKitOrColour =
    dropped_intent("Change", "all players have the same weapons, and the colour of their team");
inline constexpr MappingLine kNoCommands = dropped_intent("Say", "an arena has no commands and no moderators");
inline constexpr MappingLine kNoRecipient = dropped_intent("Say", "its recipient is not there");
inline constexpr MappingLine kThrownFromAfar = dropped_intent("Fire", "a grenade starts where its player stands");
inline constexpr MappingLine kNotLoaded = dropped_intent("Fire", "the gun is not loaded yet");
inline constexpr MappingLine kNoGuidedShot =
    dropped_intent("ShotMoveClaim", "no guided shot of that number is in the air");
inline constexpr MappingLine kShotOfAnother = dropped_intent("ShotEndClaim", "the shot is another player's");
/// In a lockstep arena.
inline constexpr MappingLine kCollectedTooMany =
    dropped_intent("*", "too many requests while the player waits for time to advance");
inline constexpr MappingLine kLeftBeforeStep = dropped_intent("*", "the player has left before time advanced");
inline constexpr MappingLine kFlagGiven = dropped_intent("TokenWish", "flags of an arena cannot be given away");

// -- A replay ---------------------------------------------------------------------------------------------------------

inline constexpr MappingLine kOnlyWatched = dropped_intent("*", "viewers of a recording cannot play");
inline constexpr MappingLine kChangeOfWatcher =
    dropped_intent("Change", "a spectator can change only its name, after it has entered");
inline constexpr MappingLine kSayOfWatcher = dropped_intent("Say", "spectators can talk only to all spectators");
inline constexpr MappingLine kWishReplaced =
    dropped_intent("Playback", "the viewer moves its clock too often; merged into a later request");
/// It was for one team or for operators.
inline constexpr MappingLine kForTeam = dropped_fact("*", "it was meant for some players only");
/// It was a private or team line of chat, or a notice to one player.
inline constexpr MappingLine kPrivateChat = dropped_fact("*", "it was not said to everybody");

}  // namespace drops
}  // namespace entente::core
