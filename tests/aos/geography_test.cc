// A voxel map in words.
#include <doctest/doctest.h>

#include <random>

#include "adapters/aos/geography.h"
#include "tests/aos/ground.h"

namespace entente::aos::geography_test {
namespace {

TEST_CASE("aos geography: what stands over two blocks above the ground is a wall, ground and steps are none") {
  VoxelMap map;
  fill(map, 0, 512, 0, 512, 60, 63);
  fill(map, 300, 312, 200, 204, 55, 60);  // a wall of five blocks
  fill(map, 100, 120, 100, 120, 58, 60);  // a step of two
  const words::World world = geography(map, "meadow");
  REQUIRE(world.solids_size() == 1);
  const words::Solid& wall = world.solids(0);
  CHECK(wall.x() == doctest::Approx((306 - 256) * 1.5625));
  CHECK(wall.y() == doctest::Approx((256 - 202) * 1.5625));
  CHECK(wall.half_x() == doctest::Approx(6 * 1.5625));
  CHECK(wall.half_y() == doctest::Approx(2 * 1.5625));
  CHECK(wall.z() == doctest::Approx(2 * 1.5625));
  CHECK(wall.height() == doctest::Approx(5 * 1.5625));
  CHECK(world.kind() == words::World::VOXELS);
  CHECK(world.name() == "meadow");
  CHECK(world.west() == -400);
  CHECK(world.north() == 400);
}

TEST_CASE("aos geography: the voxels are the map as its file has it, and name it") {
  VoxelMap map = meadow();
  const words::World world = geography(map, "");
  Buffer file;
  write_vxl(map, file);
  CHECK(world.voxels() == std::string(file.begin(), file.end()));
  const std::string& hash = world.hash();
  CHECK(geography(map, "").hash() == hash);
  map.set(150, 150, 59, std::nullopt);
  CHECK(geography(map, "").hash() != hash);
}

TEST_CASE("aos geography: a hill as wide as a village is ground, its houses are walls") {
  VoxelMap map;
  fill(map, 0, 512, 0, 512, 62, 63);
  fill(map, 200, 300, 200, 300, 50, 62);
  fill(map, 240, 248, 240, 248, 44, 50);
  const words::World world = geography(map, "");
  bool house = false;
  for (const words::Solid& solid : world.solids())
    house = house || (solid.half_x() == doctest::Approx(4 * 1.5625) && solid.z() == doctest::Approx(12 * 1.5625));
  CHECK(house);
  CHECK(world.solids_size() < 10);
}

TEST_CASE("aos geography: never more than a thousand boxes, however torn the map is") {
  VoxelMap map;
  std::mt19937 random(7);
  for (std::uint32_t x = 0; x < kMapSize; ++x)
    for (std::uint32_t y = 0; y < kMapSize; ++y) map.fill(x, y, ~0ULL << random() % 63);
  CHECK(geography(map, "").solids_size() <= static_cast<int>(kMostBoxes));
}

}  // namespace
}  // namespace entente::aos::geography_test
