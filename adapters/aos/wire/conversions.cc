#include "adapters/aos/wire/conversions.h"

#include <array>
#include <charconv>
#include <cstdio>

#include "adapters/aos/wire/cp437.h"
#include "proxy/base/text.h"

namespace entente::aos {
namespace {

/// Keys, and the states of a pose that mean the same.
constexpr std::pair<std::uint8_t, words::Pose::State> kStates[] = {
    {words::Keys::CROUCH, words::Pose::CROUCHING},
    {words::Keys::SNEAK, words::Pose::SNEAKING},
    {words::Keys::SPRINT, words::Pose::SPRINTING},
};

// As in SpadesX (weapon.c) and both clients.
constexpr Gun kGuns[] = {{10, 50, 2.5, 0.5}, {30, 120, 2.5, 0.1}, {6, 48, 0.5, 1.0}};

/// By the type of Kill Action. A change of side or weapon counts as a kill by the server.
constexpr words::DeathCause kCauses[] = {words::BY_SHOT, words::BY_HEADSHOT, words::BY_MELEE, words::BY_GRENADE,
                                         words::BY_FALL, words::BY_SERVER,   words::BY_SERVER};

bool is_cold(words::Team team) { return team == words::BLUE || team == words::PURPLE || team == words::HUNTER; }

/// The team with the hue of a colour; TEAM_ANY for grey. Yellow has no team, because most games have no such team.
words::Team nearest_team(std::uint32_t colour) {
  constexpr int kGrey = 32;  // a colour with a smaller difference between its components is grey
  const auto part = [&](unsigned shift) { return static_cast<int>(colour >> shift & 0xffU); };
  const int red = part(16), green = part(8), blue = part(0);
  const int most = std::max({red, green, blue}), least = std::min({red, green, blue});
  if (most - least < kGrey) return words::TEAM_ANY;
  if (most == green && green > red) return green > blue ? words::GREEN : words::BLUE;
  if (most == red) return blue - least > (red - least) / 2 ? words::PURPLE : words::RED;
  return red - least > (blue - least) / 2 ? words::PURPLE : words::BLUE;
}

constexpr std::pair<std::uint32_t, words::Refused::Code> kRefusals[] = {
    {kBanned, words::Refused::BANNED},
    {kTooMany, words::Refused::TOO_SOON},
    {kWrongVersion, words::Refused::WRONG_VERSION},
    {kFull, words::Refused::FULL},
    {kServerGone, words::Refused::SERVER_GONE},
    {kBadName, words::Refused::BAD_NAME},
    {kFull, words::Refused::TEAM_FULL},
    {kBadName, words::Refused::NAME_TAKEN},
};

}  // namespace

// -- Where -----------------------------------------------------------------------------------------------------------

Point point_of(const Vec3& place) {
  return {(place[0] - kMiddle) * kMetresPerBlock, (kMiddle - place[1]) * kMetresPerBlock,
          (kGround - place[2]) * kMetresPerBlock};
}

Vec3 place_of(const Point& point) {
  return {static_cast<float>(kMiddle + point.x / kMetresPerBlock),
          static_cast<float>(kMiddle - point.y / kMetresPerBlock),
          static_cast<float>(kGround - point.z / kMetresPerBlock)};
}

Vec3 orientation_of(double yaw, double pitch) {
  return {static_cast<float>(std::cos(yaw) * std::cos(pitch)),
          static_cast<float>(0.0 - std::sin(yaw) * std::cos(pitch)), static_cast<float>(0.0 - std::sin(pitch))};
}

Vec3 velocity_of(const Point& metres_a_second) {
  return {static_cast<float>(metres_a_second.x / kMetresPerVelocity),
          static_cast<float>(0.0 - metres_a_second.y / kMetresPerVelocity),
          static_cast<float>(0.0 - metres_a_second.z / kMetresPerVelocity)};
}

Point middle_of(const Block& block) {
  return {(block[0] + 0.5 - kMiddle) * kMetresPerBlock, (kMiddle - block[1] - 0.5) * kMetresPerBlock,
          (kGround - block[2] - 0.5) * kMetresPerBlock};
}

Block block_at(const Point& point) {
  const auto whole = [](double blocks) {
    constexpr double kFar = 1e6;  // outside every map; also for NaN
    return static_cast<std::int32_t>(std::floor(blocks > -kFar && blocks < kFar ? blocks : -kFar));
  };
  return {whole(kMiddle + point.x / kMetresPerBlock), whole(kMiddle - point.y / kMetresPerBlock),
          whole(kGround - point.z / kMetresPerBlock)};
}

bool in_map(const Block& block) {
  return block[0] >= 0 && block[0] < 512 && block[1] >= 0 && block[1] < 512 && block[2] >= 0 && block[2] < 64;
}

std::uint32_t pose_state_of(std::uint8_t keys) {
  std::uint32_t state = 0;
  for (const auto& [key, bit] : kStates)
    if ((keys & key) != 0) state |= static_cast<std::uint32_t>(bit);
  return state;
}

std::uint8_t keys_of(std::uint32_t pose_state) {
  unsigned keys = 0;
  for (const auto& [key, bit] : kStates)
    if ((pose_state & static_cast<std::uint32_t>(bit)) != 0) keys |= key;
  return static_cast<std::uint8_t>(keys);
}

// -- Who -------------------------------------------------------------------------------------------------------------

std::uint8_t Sides::side_of(words::Team team, std::uint8_t otherwise) const {
  if (team == words::TEAM_ANY) return otherwise;
  for (std::size_t side = 0; side < teams.size(); ++side)
    if (teams[side] == team) return static_cast<std::uint8_t>(side);
  return is_cold(team) == is_cold(teams[0]) ? kBlue : kGreen;
}

Sides sides_of(std::uint32_t colour1, std::uint32_t colour2) {
  words::Team first = nearest_team(colour1), second = nearest_team(colour2);
  if (first == words::TEAM_ANY) first = second == words::BLUE ? words::GREEN : words::BLUE;
  if (second == words::TEAM_ANY || second == first) second = first == words::GREEN ? words::BLUE : words::GREEN;
  return {{first, second}};
}

std::uint8_t weapon_of(std::uint32_t kit) { return kit >= 1 && kit <= 3 ? static_cast<std::uint8_t>(kit - 1) : 0; }

const Gun& gun(std::uint8_t weapon) { return kGuns[weapon]; }

bool is_full(const words::Ammo& ammo, std::uint32_t kit) {
  const Gun& full = gun(weapon_of(kit));
  return ammo.reserve() == full.reserve && ammo.blocks() == kFullBlocks && ammo.grenades() == kFullGrenades;
}

// -- What happens ----------------------------------------------------------------------------------------------------

words::DeathCause cause_of(std::uint8_t type) {
  return type < std::size(kCauses) ? kCauses[type] : words::UNKNOWN_DEATH;
}

std::uint8_t kill_type(words::DeathCause cause) {
  for (std::size_t type = 0; type < std::size(kCauses); ++type)
    if (kCauses[type] == cause) return static_cast<std::uint8_t>(type);
  return cause == words::BY_WATER || cause == words::BY_DRIVER ? kByFall : 0;
}

words::Refused::Code refusal_of(std::uint32_t reason) {
  for (const auto& [number, refusal] : kRefusals)
    if (number == reason) return refusal;
  return words::Refused::OTHER;
}

std::uint32_t reason_of(words::Refused::Code refusal) {
  for (const auto& [number, word] : kRefusals)
    if (word == refusal) return number;
  return kKicked;
}

words::Edit::Op edit_of(std::uint8_t action) {
  constexpr words::Edit::Op kOps[] = {words::Edit::BUILD, words::Edit::DIG, words::Edit::COLUMN, words::Edit::BLAST};
  return kOps[std::min<std::uint8_t>(action, kBlast)];
}

std::uint8_t action_of(words::Edit::Op op) {
  switch (op) {
    case words::Edit::DIG:
      return kDestroy;
    case words::Edit::COLUMN:
      return kSpadeColumn;
    case words::Edit::BLAST:
      return kBlast;
    default:
      return kBuild;
  }
}

std::string number_text(double number) {
  std::string text = std::to_string(number);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::optional<std::uint32_t> read_colour(std::string_view text) {
  std::uint32_t colour = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), colour, 16);
  if (text.size() != 6 || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return colour;
}

std::string colour_text(std::uint32_t colour) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "%06x", colour & 0xffffffU);
  return text.data();
}

