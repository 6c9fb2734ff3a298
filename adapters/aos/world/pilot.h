// Steers a body to a place on the voxel map by keys and looks alone, as a player would. It walks, sprints on even
// ground, climbs and jumps where it can, goes around other obstacles, and does not step into abysses.
// Invariant: the same input gives the same path. No randomness, no clock, no heap memory.
#pragma once

#include "adapters/aos/world/body.h"

namespace entente::aos {

/// Where to go. Distances are in blocks.
struct Goal {
  float x = 0, y = 0;
  float near = 0.6F;           ///< reached at this distance
  bool hurry = true;           ///< sprint if it is far
  bool slow = false;           ///< sneak
  const Vec3* look = nullptr;  ///< where to look on the way; null: ahead
};

class Pilot {
 public:
  /// The input for the next step on the way there.
  Urge steer(const VoxelMap& map, const Body& body, const Goal& goal);
  /// The body was moved, or has a new goal: forgets obstacles.
  void forget() { *this = {}; }

 private:
  bool stuck(const Body& body);
  float way(const VoxelMap& map, const Body& body, float straight);

  std::uint32_t steps_ = 0;  // since the last check of progress
  float last_x_ = 0, last_y_ = 0;
  std::uint32_t around_ = 0;  // steps that remain of a detour
  bool left_ = false;         // the side on which it went around
  bool jump_ = false, sprints_ = false;
};

}  // namespace entente::aos
