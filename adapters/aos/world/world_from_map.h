// The voxel map in words: the map's own bytes for clients of Ace of Spades, and for all others boxes for what stands on
// its ground.
// Invariant: the same map makes the same words, with at most kMostBoxes boxes.
#pragma once

#include "adapters/aos/world/vxl.h"
#include "proxy/core/word.h"

namespace entente::aos {

inline constexpr std::size_t kMostBoxes = 1000;

/// `name`: the name of the map; empty if unknown.
words::World world_from_map(const VoxelMap& map, std::string name);

}  // namespace entente::aos
