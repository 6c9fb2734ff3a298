#include "adapters/panic/front/walls.h"

#include <algorithm>
#include <cmath>

#include "proxy/core/gameplay/tank.h"

namespace entente::panic {
namespace {

constexpr core::TankModel kBulk;
constexpr int kDeepest = 2;      // tiles from the nearest tile that is not a wall
constexpr double kProbe = 5;     // metres between two checked places: less than a tank's length
constexpr int kMostProbes = 16;  // of one way; in a larger world, the places are further apart

/// Whether it stops tanks on the ground.
bool stops_tanks(const words::Solid& solid) {
  if (solid.units_pass() || solid.shape() == words::Solid::WALL_FACE) return false;
  return !(solid.z() >= kBulk.height) && !(solid.z() + solid.height() <= kBulk.climb);
}

/// Calls `see` for each solid that stops tanks, including tiles, but not the bounds, which stop them anyway.
template <class See>
void for_each_solid(const words::World& world, See&& see) {
  for (const words::Solid& solid : world.solids())
    if (stops_tanks(solid)) see(solid);
  for (const words::Base& base : world.bases())
    if (stops_tanks(base.solid())) see(base.solid());
  if (world.kind() != words::World::TILES || world.columns() == 0 || world.rows() == 0) return;
  const double wide = (world.east() - world.west()) / world.columns();
  const double high = (world.north() - world.south()) / world.rows();
  const std::size_t count = std::min<std::size_t>(world.tiles().size(), std::size_t{world.columns()} * world.rows());
  words::Solid solid;
  solid.set_half_x(wide / 2);
  solid.set_half_y(high / 2);
  solid.set_height(core::kTileHeight);
  for (std::size_t i = 0; i < count; ++i) {
    if ((static_cast<std::uint8_t>(world.tiles()[i]) & words::UNITS_PASS) != 0) continue;
    const std::size_t column = i % world.columns(), row = i / world.columns();
    solid.set_x(world.west() + (static_cast<double>(column) + 0.5) * wide);
    solid.set_y(world.north() - (static_cast<double>(row) + 0.5) * high);
    see(solid);
  }
}

/// The solids on or near one tile.
class Plot {
 public:
  Plot(const core::Terrain& terrain, const Tiles& tiles, Tile tile) : terrain_(terrain), tiles_(tiles), tile_(tile) {}

  bool holds_tank() const { return free(0, 0, Direction::kEast) && free(0, 0, Direction::kNorth); }
  /// Whether a tank can drive from the tile's middle to its edge. REQUIRES: holds_tank().
  bool open(Direction direction) const {
    const Tile ahead = step({0, 0}, direction);
    const double half = tiles_.side() / 2;
    const double apart = std::max(std::min(kProbe, half), half / kMostProbes);
    for (int i = 1; i <= kMostProbes && i * apart <= half; ++i)
      if (!free(ahead.x * i * apart, -ahead.y * i * apart, direction)) return false;
    return true;
  }

 private:
  bool free(double east, double north, Direction direction) const {
    return terrain_.free(kBulk, tiles_.x(tile_) + east, tiles_.y(tile_) + north, 0, yaw_of(direction));
  }

  const core::Terrain& terrain_;
  const Tiles& tiles_;
  Tile tile_;
};

}  // namespace

/// For each tile, the solids near it, as a world of its own with the same bounds.
std::vector<core::Terrain> Walls::terrain_by_tile(const words::World& world) {
  std::vector<words::World> near(static_cast<std::size_t>(tiles_.columns()) * static_cast<std::size_t>(tiles_.rows()));
  const double beside = tiles_.side() / 2 + kBulk.length;
  std::size_t counted = 0;
  left_out_ = 0;
  for_each_solid(world, [&](const words::Solid& solid) {
    const double cos = std::abs(std::cos(solid.yaw())), sin = std::abs(std::sin(solid.yaw()));
    const double reach_x = solid.half_x() * cos + solid.half_y() * sin + beside;
    const double reach_y = solid.half_x() * sin + solid.half_y() * cos + beside;
    if (!std::isfinite(reach_x + reach_y + solid.x() + solid.y())) return;
    const Tile first = tiles_.at(solid.x() - reach_x, solid.y() + reach_y);
    const Tile last = tiles_.at(solid.x() + reach_x, solid.y() - reach_y);
    for (Tile tile = first; tile.y <= last.y; ++tile.y)
      for (tile.x = first.x; tile.x <= last.x; ++tile.x) {
        if (counted == kMost) return void(++left_out_);
        ++counted;
        *near[place(tile)].add_solids() = solid;
      }
  });
  std::vector<core::Terrain> terrain;
  terrain.reserve(near.size());
  for (words::World& plot : near) {
    plot.set_west(world.west());
    plot.set_east(world.east());
    plot.set_south(world.south());
    plot.set_north(world.north());
    left_out_ += terrain.emplace_back(plot).left_out();
  }
  return terrain;
}

void Walls::lay(const words::World& world, const Tiles& tiles) {
  tiles_ = tiles;
  const std::vector<core::Terrain> terrain = terrain_by_tile(world);
  const auto plot = [&](Tile tile) { return Plot(terrain[place(tile)], tiles_, tile); };

  stands_.assign(terrain.size(), false);
  const auto for_each_tile = [&](auto&& see) {
    for (Tile tile; tile.y < tiles.rows(); ++tile.y)
      for (tile.x = 0; tile.x < tiles.columns(); ++tile.x) see(tile);
  };
  for_each_tile([&](Tile tile) { stands_[place(tile)] = !plot(tile).holds_tank(); });
  for_each_tile([&](Tile tile) {
    for (const Direction direction : {Direction::kEast, Direction::kSouth}) {
      const Tile next = step(tile, direction);
      if (!tiles_.holds(next) || stands(tile) || stands(next)) continue;
      const Direction back = direction == Direction::kEast ? Direction::kWest : Direction::kNorth;
      if (!plot(tile).open(direction))
        stands_[place(tile)] = true;
      else if (!plot(next).open(back))
        stands_[place(next)] = true;
    }
  });
}

std::shared_ptr<const Walls> walls_of(const std::shared_ptr<const words::World>& geometry, const Tiles& tiles) {
  struct Laid {
    std::weak_ptr<const words::World> geometry;
    Tiles tiles;
    std::weak_ptr<const Walls> walls;
  };
  thread_local std::vector<Laid> laid;
  std::erase_if(laid, [](const Laid& one) { return one.walls.expired(); });
  for (const Laid& one : laid)
    if (one.tiles == tiles && one.geometry.lock() == geometry) return one.walls.lock();
  const auto walls = std::make_shared<Walls>();
  walls->lay(*geometry, tiles);
  laid.push_back({geometry, tiles, walls});
  return walls;
}

bool Walls::shows(Tile tile) const {
  if (!stands(tile)) return false;
  for (int y = -kDeepest; y <= kDeepest; ++y)
    for (int x = -kDeepest; x <= kDeepest; ++x) {
      const Tile beside{tile.x + x, tile.y + y};
      if (tiles_.holds(beside) && !stands(beside)) return true;
    }
  return false;
}

}  // namespace entente::panic
