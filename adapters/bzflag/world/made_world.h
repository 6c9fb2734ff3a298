// What clients are sent of a room's geometry, made once for all who join with it on one thread: it may have megabytes,
// and takes a tenth of a second.
// Invariant: at most kMadeWorlds of kMadeBytes together are kept, those that were asked for last, none longer than until
// the next is made after its geometry is gone.
#pragma once

#include <memory>
#include <string>

#include "adapters/bzflag/world/world.h"
#include "adapters/bzflag/world/world_conversions.h"

namespace entente::bzflag {

inline constexpr std::size_t kMadeWorlds = 64, kMadeBytes = std::size_t{64} << 20U;  ///< on each thread

struct MadeWorld {
  double size = 0;  ///< metres
  bool has_voxels = false;
  Database database;
  std::string hash;  ///< a random one, so that clients do not cache the world
};

/// `geometry`: null: an open field. Of the settings, the size of the world is set here. `most`: bytes of the database;
/// what does not fit is left out.
std::shared_ptr<const MadeWorld> made_world(const std::shared_ptr<const words::World>& geometry, std::size_t dialect,
                                            const GameSettings& settings, std::size_t most = kLargestWorld);

}  // namespace entente::bzflag
