// Converts the game's numbers to words and back: places, looks, teams, weapons, colours, deaths, refusals, text.
// Invariant: units and meanings are converted only here. A value that both sides can express is converted exactly.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/aos/wire/messages.h"
#include "proxy/core/word.h"

namespace entente::aos {

// -- Where. The game: blocks, x east, y south, z down, all from the map's upper north-west corner. ------------------

inline constexpr double kMetresPerBlock = 1.5625;  ///< 512 blocks are 800 m
inline constexpr double kMiddle = 256;             ///< of the map, in blocks: the words' x = y = 0
inline constexpr double kGround = 62;              ///< the top of the lowest ground, in blocks: the words' z = 0
inline constexpr double kWater = 63;
inline constexpr double kMetresPerVelocity = 32 * kMetresPerBlock;  ///< velocities are in blocks per 1/32 s

/// How far the eyes are above the feet, in blocks. Positions on the wire are those of the eyes, poses in words those of
/// the feet.
inline constexpr double kEyes = 2.25, kEyesCrouched = 1.35;

/// Measured speeds in blocks a second: on even ground without sprinting, and up steep hills.
inline constexpr double kWalks = 7.9, kClimbs = 3;

/// Metres, or metres a second.
struct Point {
  double x = 0, y = 0, z = 0;
};

inline bool is_finite(const Vec3& vec) {
  return std::isfinite(vec[0]) && std::isfinite(vec[1]) && std::isfinite(vec[2]);
}

/// Servers send the origin for a player that is not on the map yet.
inline bool nowhere(const Vec3& place) { return place == Vec3{}; }

Point point_of(const Vec3& place);
Vec3 place_of(const Point& point);

/// How far the eyes are above the feet: less for a crouching player.
inline double eyes_over_feet(std::uint32_t pose_state) {
  return (pose_state & words::Pose::CROUCHING) != 0 ? kEyesCrouched : kEyes;
}

/// Sets the place of a pose or pose claim from the position of the eyes. REQUIRES: its state is set.
template <class Pose>
void set_place(Pose& pose, const Vec3& eyes) {
  const Point point = point_of(eyes);
  pose.set_x(point.x);
  pose.set_y(point.y);
  pose.set_z(point.z - eyes_over_feet(pose.state()) * kMetresPerBlock);
}
template <class Pose>
Vec3 eyes_of(const Pose& pose) {
  return place_of({pose.x(), pose.y(), pose.z() + eyes_over_feet(pose.state()) * kMetresPerBlock});
}

/// Sets yaw and pitch from an orientation, which has length 1 on the wire; (0, 0, 0) looks east. Subtracting from 0
/// avoids negative zeros.
template <class Pose>
void set_look(Pose& pose, const Vec3& orientation) {
  pose.set_yaw(std::atan2(0.0 - orientation[1], double{orientation[0]}));
  pose.set_pitch(std::atan2(0.0 - orientation[2], std::hypot(double{orientation[0]}, double{orientation[1]})));
}
Vec3 orientation_of(double yaw, double pitch);

template <class Moving>
void set_velocity(Moving& moving, const Vec3& velocity) {
  moving.set_vx(velocity[0] * kMetresPerVelocity);
  moving.set_vy(0.0 - velocity[1] * kMetresPerVelocity);
  moving.set_vz(0.0 - velocity[2] * kMetresPerVelocity);
}
Vec3 velocity_of(const Point& metres_a_second);

/// The middle of a block.
Point middle_of(const Block& block);
/// The block that contains `point`; it may be outside the map.
Block block_at(const Point& point);
bool in_map(const Block& block);

// -- Keys. Bits of Input Data are those of words::Keys. --------------------------------------------------------------

/// The keys that are states of a pose (CROUCHING, SNEAKING, SPRINTING), as such states.
std::uint32_t pose_state_of(std::uint8_t keys);
/// The keys of these states.
std::uint8_t keys_of(std::uint32_t pose_state);

inline constexpr std::uint8_t kPrimary = 1, kSecondary = 2;  ///< buttons of Weapon Input

// -- Who ------------------------------------------------------------------------------------------------------------

inline constexpr std::uint8_t kMostPlayers = 32;  ///< ids are 0 to 31
/// An id that no player has, for blocks of the server. Clients keep a colour for it, too.
inline constexpr std::uint8_t kWorldId = 32;
/// An id that no player has, for chat lines of the server (piqueserver's number).
inline constexpr std::uint8_t kNoticeId = 35;
/// An id whose chat line, the last before a disconnect, is its reason. BetterSpades does not show it as a line.
inline constexpr std::uint8_t kReasonId = 255;
inline constexpr std::size_t kLongestReason = 16;  ///< bytes of a reason that BetterSpades shows

inline constexpr std::uint8_t kBlue = 0, kGreen = 1, kNeutral = 2, kSpectator = 255;
/// Players of any other team are spectators.
inline bool is_side(std::uint8_t team) { return team == kBlue || team == kGreen; }
/// The team of a player whom a peer puts into `wire`: kBlue, kGreen or kSpectator.
inline std::uint8_t player_team(std::uint8_t wire) { return is_side(wire) ? wire : kSpectator; }

/// The teams of the two sides. A server chooses the colours of its sides; each side is the team with that colour, so
/// that it looks the same in every game.
struct Sides {
  std::array<words::Team, 2> teams{words::BLUE, words::GREEN};

