// How building and digging change a map.
#include <doctest/doctest.h>

#include "adapters/aos/world/building.h"
#include "tests/aos/ground.h"

namespace entente::aos::building_test {
namespace {

using words::Edit;

std::size_t change(VoxelMap& map, Edit::Op op, const Block& at, const Block& to, std::uint32_t colour) {
  std::size_t may_look = kMostFalling;
  return change(map, op, at, to, colour, may_look);
}

TEST_CASE("aos building: a line connects its blocks by their faces, and fills only air") {
  VoxelMap map = meadow();
  map.set(152, 150, 59, std::nullopt);
  CHECK(change(map, Edit::LINE, {150, 150, 59}, {155, 150, 59}, 0x102030) == 5);
  CHECK(map.colour(150, 150, 59) == 0xff102030);
  CHECK(change(map, Edit::LINE, {150, 160, 59}, {153, 163, 59}, 0) == 7);  // a stair of faces
  CHECK(change(map, Edit::BUILD, {150, 150, 59}, {}, 0) == 0);
}

TEST_CASE("aos building: unsupported blocks fall, supported ones stay, and the ground always stays") {
  VoxelMap map = meadow();
  fill(map, 150, 151, 150, 151, 50, 60);  // a pole …
  fill(map, 150, 156, 150, 151, 50, 51);  // … with an arm
  CHECK(change(map, Edit::DIG, {150, 150, 55}, {}, 0) == 0);
  CHECK(map.top(150, 150) == 56);
  CHECK(map.top(155, 150) == 60);

  fill(map, 160, 161, 150, 151, 50, 60);  // two poles and a bridge
  fill(map, 165, 166, 150, 151, 50, 60);
  fill(map, 160, 166, 150, 151, 50, 51);
  change(map, Edit::COLUMN, {160, 150, 55}, {}, 0);
  CHECK_FALSE(map.solid(160, 150, 54));
  CHECK_FALSE(map.solid(160, 150, 56));
  CHECK(map.top(162, 150) == 50);
  change(map, Edit::BLAST, {165, 150, 55}, {}, 0);
  CHECK(map.top(162, 150) == 60);

  change(map, Edit::DIG, {170, 150, 62}, {}, 0);
  change(map, Edit::BLAST, {0, 0, 63}, {}, 0);
  CHECK(map.solid(170, 150, 62));
  CHECK(map.solid(0, 0, 63));
}

TEST_CASE("aos building: blocks that lose both of their supports at once fall") {
  VoxelMap map = meadow();
  fill(map, 150, 151, 150, 151, 50, 60);
  fill(map, 152, 153, 150, 151, 50, 60);
  fill(map, 150, 153, 150, 151, 50, 51);
  change(map, Edit::BLAST, {151, 150, 56}, {}, 0);
  for (const std::uint32_t x : {150U, 151U, 152U}) CHECK(map.top(x, 150) >= 58);
}

TEST_CASE("aos building: one change examines a limited number of voxels, and a larger structure stays up") {
  VoxelMap map = meadow();
  fill(map, 0, 512, 0, 512, 10, 11);  // 262,144 voxels in the air …
  fill(map, 300, 302, 300, 302, 12, 13);
  fill(map, 300, 301, 300, 301, 11, 12);  // … and four more, attached by one
  std::size_t may_look = kMostFalling;
  change(map, Edit::BLAST, {400, 400, 10}, {}, 0, may_look);
  CHECK(may_look == 0);
  CHECK(map.solid(402, 400, 10));
  may_look = 3;
  change(map, Edit::DIG, {300, 300, 11}, {}, 0, may_look);
  CHECK(may_look == 0);
  CHECK(map.solid(300, 300, 12));
  map.set(300, 300, 11, std::nullopt);
  may_look = 10;
  change(map, Edit::COLUMN, {301, 301, 12}, {}, 0, may_look);  // one of the four goes: the others keep a support
  CHECK(map.solid(300, 300, 12));
}

}  // namespace
}  // namespace entente::aos::building_test
