#include "adapters/aos/world/body.h"

#include <algorithm>
#include <cmath>

namespace entente::aos {
namespace {

constexpr float kTick = 1.0F / kStepsPerSecond;
constexpr float kBlocksAtSpeed1 = 32 * kTick;  // that a velocity of 1 moves a body in one step
constexpr float kHalfWidth = 0.45F;            // of a body
constexpr float kCrown = 0.45F;                // above the eyes
constexpr float kProbes = 0.9F;                // distance between probes, from the feet up
constexpr float kSole = 0.001F;                // standing exactly on a block is not being in it
constexpr float kJumpVelocity = -0.36F;
constexpr float kLandsHard = 0.24F;  // landing faster than this halves the horizontal speed
constexpr float kDiagonal = 0.70710678F;
constexpr float kWaterline = 61;
constexpr float kLooksDown = 0.5F;  // looking down further than this prevents climbing

/// How strongly a body accelerates, by what it is doing.
float thrust(const Urge& urge, const Body& body) {
  if (body.airborne) return 0.1F;
  if (body.crouching) return 0.3F;
  if (urge.aiming || (urge.keys & kSneak) != 0) return 0.5F;
  return (urge.keys & kSprint) != 0 ? 1.3F : 1.0F;
}

void accelerate(const Urge& urge, Body& body) {
  const float ahead_x = urge.orientation[0], ahead_y = urge.orientation[1];
  const float level = std::sqrt(ahead_x * ahead_x + ahead_y * ahead_y);
  const float right_x = level > 0 ? -ahead_y / level : 0, right_y = level > 0 ? ahead_x / level : 0;
  const auto pressed = [&](std::uint8_t keys) { return (urge.keys & keys) != 0; };
  float by = kTick * thrust(urge, body);
  if (pressed(kForward | kBackward) && pressed(kLeft | kRight)) by *= kDiagonal;
  const float along = pressed(kForward) ? by : pressed(kBackward) ? -by : 0;
  const float aside = pressed(kLeft) ? -by : pressed(kRight) ? by : 0;
  body.velocity[0] += ahead_x * along + right_x * aside;
  body.velocity[1] += ahead_y * along + right_y * aside;
}

/// Applies gravity and friction. Friction is strongest in water and weakest in the air.
void fall_and_rub(Body& body) {
  body.velocity[2] = (body.velocity[2] + kTick) / (kTick + 1);
  const float rub = body.wading ? kTick * 6 + 1 : !body.airborne ? kTick * 4 + 1 : kTick + 1;
  body.velocity[0] /= rub;
  body.velocity[1] /= rub;
}

/// Whether both places are free, from `feet` up to above the eyes.
bool edge_free(const VoxelMap& map, float x1, float y1, float x2, float y2, float feet, bool crouching) {
  const int probes = crouching ? 3 : 4;
  for (int i = 0; i < probes; ++i) {
    const float z = feet - kProbes * static_cast<float>(i);
    if (solid_at(map, x1, y1, z) || solid_at(map, x2, y2, z)) return false;
  }
  return true;
}

bool layer_free(const VoxelMap& map, float x, float y, float z) {
  return !solid_at(map, x - kHalfWidth, y - kHalfWidth, z) && !solid_at(map, x - kHalfWidth, y + kHalfWidth, z) &&
         !solid_at(map, x + kHalfWidth, y - kHalfWidth, z) && !solid_at(map, x + kHalfWidth, y + kHalfWidth, z);
}

/// Moves a body along one axis (0: x, 1: y) if the way is free, or would be one block higher. Returns true if the body
/// has to climb for that. One climb is enough for both axes.
bool go(const VoxelMap& map, const Urge& urge, std::size_t axis, bool climbs, Body& body) {
  const float to = body.position[axis] + body.velocity[axis] * kBlocksAtSpeed1;
  const float edge = to + (body.velocity[axis] < 0 ? -kHalfWidth : kHalfWidth);
  const float side = body.position[1 - axis];
  const auto free_from = [&](float feet, bool crouching) {
    return axis == 0 ? edge_free(map, edge, side - kHalfWidth, edge, side + kHalfWidth, feet, crouching)
                     : edge_free(map, side - kHalfWidth, edge, side + kHalfWidth, edge, feet, crouching);
  };
  if (free_from(body.feet() - kSole, body.crouching)) {
    body.position[axis] = to;
    return climbs;
  }
  if (climbs) return true;
  const bool may_climb = !body.crouching && urge.orientation[2] < kLooksDown && (urge.keys & kSprint) == 0;
  if (may_climb && free_from(body.feet() - 1, false)) {
    body.position[axis] = to;
    return true;
  }
  body.velocity[axis] = 0;
  return false;
}

void rise_or_fall(const VoxelMap& map, bool climbs, Body& body) {
  float to = body.position[2];
  if (climbs) {
    body.velocity[0] *= 0.5F;
    body.velocity[1] *= 0.5F;
    to -= 1;
  } else {
    to += body.velocity[2] * kBlocksAtSpeed1;
  }
  const bool upwards = climbs || body.velocity[2] < 0;
  const float probe = upwards ? to - kCrown : to + (body.feet() - body.position[2]);
  body.airborne = true;
  if (layer_free(map, body.position[0], body.position[1], probe)) {
    body.position[2] = to;
    return;
  }
  if (body.velocity[2] >= 0) {
    body.wading = body.position[2] > kWaterline;
    body.airborne = false;
  }
  body.velocity[2] = 0;
}

/// Crouches at once. Stands up only if there is room: below the feet in the air, otherwise above the head.
void crouch(const VoxelMap& map, const Urge& urge, Body& body) {
  const bool wished = (urge.keys & kCrouch) != 0;
  if (wished == body.crouching) return;
  const float x = body.position[0], y = body.position[1], z = body.position[2];
  if (wished) {
    body.position[2] += kProbes;
  } else if (!body.airborne || !layer_free(map, x, y, z + 2.25F)) {
    if (!layer_free(map, x, y, z - kProbes - kCrown)) return;
    body.position[2] -= kProbes;
  }
  body.crouching = wished;
}

void jump(const Urge& urge, Body& body) {
  const bool pressed = (urge.keys & kJump) != 0;
  if (pressed && !body.jump_held && !body.airborne) body.velocity[2] = kJumpVelocity;
  body.jump_held = pressed;
}

}  // namespace

bool solid_at(const VoxelMap& map, float x, float y, float z) {
  constexpr auto kSide = static_cast<float>(kMapSize), kDepth = static_cast<float>(kMapHeight);
  if (!(x >= 0 && x < kSide && y >= 0 && y < kSide)) return true;
  if (z < 0) return false;
  if (!(z < kDepth)) return true;
  const std::uint32_t layer = std::min(static_cast<std::uint32_t>(z), kMapHeight - 2);
  return map.solid(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), layer);
}

