// Waves, rays and guided shots that come to a tank, what tells one from another, and how long they are known.
#include <doctest/doctest.h>

#include <cmath>

#include "proxy/core/drops.h"
#include "proxy/core/gameplay/guns.h"
#include "proxy/core/gameplay/incoming.h"
#include "proxy/core/gameplay/shown_shots.h"
#include "proxy/core/seconds.h"
#include "tests/core/told_out.h"

namespace entente::core::shots_test {
namespace {

using Place = std::array<double, 3>;

const TankModel kTank;
const TankState kAtHome;
const Terrain kOpen;

Incoming shot_of(words::ShotKind kind, const Place& at, const Place& velocity, std::uint32_t number = 1) {
  Incoming shot;
  shot.shooter = 7;
  shot.shot = number;
  shot.back_tests = true;
  shot.nature.kind = kind;
  shot.at = at;
  shot.velocity = velocity;
  return shot;
}

Incoming ball(double x = -50, std::uint32_t number = 1) { return shot_of(words::BALL, {x, 0, 1}, {100, 0, 0}, number); }

words::World with_wall(double x, bool bounces = false) {
  words::World world;
  world.set_west(-400), world.set_east(400), world.set_south(-400), world.set_north(400);
  words::Solid& wall = *world.add_solids();
  wall.set_x(x);
  wall.set_half_x(1), wall.set_half_y(50), wall.set_height(10);
  wall.set_shots_bounce(bounces);
  return world;
}

const Incoming* hit(IncomingShots& shots, Micros since, Micros now, const Terrain& terrain = kOpen,
                    const TankState& tank = kAtHome) {
  return shots.hit({kTank, terrain, tank, tank, since, now});
}

bool hits(Incoming shot, double life, Micros since, Micros now, const Terrain& terrain = kOpen) {
  IncomingShots shots;
  shots.watch(std::move(shot), life, 0);
  return hit(shots, since, now, terrain) != nullptr;
}

}  // namespace

TEST_CASE("a wave grows evenly from its first radius to its range, and is as large at its end whatever comes later") {
  words::Shot wave;
  wave.set_life(2);
  wave.set_radius(10);
  wave.set_range(30);
  CHECK(wave_radius(wave, 0) == 10);
  CHECK(wave_radius(wave, 0.5) == 15);
  CHECK(wave_radius(wave, 2) == 30);
  CHECK(wave_radius(wave, 9) == 30);
  CHECK(wave_radius(wave, -1) == 10);
  wave.set_life(0);
  CHECK(wave_radius(wave, 0) == 30);
}

TEST_CASE("a wave hits the tank once it has grown as far as its middle, through walls, and never its own") {
  Incoming wave = shot_of(words::WAVE, {-20, 0, 0}, {});
  wave.nature.radius = 0;
  wave.nature.range = 40;
  const Terrain wall(with_wall(-10));
  CHECK_FALSE(hits(wave, 2, 0, 999 * kMillisecond, wall));
  CHECK(hits(wave, 2, 0, kSecond, wall));
  wave.at[2] = 4;
  CHECK_FALSE(hits(wave, 2, 0, kSecond, wall));
  CHECK(hits(wave, 2, 0, 2 * kSecond, wall));
  wave.own = true;
  CHECK_FALSE(hits(wave, 2, 0, 2 * kSecond, wall));
}

TEST_CASE("a ray hits at once as far as its range, until its life ends, unless a wall is in its way") {
  Incoming ray = shot_of(words::RAY, {-50, 0, 1}, {1, 0, 0});
  ray.nature.range = 60;
  CHECK(hits(ray, 1, 0, 0));
  CHECK(hits(ray, 1, kSecond, 2 * kSecond));
  CHECK_FALSE(hits(ray, 1, kSecond + 1, 2 * kSecond));
  CHECK_FALSE(hits(ray, 1, 0, 0, Terrain(with_wall(-20))));
  ray.nature.through = true;
  CHECK(hits(ray, 1, 0, 0, Terrain(with_wall(-20))));
  ray.nature.range = 40;
  CHECK_FALSE(hits(ray, 1, 0, 0));
  ray.nature.kind = words::MELEE;
  ray.nature.range = 60;
  CHECK(hits(ray, 1, 0, 0));
}

TEST_CASE("a ray bounces back from a wall for the rest of its range; the tank's own hits it only then") {
  Incoming ray = shot_of(words::RAY, {5, 0, 1}, {1, 0, 0});
  ray.nature.bounces = true;
  ray.nature.range = 45;  // 14 to the wall
  const Terrain wall(with_wall(20));
  CHECK(hits(ray, 1, 0, 0, wall));
  ray.nature.range = 15;
  CHECK_FALSE(hits(ray, 1, 0, 0, wall));
  Incoming own = shot_of(words::RAY, {0, 0, 1}, {1, 0, 0});
  own.own = true;
  own.nature.bounces = true;
  own.nature.range = 60;
  CHECK(hits(own, 1, 0, 0, wall));
  CHECK_FALSE(hits(own, 1, 0, 0, kOpen));
}

TEST_CASE("a tank's own ball hits it only after it has bounced off something") {
  Incoming own = shot_of(words::BALL, {0, 0, 1}, {100, 0, 0});
  own.own = true;
  own.nature.bounces = true;
  CHECK_FALSE(hits(own, 3, 0, 100 * kMillisecond, Terrain(with_wall(20))));
  CHECK(hits(own, 3, 0, 400 * kMillisecond, Terrain(with_wall(20))));
  CHECK_FALSE(hits(own, 3, 0, 400 * kMillisecond));
}

TEST_CASE("a wall off which shots bounce turns back a shot that would not bounce off others") {
  Incoming away = shot_of(words::BALL, {5, 0, 1}, {100, 0, 0});
  CHECK_FALSE(hits(away, 3, 0, kSecond, Terrain(with_wall(20))));
  CHECK(hits(away, 3, 0, kSecond, Terrain(with_wall(20, true))));
}

TEST_CASE("a shot that is harmless at first hits nobody until then") {
  Incoming shot = ball();
  shot.nature.harmless_s = 0.6;
  CHECK_FALSE(hits(shot, 3, 0, 599 * kMillisecond));
  CHECK(hits(shot, 3, 400 * kMillisecond, 600 * kMillisecond));
}

TEST_CASE("of several shots that meet the tank the first one that counts is the hit") {
  IncomingShots shots;
  for (const std::uint32_t number : {1U, 2U, 3U}) shots.watch(ball(-50, number), 3, 0);
  const Incoming* found =
      shots.hit({kTank, kOpen, kAtHome, kAtHome, 0, kSecond}, [](const Incoming& one) { return one.shot != 1; });
  REQUIRE(found != nullptr);
  CHECK(found->shot == 2);
}

TEST_CASE("a shot meets the tank where both are at that time of the step") {
  IncomingShots shots;
  shots.watch(ball(), 3, 0);  // at the origin after half a second
  TankState far = kAtHome;
  far.y = 60;
  TankState back = kAtHome;
  back.y = -60;
  CHECK(shots.hit({kTank, kOpen, far, back, 0, kSecond}) != nullptr);
  CHECK(shots.hit({kTank, kOpen, far, kAtHome, 0, kSecond}) == nullptr);
}

TEST_CASE("marking, steering and forgetting a shot leave the others as they are") {
  IncomingShots shots;
  for (const std::uint32_t number : {1U, 2U}) shots.watch(ball(-50, number), 3, 0);
  Incoming other = ball();
  other.shooter = 8;
  shots.watch(other, 3, 0);
  shots.mark_harmless(7, 1);
  CHECK_FALSE(shots.find(7, 1)->back_tests);
  CHECK(shots.find(7, 2)->back_tests);
  CHECK(shots.find(8, 1)->back_tests);
  words::ShotMoved moved;
  moved.set_x(99);
  moved.set_target(5);
  shots.steer(7, 1, moved, kSecond);
  CHECK(shots.find(7, 1)->at[0] == 99);
  CHECK(shots.find(7, 1)->since == kSecond);
  CHECK(shots.find(7, 1)->target == 5);
  CHECK(shots.find(7, 2)->at[0] == -50);
  CHECK(shots.find(8, 1)->at[0] == -50);
  shots.forget(7, 1);
  CHECK(shots.find(7, 1) == nullptr);
  CHECK(shots.find(7, 2) != nullptr);
  CHECK(shots.find(8, 1) != nullptr);
}

TEST_CASE("a shot is known for five seconds after its end, and no more than 2000 at once") {
  IncomingShots shots;
  shots.watch(ball(-50, 1), 1, 0);
  shots.watch(ball(-50, 2), 1, 6 * kSecond);
  CHECK(shots.find(7, 1) != nullptr);
  shots.watch(ball(-50, 3), 1, 6 * kSecond + 1);
  CHECK(shots.find(7, 1) == nullptr);
  for (std::uint32_t number = 4; number <= 2'001; ++number) shots.watch(ball(-50, number), 1, 6 * kSecond + 1);
  CHECK(shots.find(7, 2'001) != nullptr);  // with number 2 they are 2000
  shots.watch(ball(-50, 2'002), 1, 6 * kSecond + 1);
  CHECK(shots.find(7, 2'002) == nullptr);
}

TEST_CASE("before its flight begins a shot is where it begins") {
  Flight flight;
  flight.at = {1, 2, 3};
  flight.velocity = {10, 20, 30};
  flight.since = kSecond;
  CHECK(flight.place(0) == Place{1, 2, 3});
  CHECK(flight.place(1'500 * kMillisecond) == Place{6, 12, 18});
}

TEST_CASE(
    "a shot that comes near is seen from the tank, which drives, too; one whose place is no number counts as near") {
  Incoming shot = ball(-16);
  shot.velocity = {0, 0, 0};
  words::Pose tank;
  CHECK_FALSE(comes_near(shot, tank, 0));
  tank.set_vx(-110);  // nine metres in two looks
  CHECK(comes_near(shot, tank, 0));
  tank.set_vx(110);
  CHECK_FALSE(comes_near(shot, tank, 0));
  tank.set_x(NAN);
  CHECK(comes_near(shot, tank, 0));
}

// -- Guided shots -----------------------------------------------------------------------------------------------------

namespace {

/// Flies east at 100 m/s from the origin, and follows player 3.
Incoming guided() {
  Incoming shot = shot_of(words::GUIDED, {0, 0, 0}, {100, 0, 0});
  shot.nature.turn_rate = 0.5;
  shot.target = 3;
  return shot;
}

/// How it flies after a second, towards this place; null if it has not turned.
const Incoming* after_turn(IncomingShots& shots, const Incoming& shot, std::optional<Place> goal, double dt = 1,
                           double life = 10) {
  shots.watch(shot, life, 0);
  const Incoming* turned = nullptr;
  shots.guide(
      3, kSecond, dt, [&](Id id) { return id == 3 ? goal : std::nullopt; },
      [&](const Incoming& one) { turned = &one; });
  return turned;
}

}  // namespace

TEST_CASE("a guided shot turns from where it is, by no more than its turn rate, and keeps its speed") {
  IncomingShots shots;
  const Incoming* shot = after_turn(shots, guided(), Place{100, 100, 0});
  REQUIRE(shot != nullptr);
  CHECK(shot->at[0] == doctest::Approx(100));
  CHECK(shot->since == kSecond);
  CHECK(std::atan2(shot->velocity[1], shot->velocity[0]) == doctest::Approx(0.5));
  CHECK(std::hypot(shot->velocity[0], shot->velocity[1]) == doctest::Approx(100));
  CHECK(shot->velocity[2] == doctest::Approx(0));
  IncomingShots slow;
  const Incoming* half = after_turn(slow, guided(), Place{100, -100, 0}, 0.5);
  REQUIRE(half != nullptr);
  CHECK(std::atan2(half->velocity[1], half->velocity[0]) == doctest::Approx(-0.25));
}

TEST_CASE("of a thousand guided shots, the first 64 turn at each step") {
  IncomingShots shots;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    Incoming one = guided();
    one.shot = i;
    shots.watch(one, 60, 0);
  }
  std::vector<std::uint32_t> turned;
  const auto guide = [&](Id me) {
    turned.clear();
    const auto where = [](Id) { return Place{100, 100, 0}; };
    shots.guide(me, kSecond, 0.04, where, [&](const Incoming& one) { turned.push_back(one.shot); });
  };
  guide(9);
  REQUIRE(turned.size() == 64);
  CHECK(turned.front() == 0);
  CHECK(turned.back() == 63);

  // Those that follow the own player come first, and those that have ended do not count.
  Incoming at_me = guided();
  at_me.target = 9;
  at_me.shot = 1'000;
  shots.watch(at_me, 60, 0);
  guide(9);
  REQUIRE(turned.size() == 64);
  CHECK(turned.front() == 1'000);
  CHECK(turned.back() == 62);
  for (std::uint32_t i = 0; i < 999; ++i) shots.mark_harmless(at_me.shooter, i);
  guide(9);
  CHECK(turned == std::vector<std::uint32_t>{1'000, 999});
}

TEST_CASE("a guided shot points at its target if it can turn so far, also upwards") {
  IncomingShots shots;
  const Incoming* shot = after_turn(shots, guided(), Place{200, 20, 30});
  REQUIRE(shot != nullptr);
  CHECK(std::atan2(shot->velocity[1], shot->velocity[0]) == doctest::Approx(std::atan2(20, 100)));
  CHECK(std::atan2(shot->velocity[2], std::hypot(shot->velocity[0], shot->velocity[1])) ==
        doctest::Approx(std::atan2(30, std::hypot(100, 20))));
  CHECK(std::hypot(shot->velocity[0], shot->velocity[1], shot->velocity[2]) == doctest::Approx(100));
}

TEST_CASE("a shot without a target, of another kind, at its end, or whose target cannot be followed flies on") {
  const Place goal{100, 100, 0};
  Incoming free = guided(), plain = guided(), other = guided();
  free.target = 0;
  plain.nature.kind = words::BALL;
  other.target = 4;
  for (const Incoming& shot : {free, plain, other}) {
    IncomingShots shots;
    CHECK(after_turn(shots, shot, goal) == nullptr);
    CHECK(shots.find(7, 1)->since == 0);
  }
  IncomingShots over, lost;
  CHECK(after_turn(over, guided(), goal, 1, 1) == nullptr);
  CHECK(after_turn(lost, guided(), std::nullopt) == nullptr);
}

// -- Shots that clients are shown, or not -----------------------------------------------------------------------------

TEST_CASE("a refused shot that its client has drawn ends for that player alone; others are only counted") {
  testing::ToldBackOut out;
  words::Fire fire;
  fire.set_shot(7);
  Shooting drawn;
  drawn.fire = &fire;
  refuse_shot(drawn, 4, drops::kReloading, out);
  CHECK(out.take() == "loses Fire: every gun is reloading\nsays ShotEnded shooter: 4 shot: 7 (to 4)\n");
  refuse_shot({}, 4, drops::kReloading, out);
  CHECK(out.take() == "loses Fire: every gun is reloading\n");
}

TEST_CASE("a shot that is shown lives an hour at most, and not at all if its life is no time") {
  words::Shot shot;
  for (const double life : {1e9, -1.0, static_cast<double>(NAN)}) {
    shot.set_life(life);
    const ShownShot flying = shown(shot, WorldState(), kSecond);
    CHECK(flying.until == kSecond + (life > 0 ? 3600 * kSecond : 0));
    CHECK(flying.since == kSecond);
  }
}

TEST_CASE("removing a shot by its number leaves those of other players and numbers") {
  ShownShots shots;
  for (const std::uint8_t player : {std::uint8_t{1}, std::uint8_t{2}})
    for (const std::uint16_t number : {std::uint16_t{5}, std::uint16_t{6}}) {
      ShownShot shot;
      shot.player = player;
      shot.number = number;
      shot.until = 10 * kSecond;
      shots.add(shot);
    }
  shots.remove(1, 5);
  CHECK(shots.numbered(1, 5) == nullptr);
  CHECK(shots.numbered(1, 6) != nullptr);
  CHECK(shots.numbered(2, 5) != nullptr);
  CHECK(shots.busy(1, 6, 0));
  CHECK_FALSE(shots.busy(1, 5, 0));
}

TEST_CASE("a client's shots are looked at again as long as one may come near, and not when all have ended") {
  testing::ToldFrontOut out;
  out.time = kSecond;
  ShownShots shots;
  ShownShot near;
  near.decided = true;
  near.player = 2;
  near.until = 9 * kSecond;
  shots.add(near);
  CHECK(shots.end_near({}, 1, out).size() == 1);
  CHECK(out.asked == out.kNever);
  CHECK(shots.end_near({}, 1, out).empty());
  near.at = {200, 0, 0};
  shots.add(near);
  CHECK(shots.end_near({}, 1, out).empty());
  CHECK(out.asked == kSecond + kShotLook);
}

}  // namespace entente::core::shots_test
