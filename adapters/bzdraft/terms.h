// The page's numbers and the words' terms for the same: units, sides, flags, reasons, ids.
// Law: a number that the wire can hold comes back the same; what it cannot hold is the nearest that it can.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/bzdraft/messages.h"
#include "proxy/core/arena/claims.h"
#include "proxy/core/word.h"

namespace entente::bzdraft {

// -- Units: thousandths -----------------------------------------------------------------------------------------------

constexpr double whole(std::int32_t thousandths) { return thousandths / 1000.0; }
inline std::array<double, 3> whole(const Triple& triple) {
  return {whole(triple[0]), whole(triple[1]), whole(triple[2])};
}
/// The nearest; of no number 0.
std::int32_t thousandths(double value);
inline Triple triple(double x, double y, double z) { return {thousandths(x), thousandths(y), thousandths(z)}; }

/// At most so much as the field can say.
std::uint16_t counted(std::uint32_t number);

// -- Rules ------------------------------------------------------------------------------------------------------------

/// Bits of a server's game style.
inline constexpr unsigned kCapture = 1, kJumping = 8, kRicochet = 0x20;
/// Metres a second; seconds. The draft gives none: these are those of the BZFlag of its time.
inline constexpr double kShotSpeed = 100, kReload = 3.5;

// -- Texts ------------------------------------------------------------------------------------------------------------

/// Bytes of a player's name; of a chat message that everybody may be sent.
inline constexpr std::size_t kLongestName = 31, kLongestLine = 1020 - 2;
/// Up to the first NUL, as a word may hold it and a screen show it.
std::string readable(std::string_view text);
/// For a text that a NUL ends, at most so many bytes.
std::string ended_text(std::string_view text, std::size_t most);

// -- Ids --------------------------------------------------------------------------------------------------------------

inline constexpr std::uint8_t kServer = 0, kFirstPlayer = 1, kLastPlayer = 248, kRogueTeam = 253, kInvalid = 254,
                              kEveryone = 255;
/// Whom a message for that side names.
constexpr std::uint8_t team_target(std::uint8_t team) { return static_cast<std::uint8_t>(kRogueTeam - team); }
std::optional<std::uint8_t> target_team(std::uint8_t to);

// -- Sides and sorts of players ---------------------------------------------------------------------------------------

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
/// For people, where a server gives no text.
std::string_view text(Refusal reason);

enum class Drop : std::uint8_t { kTimeout, kScore, kCaptured, kDropped, kKilled };
/// A capture has words of its own.
words::DropReason drop_of(std::uint8_t reason);
std::uint8_t drop_reason(words::DropReason why);

// -- Flags ------------------------------------------------------------------------------------------------------------

/// "GM" of its number and back; "" and 0: none, or none that is known.
std::string_view flag_code(std::uint32_t kind);
std::uint8_t flag_kind(std::string_view code);
/// Of a weapon in the words: the flag's two letters.
std::uint32_t weapon_of(std::uint32_t kind);
std::uint8_t flag_of_weapon(std::uint32_t weapon);
/// That a client is to take this shot for fired by. 0: none, or another game's.
std::uint8_t flag_of(const words::Shot& shot);
words::ShotKind shot_kind(std::uint32_t kind);
/// Its id is its number and one.
words::Token token_of(std::uint16_t number, const Flag& flag);
/// Without its carrier.
Flag flag_of(const words::Token& token);

// -- Where ------------------------------------------------------------------------------------------------------------

/// Bits of an update's status.
inline constexpr std::uint8_t kAlive = 1;
words::Pose pose_of(const PlayerUpdate& update);
PlayerUpdate update_of(const words::Pose& pose, std::uint8_t player, bool alive);
using core::claim_of, core::pose_of;

}  // namespace entente::bzdraft
