// A player's body on the voxel map, as the game has it: it walks, sprints, sneaks, crouches, jumps, climbs one block
// and falls. Real servers reckon the same from the same keys, at the same 60 steps a second, in the same floats; who
// steps otherwise is put back. What a fall costs is the server's to say. Law: pure. The same keys from the same place
// on the same map give the same way; nothing is allocated.
#pragma once

#include "adapters/aos/messages.h"
#include "adapters/aos/world/vxl.h"

namespace entente::aos {

inline constexpr std::uint64_t kStepsPerSecond = 60;

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

/// What a player does with a body.
struct Urge {
  std::uint8_t keys = 0;      ///< sum of Key
  Vec3 orientation{1, 0, 0};  ///< where it looks; length 1, z down
  bool aiming = false;        ///< looks along its gun, which slows it down
};

struct Body {
  Vec3 position{};  ///< in blocks, of the eyes: see feet()
  Vec3 velocity{};  ///< in blocks per 1/32 s
  bool airborne = false, wading = false, crouching = false;
  bool jump_held = false;  ///< a held key jumps once

  /// z of what it stands on.
  float feet() const { return position[2] + (crouching ? 1.35F : 2.25F); }

  friend bool operator==(const Body&, const Body&) = default;
};

/// One step of 1/60 s.
void step(const VoxelMap& map, const Urge& urge, Body& body);

/// Whether a body meets something there: the ground below the water's surface (z = 63) is none, the map's edge is.
bool solid_at(const VoxelMap& map, float x, float y, float z);

/// Whether a body can be there at all: over the map, or a little beyond its edges. No numbers are nowhere.
bool may_be(const Vec3& position);

/// Whether a standing body at that place, its feet on `feet`, is free of everything: half a block over the feet and up.
bool stands_free(const VoxelMap& map, float x, float y, float feet);

}  // namespace entente::aos
