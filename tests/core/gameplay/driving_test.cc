// Steering words and how a tank carries them out: backwards, slowly, in a jump, on and under solids; shots and solids.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "proxy/core/gameplay/nearest_pellets.h"
#include "proxy/core/gameplay/pending_claims.h"
#include "proxy/core/gameplay/steering.h"
#include "proxy/core/gameplay/tank.h"
#include "proxy/core/gameplay/world_wait.h"
#include "tests/core/told_out.h"

namespace entente::core::driving_test {
namespace {

constexpr double kPi = std::numbers::pi, kTick = 0.04;
using Place = std::array<double, 3>;
using words::Keys;

Course pressing(unsigned bits, double yaw = 0) {
  Keys keys;
  keys.set_bits(bits);
  keys.set_yaw(yaw);
  Steering steering;
  steering.hear(keys);
  return steering.course(0, 0);
}

words::World yard() {
  words::World world;
  world.set_west(-100), world.set_east(100), world.set_south(-100), world.set_north(100);
  return world;
}

words::Solid solid_at(double x, double height, words::Solid::Shape shape = words::Solid::BOX) {
  words::Solid solid;
  solid.set_shape(shape);
  solid.set_x(x);
  solid.set_half_x(10), solid.set_half_y(10), solid.set_height(height);
  return solid;
}

Terrain with(const words::Solid& solid) {
  words::World world = yard();
  *world.add_solids() = solid;
  return Terrain(world);
}

const TankModel kTank;
const Terrain kOpen;

}  // namespace

// -- Words ------------------------------------------------------------------------------------------------------------

TEST_CASE("each key drives in its direction, two keys between them, and opposite keys not at all") {
  struct Row {
    unsigned bits;
    double way;
  };
  for (const Row& row :
       {Row{Keys::FORWARD, 0}, Row{Keys::LEFT, kPi / 2}, Row{Keys::RIGHT, -kPi / 2}, Row{Keys::BACKWARD, kPi},
        Row{Keys::FORWARD | Keys::LEFT, kPi / 4}, Row{Keys::BACKWARD | Keys::RIGHT, -3 * kPi / 4}}) {
    CAPTURE(row.bits);
    const Course course = pressing(row.bits, 0.25);
    CHECK(course.kind == Course::Kind::kGoTo);
    CHECK(wrap_angle(std::atan2(course.y, course.x) - 0.25 - row.way) == doctest::Approx(0));
    CHECK(*course.yaw == 0.25);
  }
  CHECK(pressing(Keys::LEFT | Keys::RIGHT).kind == Course::Kind::kStay);
  CHECK(pressing(Keys::FORWARD | Keys::LEFT | Keys::RIGHT).kind == Course::Kind::kGoTo);
}

TEST_CASE("a player who sneaks or crouches drives at half speed, and one who jumps says so") {
  CHECK(pressing(Keys::FORWARD).speed == 1);
  CHECK(pressing(Keys::FORWARD | Keys::SNEAK).speed == 0.5);
  CHECK(pressing(Keys::FORWARD | Keys::CROUCH).speed == 0.5);
  CHECK(pressing(Keys::FORWARD | Keys::SPRINT).speed == 1);
  CHECK_FALSE(pressing(Keys::FORWARD).jump);
  CHECK(pressing(Keys::JUMP).jump);
}

TEST_CASE("a goal is reached as near to it as its game says") {
  Steering steering;
  words::Toward goal;
  goal.set_y(3);
  steering.hear(goal);
  CHECK(steering.course(0, 0, 3).kind == Course::Kind::kStay);
  CHECK(steering.course(0, 0, 2.9).kind == Course::Kind::kGoTo);
  CHECK(steering.course(0, 0).y == 3);
}

TEST_CASE("only the newest steering counts, and other words leave it as it is") {
  Steering steering;
  words::Step step;
  step.set_x(25);
  CHECK(steering.hear(step));
  CHECK(steering.step() != nullptr);
  CHECK_FALSE(steering.by_mouse());
  CHECK(steering.hear(words::Toward()));
  CHECK(steering.by_mouse());
  CHECK(steering.step() == nullptr);
  CHECK_FALSE(steering.hear(words::Spawn()));
  CHECK(steering.by_mouse());
  CHECK_FALSE(steering.looking());
  steering.look(1);  // it does not claim its places
  CHECK_FALSE(steering.looking());
  words::PoseClaim claim;
  claim.set_yaw(2);
  steering.hear(claim);
  CHECK(steering.looking() == 2);
  steering.look(1);
  CHECK(steering.looking() == 1);
  steering.stop();
  CHECK(steering.claim() == nullptr);
  CHECK(steering.course(0, 0).kind == Course::Kind::kStay);
}

TEST_CASE("a shot has the direction of its velocity, also upwards; a shot without one has none") {
  Steering steering;
  words::Fire fire;
  Intent still(fire);
  REQUIRE(steering.shooting(still, 0, 0));
  CHECK_FALSE(steering.shooting(still, 0, 0)->yaw);
  CHECK_FALSE(steering.shooting(still, 0, 0)->pitch);
  fire.set_vx(-3);
  fire.set_vz(3);
  Intent up(fire);
  const auto shot = steering.shooting(up, 0, 0);
  REQUIRE(shot);
  CHECK(*shot->yaw == doctest::Approx(kPi));
  CHECK(*shot->pitch == doctest::Approx(kPi / 4));
  CHECK(shot->fire == as<words::Fire>(up));
  CHECK(steering.shooting(words::Split(), 0, 0)->fire == nullptr);
}

TEST_CASE("a trigger fires when it is pulled, and again only after it was let go") {
  Steering steering;
  words::Trigger pull, second;
  pull.set_primary(true);
  second.set_secondary(true);
  CHECK_FALSE(steering.shooting(second, 0, 0));
  CHECK_FALSE(steering.trigger_held());
  CHECK(steering.shooting(pull, 0, 0));
  CHECK_FALSE(steering.shooting(words::Trigger(), 0, 0));
  CHECK_FALSE(steering.trigger_held());
  CHECK(steering.shooting(pull, 0, 0));
  steering.stop();
  CHECK(steering.trigger_held());  // a finger on the trigger outlives a life
}

// -- Driving ----------------------------------------------------------------------------------------------------------

TEST_CASE("a tank drives backwards and turns right as fast as it drives forwards and turns left, and no faster") {
  TankState tank;
  CHECK(drive(kTank, kOpen, {-5, -5, 0}, kTick, tank));
  CHECK(tank.yaw_rate == doctest::Approx(-kTank.turn_rate));
  CHECK(tank.yaw == doctest::Approx(-kTank.turn_rate * kTick));
  CHECK(tank.x == doctest::Approx(-kTank.speed * kTick).epsilon(0.01));
  CHECK(tank.vx == doctest::Approx(-kTank.speed).epsilon(0.01));
}

TEST_CASE("a tank in the air cannot jump, and falls no deeper than the ground of its game") {
  TankState tank;
  tank.z = 5;
  drive(kTank, kOpen, {0, 0, 19}, kTick, tank);
  CHECK(tank.vz == doctest::Approx(-kTank.gravity * kTick));
  TankModel burrows = kTank;
  burrows.lowest = -1;
  for (int i = 0; i < 100; ++i) drive(burrows, kOpen, {}, kTick, tank);
  CHECK(tank.z == -1);
  CHECK(tank.vz == 0);
}

TEST_CASE("a tank turns to a direction the short way, at its full rate until it is nearly there") {
  TankState tank;
  CHECK(turn_to(kTank, tank, 3, kTick).turn == 1);
  CHECK(turn_to(kTank, tank, -3, kTick).turn == -1);
  CHECK(turn_to(kTank, tank, kPi + 1, kTick).turn == -1);
  CHECK(turn_to(kTank, tank, kTank.turn_rate * kTick / 2, kTick).turn == doctest::Approx(0.5));
  CHECK(turn_to(kTank, tank, 3, kTick).ahead == 0);
}

TEST_CASE("a tank goes to a place as fast as it was told, slows down to stop there, and turns first if that is near") {
  const TankState tank;
  CHECK(steer_to(kTank, tank, 50, 0, 1, kTick).ahead == 1);
  CHECK(steer_to(kTank, tank, 50, 0, 0.5, kTick).ahead == 0.5);
  CHECK(steer_to(kTank, tank, 0.5, 0, 1, kTick).ahead == doctest::Approx(0.5));
  CHECK(steer_to(kTank, tank, 0, 10, 1, kTick).ahead == 0);   // it would circle it
  CHECK(steer_to(kTank, tank, 50, 80, 1, kTick).ahead > 0);   // it drives a curve
  CHECK(steer_to(kTank, tank, -80, 1, 1, kTick).ahead == 0);  // behind it
  CHECK(steer_to(kTank, tank, 0, 0, 1, kTick).turn == 0);
}

// -- Solids -----------------------------------------------------------------------------------------------------------

TEST_CASE("a solid that units pass is no obstacle and no floor; one that shots pass stops none") {
  words::Solid solid = solid_at(0, 9);
  CHECK_FALSE(with(solid).free(kTank, 0, 0, 0, 0));
  CHECK(with(solid).floor(kTank, 0, 0, 9, 0) == 9);
  CHECK(with(solid).clear_way(-50, 0, 1, 1, 0, 90) == doctest::Approx(40));
  solid.set_units_pass(true);
  CHECK(with(solid).free(kTank, 0, 0, 0, 0));
  CHECK(with(solid).floor(kTank, 0, 0, 9, 0) == 0);
  CHECK(with(solid).clear_way(-50, 0, 1, 1, 0, 90) == doctest::Approx(40));
  solid.set_units_pass(false);
  solid.set_shots_pass(true);
  CHECK_FALSE(with(solid).free(kTank, 0, 0, 0, 0));
  CHECK(with(solid).clear_way(-50, 0, 1, 1, 0, 90) == 90);
}

TEST_CASE("a tank drives under a solid that is higher than itself, and stands on none above it") {
  words::Solid bridge = solid_at(0, 3);
  bridge.set_z(kTank.height);
  CHECK(with(bridge).free(kTank, 0, 0, 0, 0));
  CHECK(with(bridge).floor(kTank, 0, 0, 0, 0) == 0);
  bridge.set_z(kTank.height - 0.01);
  CHECK_FALSE(with(bridge).free(kTank, 0, 0, 0, 0));
  CHECK(with(bridge).floor(kTank, 0, 0, 10, 0) == doctest::Approx(bridge.z() + 3));
  CHECK(with(bridge).floor(kTank, 30, 0, 10, 0) == 0);  // beside it
}

TEST_CASE("a pyramid is narrower the higher a tank is, or the lower, if it is upside down; nothing stands on it") {
  words::Solid pyramid = solid_at(0, 10, words::Solid::PYRAMID);
  const double beside = 10 + kTank.length / 2 - 0.5;
  CHECK_FALSE(with(pyramid).free(kTank, beside, 0, 0, 0));
  CHECK(with(pyramid).free(kTank, beside, 0, 5, 0));
  CHECK_FALSE(with(pyramid).free(kTank, 0, 0, 5, 0));
  CHECK(with(pyramid).floor(kTank, 0, 0, 10, 0) == 0);
  pyramid.set_upside_down(true);
  CHECK(with(pyramid).free(kTank, beside, 0, 0, 0));
  CHECK_FALSE(with(pyramid).free(kTank, beside, 0, 9, 0));
}

TEST_CASE("bases are solids, and faces of walls are none") {
  words::World world = yard();
  *world.add_bases()->mutable_solid() = solid_at(0, 9);
  *world.add_solids() = solid_at(50, 9, words::Solid::WALL_FACE);
  const Terrain terrain(world);
  CHECK_FALSE(terrain.free(kTank, 0, 0, 0, 0));
  CHECK(terrain.free(kTank, 50, 0, 0, 0));
}

TEST_CASE(
    "the way out of an obstacle is that of its nearest side, also of one that is turned; the bounds lead inwards") {
  words::Solid box = solid_at(0, 9);
  const auto out_of = [&](double x, double y) { return with(box).normal(kTank, x, y, 0, 0).value(); };
  CHECK(out_of(9, 0) == std::pair(1.0, 0.0));
  CHECK(out_of(-9, 0) == std::pair(-1.0, 0.0));
  CHECK(out_of(0, 9).second == 1);
  CHECK(out_of(0, -9).second == -1);
  box.set_yaw(kPi / 2);
  CHECK(out_of(9, 0).first == doctest::Approx(1));
  box.set_x(60);
  CHECK(out_of(99, 0).first == -1);
  CHECK(out_of(-99, 0).first == 1);
  CHECK(out_of(0, 99).second == -1);
  CHECK(out_of(0, -99).second == 1);
  CHECK_FALSE(with(box).normal(kTank, 0, 0, 0, 0));
}

TEST_CASE("a tank that was put into a solid may leave it in any direction, but not the bounds") {
  const Terrain terrain = with(solid_at(0, 9));
  CHECK_FALSE(terrain.normal_against(kTank, -4, 0, 0, 0, 1, 0));  // its centre was inside
  CHECK(terrain.normal_against(kTank, -11, 0, 0, 0, 1, 0) == std::pair(-1.0, 0.0));
  CHECK_FALSE(terrain.normal_against(kTank, -11, 0, 0, 0, -1, 0));  // away from it
  CHECK_FALSE(terrain.normal_against(kTank, -11, 0, 0, 0, 0, 1));   // along it
  CHECK(terrain.normal_against(kTank, 99, 0, 0, 0, 1, 0) == std::pair(-1.0, 0.0));
  CHECK_FALSE(terrain.normal_against(kTank, 99, 0, 0, 0, -1, 0));
}

TEST_CASE("a shot meets the first of several solids, and knows whether it bounces off that one") {
  words::World world = yard();
  for (const double x : {40.0, 0.0}) *world.add_solids() = solid_at(x, 9);
  world.mutable_solids(1)->set_shots_bounce(true);
  const Terrain terrain(world);
  const auto near = terrain.strike({-50, 0, 1}, {10, 0, 0}, 9, false);
  REQUIRE(near);
  CHECK(near->after == doctest::Approx(4));
  CHECK(near->normal[0] == doctest::Approx(-1));
  CHECK(near->bounces);
  const auto far = terrain.strike({80, 0, 1}, {-10, 0, 0}, 9, false);
  REQUIRE(far);
  CHECK(far->after == doctest::Approx(3));
  CHECK_FALSE(far->bounces);
  CHECK_FALSE(terrain.strike({-50, 0, 1}, {10, 0, 0}, 3.9, false));
  CHECK_FALSE(terrain.strike({-50, 0, 9.1}, {10, 0, 0}, 9, false));
}

TEST_CASE("a shot that passes solids passes the walls around the world, too, but not the ground") {
  const Terrain terrain = with(solid_at(0, 9));
  CHECK_FALSE(terrain.strike({-50, 0, 1}, {100, 0, 0}, 9, true));
  const auto ground = terrain.strike({-50, 0, 1}, {100, 0, -1}, 9, true);
  REQUIRE(ground);
  CHECK(ground->after == doctest::Approx(1));
  CHECK(ground->normal == Place{0, 0, 1});
}

TEST_CASE("a shot meets each wall around the world from inside, as high as the wall is") {
  const Terrain terrain(yard());
  struct Row {
    double vx, vy, nx, ny;
  };
  for (const Row& row : {Row{100, 0, -1, 0}, Row{-100, 0, 1, 0}, Row{0, 100, 0, -1}, Row{0, -100, 0, 1}}) {
    const auto wall = terrain.strike({0, 0, 1}, {row.vx, row.vy, 0}, 9, false);
    REQUIRE(wall);
    CHECK(wall->after == doctest::Approx(1));
    CHECK(wall->normal == Place{row.nx, row.ny, 0});
    CHECK_FALSE(terrain.strike({0, 0, kWallHeight + 0.1}, {row.vx, row.vy, 0}, 9, false));
  }
  CHECK_FALSE(terrain.strike({101, 0, 1}, {100, 0, 0}, 9, false));  // outside already
  CHECK_FALSE(kOpen.strike({0, 0, 1}, {100, 0, 0}, 9, false));
}

TEST_CASE("a tank that is hit within a distance of its middle is hit there, at its height, and not at its corners") {
  TankModel round = kTank;
  round.target = 2;
  const TankState tank;
  const auto is_met = [&](const Place& from, const Place& to) { return met(round, tank, tank, from, to); };
  CHECK(is_met({10, 1.5, 1}, {-10, 1.5, 1}));
  CHECK_FALSE(is_met({10, 2.1, 1}, {-10, 2.1, 1}));
  CHECK_FALSE(is_met({10, 0, 1}, {2.5, 0, 1}));  // inside its box
  CHECK(met(kTank, tank, tank, {10, 0, 1}, {2.5, 0, 1}));
  CHECK_FALSE(is_met({10, 0, 2.1}, {-10, 0, 2.1}));
  CHECK_FALSE(is_met({10, 0, -0.1}, {-10, 0, -0.1}));
  CHECK(is_met({0, 0, 1}, {0, 0, 1}));
}

TEST_CASE("tiles that a world does not have are open") {
  words::World world = yard();
  world.set_kind(words::World::TILES);
  world.set_columns(2), world.set_rows(2);
  world.set_tiles(std::string(1, '\0'));
  CHECK_FALSE(Terrain(world).free(kTank, -50, 50, 0, 0));
  CHECK(Terrain(world).free(kTank, 50, 50, 0, 0));
  world.set_tiles(std::string(9, '\0'));  // more than it has
  CHECK_FALSE(Terrain(world).free(kTank, 50, -50, 0, 0));
  world.set_columns(0);
  CHECK(Terrain(world).free(kTank, -50, 50, 0, 0));
}

// -- What a client is shown -------------------------------------------------------------------------------------------

namespace {

words::Unit unit_at(Id id, words::Unit::Kind kind, double x) {
  words::Unit unit;
  unit.set_id(id);
  unit.set_kind(kind);
  unit.set_alive(true);
  unit.mutable_pose()->set_unit(id);
  unit.mutable_pose()->set_x(x);
  return unit;
}

}  // namespace

TEST_CASE("pellets are looked at four times a second, as long as they change") {
  testing::ToldFrontOut out;
  out.time = 100 * kSecond;
  out.knows(unit_at(1, words::Unit::CELL, 0));
  for (Id id = 11; id <= 14; ++id) out.knows(unit_at(id, words::Unit::PELLET, id));
  NearestPellets pellets;
  const auto looks = [&] { return pellets.refresh(out.world().unit(1), out); };
  CHECK_FALSE(looks());  // nothing has changed
  pellets.mark_changed(out);
  CHECK(looks());
  CHECK(pellets.come() == std::vector<Id>{11, 12, 13});
  CHECK(out.asked == 0);
  out.asked = out.kNever;
  CHECK_FALSE(looks());  // too soon
  CHECK(out.asked == out.time + kSecond / 4);
  out.time += kSecond / 4;
  CHECK(looks());
  CHECK(pellets.come() == std::vector<Id>{14});
  out.asked = out.kNever;
  pellets.mark_changed(out);
  CHECK(out.asked == out.time + kSecond / 4);
}

TEST_CASE("a player without a unit, or far from all pellets, is not looked at until a pellet changes") {
  testing::ToldFrontOut out;
  out.knows(unit_at(1, words::Unit::CELL, 1'000));
  out.knows(unit_at(11, words::Unit::PELLET, 0));
  for (const Id me : {Id{9}, Id{1}}) {
    NearestPellets pellets;
    pellets.mark_changed(out);
    CHECK_FALSE(pellets.refresh(out.world().unit(me), out));
    out.asked = out.kNever;
    CHECK_FALSE(pellets.refresh(out.world().unit(me), out));
    CHECK(out.asked == out.kNever);
  }
}

TEST_CASE("a client that has been shown nothing yet is shown the pellets anew, at once") {
  testing::ToldFrontOut out;
  out.knows(unit_at(1, words::Unit::CELL, 0));
  out.knows(unit_at(11, words::Unit::PELLET, 0));
  NearestPellets pellets;
  pellets.mark_changed(out);
  CHECK(pellets.refresh(out.world().unit(1), out));
  pellets.clear();
  CHECK_FALSE(pellets.holds(11));
  CHECK(pellets.refresh(out.world().unit(1), out));
  CHECK(pellets.come() == std::vector<Id>{11});
}

TEST_CASE("pellets as far away as each other come in the order of their ids; those beyond 150 metres never") {
  testing::ToldFrontOut out;
  for (const Id id : {14U, 12U, 13U, 11U}) out.knows(unit_at(id, words::Unit::PELLET, id % 2 == 0 ? 50 : -50));
  out.knows(unit_at(20, words::Unit::PELLET, 151));
  NearestPellets pellets;
  CHECK(pellets.look(out.world(), 0, 0, 4));
  CHECK(pellets.come() == std::vector<Id>{11, 12, 13, 14});
  CHECK(pellets.look(out.world(), 0, 0, 4));
  CHECK_FALSE(pellets.holds(20));
}

// -- Waiting ----------------------------------------------------------------------------------------------------------

TEST_CASE("a client of a broadcast that has not begun is told when it begins") {
  testing::ToldFrontOut out;
  out.time = 10 * kSecond;
  words::Rule begins;
  begins.set_name(kBeginsRule);
  begins.set_value("100000000");
  out.knows(begins);
  WorldWait wait;
  CHECK(wait.look(false, out) == WorldWait::Answer::kNever);
  CHECK(wait.why() == begins_text(90 * kSecond));
  CHECK(out.asked == 10 * kSecond);
  CHECK(wait.look(true, out) == WorldWait::Answer::kKnown);
  WorldWait late;
  out.time = 200 * kSecond;
  CHECK(late.look(false, out) == WorldWait::Answer::kNever);
  CHECK(late.why() == begins_text(0));
  begins.set_value("1e300");  // not a time
  out.knows(begins);
  CHECK(WorldWait().look(false, out) == WorldWait::Answer::kNotYet);
  words::World open;
  out.knows(open);
  WorldWait begun;  // it has a world, whatever else is missing
  CHECK(begun.look(false, out) == WorldWait::Answer::kNotYet);
}

TEST_CASE("a room knows its world and game once it is ready, or has told both") {
  WorldState world;
  CHECK_FALSE(knows_world_and_game(world));
  world.fold(Fact(words::World()));
  CHECK_FALSE(knows_world_and_game(world));
  words::Room room;
  room.set_game("bzflag");
  world.fold(Fact(room));
  CHECK(knows_world_and_game(world));
  WorldState ready;
  ready.fold(Fact(words::Ready()));
  CHECK(knows_world_and_game(ready));
}

TEST_CASE("a player of a shared room has no back of its own, and is not told of its claims; they are counted") {
  struct Shared final : testing::ToldBackOut {
    Id me() const override { return 0; }
  } out;
  PendingClaims claims;
  claims.tell_unanswered(Claim::kFlag, out);
  CHECK(out.take() == "loses TokenWish: the server did not answer in time\n");
}

TEST_CASE("each claim waits by itself") {
  testing::ToldBackOut out;
  PendingClaims claims;
  claims.begin(Claim::kFire, 2 * kSecond, out);
  claims.begin(Claim::kGrab, kSecond, out);
  out.time = kSecond;
  out.asked = out.kNever;
  std::vector<Claim> late;
  const auto check = [&] { claims.check(out, [&](Claim claim, int) { late.push_back(claim); }); };
  check();
  CHECK(late == std::vector<Claim>{Claim::kGrab});
  CHECK(out.asked == 2 * kSecond);
  claims.answered(Claim::kGrab);
  CHECK(claims.waits(Claim::kFire));
  claims.forget(Claim::kFire);
  out.time = 9 * kSecond;
  check();
  CHECK(late.size() == 1);
}

TEST_CASE("what a unit wanted ends with its life; a request to enter, to change or to be driven does not") {
  testing::ToldBackOut out;
  PendingClaims claims;
  for (const Claim claim : {Claim::kEnter, Claim::kChange, Claim::kAutopilot, Claim::kEdit})
    claims.begin(claim, kSecond, out);
  claims.end_life();
  for (const Claim claim : {Claim::kEnter, Claim::kChange, Claim::kAutopilot}) CHECK(claims.waits(claim));
  CHECK_FALSE(claims.waits(Claim::kEdit));
}

TEST_CASE("after a death that was answered late, the next one is late for the first time again") {
  testing::ToldBackOut out;
  PendingClaims claims;
  int count = 0;
  const auto late = [&] {
    claims.begin(Claim::kDeath, kSecond, out);
    out.time += kSecond;
    claims.check(out, [&](Claim, int times) { count = times; });
    return count;
  };
  CHECK(late() == 1);
  CHECK(late() == 2);
  claims.end_life();
  CHECK(late() == 1);
}

TEST_CASE("a client without a unit that is shown everything anew is shown pellets once it has one") {
  testing::ToldFrontOut out;
  out.knows(unit_at(1, words::Unit::CELL, 0));
  out.knows(unit_at(11, words::Unit::PELLET, 0));
  NearestPellets pellets;
  pellets.mark_changed(out);
  CHECK_FALSE(pellets.refresh(nullptr, out));
  pellets.clear();
  CHECK(pellets.refresh(out.world().unit(1), out));
}

TEST_CASE("a tank has no speed downwards from the moment at which it lands, and climbs low steps") {
  TankState tank;
  tank.z = 0.01;
  tank.vz = -10;
  drive(kTank, kOpen, {}, kTick, tank);
  CHECK(tank.z == 0);
  CHECK(tank.vz == 0);
  CHECK(with(solid_at(0, 0.3)).floor(kTank, 0, 0, 0, 0) == doctest::Approx(0.3));
  CHECK(with(solid_at(0, 0.4)).floor(kTank, 0, 0, 0, 0) == 0);
}

TEST_CASE("a step whose end is inside a solid, but whose beginning was not, is against that solid") {
  CHECK(with(solid_at(0, 9)).normal_against(kTank, -9.5, 0, 0, 0, 1, 0) == std::pair(-1.0, 0.0));
}

}  // namespace entente::core::driving_test
