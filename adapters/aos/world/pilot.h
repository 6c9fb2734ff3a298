// Steers a body to a place on the voxel map by keys and looks alone, as a player would: walks, sprints where it is
// even, climbs and jumps what it can, goes around what it cannot, and steps into no abyss. Law: the same way from the
// same places; no chance, no clock, no memory from the heap.
#pragma once

#include "adapters/aos/world/body.h"

namespace entente::aos {

/// What a pilot is asked for, in blocks.
struct Goal {
  float x = 0, y = 0;
  float near = 0.6F;           ///< so far off it is reached
  bool hurry = true;           ///< sprint where it is far
  bool slow = false;           ///< sneak
  const Vec3* look = nullptr;  ///< where to look on the way; null: ahead
};

class Pilot {
 public:
  /// What to do in the next step to get there.
  Urge steer(const VoxelMap& map, const Body& body, const Goal& goal);
  /// It was put somewhere else, or has a new goal: nothing is in its way yet.
  void forget() { *this = {}; }

 private:
  bool stuck(const Body& body);
  float way(const VoxelMap& map, const Body& body, float straight);

  std::uint32_t steps_ = 0;  // since the last look at how far we got
  float last_x_ = 0, last_y_ = 0;
  std::uint32_t around_ = 0;  // steps since something stood in the way
  bool left_ = false;         // the side on which it went around
  bool jump_ = false, sprints_ = false;
};

}  // namespace entente::aos
