// Driving: a tank respects its speed and obstacles, and is hit by shots.
#include "proxy/core/gameplay/tank.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "proxy/core/gameplay/steering.h"
#include "tests/support/steps.h"

namespace entente::core::tank_test {
namespace {

constexpr double kPi = std::numbers::pi, kTick = 0.04;

words::World yard() {
  words::World world;
  world.set_west(-100);
  world.set_east(100);
  world.set_south(-100);
  world.set_north(100);
  return world;
}

words::World with_box(double x, double y, double half, double height, double yaw = 0) {
  words::World world = yard();
  words::Solid& box = *world.add_solids();
  box.set_x(x);
  box.set_y(y);
  box.set_half_x(half);
  box.set_half_y(half);
  box.set_height(height);
  box.set_yaw(yaw);
  return world;
}

TankState at(double x, double y, double yaw = 0, double z = 0) {
  TankState tank;
  tank.x = x;
  tank.y = y;
  tank.z = z;
  tank.yaw = yaw;
  return tank;
}

/// Steers for that long, and checks speed and turn rate against the model on the way.
TankState steered(const Terrain& terrain, TankState tank, double x, double y, double seconds) {
  const TankModel model;
  for (double t = 0; t < seconds; t += kTick) {
    const TankState before = tank;
    drive(model, terrain, steer_to(model, tank, x, y, 1, kTick), kTick, tank);
    CHECK(std::hypot(tank.vx, tank.vy) <= model.speed + 1e-6);
    CHECK(std::hypot(tank.x - before.x, tank.y - before.y) <= model.speed * kTick + 1e-6);
    CHECK(std::abs(tank.yaw_rate) <= model.turn_rate + 1e-9);
    CHECK(terrain.free(model, tank.x, tank.y, tank.z, tank.yaw));
  }
  return tank;
}

TEST_CASE("a tank reaches its goal from every side and stops there") {
  const Terrain terrain(yard());
  for (double way = 0; way < 2 * kPi; way += kPi / 8) {
    const double x = 60 * std::cos(way), y = 60 * std::sin(way);
    const TankState tank = steered(terrain, at(0, 0), x, y, 9);
    CHECK(std::hypot(tank.x - x, tank.y - y) < 0.5);
    CHECK(std::hypot(tank.vx, tank.vy) < 0.5);
  }
}

TEST_CASE("a straight way takes distance / top speed") {
  const TankState tank = steered(Terrain(yard()), at(-50, 0), 200, 0, 2);
  CHECK(tank.x == doctest::Approx(0).epsilon(0.05));
}

TEST_CASE("a turn in place takes angle / turn rate") {
  const TankModel model;
  TankState tank = at(0, 0);
  double seconds = 0;
  for (; std::abs(tank.yaw - kPi / 2) > 1e-6 && seconds < 10; seconds += kTick)
    drive(model, {}, turn_to(model, tank, kPi / 2, kTick), kTick, tank);
  CHECK(seconds == doctest::Approx(kPi / 2 / model.turn_rate).epsilon(0.05));
  CHECK(tank.x == 0);
}

TEST_CASE("a tank stops at a wall that it meets head-on, and slides along one that it meets at an angle") {
  const TankModel model;
  const Terrain terrain(with_box(30, 0, 10, 9.42));
  TankState straight = at(0, 0);
  for (int i = 0; i < 100; ++i) drive(model, terrain, {1, 0, 0}, kTick, straight);
  CHECK(straight.x <= 17);
  CHECK(straight.x > 16);
  CHECK(std::hypot(straight.vx, straight.vy) < 0.1);

  TankState aslant = at(0, -5, 0.3);
  bool met_it = false;
  for (int i = 0; i < 50; ++i) met_it |= !drive(model, terrain, {1, 0, 0}, kTick, aslant);
  CHECK(met_it);
  CHECK(aslant.y > 5);  // further along the wall than at the contact
  CHECK(terrain.free(model, aslant.x, aslant.y, 0, aslant.yaw));
}

TEST_CASE("beside a wall and in a corner a tank turns to its goal in any direction") {
  struct Put {
    const char* what;
    TankState tank;
  };
  const TankModel model;
  const Terrain terrain(with_box(0, 0, 10, 9.42));
  const double side = model.width / 2, end = model.length / 2;
  const Put all[] = {{"along the box", at(0, 10 + side)},
                     {"along its end", at(10 + end - 1, 10 + side)},
                     {"across its corner", at(10 + 1, 10 + 1 + side, -kPi / 4)},
                     {"along the bounds", at(40, 100 - side)},
                     {"in a corner", at(100 - end, 100 - side)},
                     {"in a corner, looking out", at(100 - end, 100 - side, -kPi)}};
  for (const Put& put : all) {
    CAPTURE(put.what);
    REQUIRE(terrain.free(model, put.tank.x, put.tank.y, 0, put.tank.yaw));
    for (double way = -kPi; way < kPi; way += kPi / 8) {
      CAPTURE(way);
      TankState tank = put.tank;
      const double x = tank.x + 30 * std::cos(way), y = tank.y + 30 * std::sin(way);
      if (std::abs(x) > 95 || std::abs(y) > 95 || !terrain.free(model, x, y, 0, 0)) continue;
      tank = steered(terrain, tank, x, y, 5);
      const double off = std::abs(wrap_angle(std::atan2(y - tank.y, x - tank.x) - tank.yaw));
      CHECK((std::hypot(tank.x - x, tank.y - y) < 0.5 || off < 0.1));  // arrived, or blocked by the box
    }
  }
}

TEST_CASE("a tank never enters a solid or leaves the bounds, whatever its orders are") {
  const TankModel model;
  for (const double yaw : {0.0, 0.4, 1.1}) {
    const Terrain terrain(with_box(20, 10, 12, 9.42, yaw));
    TankState tank = at(-30, -30);
    unsigned random = 12345;
    const auto next = [&] { return static_cast<double>((random = random * 1664525 + 1013904223) >> 8U) / (1U << 24U); };
    for (int i = 0; i < 5'000; ++i) {
      drive(model, terrain, {2 * next() - 0.7, 2 * next() - 1, 0}, kTick, tank);
      REQUIRE(terrain.free(model, tank.x, tank.y, tank.z, tank.yaw));
      REQUIRE(std::abs(tank.x) <= 100);
      REQUIRE(std::abs(tank.y) <= 100);
    }
  }
}

TEST_CASE("tiles: walls and water stop it, foliage does not") {
  const TankModel model;
  words::World world = yard();
  world.set_kind(words::World::TILES);
  world.set_columns(2);
  world.set_rows(2);
  world.set_tiles(std::string("\0\1\2\3", 4));  // north: wall, water; south: foliage, open
  const Terrain terrain(world);
  CHECK_FALSE(terrain.free(model, -50, 50, 0, 0));
  CHECK_FALSE(terrain.free(model, 50, 50, 0, 0));
  CHECK(terrain.free(model, -50, -50, 0, 0));
  CHECK(terrain.free(model, 50, -50, 0, 0));
  CHECK(terrain.clear_way(50, -50, 1.57, -1, 0, 200) == doctest::Approx(50));  // foliage stops shots
  CHECK(terrain.clear_way(50, -50, 1.57, 0, 1, 200) == doctest::Approx(200));  // shots pass over water
}

TEST_CASE("a tank falls off a roof, lands, and can get out wherever it is put") {
  const TankModel model;
  const Terrain terrain(with_box(0, 0, 20, 9.42));
  TankState tank = at(0, 0, 0, 9.42);
  for (int i = 0; i < 10; ++i) drive(model, terrain, {1, 0, 0}, kTick, tank);
  CHECK(tank.z == doctest::Approx(9.42));
  for (int i = 0; i < 100; ++i) drive(model, terrain, {1, 0, 0}, kTick, tank);
  CHECK(tank.z == 0);
  CHECK(tank.vz == 0);

  TankState inside = at(0, 0);
  for (int i = 0; i < 100; ++i) drive(model, terrain, {1, 0, 0}, kTick, inside);
  CHECK(terrain.free(model, inside.x, inside.y, 0, inside.yaw));
}

TEST_CASE("a block as high as a tank can climb is no obstacle") {
  const TankModel model;
  CHECK(Terrain(with_box(0, 0, 20, model.climb)).free(model, 0, 0, 0, 0));
  CHECK_FALSE(Terrain(with_box(0, 0, 20, model.climb + 0.01)).free(model, 0, 0, 0, 0));
}

TEST_CASE("a tank that was put half into a wall moves along it or out, but no deeper") {
  const TankModel model;
  struct Put {
    const char* what;
    words::World world;
    TankState tank;
  };
  const Put all[] = {{"the bounds", yard(), at(98.5, 0)}, {"a box", with_box(50, 0, 10, 9.42), at(38.5, 0)}};
  for (const Put& put : all) {
    CAPTURE(put.what);
    const Terrain terrain(put.world);
    REQUIRE_FALSE(terrain.free(model, put.tank.x, put.tank.y, 0, put.tank.yaw));
    TankState tank = put.tank;
    for (int i = 0; i < 50; ++i) CHECK_FALSE(drive(model, terrain, {1, 0, 0}, kTick, tank));
    CHECK(tank.x == put.tank.x);
    tank.yaw = 0.5;
    drive(model, terrain, {1, 0, 0}, kTick, tank);
    CHECK(tank.x == doctest::Approx(put.tank.x));
    CHECK(tank.y > 0);
    tank = put.tank;
    for (int i = 0; i < 50; ++i) drive(model, terrain, {-1, 0, 0}, kTick, tank);
    CHECK(tank.x < put.tank.x - 10);
    CHECK(terrain.free(model, tank.x, tank.y, 0, tank.yaw));
  }
}

TEST_CASE("a jump reaches the height that its speed gives, and the tank lands") {
  const TankModel model;
  TankState tank = at(0, 0);
  double highest = 0;
  for (int i = 0; i < 200; ++i) {
    drive(model, {}, {0, 0, i == 0 ? 19.0 : 0.0}, 0.02, tank);
    highest = std::max(highest, tank.z);
  }
  CHECK(highest == doctest::Approx(19.0 * 19 / (2 * 9.8)).epsilon(0.05));
  CHECK(tank.z == 0);
}

struct Hit {
  const char* what;
  TankState was, is;
  std::array<double, 3> from, to;
  bool hits;
};

TEST_CASE("a shot through the tank hits it; one beside or above does not") {
  const TankModel model;
  const Hit hits[] = {
      {"from the front", at(0, 0), at(0, 0), {10, 0, 1.57}, {-10, 0, 1.57}, true},
      {"beside its broad side", at(0, 0), at(0, 0), {10, 1.5, 1.57}, {-10, 1.5, 1.57}, false},
      {"turned, the same is in it", at(0, 0, kPi / 2), at(0, 0, kPi / 2), {10, 1.5, 1.57}, {-10, 1.5, 1.57}, true},
      {"above", at(0, 0), at(0, 0), {10, 0, 2.2}, {-10, 0, 2.2}, false},
      {"under it, while it falls", at(0, 0, 0, 10), at(0, 0, 0, 9), {10, 0, 1.57}, {-10, 0, 1.57}, false},
      {"as high as it falls", at(0, 0, 0, 10), at(0, 0, 0, 9), {10, 0, 10.5}, {-10, 0, 10.5}, true},
      {"not yet there", at(0, 0), at(0, 0), {10, 0, 1.57}, {4, 0, 1.57}, false},
      {"it drove into its way", at(0, -10, kPi / 2), at(0, 0, kPi / 2), {0, 1, 1}, {0, 1, 1}, true},
      {"it drove away from it", at(0, 0), at(-10, 0), {4, 0, 1}, {-4, 0, 1}, false},
      {"through, between two looks", at(0, 0), at(0, 0), {50, 0.5, 1}, {-50, 0.5, 1}, true},
  };
  for (const Hit& hit : hits) {
    INFO(hit.what);
    CHECK(met(model, hit.was, hit.is, hit.from, hit.to) == hit.hits);
  }
}

TEST_CASE("a shot hits a tank that is round for shots if it comes within reach of its middle, at its height") {
  TankModel model;
  model.target = 2;
  const Hit hits[] = {
      {"at its side", at(0, 0), at(0, 0), {10, 1.9, 1}, {-10, 1.9, 1}, true},
      {"beside it", at(0, 0), at(0, 0), {10, 2.1, 1}, {-10, 2.1, 1}, false},
      {"not yet there", at(0, 0), at(0, 0), {10, 0, 1}, {3, 0, 1}, false},
      {"there now", at(0, 0), at(0, 0), {10, 0, 1}, {1.5, 0, 1}, true},
      {"above, though near", at(0, 0), at(0, 0), {10, 0, 2.2}, {-10, 0, 2.2}, false},
      {"in the ground, though near", at(0, 0), at(0, 0), {10, 0, -0.1}, {-10, 0, -0.1}, false},
  };
  for (const Hit& hit : hits) {
    INFO(hit.what);
    CHECK(met(model, hit.was, hit.is, hit.from, hit.to) == hit.hits);
  }
}

}  // namespace

/// Boxes and pyramids of all sizes, some larger than the world.
words::World crowded(std::mt19937& dice, int count) {
  const auto between = [&](double least, double most) {
    return std::uniform_real_distribution<double>(least, most)(dice);
  };
  words::World world;
  for (int i = 0; i < count; ++i) {
    words::Solid& solid = *world.add_solids();
    const double size = std::exp2(between(-3, i % 20 == 0 ? 9 : 4));
    solid.set_shape(i % 5 == 0 ? words::Solid::PYRAMID : words::Solid::BOX);
    solid.set_x(between(-300, 300));
    solid.set_y(between(-300, 300));
    solid.set_z(between(-2, 12));
    solid.set_half_x(size);
    solid.set_half_y(size * between(0.1, 1));
    solid.set_height(between(0.1, 10));
    solid.set_yaw(between(-4, 4));
  }
  world.set_west(-2'000);
  world.set_east(2'000);
  world.set_south(-2'000);
  world.set_north(2'000);
  return world;
}

TEST_CASE("a world answers as its obstacles do one by one") {
  std::mt19937 dice(5);
  const words::World world = crowded(dice, 200);
  const Terrain all(world);
  std::vector<Terrain> each;
  for (const words::Solid& solid : world.solids()) {
    words::World one = world;
    one.clear_solids();
    *one.add_solids() = solid;
    each.emplace_back(one);
  }
  const auto between = [&](double least, double most) {
    return std::uniform_real_distribution<double>(least, most)(dice);
  };
  const TankModel model;
  int blocked = 0, raised = 0, cut = 0;
  for (int i = 0; i < 500; ++i) {
    const double x = between(-320, 320), y = between(-320, 320), z = between(0, 12), yaw = between(-kPi, kPi);
    const double way = i % 4 * kPi / 2 + (i % 3 == 0 ? 0 : yaw), most = i % 50 == 0 ? 1e9 : between(1, 700);
    std::optional<std::pair<double, double>> first;
    double floor = 0, clear = most;
    for (const Terrain& one : each) {
      if (!first) first = one.normal(model, x, y, z, yaw);
      floor = std::max(floor, one.floor(model, x, y, z, yaw));
      clear = std::min(clear, one.clear_way(x, y, z, std::cos(way), std::sin(way), most));
    }
    CHECK(all.normal(model, x, y, z, yaw) == first);
    CHECK(all.floor(model, x, y, z, yaw) == floor);
    CHECK(all.clear_way(x, y, z, std::cos(way), std::sin(way), most) == doctest::Approx(clear));
    blocked += first ? 1 : 0;
    raised += floor > 0 ? 1 : 0;
    cut += clear < most ? 1 : 0;
  }
  CHECK(blocked > 20);
  CHECK(raised > 4);
  CHECK(cut > 50);
}

TEST_CASE("the work of a tank and a shot does not grow with the world, even if all obstacles are in one place") {
  if (!testing::counts_steps()) return;
  const TankModel model;
  const auto steps_in = [&](const words::World& world) {
    const Terrain terrain(world);
    const std::uint64_t before = testing::steps();
    for (int i = 0; i < 10; ++i) {
      TankState tank = at(10.0 * i, 5.0 * i, 0.1 * i);
      drive(model, terrain, {1, 1, 0}, kTick, tank);
      terrain.clear_way(tank.x, tank.y, 1, std::cos(tank.yaw), std::sin(tank.yaw), 400);
      terrain.clear_way(tank.x, tank.y, 1, 1, 0, 1e30);
    }
    return (testing::steps() - before) / 10;
  };
  words::World tiles = yard();
  tiles.set_kind(words::World::TILES);
  for (const std::uint32_t side : {20U, 181U}) {
    tiles.set_columns(side);
    tiles.set_rows(side);
    tiles.set_west(-6.0 * side);
    tiles.set_east(6.0 * side);
    tiles.set_south(-6.0 * side);
    tiles.set_north(6.0 * side);
    tiles.set_tiles(std::string(std::size_t{side} * side, '\0'));
    for (std::size_t i = 0; i < tiles.tiles().size(); i += 2)
      (*tiles.mutable_tiles())[i] = static_cast<char>(words::UNITS_PASS | words::SHOTS_PASS);
    CHECK(steps_in(tiles) < 100'000);
  }
  for (const double half : {0.5, 50.0, 5e5}) {
    words::World heap = yard();
    for (int i = 0; i < 40'000; ++i) {
      words::Solid& box = *heap.add_solids();
      box.set_x(i % 3);
      box.set_half_x(half);
      box.set_half_y(half);
      box.set_height(1 + i % 2);
    }
    CHECK(steps_in(heap) < 2'500'000);
  }
  words::World rows = yard();  // a long shot passes each
  for (int i = 0; i < 40'000; ++i) rows.add_solids()->set_y(1000.0 * i);
  CHECK(steps_in(rows) < 100'000);
}

TEST_CASE("a shot meets what is near its beginning, in any direction, also if more is in its way than it looks at") {
  for (const auto& [dx, dy] : {std::pair(1.0, 0.0), {-1.0, 0.0}, {0.0, 1.0}, {0.0, -1.0}, {-0.8, -0.6}, {0.6, -0.8}}) {
    const double to_x = dx, to_y = dy;
    CAPTURE(to_x);
    CAPTURE(to_y);
    words::World world = yard();
    for (int i = 0; i < 3'000; ++i) {  // beside the way
      words::Solid& box = *world.add_solids();
      const double along = 20 + 0.5 * i;
      box.set_x(along * to_x - 4 * to_y);
      box.set_y(along * to_y + 4 * to_x);
      box.set_half_x(1);
      box.set_half_y(1);
      box.set_height(10);
    }
    words::Solid& wall = *world.add_solids();
    wall.set_x(15 * to_x);
    wall.set_y(15 * to_y);
    wall.set_half_x(1);
    wall.set_half_y(1);
    wall.set_height(10);
    const double far = Terrain(world).clear_way(0, 0, 1, to_x, to_y, 1'000);
    CHECK(far >= 13);
    CHECK(far <= 14.1);
  }
}

TEST_CASE("of more obstacles than it keeps, a terrain knows how many stop nothing") {
  for (const std::size_t more : {0U, 3U}) {
    words::World solids = yard(), tiles = yard();
    for (std::size_t i = 0; i < Terrain::kMostBlocks + more; ++i) solids.add_solids()->set_y(static_cast<double>(i));
    CHECK(Terrain(solids).left_out() == more);
    tiles.set_kind(words::World::TILES);
    tiles.set_columns(1);
    tiles.set_rows(static_cast<std::uint32_t>(Terrain::kMostBlocks + more));
    tiles.set_tiles(std::string(tiles.rows(), '\0'));
    CHECK(Terrain(tiles).left_out() == more);
    tiles.mutable_tiles()->back() = static_cast<char>(words::UNITS_PASS | words::SHOTS_PASS);
    CHECK(Terrain(tiles).left_out() == (more == 0 ? 0 : more - 1));
  }
}

TEST_CASE("obstacles with numbers that are none, or too large, do no harm") {
  words::World world = yard();
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN(), kEndless = std::numeric_limits<double>::infinity();
  for (const double number : {kNone, kEndless, -kEndless, 1e300, -1e300}) {
    for (int field = 0; field < 4; ++field) {
      words::Solid& box = *world.add_solids();
      box.set_x(field == 0 ? number : 50);
      box.set_y(field == 1 ? number : 50);
      box.set_half_x(field == 2 ? number : 1);
      box.set_half_y(field == 3 ? number : 1);
      box.set_height(0.1);
    }
  }
  const Terrain terrain(world);
  const TankModel model;
  CHECK(terrain.free(model, 0, 0, 0, 0));
  for (const double number : {kNone, kEndless, 1e300}) {
    terrain.free(model, number, 0, 0, 0);
    terrain.floor(model, 0, number, 0, 0);
    CHECK(terrain.clear_way(0, 0, 5, 1, 0, 100) == 100);
    terrain.clear_way(number, 0, 0, 1, 0, number);
  }
}

TEST_CASE("the walls around a world are on its sides, as long as the sides, and face inwards") {
  words::World world = yard();
  world.set_east(300);
  const auto walls = walls_around(world);
  struct Row {
    double x, y, yaw, half;
  };
  const Row rows[] = {{100, 100, 1.5 * kPi, 200}, {300, 0, kPi, 100}, {100, -100, 0.5 * kPi, 200}, {-100, 0, 0, 100}};
  for (std::size_t i = 0; i < walls.size(); ++i) {
    CAPTURE(i);
    CHECK(walls[i].shape() == words::Solid::WALL_FACE);
    CHECK(walls[i].x() == rows[i].x);
    CHECK(walls[i].y() == rows[i].y);
    CHECK(walls[i].yaw() == rows[i].yaw);
    CHECK(walls[i].half_y() == rows[i].half);
    CHECK(walls[i].height() == kWallHeight);
  }
}

}  // namespace entente::core::tank_test
