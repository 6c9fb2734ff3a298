// Incoming shots: what stops them, whom they hit, and when they come too near.
#include "proxy/core/gameplay/incoming.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>

#include "tests/support/heap.h"

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
const Terrain kOpen;

/// The shot that hits a tank that stands at home meanwhile.
const Incoming* hit(IncomingShots& shots, Micros since, Micros now, const Terrain& terrain = kOpen) {
  return shots.hit({kTank, terrain, kAtHome, kAtHome, since, now});
}

TEST_CASE("a shot hits the tank in its path, at the time when it passes through") {
  IncomingShots shots;
  shots.watch(from(-50), 3.5, 0);
  CHECK(hit(shots, 0, 400 * kMillisecond) == nullptr);  // still ten metres away
  const Incoming* first = hit(shots, 400 * kMillisecond, 500 * kMillisecond);
  REQUIRE(first != nullptr);
  CHECK(first == shots.find(7, 1));
  CHECK(hit(shots, 600 * kMillisecond, kSecond) == nullptr);  // already past it
}

TEST_CASE("a shot flies no longer than its life, and walls stop it if the rules say so") {
  for (const bool passes : {false, true}) {
    IncomingShots shots;
    Incoming shot = from(-50);
    shot.nature.through = passes;
    shots.watch(shot, 3.5, 0);
    CHECK((hit(shots, 0, kSecond, wall_at(-20)) != nullptr) == passes);
  }
  IncomingShots shots;
  shots.watch(from(-50), 0.3, 0);
  CHECK(hit(shots, 0, kSecond) == nullptr);
}

TEST_CASE("a shot that is marked harmless is still known; a forgotten or expired one is not") {
  IncomingShots shots;
  shots.watch(from(-50), 1, 0);
  shots.mark_harmless(7, 1);
  CHECK(hit(shots, 0, kSecond) == nullptr);
  REQUIRE(shots.find(7, 1) != nullptr);
  CHECK(shots.find(7, 1)->flag == 10);
  CHECK(shots.find(8, 1) == nullptr);
  shots.watch(from(-50, 2), 1, 7 * kSecond);
  CHECK(shots.find(7, 1) == nullptr);
  shots.forget(7, 2);
  CHECK(shots.find(7, 2) == nullptr);
  shots.watch(from(-50, 3), 1, 7 * kSecond);
  shots.forget_shooter(8);
  CHECK(shots.find(7, 3) != nullptr);
  shots.forget_shooter(7);
  CHECK(shots.find(7, 3) == nullptr);
}

TEST_CASE("of two shots with the same number the newer one is found") {
  IncomingShots shots;
  shots.watch(from(-50), 1, 0);
  Incoming newer = from(-60);
  newer.flag = 99;
  shots.watch(newer, 1, 0);
  CHECK(shots.find(7, 1)->flag == 99);
}

TEST_CASE("a steered shot hits along its new course") {
  IncomingShots shots;
  Incoming beside = from(-50);
  beside.at[1] = 30;
  shots.watch(beside, 3.5, 0);
  CHECK(hit(shots, 0, kSecond) == nullptr);
  words::ShotMoved moved;
  moved.set_y(30);
  moved.set_z(1);
  moved.set_vy(-100);
  shots.steer(7, 1, moved, kSecond);
  CHECK(hit(shots, kSecond, kSecond + 400 * kMillisecond) != nullptr);
}

TEST_CASE("only a known shot that may hurt the tank has hit it, and not before it is armed nor after its end") {
  IncomingShots shots;
  Incoming late = from(-50, 2);
  late.nature.harmless_s = 2;
  shots.watch(from(-50), 3.5, 0);
  shots.watch(late, 3.5, 0);
  shots.watch(from(-50, 3), 0.1, 0);
  const IncomingShots::Step step{kTank, kOpen, kAtHome, kAtHome, 0, kSecond};
  CHECK(shots.hit_by(7, 99, step) == nullptr);
  CHECK(shots.hit_by(7, 2, step) == nullptr);
  CHECK(shots.hit_by(7, 3, {kTank, kOpen, kAtHome, kAtHome, 200 * kMillisecond, kSecond}) == nullptr);
  CHECK(shots.hit_by(7, 1, step) != nullptr);
  shots.mark_harmless(7, 1);
  CHECK(shots.hit_by(7, 1, step) == nullptr);
}

