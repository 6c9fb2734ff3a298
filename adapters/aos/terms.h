// The game's numbers and what they mean in words: places, looks, teams, weapons, colours, deaths, refusals, text.
// Law: units and meanings are changed here and nowhere else; a value that has an equal on the other side keeps it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/aos/messages.h"
#include "proxy/core/word.h"

namespace entente::aos {

// -- Where. The game: blocks, x east, y south, z down, all from the map's upper north-west corner. ------------------

inline constexpr double kMetresPerBlock = 1.5625;  ///< 512 blocks are 800 m
inline constexpr double kMiddle = 256;             ///< of the map, in blocks: the words' x = y = 0
inline constexpr double kGround = 62;              ///< the top of the lowest ground, in blocks: the words' z = 0
inline constexpr double kWater = 63;
inline constexpr double kMetresPerVelocity = 32 * kMetresPerBlock;  ///< velocities are in blocks per 1/32 s

/// A man's position is that of his eyes; a word's pose that of his feet. So far above them, in blocks.
inline constexpr double kEyes = 2.25, kEyesCrouched = 1.35;

/// Blocks a second, measured: what legs reach on even ground without sprinting, and up steep hills.
inline constexpr double kWalks = 7.9, kClimbs = 3;

/// Metres, or metres a second.
struct Point {
  double x = 0, y = 0, z = 0;
};

inline bool is_finite(const Vec3& vec) {
  return std::isfinite(vec[0]) && std::isfinite(vec[1]) && std::isfinite(vec[2]);
}

/// Servers send the origin for who is not on the map yet.
inline bool nowhere(const Vec3& place) { return place == Vec3{}; }

Point point_of(const Vec3& place);
Vec3 place_of(const Point& point);

/// Of who crouches the eyes are lower.
inline double eyes_over_feet(std::uint32_t pose_state) {
  return (pose_state & words::Pose::CROUCHING) != 0 ? kEyesCrouched : kEyes;
}

/// A pose, or a claim of one: its place is set from a man's position. REQUIRES: its state is set.
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

/// An orientation has length 1 on the wire; (0, 0, 0) looks east. (Differences from 0, so that no zero is negative.)
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
/// The block that holds it; may lie outside of the map.
Block block_at(const Point& point);
bool in_map(const Block& block);

// -- Keys. Bits of Input Data are those of words::Keys. --------------------------------------------------------------

/// What of them is a state of a pose.
std::uint32_t pose_state_of(std::uint8_t keys);
/// … and back: CROUCHING, SNEAKING, SPRINTING.
std::uint8_t keys_of(std::uint32_t pose_state);

inline constexpr std::uint8_t kPrimary = 1, kSecondary = 2;  ///< buttons of Weapon Input

// -- Who ------------------------------------------------------------------------------------------------------------

inline constexpr std::uint8_t kMostPlayers = 32;  ///< ids are below
/// An id that no player has: whose blocks are the server's. Clients keep a colour for it, too.
inline constexpr std::uint8_t kWorldId = 32;
/// An id that no player has: whose chat lines are the server's (piqueserver's number).
inline constexpr std::uint8_t kNoticeId = 35;
/// Whose chat line, the last before a disconnect, is its reason. BetterSpades does not show it as a line.
inline constexpr std::uint8_t kReasonId = 255;
inline constexpr std::size_t kLongestReason = 16;  ///< bytes of it that BetterSpades shows

inline constexpr std::uint8_t kBlue = 0, kGreen = 1, kNeutral = 2, kSpectator = 255;

/// Which teams the two sides are. A server chooses the colours of its sides; the team is the one of that colour, so
/// that it has the same colour in every game.
struct Sides {
  std::array<words::Team, 2> teams{words::BLUE, words::GREEN};

