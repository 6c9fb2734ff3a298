// Obstacles of a world of another game as walls of whole tiles, so that a client sees what stops it. A tile is a wall
// if a tank cannot stand in its middle along and across, or cannot drive from there to its edge towards a tile where
// one can stand.
// Invariant: laid out once per world for all clients of a thread, from at most kMost solids, each counted once for
// every tile that it is near. The number of places that are checked does not grow with the size of the world.
#pragma once

#include <memory>
#include <vector>

#include "adapters/panic/world/tiles.h"
#include "schema/game.pb.h"

namespace entente::core {
class Terrain;
}

namespace entente::panic {

class Walls {
 public:
  static constexpr std::size_t kMost = 100'000;

  /// Lays out the walls of obstacles on the ground. Everything beyond the world's bounds is a wall, too.
  void lay(const words::World& world, const Tiles& tiles);

  bool stands(Tile tile) const { return !stands_.empty() && tiles_.holds(tile) && stands_[place(tile)]; }
  /// Whether the tile is a wall that must be shown: not one deep inside a large block of walls.
  bool shows(Tile tile) const;
  /// The number of solids of which some part makes no wall, because more than kMost are counted.
  std::size_t left_out() const { return left_out_; }

 private:
  std::vector<core::Terrain> terrain_by_tile(const words::World& world);
  std::size_t place(Tile tile) const {
    return static_cast<std::size_t>(tile.y) * static_cast<std::size_t>(tiles_.columns()) +
           static_cast<std::size_t>(tile.x);
  }

  Tiles tiles_{1, 1};
  std::vector<bool> stands_;
  std::size_t left_out_ = 0;
};

/// The walls of this geometry. All on this thread who ask for the same get the same, as long as anybody has it.
std::shared_ptr<const Walls> walls_of(const std::shared_ptr<const words::World>& geometry, const Tiles& tiles);

}  // namespace entente::panic
