// What stands in the way in somebody else's world, as walls of whole tiles, so that what a client is shown is what
// stops it: a tile is a wall if a tank cannot stand in its middle along and across, or cannot drive from there to its
// own edge towards a tile in which one can stand. Law: laid out once a world, and of no more than kMost: solids, each
// counted for every tile that it is near.
#pragma once

#include <vector>

#include "adapters/panic/tiles.h"
#include "schema/game.pb.h"

namespace entente::panic {

class Walls {
 public:
  static constexpr std::size_t kMost = 100'000;

  /// Of what stands on the ground; what is beyond the world's bounds is a wall, too.
  void lay(const words::World& world, const Tiles& tiles);
  /// None stands any more.
  void clear() { stands_.clear(); }

  bool stands(Tile tile) const { return !stands_.empty() && tiles_.holds(tile) && stands_[place(tile)]; }
  /// It stands, and not deep inside of what is large, which need not be seen.
  bool shows(Tile tile) const;

 private:
  std::size_t place(Tile tile) const {
    return static_cast<std::size_t>(tile.y) * static_cast<std::size_t>(tiles_.columns()) +
           static_cast<std::size_t>(tile.x);
  }

  Tiles tiles_{1, 1};
  std::vector<bool> stands_;
};

}  // namespace entente::panic