TEST_CASE("however many shots are steered between two steps, no more ways than for one step are looked at") {
  IncomingShots shots;
  constexpr std::uint32_t kShots = IncomingShots::kLegsAtOnce + 50;
  for (std::uint32_t number = 1; number <= kShots; ++number) shots.watch(from(-50, number), 3.5, 0);
  const IncomingShots::Step step{kTank, kOpen, kAtHome, kAtHome, 0, kSecond};
  int met = 0;
  for (std::uint32_t number = 1; number <= kShots; ++number) met += shots.hit_by(7, number, step) != nullptr ? 1 : 0;
  CHECK(met == IncomingShots::kLegsAtOnce);
  CHECK(shots.hit_by(7, 1, step) != nullptr);  // its way is known
  CHECK(shots.hit_by(7, kShots, step) == nullptr);
  hit(shots, 0, kMillisecond);
  CHECK(shots.hit_by(7, kShots, step) != nullptr);
}

TEST_CASE("a test looks at so many solids, however many are near each shot; the other shots wait for the next test") {
  words::World world;
  for (int i = 0; i < 3'000; ++i) {  // over the way, and in that of none
    words::Solid& box = *world.add_solids();
    box.set_x(-40 + 0.02 * i);
    box.set_z(20);
    box.set_half_x(1), box.set_half_y(1), box.set_height(10);
  }
  const Terrain terrain(world);
  constexpr std::uint32_t kShots = IncomingShots::kLegsAtOnce;
  IncomingShots shots;
  for (std::uint32_t number = 1; number <= kShots; ++number) shots.watch(from(-50, number), 3.5, 0);
  const IncomingShots::Step step{kTank, terrain, kAtHome, kAtHome, 0, kSecond};
  const auto met = [&] {
    std::size_t count = 0;
    for (std::uint32_t number = 1; number <= kShots; ++number)
      count += shots.hit_by(7, number, step) != nullptr ? 1 : 0;
    return count;
  };
  const std::size_t first = met();
  CHECK(first > 0);
  CHECK((first - 1) * Terrain::kMostNear < IncomingShots::kSolidsAtOnce);
  CHECK(met() == first);
  hit(shots, 0, kMillisecond, terrain);
  CHECK(met() > first);
}

TEST_CASE("rays have so many ways at once; one that finds no room waits for the end of others") {
  words::World yard;
  yard.set_west(-50), yard.set_east(50), yard.set_south(-50), yard.set_north(50);
  const Terrain walls(yard);
  Incoming ray = from(-40);
  ray.velocity = {1, 0, 0};
  ray.nature.kind = words::RAY;
  ray.nature.range = 60;
  Incoming above = ray;  // bounces between the walls, over the tank
  above.at[2] = 5;
  above.nature.bounces = true;
  above.nature.range = 1e6;
  IncomingShots shots;
  for (std::size_t i = 0; i * IncomingShots::kMostBounces < IncomingShots::kMostWays; ++i) shots.watch(above, 1, 0);
  Micros now = 0;
  const auto test = [&](Micros until) {
    const Incoming* met = nullptr;
    for (; now < until; now += 10 * kMillisecond)
      if (const Incoming* one = hit(shots, now, now + 10 * kMillisecond, walls)) met = one;
    return met;
  };
  CHECK(test(500 * kMillisecond) == nullptr);
  shots.watch(ray, 5, now);
  CHECK(test(kSecond) == nullptr);
  CHECK(test(kSecond + 30 * kMillisecond) != nullptr);
}

TEST_CASE("what is kept of the ways of a ray is freed after its end") {
  Incoming ray = from(-40);
  ray.nature.kind = words::RAY;
  ray.nature.range = 60;
  IncomingShots shots;
  shots.watch(ray, 0.1, 0);
  const std::ptrdiff_t before = entente::testing::bytes_here();
  REQUIRE(hit(shots, 0, kMillisecond) != nullptr);
  CHECK(entente::testing::bytes_here() > before);
  hit(shots, kSecond, 2 * kSecond);
  CHECK(entente::testing::bytes_here() == before);
}

TEST_CASE("a steered shot is stopped by the walls of its new course, not of the old one") {
  for (const bool behind_wall : {false, true}) {
    CAPTURE(behind_wall);
    IncomingShots shots;
    Incoming beside = from(-150);
    beside.at[1] = 100;
    shots.watch(beside, 10, 0);
    const Terrain terrain = wall_at(behind_wall ? -20 : -149);
    CHECK(hit(shots, 0, 100 * kMillisecond, terrain) == nullptr);
    words::ShotMoved moved;
    moved.set_x(-50);
    moved.set_z(1.57);
    moved.set_vx(100);
    shots.steer(7, 1, moved, 200 * kMillisecond);
    CHECK((hit(shots, 200 * kMillisecond, kSecond, terrain) != nullptr) != behind_wall);
  }
}

