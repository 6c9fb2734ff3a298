// What a shot hits: the voxels in its way, and a player's head, trunk and legs. In this game the shooter's client
// reports hits, and honest clients report one only if the ray met the player.
// Invariant: pure; nothing is reported that the ray does not meet.
#pragma once

#include <optional>

#include "adapters/aos/world/body.h"

namespace entente::aos {

inline constexpr float kSightRange = 128;  ///< blocks; beyond is fog

/// The distance along a ray to the first solid voxel, at most `most` blocks. `direction`: length 1.
float clear_way(const VoxelMap& map, const Vec3& from, const Vec3& direction, float most);

/// Parts of Hit, as on the wire.
enum class Part : std::uint8_t { kTorso = 0, kHead = 1, kArms = 2, kLegs = 3, kMelee = 4 };

struct Met {
  float distance = 0;  ///< blocks
  Part part = Part::kTorso;
};

/// Where a ray first meets a player whose eyes are at `eyes`; nothing if it misses.
std::optional<Met> meets(const Vec3& from, const Vec3& direction, const Vec3& eyes, bool crouching);

/// The direction from one place to another, with length 1; along x if they are the same.
Vec3 towards(const Vec3& from, const Vec3& to);

}  // namespace entente::aos
