// A body on small maps, compared with measurements of real servers for the same keys.
#include <doctest/doctest.h>

#include <cmath>

#include "adapters/aos/world/pilot.h"
#include "tests/aos/ground.h"
#include "tests/support/heap.h"

namespace entente::aos::body_test {
namespace {

constexpr float kSqrtHalf = 0.70710678F;

/// Its top speed, in blocks a second.
float speed(std::uint8_t keys, Vec3 look = {1, 0, 0}) {
  const VoxelMap map = meadow();
  Body body = standing(map, 110, 150);
  keep(map, body, keys, 2, look);
  const Vec3 from = body.position;
  keep(map, body, keys, 1, look);
  return std::hypot(body.position[0] - from[0], body.position[1] - from[1]);
}

TEST_CASE("aos body: it stands 2.25 blocks above the ground, and wades in water") {
  const VoxelMap map = meadow();
  CHECK(standing(map, 150, 150).position[2] >= 57.745F);
  CHECK(standing(map, 150, 150).position[2] <= 57.75F);
  Body swimmer;
  swimmer.position = {300, 300, 55};
  keep(map, swimmer, 0, 3);
  CHECK(swimmer.position[2] == doctest::Approx(61.74).epsilon(0.0005));
  CHECK(swimmer.wading);
  CHECK_FALSE(swimmer.airborne);
}

TEST_CASE("aos body: its speeds are those measured") {
  struct Row {
    const char* how;
    std::uint8_t keys;
    Vec3 look;
    double blocks_a_second;
  };
  const Row rows[] = {
      {"walks", kForward, {1, 0, 0}, 7.9},
      {"walks backwards", kBackward, {-1, 0, 0}, 7.9},
      {"sprints", kForward | kSprint, {1, 0, 0}, 10.3},
      {"sneaks", kForward | kSneak, {1, 0, 0}, 4.0},
      {"crouches", kForward | kCrouch, {1, 0, 0}, 2.4},
      {"to the right", kRight, {0, -1, 0}, 7.9},
      {"to the left", kLeft, {0, 1, 0}, 7.9},
      {"at a slant as fast as straight on", kForward | kRight, {kSqrtHalf, -kSqrtHalf, 0}, 7.9},
      {"slower when it looks up", kForward, {kSqrtHalf, 0, -kSqrtHalf}, 7.9 * 0.707},
  };
  for (const Row& row : rows) {
    CAPTURE(row.how);
    CHECK(speed(row.keys, row.look) == doctest::Approx(row.blocks_a_second).epsilon(0.02));
  }
}

TEST_CASE("aos body: a wall stops it, and it slides along") {
  VoxelMap map = meadow();
  fill(map, 160, 162, 100, 200, 50, 60);
  Body body = standing(map, 150, 150);
  keep(map, body, kForward, 3);
  CHECK(body.position[0] > 159.3F);
  CHECK(body.position[0] < 159.551F);
  const float y = body.position[1];
  keep(map, body, kForward, 1, {kSqrtHalf, kSqrtHalf, 0});
  CHECK(body.position[0] < 159.551F);
  CHECK(body.position[1] > y + 3);
}

TEST_CASE("aos body: it climbs one block without a jump, but not crouched, sprinting or looking down; never two") {
  const auto climbed = [](std::uint32_t height, std::uint8_t keys, Vec3 look) {
    VoxelMap map = meadow();
    fill(map, 155, 200, 100, 200, 60 - height, 60);
    Body body = standing(map, 150, 150);
    keep(map, body, keys, 2, look);
    return body.position[0] > 156;
  };
  CHECK(climbed(1, kForward, {1, 0, 0}));
  CHECK_FALSE(climbed(1, kForward | kCrouch, {1, 0, 0}));
  CHECK_FALSE(climbed(1, kForward | kSprint, {1, 0, 0}));
  CHECK_FALSE(climbed(1, kForward, {0.8F, 0, 0.6F}));
  CHECK_FALSE(climbed(2, kForward, {1, 0, 0}));
}

TEST_CASE("aos body: a jump is 1.6 blocks high, once for each press") {
  const VoxelMap map = meadow();
  Body body = standing(map, 150, 150);
  const float ground = body.position[2];
  float top = ground;
  int takeoffs = 0;
  for (int i = 0; i < 180; ++i) {
    const bool was = body.airborne;
    step(map, {kJump, {1, 0, 0}, false}, body);
    takeoffs += !was && body.velocity[2] < -0.3F ? 1 : 0;
    top = std::min(top, body.position[2]);
  }
  CHECK(ground - top == doctest::Approx(1.6).epsilon(0.06));
  CHECK(takeoffs == 1);
  CHECK(body.position[2] == doctest::Approx(ground).epsilon(0.0005));
}

TEST_CASE("aos body: a jump and a climb together take it over two blocks") {
  VoxelMap map = meadow();
  fill(map, 152, 200, 100, 200, 58, 60);
  Body body = standing(map, 150, 150);
  keep(map, body, kForward, 0.3);
  keep(map, body, kForward | kJump, 1.5);
  CHECK(body.position[0] > 153);
  CHECK(body.feet() == doctest::Approx(58).epsilon(0.001));
}

TEST_CASE("aos body: falling speed grows as dv/dt = 1 - v; a fall of 9.2 blocks is the limit before damage") {
  VoxelMap map = meadow();
  Body body;
  body.position = {150, 150, 57.74F - 9.2F};
  float fastest = 0;
  for (int i = 0; i < 120; ++i) {
    step(map, {}, body);
    fastest = std::max(fastest, body.velocity[2]);
  }
  CHECK(fastest == doctest::Approx(0.58).epsilon(0.03));
  CHECK(body.velocity[2] == 0);
}

TEST_CASE("aos body: it crouches at once, and stands up where there is room") {
  VoxelMap map = meadow();
  Body body = standing(map, 150, 150);
  const float feet = body.feet();
  keep(map, body, kCrouch, 0.5);
  CHECK(body.crouching);
  CHECK(body.position[2] == doctest::Approx(60 - 1.35).epsilon(0.001));
  CHECK(body.feet() == doctest::Approx(feet).epsilon(0.001));
  fill(map, 148, 153, 148, 153, 57, 58);  // a roof, two blocks over the ground
  keep(map, body, 0, 0.5);
  CHECK(body.crouching);
  keep(map, body, kCrouch | kForward, 2);
  keep(map, body, 0, 0.5);
  CHECK_FALSE(body.crouching);
  CHECK(body.feet() == doctest::Approx(60).epsilon(0.001));
}

TEST_CASE("aos body: the map's edge is a wall, and a body whose position is NaN does not move") {
  VoxelMap map;
  fill(map, 0, 20, 100, 120, 60, 63);
  Body body = standing(map, 5, 110);
  keep(map, body, kForward, 3, {-1, 0, 0});
  CHECK(body.position[0] >= 0.44F);
  Body lost;
  lost.position = {std::nanf(""), 5, 5};
  keep(map, lost, kForward, 1);
  CHECK(lost.position[1] == 5);
}

// -- The pilot --------------------------------------------------------------------------------------------------------

struct Walk {
  Body body;
  Pilot pilot;
  int jumps = 0;

