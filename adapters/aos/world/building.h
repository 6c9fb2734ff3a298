// What building and digging do to a map, as every program of the game does it for itself: what is left without a way
// to the ground falls.
// Law: the two lowest layers stay; nothing happens outside of the map.
#pragma once

#include "adapters/aos/terms.h"
#include "adapters/aos/world/vxl.h"

namespace entente::aos {

/// Voxels; what is larger is taken to stand, as real servers take it.
inline constexpr std::size_t kMostFalling = 250'000;

/// Changes the map; `to` is for a line. Returns how many voxels are new. At most `may_look` of them are looked at to
/// see what falls; it is left with what remains of it, and what is larger stands. REQUIRES: both lie in the map.
std::size_t change(VoxelMap& map, words::Edit::Op op, const Block& at, const Block& to, std::uint32_t colour,
                   std::size_t& may_look);

}  // namespace entente::aos