bool may_be(const Vec3& position) {
  constexpr float kMargin = 4, kSide = kMapSize, kDepth = kMapHeight;
  const auto within = [](float c, float low, float high) { return c >= low && c <= high; };
  return within(position[0], -kMargin, kSide + kMargin) && within(position[1], -kMargin, kSide + kMargin) &&
         within(position[2], -kDepth, kDepth + kMargin);
}

bool stands_free(const VoxelMap& map, float x, float y, float feet) {
  constexpr float kAbove = 0.05F;  // the ground itself is not in the way
  for (int i = 0; i < 4; ++i)
    if (!layer_free(map, x, y, feet - kAbove - kProbes * static_cast<float>(i))) return false;
  return true;
}

void step(const VoxelMap& map, const Urge& urge, Body& body) {
  crouch(map, urge, body);
  jump(urge, body);
  accelerate(urge, body);
  fall_and_rub(body);
  const float falls = body.velocity[2];
  const bool climbs_x = go(map, urge, 0, false, body);
  const bool climbs = go(map, urge, 1, climbs_x, body);
  rise_or_fall(map, climbs, body);
  if (body.velocity[2] == 0 && falls > kLandsHard) {
    body.velocity[0] *= 0.5F;
    body.velocity[1] *= 0.5F;
  }
}

}  // namespace entente::aos
