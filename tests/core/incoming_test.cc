// Incoming shots: what stops them, whom they hit, and when they come too near.
#include "proxy/core/gameplay/incoming.h"

#include <doctest/doctest.h>

namespace entente::core::incoming_test {
namespace {

/// Flies along x at 100 m/s from `x`, at muzzle height.
Incoming from(double x, std::uint32_t number = 1) {
  Incoming shot;
  shot.shooter = 7;
  shot.shot = number;
  shot.flag = number * 10;
  shot.back_tests = true;
  shot.at = {x, 0, 1.57};
  shot.velocity = {100, 0, 0};
  return shot;
}

Terrain wall_at(double x) {
  words::World world;
  words::Solid& wall = *world.add_solids();
  wall.set_x(x);
  wall.set_half_x(1);
  wall.set_half_y(50);
  wall.set_height(10);
  return Terrain(world);
}

const TankModel kTank;
const TankState kAtHome;  // at the origin, facing along x

TEST_CASE("a shot hits the tank in its path, at the time when it passes through") {
  IncomingShots shots;
  shots.watch(from(-50), 3.5, false, {}, 0);
  CHECK(shots.hit(kTank, kAtHome, kAtHome, 0, 400 * kMillisecond) == nullptr);  // still ten metres away
  const Incoming* hit = shots.hit(kTank, kAtHome, kAtHome, 400 * kMillisecond, 500 * kMillisecond);
  REQUIRE(hit != nullptr);
  CHECK(hit == shots.find(7, 1));
  CHECK(shots.hit(kTank, kAtHome, kAtHome, 600 * kMillisecond, kSecond) == nullptr);  // already past it
}

TEST_CASE("a shot flies no longer than its life, and walls stop it if the rules say so") {
  for (const bool passes : {false, true}) {
    IncomingShots shots;
    shots.watch(from(-50), 3.5, passes, wall_at(-20), 0);
    CHECK((shots.hit(kTank, kAtHome, kAtHome, 0, kSecond) != nullptr) == passes);
  }
  IncomingShots shots;
  shots.watch(from(-50), 0.3, false, {}, 0);
  CHECK(shots.hit(kTank, kAtHome, kAtHome, 0, kSecond) == nullptr);
}

TEST_CASE("a shot that is marked harmless is still known; a forgotten or expired one is not") {
  IncomingShots shots;
  shots.watch(from(-50), 1, false, {}, 0);
  shots.mark_harmless(7, 1);
  CHECK(shots.hit(kTank, kAtHome, kAtHome, 0, kSecond) == nullptr);
  REQUIRE(shots.find(7, 1) != nullptr);
  CHECK(shots.find(7, 1)->flag == 10);
  CHECK(shots.find(8, 1) == nullptr);
  shots.watch(from(-50, 2), 1, false, {}, 7 * kSecond);
  CHECK(shots.find(7, 1) == nullptr);
  shots.forget(7, 2);
  CHECK(shots.find(7, 2) == nullptr);
}

TEST_CASE("of two shots with the same number the newer one is found") {
  IncomingShots shots;
  shots.watch(from(-50), 1, false, {}, 0);
  Incoming newer = from(-60);
  newer.flag = 99;
  shots.watch(newer, 1, false, {}, 0);
  CHECK(shots.find(7, 1)->flag == 99);
}

TEST_CASE("a steered shot hits along its new course") {
  IncomingShots shots;
  Incoming beside = from(-50);
  beside.at[1] = 30;
  shots.watch(beside, 3.5, true, {}, 0);
  CHECK(shots.hit(kTank, kAtHome, kAtHome, 0, kSecond) == nullptr);
  words::ShotMoved moved;
  moved.set_y(30);
  moved.set_z(1);
  moved.set_vy(-100);
  shots.steer(7, 1, moved, kSecond);
  CHECK(shots.hit(kTank, kAtHome, kAtHome, kSecond, kSecond + 400 * kMillisecond) != nullptr);
}

TEST_CASE(
    "a shot comes near before it can hit, also between two looks, but not when it passes at a distance or flies away") {
  const words::Pose tank;
  Incoming shot = from(-50);
  CHECK_FALSE(comes_near(shot, tank, 0));
  CHECK(comes_near(shot, tank, 350 * kMillisecond));  // 15 m off, and 7 at the next look but one
  CHECK_FALSE(comes_near(shot, tank, kSecond));
  shot.velocity = {1000, 0, 0};
  CHECK(comes_near(shot, tank, 0));  // it has passed through by the next look
  shot.at[1] = 20;
  CHECK_FALSE(comes_near(shot, tank, 0));
}

TEST_CASE("a rule decides whether the victim judges hits; without it the server does") {
  WorldState world;
  CHECK_FALSE(victim_decides(world));
  words::Rule rule;
  rule.set_name("hits");
  rule.set_value("server");
  world.fold(rule);
  CHECK_FALSE(victim_decides(world));
  rule.set_value("victim");
  world.fold(rule);
  CHECK(victim_decides(world));
}

}  // namespace
}  // namespace entente::core::incoming_test
