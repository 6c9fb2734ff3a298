#include "adapters/bzflag/wire/conversions.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "adapters/bzflag/wire/flag_effects.h"
#include "proxy/base/text.h"
#include "proxy/core/gameplay/steering.h"

namespace entente::bzflag {
namespace {

constexpr std::uint16_t kFlagOnTank = 2;
constexpr std::string_view kGuided = "GM", kWave = "SW",
                           kHidden = "PZ";  // bzfs sends the latter for flags that it hides
constexpr std::string_view kModes[] = {"free for all", "capture the flag", "open free for all", "rabbit chase"};

constexpr std::pair<std::int16_t, words::Team> kTeams[] = {
    {0, words::ROGUE},  {1, words::RED},    {2, words::GREEN},  {3, words::BLUE},
    {4, words::PURPLE}, {6, words::RABBIT}, {7, words::HUNTER},
};

constexpr std::pair<std::int16_t, words::DeathCause> kDeaths[] = {
    {0, words::BY_SERVER},   {1, words::BY_SHOT},   {2, words::BY_TOUCH}, {3, words::BY_CAPTURE},
    {4, words::BY_GENOCIDE}, {5, words::BY_ITSELF}, {6, words::BY_WATER}, {kDeathByDriver, words::BY_DRIVER},
};

constexpr std::pair<std::uint16_t, words::Refused::Code> kRefusals[] = {
    {0, words::Refused::OTHER},
    {1, words::Refused::BAD_TEAM},
    {4, words::Refused::TEAM_FULL},
    {5, words::Refused::FULL},
    {6, words::Refused::BAD_NAME},
    {7, words::Refused::NAME_TAKEN},
    {8, words::Refused::TOO_SOON},
    {9, words::Refused::BANNED},
    {10, words::Refused::BANNED},
    {11, words::Refused::BANNED},
    {2, words::Refused::BAD_ROLE},
    // Words distinguish these, codes do not; the first line of a code is its meaning.
    {1, words::Refused::NO_ROGUES},
    {6, words::Refused::NAME_NEEDS_LOGIN},
};

/// Status bits of an update, and the states of a pose that mean the same. Tails of updates are not kept, so bits that
/// append one have no equal.
constexpr std::pair<std::int16_t, words::Pose::State> kStates[] = {
    {kPaused, words::Pose::PAUSED},           {kExploding, words::Pose::EXPLODING},
    {kTeleporting, words::Pose::TELEPORTING}, {kFlagActive, words::Pose::FLAG_ACTIVE},
    {kCrossingWall, words::Pose::IN_WALL},    {kFalling, words::Pose::FALLING},
};

// What one unit of a small update is (PlayerState.cxx:150 at v2.4.26).
constexpr double kPlaceStep = 0.02, kVelocityStep = 0.01, kTurnStep = 0.001;
constexpr double kAngleStep = std::numbers::pi / 32766;

// Faster than any tank turns; an angle extrapolated from it is still a number.
constexpr float kFastestTurn = 1000;
constexpr double kManyTurns = 100;

std::int16_t steps(double value, double step) { return static_cast<std::int16_t>(std::lround(value / step)); }
/// Whether a value fits an i16 (real programs stop a little before its ends).
bool fits(double value, double step) { return value / step > -32768.5 && value / step < 32767.5; }

std::uint32_t state_of(std::int16_t status) {
  std::uint32_t state = 0;
  for (const auto& [bit, word] : kStates)
    if ((status & bit) != 0) state |= static_cast<std::uint32_t>(word);
  if ((status & kJumpJets) != 0) state |= words::Pose::JETTING;
  return state;
}

std::int16_t status_of(std::uint32_t state, bool alive) {
  int status = alive && (state & words::Pose::EXPLODING) == 0 ? kAlive : 0;
  for (const auto& [bit, word] : kStates)
    if ((state & static_cast<std::uint32_t>(word)) != 0) status |= bit;
  return static_cast<std::int16_t>(status);
}

bool fits_small(const words::Pose& pose) {
  return fits(pose.x(), kPlaceStep) && fits(pose.y(), kPlaceStep) && fits(pose.z(), kPlaceStep) &&
         fits(pose.vx(), kVelocityStep) && fits(pose.vy(), kVelocityStep) && fits(pose.vz(), kVelocityStep) &&
         fits(pose.yaw_rate(), kTurnStep) && std::isfinite(pose.yaw());
}

/// The angle in the range of an i16. An angle that already fits is unchanged: real clients send both ends of [-pi, pi].
double wrapped(double yaw) { return fits(yaw, kAngleStep) ? yaw : core::wrap_angle(yaw); }

template <class Update>
void set_head(Update& update, const words::Pose& pose, std::uint8_t player, float time, bool alive) {
  update.time = time;
  update.player = player_id(player);
  update.order = static_cast<std::int32_t>(pose.seq());
  update.status = status_of(pose.state(), alive);
}

bool printable(char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\''; }
bool letter_or_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Removes what bzfs refuses, including spaces at the ends and repeated ones.
std::string tidied(std::string_view name) {
  std::string tidy;
  for (const char c : name) {
    if (!printable(c) || (c == ' ' && (tidy.empty() || tidy.back() == ' '))) continue;
    if (tidy.empty() && (c == '+' || c == '@' || c == '#')) continue;
    tidy += c;
  }
  while (!tidy.empty() && tidy.back() == ' ') tidy.pop_back();
  return fitted(tidy, kLongestName);
}

/// The team of a team flag; TEAM_ANY for other flags.
words::Team flag_team(std::string_view code) {
  if (code == "R*") return words::RED;
  if (code == "G*") return words::GREEN;
  if (code == "B*") return words::BLUE;
  return code == "P*" ? words::PURPLE : words::TEAM_ANY;
}

}  // namespace

words::Team team_of(std::int16_t wire) {
  for (const auto& [number, team] : kTeams)
    if (number == wire) return team;
  return words::TEAM_ANY;
}

std::int16_t wire_team(words::Team team, std::int16_t otherwise) {
  if (team == words::YELLOW) return 0;  // BZFlag has no yellow team
  for (const auto& [number, word] : kTeams)
    if (word == team) return number;
  return otherwise;
}

words::Role role_of(std::uint16_t type, std::int16_t team) {
  if (team == kObserverTeam) return words::WATCH;
  return type == kRobotPlayer ? words::ROBOT : words::PLAY;
}

std::string legal_callsign(std::string_view name) {
  std::string tidy = tidied(name);
  const auto solid = std::count_if(tidy.begin(), tidy.end(), letter_or_digit);
  std::string upper = tidy;
  std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) { return c >= 'a' && c <= 'z' ? c - 32 : c; });
  const bool weak = tidy.size() < 2 || solid * 2 <= static_cast<std::ptrdiff_t>(tidy.size());
  if (!weak && upper.find("SERVER") == std::string::npos) return tidy;
  std::string kept = "player ";
  for (const char c : tidy)
    if (letter_or_digit(c)) kept += c;
  if (upper.find("SERVER") != std::string::npos || kept.size() <= 7) return "player";
  return fitted(kept, kLongestName);
}

