// Builds a voxel map from a world: a floor, and on it boxes, pyramids, tiles and bounds.
// Invariant: what stops a unit in the world stops a player on the map, as exactly as blocks of 1.5625 m allow. Work
// comes in small pieces, and a hostile world costs no more than a large one.
#pragma once

#include <vector>

#include "adapters/aos/world/vxl.h"
#include "proxy/core/word.h"

namespace entente::aos {

class VoxelBuilder {
 public:
  explicit VoxelBuilder(words::World world);

  /// Works for about a millisecond. Returns true when the map is complete.
  bool work();

  const VoxelMap& map() const { return map_; }
  /// The colour of any voxel, visible or not. REQUIRES: it is in the map.
  VoxelColour colour(std::uint32_t x, std::uint32_t y, std::uint32_t z) const;
  /// How many parts of the world were left out, because there are too many or blocks cannot show them.
  std::size_t left_out() const { return left_out_; }

 private:
  /// What a column is made of, above the floor.
  enum class Stuff : std::uint8_t { kFloor, kWall, kPyramid, kHedge, kPool, kBorder, kFrame, kBase };

  /// A box or pyramid to be laid, in metres.
  struct Slab {
    Stuff stuff = Stuff::kWall;
    double x = 0, y = 0, half_x = 0, half_y = 0, yaw = 0;
    double bottom = 0, top = 0;
    bool pyramid = false, upside_down = false;
    words::Team team = words::TEAM_ANY;
  };
  static Slab slab_of(const words::Solid& solid, Stuff stuff);

  // Each lays one part, and returns how many columns it examined.
  std::size_t lay_part(std::size_t number);
  std::size_t lay_tile(std::size_t number);
  std::size_t lay_frame(const words::Teleporter& teleporter);
  std::size_t lay_border();
  std::size_t lay(const Slab& slab);
  void fill(const Slab& slab, std::uint32_t x, std::uint32_t y, double edge);
  std::size_t tiles() const;

  words::World world_;
  VoxelMap map_;
  std::vector<Stuff> stuff_;
  std::vector<std::uint8_t> team_;  // of bases
  std::size_t next_ = 0, worked_ = 0, left_out_ = 0;
  std::size_t most_ = 0;  // columns that may be examined
};

}  // namespace entente::aos
