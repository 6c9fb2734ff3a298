// Converts the draft's numbers to words and back: units, teams, flags, reasons, ids.
// Invariant: a number that the wire can hold is converted exactly; any other becomes the nearest that it can hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/bzdraft/wire/messages.h"
#include "proxy/core/gameplay/claims.h"
#include "proxy/core/gameplay/incoming.h"
#include "proxy/core/word.h"

namespace entente::bzdraft {

// -- Units: thousandths -----------------------------------------------------------------------------------------------

constexpr double from_thousandths(std::int32_t thousandths) { return thousandths / 1000.0; }
inline std::array<double, 3> from_thousandths(const Triple& triple) {
  return {from_thousandths(triple[0]), from_thousandths(triple[1]), from_thousandths(triple[2])};
}
/// The nearest value; 0 for NaN and infinities.
std::int32_t thousandths(double value);
inline Triple triple(double x, double y, double z) { return {thousandths(x), thousandths(y), thousandths(z)}; }

/// The number, or the largest that the field can hold.
std::uint16_t to_u16(std::uint32_t number);

// -- Rules ------------------------------------------------------------------------------------------------------------

/// Bits of a server's game style.
inline constexpr unsigned kCapture = 1, kJumping = 8, kRicochet = 0x20;
/// Metres a second; seconds. The draft has no values, so these are those of BZFlag at that time.
inline constexpr double kShotSpeed = 100, kReload = 3.5;
/// Metres: the radius of a shock wave. The draft has no values, so these are BZFlag's.
inline constexpr double kWaveBegins = 6, kWaveEnds = 60;

// -- Texts ------------------------------------------------------------------------------------------------------------

/// The most bytes of a player's name, and of a chat message that any peer accepts.
inline constexpr std::size_t kLongestName = 31, kLongestLine = 1020 - 2;
/// The text up to the first NUL, cleaned for words and for display.
std::string readable(std::string_view text);
/// A text of at most `most` bytes, for a field that a NUL ends.
std::string ended_text(std::string_view text, std::size_t most);

// -- Ids --------------------------------------------------------------------------------------------------------------

inline constexpr std::uint8_t kServer = 0, kFirstPlayer = 1, kLastPlayer = 248, kRogueTeam = 253, kInvalid = 254,
                              kEveryone = 255;
/// The id that addresses a team.
constexpr std::uint8_t team_target(std::uint8_t team) { return static_cast<std::uint8_t>(kRogueTeam - team); }
std::optional<std::uint8_t> target_team(std::uint8_t to);

// -- Teams and types of players ---------------------------------------------------------------------------------------

inline constexpr std::uint8_t kRogue = 0, kLastTeam = 4;
inline constexpr std::uint8_t kTank = 0, kWatcher = 1, kRobot = 2;
words::Team team_of(std::uint8_t team);
std::uint8_t wire_team(words::Team team);
words::Role role_of(std::uint8_t type);
std::uint8_t wire_type(words::Role role);

// -- Reasons ----------------------------------------------------------------------------------------------------------

enum class Refusal : std::uint8_t {
  kBadRequest,
  kNeedUserAuth,
  kNeedServerAuth,
  kBadTeam,
  kBadType,
  kNoRogues,
  kTeamFull,
  kServerFull
};
words::Refused::Code refusal_of(std::uint8_t reason);
Refusal reject_reason(words::Refused::Code code);
/// A text for people, if a server gives none.
std::string_view text(Refusal reason);

enum class Drop : std::uint8_t { kTimeout, kScore, kCaptured, kDropped, kKilled };
/// Drops other than captures, which are facts of their own.
words::DropReason drop_of(std::uint8_t reason);
std::uint8_t drop_reason(words::DropReason why);

// -- Flags ------------------------------------------------------------------------------------------------------------

/// A flag's letters (such as "GM") by its number, and back. "" and 0: no flag, or an unknown one.
std::string_view flag_code(std::uint32_t kind);
std::uint8_t flag_kind(std::string_view code);
/// Weapons in words: the two letters of the flag.
std::uint32_t weapon_of(std::uint32_t kind);
std::uint8_t flag_of_weapon(std::uint32_t weapon);
/// The flag with which this shot is shown to a client. 0: none, or another game's weapon.
std::uint8_t flag_of(const words::Shot& shot);
words::ShotKind shot_kind(std::uint32_t kind);
core::ShotNature shot_nature(std::uint32_t kind);
/// The id is the flag's number plus one.
words::Token token_of(std::uint16_t number, const Flag& flag);
/// Does not set the carrier.
Flag flag_of(const words::Token& token);

// -- Where ------------------------------------------------------------------------------------------------------------

/// Bits of an update's status.
inline constexpr std::uint8_t kAlive = 1;
words::Pose pose_of(const PlayerUpdate& update);
PlayerUpdate update_of(const words::Pose& pose, std::uint8_t player, bool alive);
using core::claim_of, core::pose_of;

}  // namespace entente::bzdraft