std::string legal_motto(std::string_view motto) {
  std::string kept;  // by bzfs, before it counts
  for (const char c : motto)
    if (printable(c) && (c != ' ' || !kept.empty())) kept += c;
  while (!kept.empty() && kept.back() == ' ') kept.pop_back();
  const auto solid = std::count_if(kept.begin(), kept.end(), letter_or_digit);
  const bool weak = kept.size() > 4 && solid * 2 <= static_cast<std::ptrdiff_t>(kept.size());
  return weak ? std::string() : std::string(motto);
}

std::uint32_t weapon_of(const FlagKind& flag) {
  const auto code = flag.letters.view();
  std::uint32_t weapon = 0;
  for (std::size_t i = 0; i < 2; ++i)
    weapon = weapon << 8U | (i < code.size() ? static_cast<std::uint8_t>(code[i]) : 0);
  return weapon;
}

FlagKind flag_kind(std::uint32_t weapon) {
  FlagKind flag;
  if (weapon > 0xffff) return flag;  // a weapon of another game
  flag.letters.chars = {static_cast<char>(weapon >> 8U), static_cast<char>(weapon & 0xffU)};
  return flag;
}

std::string code_of(const FlagKind& flag) { return std::string(flag.letters.view()); }

FlagKind flag_kind(std::string_view code) {
  FlagKind flag;
  flag.letters.set(code);
  return flag;
}

