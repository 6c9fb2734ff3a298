// Converts the game's numbers to words and back: teams, ids, flags, deaths, refusals, and where tanks are.
// Invariant: units and meanings are converted only here. A value that both sides can express is converted exactly.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/bzflag/wire/dialect.h"
#include "adapters/bzflag/wire/messages.h"
#include "proxy/core/gameplay/claims.h"
#include "proxy/core/word.h"

namespace entente::bzflag {

// -- Who --------------------------------------------------------------------------------------------------------------

/// Player ids of 2.4 (Address.h at v2.4.26). Ids between the last player and the first team are not used.
inline constexpr std::uint8_t kFirstTeamId = 251, kAdmins = 252, kServerId = 253, kEverybody = 254, kNobody = 255;
inline constexpr std::uint8_t kMostPlayers = 200;

inline constexpr std::int16_t kAutomaticTeam = -2, kNoTeam = -1, kObserverTeam = 5;
inline constexpr std::uint16_t kTankPlayer = 0, kRobotPlayer = 1;

/// The team; TEAM_ANY for observers, who have a role instead.
words::Team team_of(std::int16_t wire);
/// The team on the wire; `otherwise` for TEAM_ANY.
std::int16_t wire_team(words::Team team, std::int16_t otherwise = kNoTeam);
inline std::uint8_t team_target(std::int16_t team) { return static_cast<std::uint8_t>(kFirstTeamId - team); }
words::Role role_of(std::uint16_t type, std::int16_t team);

/// Bytes of a callsign, without its NUL.
inline constexpr std::size_t kLongestName = 31;
/// A callsign that bzfs accepts: printable, no quotes, at most 31 bytes, more than half of it letters and digits, not
/// starting with the sign of a group or an operator, not the server's own name (PlayerInfo.cxx:223 at v2.4.26). Never
/// empty.
std::string legal_callsign(std::string_view name);
/// A motto that bzfs 2.0 accepts: at most four characters, or more than half of them letters and digits. Otherwise
/// empty.
std::string legal_motto(std::string_view motto);

// -- Flags ------------------------------------------------------------------------------------------------------------

/// Weapons in words: the flag's two letters, the first in the higher byte. 0: no flag.
std::uint32_t weapon_of(const FlagKind& flag);
FlagKind flag_kind(std::uint32_t weapon);
std::string code_of(const FlagKind& flag);
FlagKind flag_kind(std::string_view code);
/// How a shot with this flag flies.
words::ShotKind shot_kind(std::uint32_t weapon);
/// A shot's weapon as letters of this game. 0: none, or a weapon of another game.
std::uint32_t weapon_of(const words::Shot& shot);
/// The flag as which a client is shown this token. Empty: its effect is unknown.
std::string_view code_for(const words::Token& token);

words::Token token_of(const NumberedFlag& flag);
NumberedFlag flag_of(const words::Token& token);

// -- The game, and talk -----------------------------------------------------------------------------------------------

/// Bits of GameSettings::options.
inline constexpr std::uint16_t kJumping = 0x8, kRicochet = 0x20;
/// "free for all", …
std::string_view mode_of(std::uint16_t game_type);
std::uint16_t game_type_of(std::string_view mode);

inline constexpr std::size_t kLongestLine = 127;  ///< bytes of chat in one message
inline constexpr std::size_t kLongestText = 127;  ///< bytes of a motto, or of a reject's reason

/// The team that a chat target addresses; nothing if it is not a team.
std::optional<std::int16_t> target_team(std::uint8_t target);

// -- Deaths and refusals ----------------------------------------------------------------------------------------------

inline constexpr std::int16_t kDeathByDriver = 0x7064;
words::DeathCause cause_of(std::int16_t reason);
std::int16_t death_reason(words::DeathCause cause);
words::Refused::Code refusal_of(std::uint16_t code);
std::uint16_t reject_code(words::Refused::Code refusal);

// -- Where ------------------------------------------------------------------------------------------------------------

/// Bits of an update's status.
inline constexpr std::int16_t kAlive = 1, kPaused = 2, kExploding = 4, kTeleporting = 8, kFlagActive = 0x10,
                              kCrossingWall = 0x20, kFalling = 0x40, kJumpJets = 0x200;

/// Converts an update to a pose; `order` becomes the pose's seq.
words::Pose pose_of(const PlayerUpdate& update);
words::Pose pose_of(const PlayerUpdateSmall& update);
using core::claim_of, core::pose_of;

/// An update of `player` at `time`. It is small if that is allowed and every number fits.
/// A clock of our own: seconds that begin again after Dialect::clock_turn.
float clock_of(core::Micros passed, const Dialect& dialect);

Message update_of(const words::Pose& pose, std::uint8_t player, float time, bool alive, bool small_allowed = true);

inline Id player_id(std::uint8_t byte) { return {byte, {}}; }

/// Limits a number of another game to what a client can extrapolate in floats; 0 for NaN.
inline float to_float(double value) {
  constexpr double kMost = 1e9;
  return std::isnan(value) ? 0 : static_cast<float>(std::clamp(value, -kMost, kMost));
}
inline Vec3 vec3(double x, double y, double z) { return {to_float(x), to_float(y), to_float(z)}; }
/// An angle that clients can handle: they subtract whole turns one by one, and would never end if the angle minus a
/// turn rounds to itself.
float to_azimuth(double yaw);

}  // namespace entente::bzflag
