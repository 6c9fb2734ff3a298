// What a shot meets: the voxels in its way, and a player's head, trunk and legs. In this game the shooter's client says
// whom it hit, and honest clients say so when the ray met him.
// Law: pure; nothing is reported that the ray does not meet.
#pragma once

#include <optional>

#include "adapters/aos/world/body.h"

namespace entente::aos {

inline constexpr float kSightRange = 128;  ///< blocks: what is farther is fog

/// How far one sees from there before a voxel ends it, `most` blocks at the farthest. `direction`: length 1.
float clear_way(const VoxelMap& map, const Vec3& from, const Vec3& direction, float most);

/// Parts of Hit, as on the wire.
enum class Part : std::uint8_t { kTorso = 0, kHead = 1, kArms = 2, kLegs = 3, kMelee = 4 };

struct Met {
  float distance = 0;  ///< blocks
  Part part = Part::kTorso;
};

/// Where a ray first meets a player whose eyes are there; nothing if it passes.
std::optional<Met> meets(const Vec3& from, const Vec3& direction, const Vec3& eyes, bool crouching);

/// Towards a place, length 1; along x if it is the same place.
Vec3 towards(const Vec3& from, const Vec3& to);

}  // namespace entente::aos