TEST_CASE("a guided shot that has turned is stopped by the walls of its new course") {
  IncomingShots shots;
  Incoming guided = from(-50);
  guided.velocity = {0, 100, 0};  // turns towards the tank, behind a wall
  guided.nature.kind = words::GUIDED;
  guided.nature.turn_rate = 10;
  guided.target = 3;
  shots.watch(guided, 10, 0);
  words::World world;
  world.set_west(-400), world.set_east(400), world.set_south(-400), world.set_north(400);
  words::Solid& wall = *world.add_solids();
  wall.set_x(-20);
  wall.set_half_x(1), wall.set_half_y(50), wall.set_height(10);
  const Terrain terrain(world);
  REQUIRE(hit(shots, 0, kMillisecond, terrain) == nullptr);
  const auto home = [](Id) { return std::optional(std::array<double, 3>{0, 0, 1.57}); };
  int turns = 0;
  shots.guide(3, kMillisecond, 1, home, [&](const Incoming&) { ++turns; });
  CHECK(turns == 1);
  CHECK(hit(shots, kMillisecond, kSecond, terrain) == nullptr);
}

TEST_CASE("a ball bounces between two walls until its life ends, and a test follows only so many ways") {
  words::World world;
  for (const double x : {-20.0, 20.0}) {
    words::Solid& wall = *world.add_solids();
    wall.set_x(x);
    wall.set_y(30);
    wall.set_half_x(1);
    wall.set_half_y(50);
    wall.set_height(10);
  }
  const Terrain terrain(world);
  Incoming slow = from(0);
  slow.at[1] = 30;
  slow.velocity = {30, -7.895, 0};  // comes down to the tank after 3.8 s and three walls
  slow.nature.bounces = true;
  IncomingShots shots;
  shots.watch(slow, 5, 0);
  CHECK(hit(shots, 0, 3 * kSecond, terrain) == nullptr);
  CHECK(hit(shots, 3 * kSecond, 4 * kSecond, terrain) != nullptr);

  IncomingShots bounded;
  Incoming quick = from(0, 3);
  quick.at[1] = 30;
  quick.velocity = {3.8e4, -100, 0};  // a thousand walls in a second, in which it would come down to the tank
  quick.nature.bounces = true;
  bounded.watch(quick, 5, 0);
  const Incoming* struck = nullptr;
  for (Micros now = 0; now < kSecond && struck == nullptr; now += 10 * kMillisecond)
    struck = hit(bounded, now, now + 10 * kMillisecond, terrain);
  CHECK(struck == nullptr);

  Incoming fast = from(0, 2);
  fast.at[1] = 30;
  fast.velocity = {1e6, 0, 0};
  fast.nature.bounces = true;
  IncomingShots endless;
  for (int i = 0; i < 200; ++i) endless.watch(fast, 60, 0);
  for (Micros now = 0; now < 20 * kMillisecond; now += kMillisecond)
    CHECK(hit(endless, now, now + kMillisecond, terrain) == nullptr);  // each test ends
}

TEST_CASE("shots meet boxes, pyramids and walls from the side that they come from") {
  words::World world;
  world.set_west(-100), world.set_east(100), world.set_south(-100), world.set_north(100);
  words::Solid& pyramid = *world.add_solids();
  pyramid.set_shape(words::Solid::PYRAMID);
  pyramid.set_half_x(10), pyramid.set_half_y(10), pyramid.set_height(10);
  words::Solid& top = *world.add_solids();
  top = pyramid;
  top.set_x(50);
  top.set_upside_down(true);
  const Terrain terrain(world);
  const auto up = terrain.strike({-40, 0, 5}, {10, 0, 0}, 10, false);
  REQUIRE(up);
  CHECK(up->after == doctest::Approx(3.5));
  CHECK(up->normal[0] == doctest::Approx(-std::sqrt(0.5)));
  CHECK(up->normal[2] == doctest::Approx(std::sqrt(0.5)));
  const auto down = terrain.strike({90, 0, 8}, {-10, 0, 0}, 10, false);
  REQUIRE(down);
  CHECK(down->after == doctest::Approx(3.2));
  CHECK(down->normal[2] < 0);
  CHECK(terrain.strike({0, 50, 5}, {0, 10, 0}, 10, false)->normal[1] == doctest::Approx(-1));  // the wall in the north
  CHECK_FALSE(terrain.strike({0, 50, 7}, {0, 10, 0}, 10, false));                              // over the wall
  CHECK(terrain.strike({0, 50, 5}, {0, 0, -10}, 10, true)->after == doctest::Approx(0.5));     // the ground
  CHECK(terrain.strike({-40, 0, 11}, {10, 0, 0}, 5, false) == std::nullopt);                   // above the pyramid
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