  /// Runs for so many seconds, or until it reaches its goal.
  double go(const VoxelMap& map, const Goal& goal, double seconds) {
    int i = 0;
    for (; i < seconds * 60; ++i) {
      const Urge urge = pilot.steer(map, body, goal);
      if ((urge.keys & kJump) != 0) ++jumps;
      step(map, urge, body);
      if (std::hypot(body.position[0] - goal.x, body.position[1] - goal.y) < goal.near && body.velocity[0] < 0.02F)
        break;
    }
    return i / 60.0;
  }
};

TEST_CASE("aos pilot: it stops at its goal, and stays") {
  const VoxelMap map = meadow();
  Walk walk{standing(map, 120, 120), {}, 0};
  CHECK(walk.go(map, {170, 150}, 10) < 7);
  for (int i = 0; i < 120; ++i) step(map, walk.pilot.steer(map, walk.body, {170, 150}), walk.body);
  CHECK(std::hypot(walk.body.position[0] - 170, walk.body.position[1] - 150) < 1);
  CHECK(walk.jumps == 0);
}

TEST_CASE("aos pilot: it climbs steps, and jumps onto obstacles two blocks high") {
  VoxelMap map = meadow();
  for (std::uint32_t i = 0; i < 4; ++i) fill(map, 130 + 3 * i, 160, 100, 200, 59 - i, 60);
  fill(map, 150, 160, 100, 200, 54, 60);
  Walk walk{standing(map, 120, 150), {}, 0};
  walk.go(map, {157, 150}, 15);
  CHECK(walk.body.position[0] > 155);
  CHECK(walk.body.feet() == doctest::Approx(54).epsilon(0.001));
  CHECK(walk.jumps >= 1);
}

TEST_CASE("aos pilot: it goes around a wall, and steps into no abyss") {
  VoxelMap map = meadow();
  fill(map, 150, 152, 140, 165, 50, 60);
  Walk walk{standing(map, 140, 150), {}, 0};
  walk.go(map, {165, 150}, 20);
  CHECK(std::hypot(walk.body.position[0] - 165, walk.body.position[1] - 150) < 1);

  VoxelMap tower = meadow();
  fill(tower, 120, 130, 120, 130, 40, 60);
  Walk up{standing(tower, 125, 125, 40), {}, 0};
  up.go(tower, {160, 125}, 10);
  CHECK(up.body.feet() == doctest::Approx(40).epsilon(0.001));
}

TEST_CASE("aos pilot: a player who looks elsewhere walks to his goal sideways or backwards") {
  const VoxelMap map = meadow();
  for (const Vec3 look : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{-1, 0, 0}, Vec3{0, -1, 0}, Vec3{0.6F, 0.8F, 0}}) {
    Walk walk{standing(map, 150, 150), {}, 0};
    Goal goal{170, 140};
    goal.look = &look;
    walk.go(map, goal, 10);
    CHECK(std::hypot(walk.body.position[0] - 170, walk.body.position[1] - 140) < 1);
  }
}

TEST_CASE("aos body: steps allocate nothing, and the same keys give the same path") {
  VoxelMap map = meadow();
  fill(map, 150, 152, 140, 165, 50, 60);
  const auto walk = [&] {
    Body body = standing(map, 120, 150);
    Pilot pilot;
    for (int i = 0; i < 900; ++i) step(map, pilot.steer(map, body, {180, 150}), body);
    return body;
  };
  const std::size_t before = testing::allocations();
  const Body first = walk(), second = walk();
  CHECK(testing::allocations() == before);
  CHECK(first == second);
}

TEST_CASE("aos pilot: a body with an impossible velocity looks for abysses as far as a body slides") {
  VoxelMap tower = meadow();
  fill(tower, 120, 160, 120, 130, 40, 60);
  Body body = standing(tower, 125, 125, 40);
  body.velocity = {0, -100, 0};
  Pilot pilot;
  CHECK(pilot.steer(tower, body, {155, 125}).keys != 0);
}

}  // namespace
}  // namespace entente::aos::body_test
