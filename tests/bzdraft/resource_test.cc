// Worlds as resources of the draft: what a client gets of a world of another game, what a back reads, and its limits.
#include "adapters/bzdraft/wire/resource.h"

#include <doctest/doctest.h>

#include "adapters/wire/md5.h"
#include "proxy/core/world.h"
#include "tests/bzdraft/said.h"

namespace entente::bzdraft::resource_test {
namespace {

words::World read(const Buffer& bytes) {
  Resources resources;
  const Md5 name = wire::md5(bytes);
  REQUIRE(resources.add(name, bytes));
  std::size_t unread = 0;
  auto world = resources.world(name, unread);
  REQUIRE(world.has_value());
  return *world;
}

/// The bytes of a record.
Buffer record(const char* code, Buffer body) {
  Buffer bytes{static_cast<std::uint8_t>(body.size() >> 8U), static_cast<std::uint8_t>(body.size()),
               static_cast<std::uint8_t>(code[0]), static_cast<std::uint8_t>(code[1])};
  append(bytes, body);
  return bytes;
}

TEST_CASE("bzdraft: the tiles of a world become a box for each run of equal ones; open tiles become none") {
  words::World world;
  core::set_sides(world, 40, 20);
  world.set_columns(4);
  world.set_rows(2);
  const char open = words::SHOTS_PASS | words::UNITS_PASS;
  const char water = words::SHOTS_PASS, leaves = words::UNITS_PASS;
  world.set_tiles(std::string{0, 0, open, water, leaves, open, open, open});
  std::string boxes;
  const words::World seen = read(resource_of(world));
  for (const words::Solid& solid : seen.solids())
    if (solid.shape() == words::Solid::BOX) boxes += solid.ShortDebugString() + "\n";
  const auto box = [](const std::string& text, double height) {
    words::Solid solid = word<words::Solid>(text);
    solid.set_height(static_cast<float>(height));
    return solid.ShortDebugString() + "\n";
  };
  CHECK(boxes == box("x: -10 y: 5 half_x: 10 half_y: 5", core::kTileHeight) +
                     box("x: 15 y: 5 half_x: 5 half_y: 5", core::kWaterHeight) +
                     box("x: -15 y: -5 half_x: 5 half_y: 5 units_pass: true", core::kTileHeight));
}

TEST_CASE("bzdraft: a world without walls gets four, one with walls keeps its own; its side is the longer one") {
  words::World open;
  core::set_sides(open, 300, 200);
  const words::World shown = read(resource_of(open));
  CHECK(shown.solids_size() == 4);
  CHECK(shown.walled());
  CHECK(shown.east() - shown.west() == 300);
  CHECK(shown.north() - shown.south() == 300);
  words::World walled = open;
  words::Solid& wall = *walled.add_solids();
  wall.set_shape(words::Solid::WALL_FACE);
  wall.set_x(7);
  CHECK(read(resource_of(walled)).solids_size() == 1);
  CHECK(read(resource_of(words::World())).east() == 400);  // a world without sides
}

TEST_CASE("bzdraft: walls, blocks, bases, teleporters and links are read as they were written") {
  const words::World world = word<words::World>(
      "solids { shape: WALL_FACE x: 1 y: 2 z: 3 yaw: 0.5 half_y: 4 height: 6 } "
      "solids { shape: PYRAMID x: 1 y: 2 z: 3 yaw: 0.5 half_x: 4 half_y: 5 height: 6 shots_pass: true upside_down: "
      "true } "
      "solids { x: 7 half_x: 1 half_y: 1 height: 1 units_pass: true } "
      "bases { team: GREEN solid { x: 1 y: 2 z: 3 yaw: 0.5 half_x: 4 half_y: 5 height: 6 } } "
      "teleporters { frame { x: 1 y: 2 z: 3 yaw: 0.5 half_x: 4 half_y: 5 height: 6 shots_pass: true } border: 1.5 } "
      "links { from: 3 to: 4 }");
  const words::World seen = read(resource_of(world));
  REQUIRE(seen.solids_size() == 3);
  for (int i = 0; i < 3; ++i) CHECK(seen.solids(i).ShortDebugString() == world.solids(i).ShortDebugString());
  REQUIRE(seen.bases_size() == 1);
  CHECK(seen.bases(0).ShortDebugString() == world.bases(0).ShortDebugString());
  REQUIRE(seen.teleporters_size() == 1);
  CHECK(seen.teleporters(0).ShortDebugString() == world.teleporters(0).ShortDebugString());
  REQUIRE(seen.links_size() == 1);
  CHECK(seen.links(0).ShortDebugString() == world.links(0).ShortDebugString());
}

TEST_CASE("bzdraft: a resource that ends within a record, or without an end, is not a world") {
  Buffer whole = record("bx", Buffer(29));
  append(whole, record("ed", {}));
  CHECK(read(whole).solids_size() == 1);
  Buffer endless = record("bx", Buffer(29)), cut = whole, other = record("xx", Buffer(300));
  cut[0] = 1;  // says that it has 256 bytes more than there are
  for (const Buffer& bytes : {endless, cut}) {
    Resources resources;
    const Md5 name = wire::md5(bytes);
    REQUIRE(resources.add(name, bytes));
    std::size_t unread = 0;
    CHECK_FALSE(resources.world(name, unread).has_value());
  }
  append(other, whole);  // a long record that is unknown
  CHECK(read(other).solids_size() == 1);
}

TEST_CASE("bzdraft: a place that is no number, or is far outside, is 0") {
  Buffer body(29);
  body[0] = 0x7f, body[1] = 0xc0;                  // x: not a number
  body[4] = 0x49, body[5] = 0x74, body[6] = 0x24;  // y: a million
  body[8] = 0x40;                                  // z: 2
  Buffer bytes = record("bx", body);
  append(bytes, record("ed", {}));
  const words::World world = read(bytes);
  REQUIRE(world.solids_size() == 1);
  CHECK(world.solids(0).x() == 0);
  CHECK(world.solids(0).y() == 0);
  CHECK(world.solids(0).z() == 2);
}

TEST_CASE("bzdraft: all resources of a world together have at most as many bytes as one") {
  Resources resources;
  const auto keeps = [&](std::size_t size, std::uint8_t first) {
    Buffer bytes(size);
    if (size > 0) bytes[0] = first;
    const Md5 name = wire::md5(bytes);
    return resources.add(name, std::move(bytes));
  };
  CHECK(keeps(Resources::kMostBytes - 10, 1));
  CHECK_FALSE(keeps(11, 2));
  CHECK(keeps(10, 3));
  CHECK_FALSE(keeps(1, 4));
}

TEST_CASE("bzdraft: a name of a resource has 32 hexadecimal digits, and may end with a NUL") {
  const std::string digits = "0123456789abcdefABCDEF0123456789";
  CHECK(md5_of_name(digits).has_value());
  CHECK(md5_of_name(digits + std::string(1, '\0') + "x").has_value());
  CHECK_FALSE(md5_of_name(digits + "0").has_value());
  CHECK_FALSE(md5_of_name(digits.substr(1)).has_value());
  for (const char bad : {'/', ':', '@', 'G', '`', 'g', ' '}) {
    CAPTURE(bad);
    CHECK_FALSE(md5_of_name(bad + digits.substr(1)).has_value());
    CHECK_FALSE(md5_of_name(digits.substr(1) + bad).has_value());
  }
}

TEST_CASE("bzdraft: a flag is named by its code, else by its team, else by what it gives") {
  words::Token token;
  token.set_state(words::Token::GROUND);
  CHECK(flag_of(token).kind == 0);
  token.set_gives(words::GUIDED);
  CHECK(flag_code(flag_of(token).kind) == "GM");
  token.set_team(words::GREEN);
  CHECK(flag_of(token).kind == 2);
  token.set_code("V");
  CHECK(flag_code(flag_of(token).kind) == "V");
  const words::Token told = token_of(4, {flag_kind("GM"), 1, 0, {1000, 2000, 3000}});
  CHECK(told.gives() == words::GUIDED);
  CHECK(told.z() == 3);
}

TEST_CASE("bzdraft: a shot without a weapon has the flag of its kind") {
  words::Shot shot;
  CHECK(flag_of(shot) == 0);
  shot.set_kind(words::WAVE);
  CHECK(flag_code(flag_of(shot)) == "SW");
  shot.set_kind(words::GUIDED);
  CHECK(flag_code(flag_of(shot)) == "GM");
  for (const auto kind : {words::WAVE, words::GUIDED, words::BALL}) {
    shot.set_kind(kind);
    shot.set_weapon(weapon_of(flag_kind("L")));
    CHECK(flag_code(flag_of(shot)) == "L");
  }
}

TEST_CASE("bzdraft: which shots solids do not stop, and which bounce") {
  for (const auto& [code, through, bounces] : {std::tuple{"SB", true, false},
                                               {"PZ", true, false},
                                               {"GM", true, false},
                                               {"R", false, true},
                                               {"V", false, false}}) {
    const core::ShotNature nature = shot_nature(flag_kind(code));
    CHECK(nature.through == through);
    CHECK(nature.bounces == bounces);
  }
  CHECK(shot_nature(0).radius == 6);
}

}  // namespace
}  // namespace entente::bzdraft::resource_test
