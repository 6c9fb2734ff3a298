#include "adapters/bzdraft/wire/conversions.h"

#include <algorithm>
#include <cmath>

#include "proxy/base/text.h"

namespace entente::bzdraft {
namespace {

constexpr words::Team kTeams[] = {words::ROGUE, words::RED, words::GREEN, words::BLUE, words::PURPLE};

/// By number, as in bzflag's wiki dialect.
constexpr std::string_view kFlags[] = {"",   "R*", "G*", "B*", "P*", "V",  "QT", "OO", "F",  "MG", "GM", "L",
                                       "R",  "SB", "IB", "ST", "T",  "N",  "SH", "SR", "SW", "PZ", "G",  "JP",
                                       "ID", "CL", "CB", "O",  "LT", "RT", "M",  "B",  "JM", "WA"};

constexpr std::string_view kGuided = "GM", kWave = "SW";
constexpr std::string_view kRefusals[] = {"bad request",
                                          "this name requires authentication",
                                          "this server requires authentication",
                                          "no such team",
                                          "no such type of player",
                                          "rogues are not allowed",
                                          "the team is full",
                                          "the server is full"};

/// If a number or a code occurs twice, its first line counts.
constexpr std::pair<Refusal, words::Refused::Code> kReasons[] = {
    {Refusal::kBadRequest, words::Refused::OTHER},
    {Refusal::kNeedUserAuth, words::Refused::NAME_NEEDS_LOGIN},
    {Refusal::kNeedServerAuth, words::Refused::SERVER_NEEDS_LOGIN},
    {Refusal::kBadTeam, words::Refused::BAD_TEAM},
    {Refusal::kBadType, words::Refused::BAD_ROLE},
    {Refusal::kNoRogues, words::Refused::NO_ROGUES},
    {Refusal::kTeamFull, words::Refused::TEAM_FULL},
    {Refusal::kServerFull, words::Refused::FULL},
    {Refusal::kNeedUserAuth, words::Refused::BAD_NAME},
    {Refusal::kNeedUserAuth, words::Refused::NAME_TAKEN},
    {Refusal::kNeedServerAuth, words::Refused::BANNED},
};

constexpr std::pair<Drop, words::DropReason> kDrops[] = {
    {Drop::kTimeout, words::DROP_TIMEOUT},
    {Drop::kScore, words::DROP_SCORE},
    {Drop::kDropped, words::DROP_WISHED},
    {Drop::kKilled, words::DROP_KILLED},
};

constexpr std::pair<std::uint8_t, words::Pose::State> kStates[] = {
    {2, words::Pose::PAUSED},         {4, words::Pose::EXPLODING},  {8, words::Pose::TELEPORTING},
    {0x10, words::Pose::FLAG_ACTIVE}, {0x20, words::Pose::IN_WALL}, {0x40, words::Pose::FALLING},
};

constexpr std::uint32_t letters(std::string_view code) {
  std::uint32_t weapon = 0;
  for (std::size_t i = 0; i < 2; ++i)
    weapon = weapon << 8U | (i < code.size() ? static_cast<std::uint8_t>(code[i]) : 0);
  return weapon;
}

}  // namespace

std::int32_t thousandths(double value) {
  if (!std::isfinite(value)) return 0;
  return static_cast<std::int32_t>(std::llround(std::clamp(value * 1000, -2147483648.0, 2147483647.0)));
}

std::uint16_t to_u16(std::uint32_t number) { return static_cast<std::uint16_t>(std::min(number, 65535U)); }

std::string readable(std::string_view text) { return clean(text.substr(0, text.find('\0'))); }

std::string ended_text(std::string_view text, std::size_t most) {
  return fitted(text.substr(0, text.find('\0')), most);
}

std::optional<std::uint8_t> target_team(std::uint8_t to) {
  if (to > kRogueTeam || to < kRogueTeam - kLastTeam) return std::nullopt;
  return static_cast<std::uint8_t>(kRogueTeam - to);
}

words::Team team_of(std::uint8_t team) { return team <= kLastTeam ? kTeams[team] : words::TEAM_ANY; }

std::uint8_t wire_team(words::Team team) {
  for (std::uint8_t i = 0; i <= kLastTeam; ++i)
    if (kTeams[i] == team) return i;
  return kRogue;
}

words::Role role_of(std::uint8_t type) {
  return type == kWatcher ? words::WATCH : type == kRobot ? words::ROBOT : words::PLAY;
}

std::uint8_t wire_type(words::Role role) {
  return role == words::WATCH ? kWatcher : role == words::ROBOT ? kRobot : kTank;
}

words::Refused::Code refusal_of(std::uint8_t reason) {
  for (const auto& [number, code] : kReasons)
    if (static_cast<std::uint8_t>(number) == reason) return code;
  return words::Refused::OTHER;
}

Refusal reject_reason(words::Refused::Code code) {
  for (const auto& [number, word] : kReasons)
    if (word == code) return number;
  return Refusal::kBadRequest;
}

std::string_view text(Refusal reason) {
  const auto number = static_cast<std::size_t>(reason);
  return number < std::size(kRefusals) ? kRefusals[number] : "refused for an unknown reason";
}

words::DropReason drop_of(std::uint8_t reason) {
  for (const auto& [number, word] : kDrops)
    if (static_cast<std::uint8_t>(number) == reason) return word;
  return words::UNKNOWN_DROP;
}

std::uint8_t drop_reason(words::DropReason why) {
  for (const auto& [number, word] : kDrops)
    if (word == why) return static_cast<std::uint8_t>(number);
  return static_cast<std::uint8_t>(Drop::kDropped);
}

std::string_view flag_code(std::uint32_t kind) { return kind < std::size(kFlags) ? kFlags[kind] : ""; }

std::uint8_t flag_kind(std::string_view code) {
  const auto at = std::find(std::begin(kFlags), std::end(kFlags), code);
  return at != std::end(kFlags) ? static_cast<std::uint8_t>(at - std::begin(kFlags)) : std::uint8_t{0};
}

std::uint32_t weapon_of(std::uint32_t kind) { return letters(flag_code(kind)); }

std::uint8_t flag_of_weapon(std::uint32_t weapon) {
  for (std::size_t i = 1; i < std::size(kFlags); ++i)
    if (letters(kFlags[i]) == weapon) return static_cast<std::uint8_t>(i);
  return 0;
}

words::ShotKind shot_kind(std::uint32_t kind) {
  if (flag_code(kind) == kWave) return words::WAVE;
  return flag_code(kind) == kGuided ? words::GUIDED : words::BALL;
}

core::ShotNature shot_nature(std::uint32_t kind) {
  const std::string_view code = flag_code(kind);
  core::ShotNature nature;
  nature.kind = shot_kind(kind);
  nature.through = code == "SB" || code == "PZ" || code == kGuided;  // the shooter ends a guided one
  nature.bounces = code == "R";
  nature.radius = kWaveBegins;
  nature.range = kWaveEnds;
  return nature;
}

std::uint8_t flag_of(const words::Shot& shot) {
  if (shot.weapon() == 0 && shot.kind() == words::WAVE) return flag_kind(kWave);
  return shot.weapon() == 0 && shot.kind() == words::GUIDED ? flag_kind(kGuided) : flag_of_weapon(shot.weapon());
}

words::Token token_of(std::uint16_t number, const Flag& flag) {
  words::Token token;
  token.set_id(number + 1U);
  token.set_code(std::string(flag_code(flag.kind)));
  token.set_team(flag.kind >= 1 && flag.kind <= kLastTeam ? kTeams[flag.kind] : words::TEAM_ANY);
  token.set_kind(token.team() != words::TEAM_ANY ? words::Token::TEAM_FLAG : words::Token::FLAG);
  token.set_gives(shot_kind(flag.kind));
  token.set_state(words::Token::State_IsValid(flag.status) ? static_cast<words::Token::State>(flag.status)
                                                           : words::Token::NOWHERE);
  token.set_x(from_thousandths(flag.position[0]));
  token.set_y(from_thousandths(flag.position[1]));
  token.set_z(from_thousandths(flag.position[2]));
  return token;
}

Flag flag_of(const words::Token& token) {
  const bool flies = token.state() == words::Token::FLYING || token.state() == words::Token::COMING;
  Flag flag;
  if (!token.code().empty())
    flag.kind = flag_kind(token.code());
  else if (token.team() != words::TEAM_ANY)
    flag.kind = wire_team(token.team());
  else
    flag.kind = flag_kind(token.gives() == words::GUIDED ? kGuided : "");
  flag.status = static_cast<std::uint8_t>(token.state());
  flag.position =
      flies ? triple(token.land_x(), token.land_y(), token.land_z()) : triple(token.x(), token.y(), token.z());
  return flag;
}

words::Pose pose_of(const PlayerUpdate& update) {
  words::Pose pose;
  core::set_way(from_thousandths(update.position), from_thousandths(update.velocity), pose);
  pose.set_yaw(from_thousandths(update.azimuth));
  pose.set_yaw_rate(from_thousandths(update.angular_velocity));
  std::uint32_t state = 0;
  for (const auto& [bit, word] : kStates)
    if ((update.status & bit) != 0) state |= static_cast<std::uint32_t>(word);
  pose.set_state(state);
  return pose;
}

PlayerUpdate update_of(const words::Pose& pose, std::uint8_t player, bool alive) {
  PlayerUpdate update;
  update.player = player;
  unsigned status = alive && (pose.state() & words::Pose::EXPLODING) == 0 ? kAlive : 0U;
  for (const auto& [bit, word] : kStates)
    if ((pose.state() & static_cast<std::uint32_t>(word)) != 0) status |= bit;
  update.status = static_cast<std::uint8_t>(status);
  update.position = triple(pose.x(), pose.y(), pose.z());
  update.velocity = triple(pose.vx(), pose.vy(), pose.vz());
  update.azimuth = thousandths(pose.yaw());
  update.angular_velocity = thousandths(pose.yaw_rate());
  return update;
}

}  // namespace entente::bzdraft