  /// The team of a side; TEAM_ANY for spectators (watching is a role, not a team) and for what is neutral.
  words::Team team_of(std::uint8_t wire) const { return wire < teams.size() ? teams[wire] : words::TEAM_ANY; }
  /// The side of `team`, or else the one whose colour is nearer; `otherwise` for TEAM_ANY.
  std::uint8_t side_of(words::Team team, std::uint8_t otherwise = kBlue) const;
};
/// The sides with these colours (0xRRGGBB). They are never the same team: a second side that is grey or like the first
/// is blue or green.
Sides sides_of(std::uint32_t colour1, std::uint32_t colour2);

/// A player's kit is the weapon: 1 rifle, 2 SMG, 3 shotgun (one less on the wire); 0 any.
inline std::uint32_t kit_of(std::uint8_t weapon) { return weapon + 1U; }
std::uint8_t weapon_of(std::uint32_t kit);  ///< a rifle for another game's kit

/// Values of Tool.number and Input.tool.
enum Tool : std::uint8_t { kSpade = 0, kBlocks = 1, kGun = 2, kGrenades = 3 };

struct Gun {
  std::uint8_t clip, reserve;
  double reload_s;    ///< for the shotgun: of one shell
  double interval_s;  ///< between shots
};
/// REQUIRES: weapon < 3.
const Gun& gun(std::uint8_t weapon);
inline constexpr std::uint8_t kFullBlocks = 50, kFullGrenades = 3;
inline constexpr double kFullHealth = 100;
/// Whether `ammo` is what a Restock gives a player with this kit: all but the rounds in the clip.
bool is_full(const words::Ammo& ammo, std::uint32_t kit);

/// The colour of a player's blocks, from each of its Create Players until it sets another.
inline constexpr std::uint32_t kPlainColour = 0x6f6f6f;

/// 0xRRGGBB.
inline std::uint32_t colour_of(const Colour& wire) {
  return std::uint32_t{wire[2]} << 16U | std::uint32_t{wire[1]} << 8U | wire[0];
}
inline Colour wire_colour(std::uint32_t colour) {
  return {static_cast<std::uint8_t>(colour), static_cast<std::uint8_t>(colour >> 8U),
          static_cast<std::uint8_t>(colour >> 16U)};
}

// -- What happens -----------------------------------------------------------------------------------------------------

inline constexpr std::uint8_t kByFall = 4, kByTeamChange = 5, kByWeaponChange = 6;  ///< types of Kill Action
words::DeathCause cause_of(std::uint8_t kill_type);
std::uint8_t kill_type(words::DeathCause cause);

/// Causes of Set HP.
inline constexpr std::uint8_t kHurtByFall = 0, kHurtByWeapon = 1;

/// Reasons of a disconnect (its ENet data).
enum Reason : std::uint32_t {
  kBanned = 1,
  kTooMany = 2,
  kWrongVersion = 3,
  kFull = 4,
  kServerGone = 5,
  kKicked = 10,
  kCustom = 11,  ///< only in 0.80; a chat line has said why
  kBadName = 20,
};
words::Refused::Code refusal_of(std::uint32_t reason);
std::uint32_t reason_of(words::Refused::Code refusal);

/// Actions of a Block Action; Edit.op has one for each, and LINE for Block Line.
enum BlockOp : std::uint8_t { kBuild = 0, kDestroy = 1, kSpadeColumn = 2, kBlast = 3 };
words::Edit::Op edit_of(std::uint8_t action);
std::uint8_t action_of(words::Edit::Op op);  ///< REQUIRES: not LINE

// -- Values of State Data that words carry as rules. Colours as "RRGGBB". --------------------------------------------

inline constexpr const char* kRuleFog = "AOS.fog";
inline constexpr const char* kRuleColour[] = {"AOS.colour1", "AOS.colour2"};
inline constexpr const char* kRuleName[] = {"AOS.name1", "AOS.name2"};
inline constexpr const char* kRuleCaptures = "AOS.captures";  ///< captures that win the game

/// Room.mode.
inline constexpr const char* kCaptureTheFlag = "capture the flag";
inline constexpr const char* kTerritoryControl = "territory control";

/// The shortest text, with up to six decimals.
std::string number_text(double number);
/// Reads "RRGGBB"; nothing if `text` is not a colour.
std::optional<std::uint32_t> read_colour(std::string_view text);
std::string colour_text(std::uint32_t colour);

// In capture the flag, the objects of Move Object are tokens: an intel is an INTEL of the team that owns it, a tent is
// a BASE. In territory control, territories are BASE tokens with the code kTerritory, in the order of their ids;
// Zone.id is the token's id.
inline constexpr std::uint8_t kIntelObject = 0, kTentObject = 2;  ///< plus the team
inline constexpr const char* kTerritory = "territory";

// -- Text ------------------------------------------------------------------------------------------------------------

inline constexpr std::size_t kLongestName = 15;  ///< bytes; real programs keep 16 with the NUL
inline constexpr std::uint8_t kLineToAll = 0, kLineToTeam = 1, kSystemLine = 2;  ///< types of a Chat Message
inline constexpr std::size_t kLongestLine = 90;  ///< bytes of chat that every client shows and no server cuts

/// Converts wire text for display: no control characters, and valid UTF-8 whatever the bytes are.
std::string text_of(std::string_view wire);
/// Converts text to the wire, in CP437 only; other characters become '?'.
std::string wire_text(std::string_view text);
/// As above, for a field of `most` bytes. A longer text is cut and ends with kCutMark.
std::string wire_text(std::string_view text, std::size_t most);
/// A name that servers and clients accept, in CP437: no '%', '#' or control characters, at most 15 bytes, never empty.
/// A longer one keeps its beginning and its end: "evening_..r_two".
std::string wire_name(std::string_view name);
/// The same for a player whose name is taken: with this number at its end.
std::string wire_name(std::string_view name, std::size_t nth);

}  // namespace entente::aos
