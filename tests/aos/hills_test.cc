// A tank of another game in a world of hills: its client sees them flat, and the Ace of Spades body that represents it
// walks over them.
#include <cmath>

#include "adapters/aos/wire/conversions.h"
#include "adapters/aos/world/world_from_map.h"
#include "proxy/core/gameplay/tank.h"
#include "proxy/core/world.h"
#include "tests/aos/back_stage.h"

namespace entente::aos::hills_test {
namespace {

using core::kMillisecond, core::kSecond, core::Micros;

/// Waves of hills from west to east, each 60 blocks long and `height` high, climbed by steps of one block.
VoxelMap hills(int height) {
  VoxelMap map;
  for (std::uint32_t x = 0; x < kMapSize; ++x) {
    const double wave = (1 - std::cos((x - 100.0) / 60 * 2 * 3.14159265)) / 2;
    const auto top = static_cast<std::uint32_t>(62 - std::lround(height * wave));
    for (std::uint32_t y = 0; y < kMapSize; ++y) map.fill(x, y, ~0ULL << top);
  }
  return map;
}

struct Drive {
  explicit Drive(const VoxelMap& map) : world(world_from_map(map, "hills")), terrain(core::flattened(world)) {
    scene.stage.opens();
    scene.receives(MapStart{});
    for (Bytes left = packed = pack_map(map); !left.empty();) {
      MapChunk chunk;
      const std::size_t size = std::min(kMapChunk, left.size());
      chunk.data.assign(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(size));
      scene.receives(chunk);
      left = left.subspan(size);
    }
    scene.receives(existing(5, 1, "ben"));
    scene.receives(capture_the_flag(3));
    scene.hears(anna());
    scene.hears(words::Spawn());
    CreatePlayer us = created(3, 0, 100.5F, 256.5F, "anna");
    us.position[2] = 62 - 2.4F;
    scene.receives(us);
    scene.waits(kSecond);
    tank.x = (100.5 - kMiddle) * kMetresPerBlock;
    tank.y = (kMiddle - 256.5) * kMetresPerBlock;
  }
  /// Drives east at the allowed speed, then waits. Returns how often the client was corrected.
  std::size_t goes(double metres) {
    std::size_t put_back = 0;
    const double to = tank.x + metres;
    for (Micros late = 0; late < 3 * kSecond;) {
      if (tank.x >= to) late += kStep;
      model.speed = scene.stage.world().rule("speed", 0);
      if (speeds.empty() || speeds.back() != model.speed) speeds.push_back(model.speed);
      core::drive(model, terrain, {tank.x < to ? 1.0 : 0.0, 0, 0}, static_cast<double>(kStep) / kSecond, tank);
      words::PoseClaim claim;
      claim.set_unit(103);
      claim.set_x(tank.x);
      claim.set_y(tank.y);
      claim.set_z(tank.z + core::ground_at(world, tank.x, tank.y));
      claim.set_vx(tank.vx);
      const std::string said = scene.hears(claim) + scene.waits(kStep);
      put_back += count(said, "says Corrected");
      const words::Pose truth = pose();
      if (count(said, "says Corrected") != 0) {
        tank.x = truth.x();
        tank.y = truth.y();
      }
      const double above = scene.stage.world().flattened(truth).z();
      CHECK(terrain.free(claimed, truth.x(), truth.y(), above, 0));
      CHECK(above <= 3 * kMetresPerBlock);  // a step, or a jump over one
    }
    return put_back;
  }
  words::Pose pose() const { return scene.stage.world().active_unit(1)->unit.pose(); }

  static constexpr Micros kStep = 40 * kMillisecond;
  std::vector<double> speeds;  // that the client was told, without repeats
  Scene scene;
  Buffer packed;
  words::World world;
  core::Terrain terrain;
  core::TankModel model;
  core::TankModel claimed{.length = 1, .width = 1};
  core::TankState tank;
};

TEST_CASE("aos back: a tank drives over hills with its body beneath it, is not corrected, and never in the ground") {
  for (const int height : {0, 6, 12, 20}) {
    Drive drive(hills(height));
    CHECK(drive.world.solids_size() == 0);
    const std::size_t put_back = drive.goes(300);
    CHECK(put_back == 0);
    CHECK(std::hypot(drive.pose().x() - drive.tank.x, drive.pose().y() - drive.tank.y) < 3);
    for (std::size_t i = 1; i < drive.speeds.size(); ++i) {
      CHECK(drive.speeds[i] > 0.4 * kWalks * kMetresPerBlock);  // no crawling: slopes are climbed at half the speed
      CHECK(std::abs(drive.speeds[i] - drive.speeds[i - 1]) < 0.25 * kWalks * kMetresPerBlock);
    }
  }
}

}  // namespace
}  // namespace entente::aos::hills_test
