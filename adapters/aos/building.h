// What building and digging do to a map, as every program of the game does it for itself: what is left without a way
// to the ground falls.
// Law: the two lowest layers stay; nothing happens outside of the map.
#pragma once

#include "adapters/aos/terms.h"
#include "adapters/aos/vxl.h"

namespace entente::aos {

/// Changes the map; `to` is for a line. Returns how many voxels are new. REQUIRES: both lie in the map.
std::size_t change(VoxelMap& map, words::Edit::Op op, const Block& at, const Block& to, std::uint32_t colour);

}  // namespace entente::aos
