// The game's numbers converted to words and back.
#include "adapters/aos/wire/conversions.h"

#include <doctest/doctest.h>

#include <bit>
#include <numbers>
#include <random>

namespace entente::aos::conversions_test {
namespace {

constexpr double kPi = std::numbers::pi;

bool same_bits(const Vec3& a, const Vec3& b) {
  for (std::size_t i = 0; i < 3; ++i)
    if (std::bit_cast<std::uint32_t>(a[i]) != std::bit_cast<std::uint32_t>(b[i])) return false;
  return true;
}

TEST_CASE("a position survives the round trip to the bit") {
  for (int i = 0; i < 512 * 64; ++i) {
    const float at = static_cast<float>(i) / 64;
    const Vec3 place = {at, 512 - at, at / 8};
    CHECK(same_bits(place_of(point_of(place)), place));
  }
  std::mt19937 random(1);
  std::uniform_real_distribution<float> along(0.001F, 512), down(0.001F, 64);
  for (int i = 0; i < 100'000; ++i) {
    const Vec3 place = {along(random), along(random), down(random)};
    REQUIRE(same_bits(place_of(point_of(place)), place));
    words::Pose pose;
    pose.set_state((i & 1) != 0 ? words::Pose::CROUCHING : 0);
    set_place(pose, place);
    REQUIRE(same_bits(eyes_of(pose), place));
  }
}

TEST_CASE("the middle of the map is the middle of the world, north is up, the ground is 0") {
  const Point point = point_of({256, 256, 62});
  CHECK(point.x == 0);
  CHECK(point.y == 0);
  CHECK(point.z == 0);
  const Point corner = point_of({0, 0, 0});
  CHECK(corner.x == -400);
  CHECK(corner.y == 400);
  CHECK(corner.z == 62 * 1.5625);
  words::Pose pose;
  set_place(pose, {256, 256, 59.75F});
  CHECK(pose.z() == 0);  // a player on the lowest ground
  pose.set_state(words::Pose::CROUCHING);
  set_place(pose, {256, 256, 60.65F});
  CHECK(std::abs(pose.z()) < 1e-5);  // float precision
}

TEST_CASE("a block is found by its middle") {
  for (std::int32_t x = -1; x < 513; ++x) {
    const Block block = {x, 511 - x, x / 8};
    CHECK(block_at(middle_of(block)) == block);
  }
  CHECK_FALSE(in_map({-1, 0, 0}));
  CHECK_FALSE(in_map({0, 512, 0}));
  CHECK_FALSE(in_map({0, 0, 64}));
  CHECK(in_map({511, 0, 63}));
  CHECK_FALSE(in_map(block_at({1e300, 0, 0})));
  CHECK_FALSE(in_map(block_at({std::nan(""), 0, 0})));
}

TEST_CASE("looks become yaw, counterclockwise from east, and pitch, upwards") {
  const auto look = [](const Vec3& orientation) {
    words::Pose pose;
    set_look(pose, orientation);
    return std::pair(pose.yaw(), pose.pitch());
  };
  CHECK(look({1, 0, 0}) == std::pair(0.0, 0.0));
  CHECK(look({0, -1, 0}).first == doctest::Approx(kPi / 2));
  CHECK(look({0, 1, 0}).first == doctest::Approx(-kPi / 2));
  CHECK(look({0, 0, -1}).second == doctest::Approx(kPi / 2));
  CHECK(look({0.6F, 0, 0.8F}).second == doctest::Approx(-std::asin(0.8)));
  for (double yaw = -3; yaw < 3; yaw += 0.01)
    for (double pitch = -1.5; pitch < 1.5; pitch += 0.1) {
      const auto [again, up] = look(orientation_of(yaw, pitch));
      REQUIRE(again == doctest::Approx(yaw).epsilon(1e-5));
      REQUIRE(up == doctest::Approx(pitch).epsilon(1e-5));
    }
}

TEST_CASE("velocities are in blocks per 1/32 second, and keep their axes") {
  words::Pose pose;
  const Vec3 velocity = {0.25F, -0.125F, 1};
  set_velocity(pose, velocity);
  CHECK(pose.vx() == 12.5);
  CHECK(pose.vy() == 6.25);
  CHECK(pose.vz() == -50);
  CHECK(same_bits(velocity_of({pose.vx(), pose.vy(), pose.vz()}), velocity));
}

TEST_CASE("values that exist on both sides survive the round trip") {
  for (std::uint8_t type = 0; type < 6; ++type) CHECK(kill_type(cause_of(type)) == type);
  CHECK(kill_type(cause_of(kByWeaponChange)) == kByTeamChange);
  CHECK(cause_of(200) == words::UNKNOWN_DEATH);
  for (const std::uint32_t reason : {1U, 2U, 3U, 4U, 5U, 10U, 20U}) CHECK(reason_of(refusal_of(reason)) == reason);
  for (std::uint8_t action = 0; action < 4; ++action) CHECK(action_of(edit_of(action)) == action);
  for (const Sides& sides : {Sides{}, Sides{{words::RED, words::BLUE}}, Sides{{words::GREEN, words::PURPLE}}})
    for (std::uint8_t side = 0; side < 2; ++side) CHECK(sides.side_of(sides.team_of(side)) == side);
  for (std::uint8_t weapon = 0; weapon < 3; ++weapon) CHECK(weapon_of(kit_of(weapon)) == weapon);
  CHECK(weapon_of(77) == 0);
  for (unsigned keys = 0; keys < 256; ++keys)
    CHECK(keys_of(pose_state_of(static_cast<std::uint8_t>(keys))) == (keys & 0xe0U));
  CHECK(wire_colour(colour_of({1, 2, 3})) == Colour{1, 2, 3});
  CHECK(colour_of({1, 2, 3}) == 0x030201);
  CHECK(colour_text(0x0a0b0c) == "0a0b0c");
  CHECK(read_colour("0a0b0c") == 0x0a0b0c);
  CHECK_FALSE(read_colour("0a0b0"));
  CHECK_FALSE(read_colour("0a0b0g"));
}

TEST_CASE("a side is the team of its colour, and the two sides are never the same team") {
  const auto teams = [](std::uint32_t first, std::uint32_t second) {
    const Sides sides = sides_of(first, second);
    return std::pair(sides.teams[0], sides.teams[1]);
  };
  CHECK(teams(0x0000ff, 0xff0000) == std::pair(words::BLUE, words::RED));    // SpadesX
  CHECK(teams(0x0000c4, 0x00c400) == std::pair(words::BLUE, words::GREEN));  // piqueserver
  CHECK(teams(0xc81414, 0x1464c8) == std::pair(words::RED, words::BLUE));
  CHECK(teams(0x808080, 0xff8000) == std::pair(words::BLUE, words::RED));
  CHECK(teams(0x6f6f6f, 0x2020ff) == std::pair(words::GREEN, words::BLUE));
  CHECK(teams(0xff0000, 0xc00000) == std::pair(words::RED, words::GREEN));
  CHECK(teams(0x00ff00, 0x20c020) == std::pair(words::GREEN, words::BLUE));
  CHECK(teams(0x8000c0, 0x00ffff) == std::pair(words::PURPLE, words::BLUE));
  CHECK(teams(0, 0xffffff) == std::pair(words::BLUE, words::GREEN));
  const Sides spadesx = sides_of(0x0000ff, 0xff0000);
  CHECK(spadesx.side_of(words::GREEN) == 1);
  CHECK(spadesx.side_of(words::PURPLE) == 0);
  CHECK(spadesx.side_of(words::TEAM_ANY, kNeutral) == kNeutral);
  const Sides warm = sides_of(0xff0000, 0xc00000);  // red and green
  CHECK(warm.side_of(words::RED) == 0);
  CHECK(warm.side_of(words::GREEN) == 1);
  CHECK(spadesx.team_of(kSpectator) == words::TEAM_ANY);
}

TEST_CASE("names and chat lines are reduced to what every program accepts") {
  CHECK(wire_name("anna") == "anna");
  CHECK(wire_name("") == "player");
  CHECK(wire_name("#%\n") == "player");
  CHECK(wire_name("0123456789abcdefgh") == "01234567..defgh");
  CHECK(wire_name("0123456789abcde") == "0123456789abcde");
  CHECK(wire_name("J\xc3\xbcrgen") == "J\x81rgen");
  std::string accents;
  for (int i = 0; i < 20; ++i) accents += "\xc3\xa9";
  CHECK(wire_name(accents) == "\x82\x82\x82\x82\x82\x82\x82\x82..\x82\x82\x82\x82\x82");
  CHECK(wire_name(accents, 2) == "\x82\x82\x82\x82\x82\x82\x82\x82\x82\x82... 2");
  CHECK(wire_name("a%nna", 12) == "anna 12");
  CHECK(wire_name("\xe2\x98\x83 snow") == "? snow");
  CHECK(text_of("J\x81rgen") == "J\xc3\xbcrgen");
  CHECK(text_of(std::string_view("padded\0\0\0", 9)) == "padded");
  CHECK(text_of("\xff\xe2\x98\x83") == "\xe2\x98\x83");
  CHECK(text_of("\xff\xe2\x98") == "??");
  CHECK(text_of("\xff\xed\xa0\x80\xf5") == "????");
  CHECK(text_of("a\x07\nb") == "ab");
}

}  // namespace
}  // namespace entente::aos::conversions_test
