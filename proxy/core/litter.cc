#include "proxy/core/litter.h"

#include <algorithm>
#include <cmath>

namespace entente::core {
namespace {

constexpr double kReach = 150;  // metres: more than a small player sees

}  // namespace

void Litter::stir(FrontOut& out) {
  stirred_ = true;
  out.wake(next_look_);
}

bool Litter::look_about(const UnitState* me, FrontOut& out, std::size_t most_new) {
  if (!stirred_) return false;
  if (out.now() < next_look_) {
    out.wake(next_look_);
    return false;
  }
  stirred_ = me != nullptr && look(out.world(), me->unit.pose().x(), me->unit.pose().y(), most_new);
  if (!stirred_) return false;
  next_look_ = out.now() + kEvery;
  out.wake(next_look_);
  return true;
}

void Litter::clear() {
  shown_.clear();
  stirred_ = true;
  next_look_ = 0;
}

bool Litter::look(const World& world, double x, double y, std::size_t most_new) {
  near_.clear();
  world.in_box(x - kReach, x + kReach, y - kReach, y + kReach, [&](const UnitState& state) {
    const words::Unit& unit = state.unit;
    if (unit.kind() == words::Unit::PELLET)
      near_.push_back({std::hypot(unit.pose().x() - x, unit.pose().y() - y), unit.id()});
  });
  const bool any = !near_.empty();
  std::sort(near_.begin(), near_.end(),
            [](const Thing& a, const Thing& b) { return a.far != b.far ? a.far < b.far : a.unit < b.unit; });
  near_.resize(std::min(near_.size(), kMost));

  come_.clear();
  kept_.clear();
  for (const Thing& thing : near_) {
    if (holds(thing.unit))
      kept_.push_back(thing.unit);
    else if (come_.size() < most_new)
      come_.push_back(thing.unit);
  }
  std::sort(kept_.begin(), kept_.end());
  gone_.clear();
  std::set_difference(shown_.begin(), shown_.end(), kept_.begin(), kept_.end(), std::back_inserter(gone_));
  kept_.insert(kept_.end(), come_.begin(), come_.end());
  std::sort(kept_.begin(), kept_.end());
  shown_.swap(kept_);
  return any || !gone_.empty();
}

bool Litter::holds(Id unit) const { return std::binary_search(shown_.begin(), shown_.end(), unit); }

}  // namespace entente::core
