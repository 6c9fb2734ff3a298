#include "adapters/aos/front/floor_marks.h"

#include <algorithm>
#include <cmath>

namespace entente::aos {
namespace {

constexpr core::Micros kLookEvery = 250 * core::kMillisecond;
constexpr double kMarkReach = 80;        // metres around our client
constexpr double kLargestDisc = 4;       // radius in blocks
constexpr std::size_t kMostMarks = 128;  // units that are drawn
constexpr std::uint32_t kMarkZ = 62;     // z

}  // namespace

void FloorMarks::look(FrontOut& out) {
  if (out.now() < look_at_ || map_.given() || same_game(out)) return;
  look_at_ = out.now() + kLookEvery;
  choose(out);
  std::size_t left = kBlocksALook;
  for (auto at = shown_.begin(); at != shown_.end() && left > 0;) {
    const auto keep = wanted_.find(at->first);
    if (keep != wanted_.end() && keep->second == at->second) {
      ++at;
      continue;
    }
    --left;
    const Cell cell = at->first;
    if (keep != wanted_.end()) {
      at->second = keep->second;
      ++at;
      paint(cell, keep->second, out);
    } else {
      at = shown_.erase(at);
      paint(cell, map_.colour(cell % kMapSize, cell / kMapSize, kMarkZ) & 0xffffffU, out);
    }
  }
  for (const auto& [cell, colour] : wanted_) {
    if (left == 0) return;
    if (!shown_.emplace(cell, colour).second) continue;
    --left;
    paint(cell, colour, out);
  }
}

/// Fills wanted_ with the blocks of what is near.
void FloorMarks::choose(FrontOut& out) {
  wanted_.clear();
  near_.clear();
  const core::UnitState* me = out.world().unit(players_.own().unit);
  if (me == nullptr) return;
  const double x = me->unit.pose().x(), y = me->unit.pose().y();
  out.world().in_box(x - kMarkReach, x + kMarkReach, y - kMarkReach, y + kMarkReach, [&](const core::UnitState& state) {
    const words::Pose& pose = state.unit.pose();
    if (is_on_floor(state.unit) && state.unit.alive())
      near_.push_back({std::hypot(pose.x() - x, pose.y() - y), state.unit.id()});
  });
  const std::size_t most = std::min(near_.size(), kMostMarks);
  std::partial_sort(near_.begin(), near_.begin() + static_cast<std::ptrdiff_t>(most), near_.end(),
                    [](const Mark& a, const Mark& b) { return a.far != b.far ? a.far < b.far : a.unit < b.unit; });
  for (std::size_t i = 0; i < most; ++i) draw(out.world().unit(near_[i].unit)->unit);
}

/// Adds the floor's blocks whose middle is under the unit, or the one under its middle.
void FloorMarks::draw(const words::Unit& unit) {
  const Block middle = block_at({unit.pose().x(), unit.pose().y(), 0});
  const bool disc = unit.kind() == words::Unit::VIRUS || unit.kind() == words::Unit::MOTHER;
  const double radius = disc ? std::clamp(unit.radius() / kMetresPerBlock, 0.0, kLargestDisc) : 0;
  const int reach = static_cast<int>(radius);
  for (int dy = -reach; dy <= reach; ++dy)
    for (int dx = -reach; dx <= reach; ++dx) {
      const int x = middle[0] + dx, y = middle[1] + dy;
      if (std::hypot(dx, dy) > radius || !in_map({x, y, static_cast<int>(kMarkZ)})) continue;
      const auto column = static_cast<std::uint32_t>(x), row = static_cast<std::uint32_t>(y);
      if (map_.map().top(column, row) != kMarkZ || wanted_.size() >= kMostBlocks) continue;
      wanted_.emplace(row * kMapSize + column, unit.colour() & 0xffffffU);
    }
}

void FloorMarks::paint(Cell cell, std::uint32_t colour, FrontOut& out) {
  edits_.show_world_colour(colour, out);
  const Block at = {static_cast<int>(cell % kMapSize), static_cast<int>(cell / kMapSize), static_cast<int>(kMarkZ)};
  client_.send(BlockAction{kWorldId, kBuild, at}, out);
}

}  // namespace entente::aos
