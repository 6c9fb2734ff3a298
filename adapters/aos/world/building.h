// How building and digging change a map. Every program of the game computes this for itself: blocks that lose their
// connection to the ground fall.
// Invariant: the two lowest layers stay, and nothing outside the map changes.
#pragma once

#include "adapters/aos/wire/conversions.h"
#include "adapters/aos/world/vxl.h"

namespace entente::aos {

/// In voxels. Anything larger is assumed to stand, as on real servers.
inline constexpr std::size_t kMostFalling = 250'000;

/// Changes the map; only a line uses `to`. Returns how many voxels were added. At most `may_look` voxels are examined
/// to see what falls, and `may_look` is reduced by their number; if it runs out, the structure stands. REQUIRES: both
/// blocks are in the map.
std::size_t change(VoxelMap& map, words::Edit::Op op, const Block& at, const Block& to, std::uint32_t colour,
                   std::size_t& may_look);

}  // namespace entente::aos
