#include "adapters/aos/world/pilot.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace entente::aos {
namespace {

constexpr float kPi = std::numbers::pi_v<float>;
constexpr float kAhead = 1.0F;             // one pace: how far ahead of its middle a body looks, in blocks
constexpr float kSlides = 8;               // blocks that a body with a velocity of 1 slides after its keys are released
constexpr float kLongestSlide = 16;        // blocks; no body slides farther
constexpr float kDeepest = 8;              // blocks that a body may fall; it could fall 9.2 unhurt
constexpr float kSprintsFrom = 8;          // blocks to go that make a sprint worthwhile; it then sprints to the end
constexpr std::uint32_t kLooksEvery = 45;  // steps between two checks of its progress
constexpr float kProgress = 0.8F;          // blocks in that time; less means that something is in the way
constexpr std::uint32_t kDetour = 30;      // steps for which the second pace must be free, too

/// What is ahead of a body, one pace in a direction.
enum class Ahead : std::uint8_t { kEven, kStep, kJump, kWall, kAbyss };

Ahead look_ahead(const VoxelMap& map, const Body& body, float angle, float pace) {
  const float x = body.position[0] + pace * std::cos(angle), y = body.position[1] + pace * std::sin(angle);
  const float feet = body.feet();
  for (const auto& [rise, what] : {std::pair{0.0F, Ahead::kEven}, {1.0F, Ahead::kStep}, {2.0F, Ahead::kJump}})
    if (stands_free(map, x, y, feet - rise)) {
      if (what != Ahead::kEven) return what;
      for (float depth = 0; depth <= kDeepest; depth += 1)
        if (solid_at(map, x, y, feet + depth + 0.1F)) return what;
      return Ahead::kAbyss;
    }
  return Ahead::kWall;
}

/// Whether a body would slide over an edge if its keys were released now.
bool slides_off(const VoxelMap& map, const Body& body, float angle) {
  const float slide = std::min(kSlides * std::hypot(body.velocity[0], body.velocity[1]), kLongestSlide);
  for (float pace = kAhead; pace < kAhead + slide; pace += kAhead / 2)
    if (look_ahead(map, body, angle, pace) == Ahead::kAbyss) return true;
  return false;
}

bool passable(Ahead ahead) { return ahead < Ahead::kWall; }

/// The keys that move a body closest to `angle` while it looks along `looks`.
std::uint8_t keys_to(float angle, float looks) {
  const float off = std::remainder(angle - looks, 2 * kPi);  // clockwise: y is south
  constexpr float kEighth = kPi / 8;
  std::uint8_t keys = 0;
  if (std::abs(off) < 3 * kEighth) keys |= kForward;
  if (std::abs(off) > 5 * kEighth) keys |= kBackward;
  if (off > kEighth && off < 7 * kEighth) keys |= kRight;
  if (off < -kEighth && off > -7 * kEighth) keys |= kLeft;
  return keys;
}

}  // namespace

bool Pilot::stuck(const Body& body) {
  if (++steps_ < kLooksEvery) return false;
  steps_ = 0;
  const float far = std::hypot(body.position[0] - last_x_, body.position[1] - last_y_);
  last_x_ = body.position[0];
  last_y_ = body.position[1];
  return far < kProgress;
}

/// The direction to walk: straight on, or around an obstacle on one side until the way is free. If there is no
/// progress, the other side is tried.
float Pilot::way(const VoxelMap& map, const Body& body, float straight) {
  if (stuck(body)) {
    left_ = !left_;
    around_ = kDetour;
  }
  const bool free = passable(look_ahead(map, body, straight, kAhead));
  if (free && (around_ == 0 || passable(look_ahead(map, body, straight, 2 * kAhead)))) {
    if (around_ > 0) --around_;
    return straight;
  }
  around_ = kDetour;
  for (const bool left : {left_, !left_})
    for (float turn = kPi / 8; turn < kPi; turn += kPi / 8) {
      const float angle = straight + (left ? -turn : turn);
      if (!passable(look_ahead(map, body, angle, kAhead))) continue;
      left_ = left;
      return angle;
    }
  return straight;
}

Urge Pilot::steer(const VoxelMap& map, const Body& body, const Goal& goal) {
  Urge urge;
  const float dx = goal.x - body.position[0], dy = goal.y - body.position[1];
  const float far = std::hypot(dx, dy), straight = std::atan2(dy, dx);
  const float closing = far > 0 ? (body.velocity[0] * dx + body.velocity[1] * dy) / far : 0;
  const bool there = far <= goal.near || far - goal.near / 2 < kSlides * std::max(0.0F, closing);
  const float angle = there ? straight : way(map, body, straight);
  if (goal.look != nullptr)
    urge.orientation = *goal.look;
  else
    urge.orientation = {std::cos(angle), std::sin(angle), 0};
  if (there) {
    steps_ = 0;
    jump_ = sprints_ = false;
    return urge;
  }
  if (!body.airborne && slides_off(map, body, angle)) return urge;
  urge.keys = keys_to(angle, std::atan2(urge.orientation[1], urge.orientation[0]));
  const Ahead near = look_ahead(map, body, angle, kAhead);
  if (goal.slow) urge.keys |= kSneak;
  const bool even = near == Ahead::kEven && look_ahead(map, body, angle, 2 * kAhead) == Ahead::kEven;
  sprints_ = goal.hurry && !goal.slow && (sprints_ || far > kSprintsFrom);
  if (sprints_ && even && (urge.keys & kForward) != 0) urge.keys |= kSprint;
  jump_ = near == Ahead::kJump && !body.airborne && !jump_;  // released between two jumps
  if (jump_) urge.keys |= kJump;
  return urge;
}

}  // namespace entente::aos
