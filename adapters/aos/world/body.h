// A player's body on the voxel map: it walks, sprints, sneaks, crouches, jumps, climbs one block and falls, as in the
// game. Real servers compute the same from the same keys, with 60 steps a second and the same floats, and correct a
// client that differs. The server decides how much a fall hurts.
// Invariant: pure. The same keys from the same place on the same map give the same path; nothing is allocated.
#pragma once

#include "adapters/aos/wire/messages.h"
#include "adapters/aos/world/vxl.h"

namespace entente::aos {

inline constexpr std::uint64_t kStepsPerSecond = 60;
/// Blocks per 1/32 s along an axis. No player moves faster by itself.
inline constexpr float kFastestSeen = 3;

/// Bits of Input Data.
enum Key : std::uint8_t {
  kForward = 1,
  kBackward = 2,
  kLeft = 4,
  kRight = 8,
  kJump = 16,
  kCrouch = 32,
  kSneak = 64,
  kSprint = 128,
};

/// The input for a body.
struct Urge {
  std::uint8_t keys = 0;      ///< sum of Key
  Vec3 orientation{1, 0, 0};  ///< where it looks; length 1, z down
  bool aiming = false;        ///< aims down the sights, which slows it down
};

struct Body {
  Vec3 position{};  ///< in blocks, of the eyes: see feet()
  Vec3 velocity{};  ///< in blocks per 1/32 s
  bool airborne = false, wading = false, crouching = false;
  bool jump_held = false;  ///< a held key makes it jump only once

  /// z of the feet.
  float feet() const { return position[2] + (crouching ? 1.35F : 2.25F); }

  friend bool operator==(const Body&, const Body&) = default;
};

/// One step of 1/60 s.
void step(const VoxelMap& map, const Urge& urge, Body& body);

/// Whether a body collides at this place. The map's edge is solid. The bottom layer (z = 63, below the water) is solid
/// only where z = 62 is.
bool solid_at(const VoxelMap& map, float x, float y, float z);

/// Whether a position is possible: finite, and over the map or a little beyond its edges.
bool may_be(const Vec3& position);

/// Whether a body can stand at that place with its feet at `feet`: nothing is in its way from just above the feet to
/// the head.
bool stands_free(const VoxelMap& map, float x, float y, float feet);

}  // namespace entente::aos
