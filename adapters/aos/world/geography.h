// The voxel map in words: the map's own bytes for who plays Ace of Spades, and for all others what stands over its
// ground, as boxes.
// Law: the same map makes the same words; at most kMostBoxes boxes, whatever the map is.
#pragma once

#include "adapters/aos/world/vxl.h"
#include "proxy/core/word.h"

namespace entente::aos {

inline constexpr std::size_t kMostBoxes = 1000;

/// `name`: of the map, empty if nobody said it.
words::World geography(const VoxelMap& map, std::string name);

}  // namespace entente::aos
