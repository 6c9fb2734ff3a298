#include "proxy/core/gameplay/nearest_pellets.h"

#include <algorithm>
#include <cmath>

namespace entente::core {
namespace {

constexpr double kReach = 150;  // metres: more than a small player sees

}  // namespace

void NearestPellets::mark_changed(FrontOut& out) {
  changed_ = true;
  out.wake(next_look_);
}

bool NearestPellets::refresh(const UnitState* me, FrontOut& out, std::size_t most_new) {
  if (!changed_) return false;
  if (out.now() < next_look_) {
    out.wake(next_look_);
    return false;
  }
  changed_ = me != nullptr && look(out.world(), me->unit.pose().x(), me->unit.pose().y(), most_new);
  if (!changed_) return false;
  next_look_ = out.now() + kEvery;
  out.wake(next_look_);
  return true;
}

void NearestPellets::clear() {
  shown_.clear();
  changed_ = true;
  next_look_ = 0;
}

bool NearestPellets::look(const WorldState& world, double x, double y, std::size_t most_new) {
  near_.clear();
  world.in_box(x - kReach, x + kReach, y - kReach, y + kReach, [&](const UnitState& state) {
    const words::Unit& unit = state.unit;
    if (unit.kind() == words::Unit::PELLET)
      near_.push_back({std::hypot(unit.pose().x() - x, unit.pose().y() - y), unit.id()});
  });
  const bool any = !near_.empty();
  std::sort(near_.begin(), near_.end(),
            [](const Pellet& a, const Pellet& b) { return a.far != b.far ? a.far < b.far : a.unit < b.unit; });
  near_.resize(std::min(near_.size(), kMost));

  come_.clear();
  kept_.clear();
  for (const Pellet& pellet : near_) {
    if (holds(pellet.unit))
      kept_.push_back(pellet.unit);
    else if (come_.size() < most_new)
      come_.push_back(pellet.unit);
  }
  std::sort(kept_.begin(), kept_.end());
  gone_.clear();
  std::set_difference(shown_.begin(), shown_.end(), kept_.begin(), kept_.end(), std::back_inserter(gone_));
  kept_.insert(kept_.end(), come_.begin(), come_.end());
  std::sort(kept_.begin(), kept_.end());
  shown_.swap(kept_);
  return any || !gone_.empty();
}

bool NearestPellets::holds(Id unit) const { return std::binary_search(shown_.begin(), shown_.end(), unit); }

}  // namespace entente::core
