// The voxel map in words: the map's own bytes for clients of Ace of Spades, and for all others boxes for what stands on
// its ground.
// Invariant: the same map makes the same words, with at most kMostBoxes boxes.
#pragma once

#include "adapters/aos/world/map_stream.h"
#include "proxy/core/word.h"

namespace entente::aos {

inline constexpr std::size_t kMostBoxes = 1000;

/// `name`: the name of the map; empty if unknown. Moves the voxels out of `map.vxl`.
words::World world_from_map(ReceivedMap& map, std::string name);
/// The same without the voxels and their hash.
words::World world_from_map(const VoxelMap& map, std::string name);

}  // namespace entente::aos