// -- Text ------------------------------------------------------------------------------------------------------------

std::string text_of(std::string_view wire) {
  const std::string read = to_utf8(wire.substr(0, wire.find('\0')));
  std::string text;
  for (std::string_view left = read; !left.empty();) {
    const std::size_t size = first_character(left);
    if (size == 0)
      text += '?';
    else if (size > 1 || !is_control(left[0]))
      text += left.substr(0, size);
    left.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return text;
}

namespace {

/// Each byte of it is a letter.
std::string cut(std::string wire, std::size_t most) {
  if (wire.size() > most) wire.replace(most - kCutMark.size(), std::string::npos, kCutMark);
  return wire;
}

std::string name_letters(std::string_view name) {
  std::string kept;
  for (const char c : name)
    if (!is_control(c) && c != '%' && c != '#') kept += c;
  while (!kept.empty() && kept.back() == ' ') kept.pop_back();
  return kept.empty() ? "player" : wire_text(kept);
}

}  // namespace

std::string wire_text(std::string_view text) {
  std::string wire;
  for (std::string_view left = text; !left.empty();) {
    const std::size_t size = std::max<std::size_t>(first_character(left), 1);
    const std::string one = to_wire(left.substr(0, size));
    wire += one.size() == 1 ? one : "?";
    left.remove_prefix(size);
  }
  return wire;
}

std::string wire_text(std::string_view text, std::size_t most) { return cut(wire_text(text), most); }

std::string wire_name(std::string_view name) {
  std::string wire = name_letters(name);
  // Names that begin alike often differ at the end.
  constexpr std::size_t kEnd = kLongestName / 3;
  constexpr std::string_view kGap = "..";
  if (wire.size() > kLongestName)
    wire.replace(kLongestName - kGap.size() - kEnd, wire.size() - (kLongestName - kGap.size()), kGap);
  return wire;
}

std::string wire_name(std::string_view name, std::size_t nth) {
  const std::string number = " " + std::to_string(nth);
  return cut(name_letters(name), kLongestName - number.size()) + number;
}

}  // namespace entente::aos
