// A voxel map converted to words.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "adapters/aos/world/world_from_map.h"
#include "proxy/core/gameplay/tank.h"
#include "proxy/core/world.h"
#include "tests/aos/ground.h"
#include "tests/support/steps.h"

namespace entente::aos::world_from_map_test {
namespace {

TEST_CASE("aos world from map: what rises over two blocks above the ground is a wall; ground and steps are not") {
  VoxelMap map;
  fill(map, 0, 512, 0, 512, 60, 63);
  fill(map, 300, 312, 200, 204, 55, 60);  // a wall of five blocks
  fill(map, 100, 120, 100, 120, 58, 60);  // a step of two
  const words::World world = world_from_map(map, "meadow");
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

TEST_CASE("aos world from map: the voxels are the bytes of the map file, and their hash names the world") {
  VoxelMap map = meadow();
  const auto world_of = [&] {
    MapReceiver receiver;
    REQUIRE_FALSE(receiver.feed(pack_map(map)));
    ReceivedMap received = receiver.take();
    return world_from_map(received, "");
  };
  const words::World world = world_of();
  Buffer file;
  write_vxl(map, file);
  CHECK(world.voxels() == as_text(file));
  CHECK(world_of().hash() == world.hash());
  map.set(150, 150, 59, std::nullopt);
  CHECK(world_of().hash() != world.hash());
}

TEST_CASE("aos world from map: a map of a kilobyte takes at most so many steps, whatever it looks like") {
  constexpr std::uint64_t kMostSteps = 100'000'000;
  std::minstd_rand random(1);
  for (const char* kind : {"flat", "pillars", "chess", "noise"}) {
    CAPTURE(kind);
    VoxelMap map;
    for (std::uint32_t y = 0; y < kMapSize; ++y)
      for (std::uint32_t x = 0; x < kMapSize; ++x) {
        const bool high = *kind == 'p'   ? x % 7 < 3 && y % 7 < 3
                          : *kind == 'c' ? (x / 8 + y / 8) % 2 == 0
                                         : *kind == 'n' && random() % 2 == 0;
        map.fill(x, y, ~0ULL << (high ? 40U : 62U));
      }
    const Buffer packed = pack_map(map);
    const std::uint64_t began = testing::steps();
    MapReceiver receiver;
    CHECK_FALSE(receiver.feed(packed));
    REQUIRE(receiver.complete());
    ReceivedMap received = receiver.take();
    const words::World world = world_from_map(received, "");
    CHECK(testing::steps() - began <= kMostSteps);
  }
}

TEST_CASE("aos world from map: a hill as wide as a village is ground, its houses are walls") {
  VoxelMap map;
  fill(map, 0, 512, 0, 512, 62, 63);
  fill(map, 200, 300, 200, 300, 50, 62);
  fill(map, 240, 248, 240, 248, 44, 50);
  const words::World world = world_from_map(map, "");
  bool house = false;
  for (const words::Solid& solid : world.solids())
    house = house || (solid.half_x() == doctest::Approx(4 * 1.5625) && solid.z() == doctest::Approx(12 * 1.5625));
  CHECK(house);
  CHECK(world.solids_size() < 10);
}

/// A hill of that height in the middle of a meadow, which rises one block every `pace` blocks inwards.
VoxelMap hill(std::uint32_t height, std::uint32_t pace) {
  VoxelMap map;
  fill(map, 0, 512, 0, 512, 62, 63);
  for (std::uint32_t i = 1; i <= height; ++i) {
    const std::uint32_t in = 200 + i * pace;
    fill(map, in, 512 - in, in, 512 - in, 62 - i, 62);
  }
  return map;
}

TEST_CASE("aos world from map: a hill that can be climbed is ground up to its top, however narrow the top is") {
  for (const std::uint32_t pace : {1U, 2U, 3U}) {
    const words::World world = world_from_map(hill(15, pace), "");
    CHECK(world.solids_size() == 0);
    for (const std::uint32_t i : {0U, 5U, 15U}) {
      const double x = (i == 0 ? 190 : 200.5 + i * pace) - 256, blocks = core::ground_at(world, x * 1.5625, 0) / 1.5625;
      CHECK(std::abs(blocks - i) <= 2);  // the ground has one value for two by two blocks
    }
  }
}

TEST_CASE("aos world from map: the edge of a cliff is a wall that stands below it; its top is ground") {
  VoxelMap map;
  fill(map, 0, 512, 0, 512, 62, 63);
  fill(map, 200, 300, 200, 300, 50, 62);
  const words::World world = world_from_map(map, "");
  const words::World flat = core::flattened(world);
  CHECK(core::ground_at(world, (250 - 256) * 1.5625, (256 - 250) * 1.5625) == 12 * 1.5625);
  CHECK(core::ground_at(world, 200, 200) == 0);
  CHECK(core::ground_at(flat, -9, 9) == 0);
  const core::Terrain terrain(flat);
  for (const double x : {200.5, 299.5}) CHECK_FALSE(terrain.free({}, (x - 256) * 1.5625, (256 - 250) * 1.5625, 0, 0));
  for (const double x : {190.0, 210.0, 250.0, 290.0, 310.0})
    CHECK(terrain.free({}, (x - 256) * 1.5625, (256 - 250) * 1.5625, 0, 0));
}

TEST_CASE("aos world from map: a house on a hill stands on the ground in a game without hills") {
  VoxelMap map = hill(15, 3);
  fill(map, 252, 260, 252, 260, 40, 47);  // a house of seven blocks on its top
  const words::World world = world_from_map(map, ""), flat = core::flattened(world);
  REQUIRE(flat.solids_size() == 1);
  CHECK(world.solids(0).z() >= 13 * 1.5625);
  CHECK(flat.solids(0).z() == 0);
  CHECK(flat.solids(0).height() >= 7 * 1.5625);
  CHECK(flat.ground().empty());
}

TEST_CASE("aos world from map: at most a thousand boxes, however fragmented the map is") {
  VoxelMap map;
  std::mt19937 random(7);
  for (std::uint32_t x = 0; x < kMapSize; ++x)
    for (std::uint32_t y = 0; y < kMapSize; ++y) map.fill(x, y, ~0ULL << random() % 63);
  CHECK(world_from_map(map, "").solids_size() <= static_cast<int>(kMostBoxes));
}

}  // namespace
}  // namespace entente::aos::world_from_map_test
