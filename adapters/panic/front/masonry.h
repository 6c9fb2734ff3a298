// Blocks that are built in a world of another game, shown as walls of whole tiles: a tile is a wall if more than half
// of it is built at least two blocks high. Blocks that were there from the start do not count, because a client has its
// own map.
// Invariant: at most kMostColumns columns are remembered, whatever is built.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "adapters/panic/world/tiles.h"
#include "proxy/base/keyed_hash.h"
#include "schema/game.pb.h"

namespace entente::panic {

class Masonry {
 public:
  static constexpr std::size_t kMostColumns = 50'000;

  /// Starts with nothing built. In a world without blocks, nothing can be built.
  void lay(const words::World& world, const Tiles& tiles);
  /// Applies an edit. Returns the tiles whose wall may have appeared or disappeared; none in a world without blocks.
  std::vector<Tile> change(const words::Edit& edit);
  /// Whether a block was left out since the last call, because too many columns are built.
  bool take_left_out() { return std::exchange(left_out_, false); }

  bool has_blocks() const { return side_ > 0; }
  bool stands(Tile tile) const {
    return has_blocks() && tiles_.holds(tile) && 2 * built_up_[place(tile)] > columns_of_a_tile_;
  }
  const Tiles& tiles() const { return tiles_; }

 private:
  struct Block {
    std::int64_t east, south, up;
  };
  Block block_at(double x, double y, double z) const;
  void set(const Block& block, bool built, std::vector<Tile>& changed);
  std::size_t place(Tile tile) const {
    return static_cast<std::size_t>(tile.y) * static_cast<std::size_t>(tiles_.columns()) +
           static_cast<std::size_t>(tile.x);
  }

  Tiles tiles_{1, 1};
  double side_ = 0, west_ = 0, north_ = 0;  // side of a block, and edges of the world, in metres
  std::int64_t across_ = 0, down_ = 0;      // blocks
  std::size_t columns_of_a_tile_ = 0;
  bool left_out_ = false;
  std::vector<std::size_t> built_up_;  // for each tile, its columns that are high enough
  std::unordered_map<std::int64_t, std::uint64_t, KeyedHash<std::int64_t>> columns_;  // a bit for each built block
};

}  // namespace entente::panic