words::ShotKind shot_kind(std::uint32_t weapon) { return effect_of(code_of(flag_kind(weapon))).kind; }

std::uint32_t weapon_of(const words::Shot& shot) {
  if (shot.weapon() == 0 && shot.kind() == words::GUIDED) return weapon_of(flag_kind(kGuided));
  if (shot.weapon() == 0 && shot.kind() == words::WAVE) return weapon_of(flag_kind(kWave));
  return shot.weapon() <= 0xffff ? shot.weapon() : 0;
}

std::string_view code_for(const words::Token& token) {
  static constexpr std::string_view kTeamFlags[] = {"R*", "G*", "B*", "P*"};
  if (!token.code().empty()) return token.code();
  const std::int16_t team = wire_team(token.team());
  if (team >= 1 && team <= 4) return kTeamFlags[team - 1];
  return token.gives() == words::GUIDED ? kGuided : "";
}

words::Token token_of(const NumberedFlag& numbered) {
  const FlagRecord& flag = numbered.flag;
  words::Token token;
  token.set_id(numbered.number + 1U);
  const std::string code = clean(code_of(flag.flag));
  token.set_code(code == kHidden && flag.status != kFlagOnTank ? "" : code);
  token.set_team(flag_team(code));
  token.set_kind(token.team() != words::TEAM_ANY ? words::Token::TEAM_FLAG : words::Token::FLAG);
  token.set_state(words::Token::State_IsValid(flag.status) ? static_cast<words::Token::State>(flag.status)
                                                           : words::Token::NOWHERE);
  token.set_endurance(flag.endurance);
  token.set_gives(shot_kind(weapon_of(flag.flag)));
  token.set_x(flag.pos[0]);
  token.set_y(flag.pos[1]);
  token.set_z(flag.pos[2]);
  token.set_launch_x(flag.launch[0]);
  token.set_launch_y(flag.launch[1]);
  token.set_launch_z(flag.launch[2]);
  token.set_land_x(flag.landing[0]);
  token.set_land_y(flag.landing[1]);
  token.set_land_z(flag.landing[2]);
  token.set_flown_s(flag.flight_time);
  token.set_flight_s(flag.flight_end);
  token.set_rise(flag.initial_velocity);
  return token;
}

NumberedFlag flag_of(const words::Token& token) {
  NumberedFlag numbered;
  FlagRecord& flag = numbered.flag;
  const std::string_view code = code_for(token);
  flag.flag = flag_kind(code.empty() ? kHidden : code);
  flag.status = static_cast<std::uint16_t>(token.state());
  flag.endurance = static_cast<std::uint16_t>(token.endurance());
  flag.owner = player_id(kNobody);
  flag.pos = vec3(token.x(), token.y(), token.z());
  flag.launch = vec3(token.launch_x(), token.launch_y(), token.launch_z());
  flag.landing = vec3(token.land_x(), token.land_y(), token.land_z());
  flag.flight_time = to_float(token.flown_s());
  flag.flight_end = to_float(token.flight_s());
  flag.initial_velocity = to_float(token.rise());
  return numbered;
}

std::string_view mode_of(std::uint16_t game_type) { return kModes[std::min<std::size_t>(game_type, 3)]; }

