// Tiles and directions are converted to metres and radians and back exactly, whatever the map.
#include "adapters/panic/world/tiles.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "adapters/panic/world/ground.h"
#include "tests/panic/maps.h"
#include "tests/program/folder.h"

namespace entente::panic::tiles_test {
namespace {

constexpr Direction kAll[] = {Direction::kNorth, Direction::kEast, Direction::kSouth, Direction::kWest};
constexpr double kPi = std::numbers::pi;

TEST_CASE("every tile and direction of every map survives the conversion") {
  for (const auto& [columns, rows] : {std::pair{32, 32}, {30, 20}, {20, 30}, {1, 1}, {255, 7}}) {
    const Tiles tiles(columns, rows);
    int wrong = 0;
    for (int x = 0; x < columns; ++x)
      for (int y = 0; y < rows; ++y)
        for (const Direction direction : kAll) {
          const Tile tile = {x, y}, next = step(tile, direction);
          wrong += tiles.at(tiles.x(tile), tiles.y(tile)) != tile;
          wrong += tiles.nearest(tile, tiles.x(tile), tiles.y(tile)) != tile;
          wrong += tiles.holds(next) && tiles.nearest(tile, tiles.x(next), tiles.y(next)) != next;
          wrong += direction_of(yaw_of(direction)) != direction || nearest(direction, yaw_of(direction)) != direction;
        }
    CHECK(wrong == 0);
  }
}

TEST_CASE("a tile of a map of 32 is 25 metres, north is up, the middle is the origin") {
  const Tiles tiles(32, 32);
  CHECK(tiles.side() == 25);
  CHECK(tiles.x({0, 0}) == -387.5);
  CHECK(tiles.y({0, 0}) == 387.5);
  CHECK(tiles.x({31, 31}) == 387.5);
  CHECK(tiles.y({31, 31}) == -387.5);
  CHECK(tiles.at(0.1, 0.1) == Tile{16, 15});
  const Tiles test(30, 20);  // the larger side is 800
  CHECK(test.side() == doctest::Approx(800.0 / 30));
  CHECK(test.y({0, 0}) == doctest::Approx(9.5 * 800 / 30));
  CHECK(yaw_of(Direction::kNorth) == doctest::Approx(kPi / 2));
  CHECK(yaw_of(Direction::kEast) == 0);
  CHECK(step({3, 3}, Direction::kNorth) == Tile{3, 2});
}

TEST_CASE("an invalid place becomes one on the map") {
  const Tiles tiles(32, 32);
  const double endless = std::numeric_limits<double>::infinity(), none = std::numeric_limits<double>::quiet_NaN();
  for (const double place : {endless, -endless, none, 1e300, -1e300, 401.0, -401.0}) {
    CHECK(tiles.holds(tiles.at(place, place)));
    CHECK(tiles.holds(tiles.nearest({5, 5}, place, -place)));
    CHECK(is_direction(direction_of(place)));
    CHECK(is_direction(nearest(Direction::kEast, place)));
  }
}

TEST_CASE("a tank keeps its tile until it is 0.6 tiles away, and its direction until it is 50 degrees off") {
  const Tiles tiles(32, 32);
  const Tile tile = {10, 10};
  const double x = tiles.x(tile), y = tiles.y(tile);
  CHECK(tiles.nearest(tile, x + 14.9, y) == tile);
  CHECK(tiles.nearest(tile, x + 15.1, y) == Tile{11, 10});
  CHECK(tiles.nearest(tile, x, y + 15.1) == Tile{10, 9});
  CHECK(tiles.nearest(tile, x - 40, y - 14) == Tile{8, 10});
  const auto degrees = [](double angle) { return angle * kPi / 180; };
  CHECK(nearest(Direction::kEast, degrees(49)) == Direction::kEast);
  CHECK(nearest(Direction::kEast, degrees(51)) == Direction::kNorth);
  CHECK(nearest(Direction::kWest, degrees(-131)) == Direction::kWest);
  CHECK(nearest(Direction::kNone, degrees(46)) == Direction::kNorth);
  CHECK(direction_of(degrees(-135.1)) == Direction::kWest);
  CHECK(direction_of(degrees(359)) == Direction::kEast);
}

TEST_CASE("a map file is read, and an invalid one is refused") {
  const auto yard = Ground::read(walled_map(30, 20));
  REQUIRE(yard.ok());
  CHECK(yard->id() == 1);
  CHECK(yard->tiles().rows() == 20);
  CHECK(yard->blocks({0, 5}));
  CHECK(yard->blocks({-1, 5}));
  CHECK_FALSE(yard->blocks({1, 5}));
  CHECK(yard->lets_in({1, 5}));
  CHECK(yard->world().name() == "panic 1/1 Yard");
  CHECK(yard->world().tiles().size() == 600);
  CHECK(map_named(yard->world().name())->version == 1);
  CHECK_FALSE(map_named("bzflag 1/1"));
  CHECK_FALSE(map_named("panic 1"));
  CHECK_FALSE(map_named("panic 1/256"));

  const std::string good = walled_map(30, 20);
  for (std::size_t size = 0; size + 1 < good.size(); size += 7) CHECK_FALSE(Ground::read(good.substr(0, size)).ok());
  std::string dos;
  for (const char c : good) dos += c == '\n' ? std::string("\r\n") : std::string(1, c);
  CHECK(Ground::read(dos).ok());
  std::string odd = good;
  odd.replace(odd.rfind('3'), 1, "4");
  CHECK(std::string(Ground::read(odd).error().field) == "row");
}

TEST_CASE("of a folder, at most 64 map files are read, and the others are told") {
  const Folder many;
  for (int i = 0; i < 64; ++i) many.write(std::to_string(i) + ".map", "Own\n9\n1\n0\n2\n1\n\n33\n");
  CHECK(read_maps(many.path().string()).grounds.size() == 64);
  CHECK(read_maps(many.path().string()).problems == "");
  for (const char* name : {"a.map", "b.map", "c.map"}) many.write(name, "no map at all");
  const Maps maps = read_maps(many.path().string());
  CHECK(maps.problems.ends_with("3 more .map files are not read: at most 64 are. "));
  CHECK(maps.grounds.size() + 3 >= 64);
}

TEST_CASE("maps are found in the folder of an unpacked game, unless one of them was altered") {
  const Folder game, none;
  const auto any = [](const Ground&) { return true; };
  const auto released = [](const Ground& map) { return map.is_released(); };
  const std::vector<std::string> folders{none.path().string(), none.file("nowhere"), game.path().string()};
  game.write("9_1_Own.map", "Own\n9\n1\n0\n2\n1\n\n33\n");
  CHECK(first_map_folder(folders, any).empty());  // no map of the game
  game.write("1_1_Test.map", walled_map(30, 20));
  CHECK(first_map_folder(folders, any) == game.path().string());
  CHECK(first_map_folder(folders, released).empty());  // not the released map of that number
  CHECK_FALSE(Ground::uncharted(2, 1).is_released());  // its tiles are not known
  const auto likely = likely_map_folders();
  CHECK(likely.front() == "resources/graphics/maps");
  CHECK(std::ranges::count(likely, "/opt/TankCommanderPanic/resources/graphics/maps") == 1);
}

TEST_CASE("a shot is safe if it is known to meet a wall or to end on the map") {
  const auto yard = Ground::read(walled_map(10, 10));
  CHECK(yard->shot_stays({1, 1}, Direction::kWest, 12));
  const Ground test = Ground::uncharted(1, 1);  // 30 by 20, and its edge can be shot over
  CHECK(test.shot_stays({6, 3}, Direction::kWest, 6));
  CHECK_FALSE(test.shot_stays({5, 3}, Direction::kWest, 6));
  CHECK(test.shot_stays({26, 13}, Direction::kSouth, 6));
  CHECK_FALSE(test.shot_stays({26, 14}, Direction::kSouth, 6));
  CHECK(Ground::uncharted(2, 1).shot_stays({1, 1}, Direction::kWest, 12));  // walled all round
  Ground unknown = Ground::uncharted(9, 9);
  CHECK_FALSE(unknown.shot_stays({1, 1}, Direction::kEast, 3));
  unknown.see({4, 1});
  CHECK(unknown.shot_stays({1, 1}, Direction::kEast, 3));
}

TEST_CASE("walls are learnt once, and only where no map was read") {
  Ground open = Ground::uncharted(2, 1);
  CHECK_FALSE(open.blocks({3, 3}));
  CHECK(open.learn_wall({3, 3}));
  CHECK_FALSE(open.learn_wall({3, 3}));
  CHECK_FALSE(open.learn_wall({-1, 3}));
  CHECK(open.blocks({3, 3}));
  auto yard = Ground::read(walled_map(10, 10));
  CHECK_FALSE(yard->learn_wall({3, 3}));
}

}  // namespace
}  // namespace entente::panic::tiles_test
