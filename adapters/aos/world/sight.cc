#include "adapters/aos/world/sight.h"

#include <cmath>
#include <limits>

#include "adapters/aos/wire/conversions.h"

namespace entente::aos {
namespace {

constexpr float kNever = std::numeric_limits<float>::infinity();

/// A part of a player: half its width, and the range of its height below the eyes. The boxes are those of real clients,
/// without the arms, which move.
struct Piece {
  Part part;
  float half_width, top, bottom;
};
constexpr Piece kStanding[] = {
    {Part::kHead, 0.3F, -0.4F, 0.2F}, {Part::kTorso, 0.35F, 0.2F, 1.05F}, {Part::kLegs, 0.3F, 1.05F, 2.25F}};
constexpr Piece kCrouching[] = {
    {Part::kHead, 0.3F, -0.4F, 0.2F}, {Part::kTorso, 0.4F, 0.2F, 0.85F}, {Part::kLegs, 0.35F, 0.85F, 1.35F}};

/// Where a ray enters and leaves the span from `low` to `high` of one axis.
struct Span {
  float in, out;
};
Span span(float from, float direction, float low, float high) {
  if (direction == 0) return from >= low && from <= high ? Span{-kNever, kNever} : Span{kNever, -kNever};
  const float a = (low - from) / direction, b = (high - from) / direction;
  return {std::min(a, b), std::max(a, b)};
}

std::optional<float> meets_box(const Vec3& from, const Vec3& direction, const Vec3& low, const Vec3& high) {
  float in = 0, out = kNever;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Span part = span(from[axis], direction[axis], low[axis], high[axis]);
    in = std::max(in, part.in);
    out = std::min(out, part.out);
  }
  return in <= out ? std::optional(in) : std::nullopt;
}

bool is_solid(const VoxelMap& map, const std::array<int, 3>& cell) {
  if (cell[2] < 0) return false;
  return map.solid(static_cast<std::uint32_t>(cell[0]), static_cast<std::uint32_t>(cell[1]),
                   static_cast<std::uint32_t>(cell[2]));
}

bool inside(const std::array<int, 3>& cell) {
  constexpr int kSide = kMapSize, kDepth = kMapHeight;
  return cell[0] >= 0 && cell[0] < kSide && cell[1] >= 0 && cell[1] < kSide && cell[2] < kDepth;
}

}  // namespace

/// Steps from one voxel border to the next.
float clear_way(const VoxelMap& map, const Vec3& from, const Vec3& direction, float most) {
  constexpr float kFarAway = 4096;
  for (const float c : from)
    if (!(std::abs(c) < kFarAway)) return 0;
  if (!is_finite(direction)) return 0;
  std::array<int, 3> cell{}, way{};
  std::array<float, 3> next{}, apart{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const float d = direction[axis], floor = std::floor(from[axis]);
    cell[axis] = static_cast<int>(floor);
    way[axis] = d > 0 ? 1 : -1;
    apart[axis] = d == 0 ? kNever : 1 / std::abs(d);
    next[axis] = d == 0 ? kNever : (d > 0 ? floor + 1 - from[axis] : from[axis] - floor) * apart[axis];
  }
  for (float gone = 0; gone < most;) {
    if (!inside(cell) || is_solid(map, cell)) return gone;
    const std::size_t axis = next[0] <= next[1] ? (next[0] <= next[2] ? 0 : 2) : (next[1] <= next[2] ? 1 : 2);
    if (next[axis] == kNever) return most;  // no direction at all
    gone = next[axis];
    next[axis] += apart[axis];
    cell[axis] += way[axis];
  }
  return most;
}

std::optional<Met> meets(const Vec3& from, const Vec3& direction, const Vec3& eyes, bool crouching) {
  std::optional<Met> first;
  for (const Piece& piece : crouching ? kCrouching : kStanding) {
    const Vec3 low = {eyes[0] - piece.half_width, eyes[1] - piece.half_width, eyes[2] + piece.top};
    const Vec3 high = {eyes[0] + piece.half_width, eyes[1] + piece.half_width, eyes[2] + piece.bottom};
    const auto at = meets_box(from, direction, low, high);
    if (at && (!first || *at < first->distance)) first = Met{*at, piece.part};
  }
  return first;
}

Vec3 towards(const Vec3& from, const Vec3& to) {
  const Vec3 way = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
  const float far = std::sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
  if (!(far > 0) || !std::isfinite(far)) return {1, 0, 0};
  return {way[0] / far, way[1] / far, way[2] / far};
}

}  // namespace entente::aos