std::uint16_t game_type_of(std::string_view mode) {
  for (std::size_t i = 0; i < std::size(kModes); ++i)
    if (mode == kModes[i]) return static_cast<std::uint16_t>(i);
  return 0;
}

std::optional<std::int16_t> target_team(std::uint8_t target) {
  if (target < kFirstTeamId - 7 || target > kFirstTeamId) return std::nullopt;
  return static_cast<std::int16_t>(kFirstTeamId - target);
}

words::DeathCause cause_of(std::int16_t reason) {
  for (const auto& [number, cause] : kDeaths)
    if (number == reason) return cause;
  return words::UNKNOWN_DEATH;
}

std::int16_t death_reason(words::DeathCause cause) {
  for (const auto& [number, word] : kDeaths)
    if (word == cause) return number;
  return cause == words::BY_FALL ? 5 : 1;  // headshots, knives and grenades count as shots here
}

words::Refused::Code refusal_of(std::uint16_t code) {
  for (const auto& [number, refusal] : kRefusals)
    if (number == code) return refusal;
  return words::Refused::OTHER;
}

std::uint16_t reject_code(words::Refused::Code refusal) {
  for (const auto& [number, word] : kRefusals)
    if (word == refusal) return number;
  return 0;
}

words::Pose pose_of(const PlayerUpdate& update) {
  words::Pose pose;
  core::set_way(update.pos, update.vel, pose);
  pose.set_yaw(update.azimuth);
  pose.set_yaw_rate(update.turn);
  pose.set_state(state_of(update.status));
  pose.set_seq(static_cast<std::uint32_t>(update.order));
  return pose;
}

words::Pose pose_of(const PlayerUpdateSmall& update) {
  words::Pose pose;
  pose.set_x(update.pos[0] * kPlaceStep);
  pose.set_y(update.pos[1] * kPlaceStep);
  pose.set_z(update.pos[2] * kPlaceStep);
  pose.set_vx(update.vel[0] * kVelocityStep);
  pose.set_vy(update.vel[1] * kVelocityStep);
  pose.set_vz(update.vel[2] * kVelocityStep);
  pose.set_yaw(update.azimuth * kAngleStep);
  pose.set_yaw_rate(update.turn * kTurnStep);
  pose.set_state(state_of(update.status));
  pose.set_seq(static_cast<std::uint32_t>(update.order));
  return pose;
}

float to_azimuth(double yaw) { return to_float(std::abs(yaw) < kManyTurns ? yaw : core::wrap_angle(yaw)); }

float clock_of(core::Micros passed, const Dialect& dialect) {
  return static_cast<float>(static_cast<double>(passed % (dialect.clock_turn * core::kSecond)) / core::kSecond);
}

Message update_of(const words::Pose& pose, std::uint8_t player, float time, bool alive, bool small_allowed) {
  if (!small_allowed || !fits_small(pose)) {
    PlayerUpdate large;
    set_head(large, pose, player, time, alive);
    large.pos = vec3(pose.x(), pose.y(), pose.z());
    large.vel = vec3(pose.vx(), pose.vy(), pose.vz());
    large.azimuth = to_azimuth(pose.yaw());
    large.turn = std::clamp(to_float(pose.yaw_rate()), -kFastestTurn, kFastestTurn);
    return large;
  }
  PlayerUpdateSmall small;
  set_head(small, pose, player, time, alive);
  small.pos = {steps(pose.x(), kPlaceStep), steps(pose.y(), kPlaceStep), steps(pose.z(), kPlaceStep)};
  small.vel = {steps(pose.vx(), kVelocityStep), steps(pose.vy(), kVelocityStep), steps(pose.vz(), kVelocityStep)};
  small.azimuth = steps(wrapped(pose.yaw()), kAngleStep);
  small.turn = steps(pose.yaw_rate(), kTurnStep);
  return small;
}

}  // namespace entente::bzflag