  /// Spectators and what is neutral: TEAM_ANY (who watches has a role, not a team).
  words::Team team_of(std::uint8_t wire) const { return wire < teams.size() ? teams[wire] : words::TEAM_ANY; }
  /// The side of that team, or else the one whose colour is nearer; TEAM_ANY: `otherwise`.
  std::uint8_t side_of(words::Team team, std::uint8_t otherwise = kBlue) const;
};
/// Of two colours, 0xRRGGBB. Never twice the same team: grey, or the colour of the first side, is blue or green.
Sides sides_of(std::uint32_t colour1, std::uint32_t colour2);

/// A player's kit is his weapon: 1 rifle, 2 smg, 3 shotgun (on the wire less 1); 0 any.
inline std::uint32_t kit_of(std::uint8_t weapon) { return weapon + 1U; }
std::uint8_t weapon_of(std::uint32_t kit);  ///< another game's kit is a rifle

/// Tool.number and Input.tool are these.
enum Tool : std::uint8_t { kSpade = 0, kBlocks = 1, kGun = 2, kGrenades = 3 };

struct Gun {
  std::uint8_t clip, reserve;
  double reload_s;    ///< of the shotgun: a shell
  double interval_s;  ///< between shots
};
/// REQUIRES: weapon < 3.
const Gun& gun(std::uint8_t weapon);
inline constexpr std::uint8_t kFullBlocks = 50, kFullGrenades = 3;
inline constexpr double kFullHealth = 100;
/// Whether this is what a Restock gives to who has that kit: all but what his gun holds.
bool is_full(const words::Ammo& ammo, std::uint32_t kit);

/// 0xRRGGBB.
inline std::uint32_t colour_of(const Colour& wire) {
  return std::uint32_t{wire[2]} << 16U | std::uint32_t{wire[1]} << 8U | wire[0];
}
inline Colour wire_colour(std::uint32_t colour) {
  return {static_cast<std::uint8_t>(colour), static_cast<std::uint8_t>(colour >> 8U),
          static_cast<std::uint8_t>(colour >> 16U)};
}

// -- What happens -----------------------------------------------------------------------------------------------------

inline constexpr std::uint8_t kByFall = 4, kByTeamChange = 5, kByWeaponChange = 6;  ///< of Kill Action's types
words::DeathCause cause_of(std::uint8_t kill_type);
std::uint8_t kill_type(words::DeathCause cause);

/// Set HP's cause.
inline constexpr std::uint8_t kHurtByFall = 0, kHurtByWeapon = 1;

/// Reasons of a disconnect (its ENet data).
enum Reason : std::uint32_t {
  kBanned = 1,
  kTooMany = 2,
  kWrongVersion = 3,
  kFull = 4,
  kServerGone = 5,
  kKicked = 10,
  kCustom = 11,  ///< 0.80; a chat line said why
  kBadName = 20,
};
words::Refused::Code refusal_of(std::uint32_t reason);
std::uint32_t reason_of(words::Refused::Code refusal);

/// Actions of a Block Action; Edit.op has one for each, and LINE for Block Line.
enum BlockOp : std::uint8_t { kBuild = 0, kDestroy = 1, kSpadeColumn = 2, kBlast = 3 };
words::Edit::Op edit_of(std::uint8_t action);
std::uint8_t action_of(words::Edit::Op op);  ///< REQUIRES: not LINE

// -- What stands in State Data and has no word of its own: rules. Colours as "RRGGBB". -------------------------------

inline constexpr const char* kRuleFog = "AOS.fog";
inline constexpr const char* kRuleColour[] = {"AOS.colour1", "AOS.colour2"};
inline constexpr const char* kRuleName[] = {"AOS.name1", "AOS.name2"};
inline constexpr const char* kRuleCaptures = "AOS.captures";  ///< that win the game

/// Room.mode.
inline constexpr const char* kCaptureTheFlag = "capture the flag";
inline constexpr const char* kTerritoryControl = "territory control";

/// As short as it can be, with up to six digits behind the point.
std::string number_text(double number);
/// "RRGGBB"; nothing if it is none.
std::optional<std::uint32_t> read_colour(std::string_view text);
std::string colour_text(std::uint32_t colour);

// Things of Move Object in capture the flag are tokens: an intel is an INTEL of the team it belongs to, a tent a BASE.
// In territory control, territories are BASE tokens whose code is kTerritory, in the order of their ids; Zone.id is the
// token's.
inline constexpr std::uint8_t kIntelObject = 0, kTentObject = 2;  ///< plus the team
inline constexpr const char* kTerritory = "territory";

// -- Text ------------------------------------------------------------------------------------------------------------

inline constexpr std::size_t kLongestName = 15;  ///< bytes; real programs keep 16 with the NUL
inline constexpr std::uint8_t kLineToAll = 0, kLineToTeam = 1, kSystemLine = 2;  ///< types of a Chat Message
inline constexpr std::size_t kLongestLine = 90;  ///< bytes of chat that every client shows and no server cuts

/// As a person reads it: no control characters, legal UTF-8 whatever the bytes are.
std::string text_of(std::string_view wire);
/// … and back, in CP437 alone: '?' for what has no place there.
std::string wire_text(std::string_view text);
/// The same for a field of `most` bytes: whole, or its beginning and kCutMark.
std::string wire_text(std::string_view text, std::size_t most);
/// A name that servers and clients take, in CP437: no '%', '#' or control characters, at most 15 bytes (else cut and
/// marked), never empty.
std::string wire_name(std::string_view name);

}  // namespace entente::aos
