// The obstacles in a world of another game, as walls of whole tiles.
#include "adapters/panic/front/walls.h"

#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <string>

#include "adapters/panic/front/masonry.h"
#include "proxy/core/gameplay/tank.h"
#include "tests/support/steps.h"

namespace entente::panic::walls_test {
namespace {

constexpr int kSide = 32;
const Tiles kTiles(kSide, kSide);  // 25 m each

words::World open_world() {
  words::World world;
  world.set_kind(words::World::SOLIDS);
  world.set_west(-400);
  world.set_east(400);
  world.set_south(-400);
  world.set_north(400);
  return world;
}

void add(words::World& world, double x, double y, double half_x, double half_y, double yaw = 0, double z = 0) {
  words::Solid& solid = *world.add_solids();
  solid.set_x(x);
  solid.set_y(y);
  solid.set_z(z);
  solid.set_half_x(half_x);
  solid.set_half_y(half_y);
  solid.set_height(10);
  solid.set_yaw(yaw);
}

/// "x,y " of each tile, row by row.
template <class Is>
std::string tiles_that(Is&& is) {
  std::string all;
  for (Tile tile; tile.y < kSide; ++tile.y)
    for (tile.x = 0; tile.x < kSide; ++tile.x)
      if (is(tile)) all += std::to_string(tile.x) + "," + std::to_string(tile.y) + " ";
  return all;
}
std::string standing(const words::World& world) {
  Walls walls;
  walls.lay(world, kTiles);
  return tiles_that([&](Tile tile) { return walls.stands(tile); });
}

TEST_CASE("a tile is a wall where no tank can stand in its middle") {
  words::World world = open_world();
  CHECK(standing(world) == "");
  add(world, 12.5, -12.5, 2, 2);
  CHECK(standing(world) == "16,16 ");
  add(world, 112.5, -12.5, 2, 2, 0, 20);  // above a tank's head
  CHECK(standing(world) == "16,16 ");
  world.mutable_solids(0)->set_units_pass(true);
  CHECK(standing(world) == "");
}

TEST_CASE("an obstacle between two tiles makes a wall of the nearer one, and of no other") {
  words::World world = open_world();
  add(world, 20, -12.5, 0.5, 2);  // nearer to the middle of the western tile, at 12.5
  CHECK(standing(world) == "16,16 ");
  world = open_world();
  add(world, 30, -12.5, 0.5, 2);
  CHECK(standing(world) == "17,16 ");
  world = open_world();
  add(world, 12.5, 5, 2, 0.5);  // between a tile and its northern neighbour
  CHECK(standing(world) == "16,15 ");
  world = open_world();
  add(world, 25, 0, 2, 2);  // at the corner of four, in the way of none
  CHECK(standing(world) == "");
}

TEST_CASE("rotated solids, tiles and everything beyond the bounds are walls, too") {
  words::World world = open_world();
  add(world, 0, 0, 400, 1, std::atan(1.0));
  const std::string diagonal = standing(world);
  CHECK(diagonal.find("16,15 ") != std::string::npos);
  CHECK(diagonal.find("5,26 ") != std::string::npos);
  CHECK(diagonal.find("4,4 ") == std::string::npos);

  world = open_world();
  world.set_kind(words::World::TILES);
  world.set_columns(kSide);
  world.set_rows(kSide);
  std::string tiles(kSide * kSide, '\3');
  tiles[5 * kSide + 7] = '\0';
  tiles[6 * kSide + 7] = '\1';  // water
  tiles[7 * kSide + 7] = '\2';  // leaves
  world.set_tiles(tiles);
  CHECK(standing(world) == "7,5 7,6 ");

  world = open_world();
  world.set_south(-300);
  Walls walls;
  walls.lay(world, kTiles);
  CHECK_FALSE(walls.stands({16, 27}));
  CHECK(walls.stands({16, 28}));
  CHECK(walls.shows({16, 29}));
  CHECK(walls.stands({16, 30}));
  CHECK_FALSE(walls.shows({16, 30}));  // behind others
}

TEST_CASE("the walls of a world are laid out once for all who see it, and not kept longer") {
  words::World world = open_world();
  add(world, 12.5, -12.5, 2, 2);
  const auto one = std::make_shared<const words::World>(world), other = std::make_shared<const words::World>(world);
  auto walls = walls_of(one, kTiles);
  CHECK(walls->stands({16, 16}));
  CHECK(walls_of(one, kTiles) == walls);
  CHECK(walls_of(other, kTiles) != walls);
  CHECK(walls_of(one, Tiles(kSide, kSide, 50, 0, 0)) != walls);
  const std::weak_ptr<const Walls> last = walls;
  walls.reset();
  CHECK(last.expired());
}

TEST_CASE("walls on each side of open ground are shown up to two tiles deep, and not further") {
  words::World world = open_world();
  world.set_west(-300);
  world.set_east(300);
  world.set_south(-300);
  world.set_north(300);
  Walls walls;
  walls.lay(world, kTiles);
  constexpr int kFirst = 4, kLast = 27, kMiddle = 16;  // tiles of the ground
  CHECK_FALSE(walls.stands({kMiddle, kFirst}));
  CHECK_FALSE(walls.stands({kLast, kMiddle}));
  for (const int deep : {1, 2, 3}) {
    CAPTURE(deep);
    for (const Tile tile : {Tile{kMiddle, kFirst - deep}, Tile{kMiddle, kLast + deep}, Tile{kFirst - deep, kMiddle},
                            Tile{kLast + deep, kMiddle}}) {
      CAPTURE(tile.x);
      CAPTURE(tile.y);
      CHECK(walls.stands(tile));
      CHECK(walls.shows(tile) == (deep <= 2));
    }
  }
}

TEST_CASE("between the middles of neighbouring tiles that are not walls, a tank's way is free") {
  words::World world = open_world();
  std::uint32_t seed = 7;
  const auto random = [&](double least, double most) {
    seed = seed * 1664525 + 1013904223;
    return least + (most - least) * (seed >> 8U) / 16777216.0;
  };
  for (int i = 0; i < 150; ++i)
    add(world, random(-380, 380), random(-380, 380), random(1, 20), random(1, 20), random(0, 3));
  Walls walls;
  walls.lay(world, kTiles);
  const core::Terrain terrain(world);
  int ways = 0, blocked = 0;
  tiles_that([&](Tile tile) {
    for (const Direction direction : {Direction::kEast, Direction::kSouth}) {
      const Tile next = step(tile, direction), ahead = step({0, 0}, direction);
      if (!kTiles.holds(next) || walls.stands(tile) || walls.stands(next)) continue;
      ++ways;
      bool free = true;
      for (double far = 0; far <= kTiles.side(); far += 1)
        free &= terrain.free({}, kTiles.x(tile) + ahead.x * far, kTiles.y(tile) - ahead.y * far, 0, yaw_of(direction));
      blocked += free ? 0 : 1;
    }
    return false;
  });
  CHECK(ways > 500);
  CHECK(blocked == 0);
}

TEST_CASE("a new wall is shown, however many blocks were built and dug away before it") {
  words::World world = open_world();
  world.set_block(1);
  Masonry masonry;
  masonry.lay(world, kTiles);
  words::Edit edit;
  const auto change = [&](words::Edit::Op op, double x, double y, double z) {
    edit.set_op(op);
    edit.set_x(x);
    edit.set_y(y);
    edit.set_z(z);
    return masonry.change(edit).size();
  };
  for (std::size_t i = 0; i < Masonry::kMostColumns; ++i) {
    const double x = -399.5 + static_cast<double>(i % 800), y = 399.5 - static_cast<double>(i / 800);
    change(words::Edit::BUILD, x, y, 0.5);
    change(words::Edit::DIG, x, y, 0.5);
  }
  std::size_t changed = 0;
  for (double x = 0.5; x < 25; x += 1)
    for (double y = -0.5; y > -25; y -= 1)
      for (const double z : {0.5, 1.5}) changed += change(words::Edit::BUILD, x, y, z);
  CHECK(changed == 1);
  CHECK(masonry.stands({16, 16}));
}

TEST_CASE("a line of blocks has both of its ends, whichever way it goes, also if they are one block") {
  words::World world = open_world();
  world.set_block(12.5);  // a tile has four columns; three of them, two high, are a wall
  words::Edit line;
  line.set_op(words::Edit::LINE);
  const auto draw = [&](Masonry& masonry, double x, double y, double z, double x2, double y2, double z2) {
    line.set_x(x);
    line.set_y(y);
    line.set_z(z);
    line.set_x2(x2);
    line.set_y2(y2);
    line.set_z2(z2);
    masonry.change(line);
  };
  for (const bool back : {false, true}) {
    CAPTURE(back);
    Masonry along, up;
    for (Masonry* const one : {&along, &up}) {
      one->lay(world, kTiles);
      for (const double z : {6.0, 18.0}) {
        draw(*one, 6, -18, z, 6, -18, z);
        draw(*one, 18, -18, z, 18, -18, z);
      }
      CHECK_FALSE(one->stands({16, 16}));
    }
    for (const double z : {6.0, 18.0})  // ends 2 m inside the tile
      back ? draw(along, 2, -6, z, -43, -6, z) : draw(along, -43, -6, z, 2, -6, z);
    CHECK(along.stands({16, 16}));
    back ? draw(up, 6, -6, 14, 6, -6, 6) : draw(up, 6, -6, 6, 6, -6, 14);  // ends 1.5 m inside the second block
    CHECK(up.stands({16, 16}));
  }
}

TEST_CASE("the work for a world does not grow with its size") {
  if (!testing::counts_steps()) return;
  const auto steps_for = [](double half, double z, bool tipped) {
    words::World world = open_world();
    world.set_west(-half);
    world.set_east(half);
    world.set_south(-half);
    world.set_north(half);
    for (int i = 0; i < 97; ++i) {
      add(world, 0, 0, half, half, 0, z);
      words::Solid& solid = *world.mutable_solids(i);
      if (!tipped) continue;  // else it stands on its tip, as wide as the world at its top
      solid.set_shape(words::Solid::PYRAMID);
      solid.set_upside_down(true);
      solid.set_x(half / 64);
      solid.set_height(1e30);
    }
    const std::uint64_t before = testing::steps();
    Walls walls;
    walls.lay(world, Tiles(kSide, kSide, 2 * half / kSide, 0, 0));
    CHECK_FALSE(walls.stands({3, 3}));
    return testing::steps() - before;
  };
  for (const double half : {400.0, 1e6, 1e12}) {
    CHECK(steps_for(half, 1000, false) < 20'000'000);
    CHECK(steps_for(half, 0, true) < 500'000'000);
  }
  words::World endless = open_world();
  endless.set_west(-1e308);
  endless.set_east(1e308);
  Walls walls;
  walls.lay(endless, Tiles(kSide, kSide, HUGE_VAL, 0, 0));
}

TEST_CASE("solids that make no wall, because there are too many, are counted") {
  constexpr std::size_t kTilesNear = 9;
  words::World world = open_world();
  const auto left_out = [&](const Tiles& tiles) {
    Walls walls;
    walls.lay(world, tiles);
    return walls.left_out();
  };
  for (std::size_t i = 0; i < Walls::kMost / kTilesNear; ++i) add(world, 12.5, -12.5, 2, 2);
  CHECK(left_out(kTiles) == 0);
  for (int i = 0; i < 2; ++i) add(world, 12.5, -12.5, 2, 2);
  CHECK(left_out(kTiles) == 2);
  while (world.solids_size() < static_cast<int>(core::Terrain::kMostBlocks) + 3) *world.add_solids() = world.solids(0);
  CHECK(left_out(Tiles(1, 1, 800, 0, 0)) == 3);
}

TEST_CASE("a world with too many, too large or invalid solids is still laid out") {
  words::World world = open_world();
  for (int i = 0; i < 20'000; ++i) add(world, 0, 0, 1e6, 1e6);
  add(world, std::nan(""), 0, 1, 1);
  add(world, 0, 0, 1, HUGE_VAL);
  add(world, 0, 0, 1, 1, std::nan(""));
  CHECK(standing(world).size() > 1000);
}

}  // namespace
}  // namespace entente::panic::walls_test
