#include "proxy/rules/past.h"

#include <algorithm>

namespace entente::rules {

void Past::hear(const core::Fact& fact) {
  if (const auto* pose = core::as<words::Pose>(fact)) return keep(*pose, fact.at);
  if (const auto* corrected = core::as<words::Corrected>(fact)) return keep(corrected->pose(), fact.at);
  if (const auto* gone = core::as<words::Gone>(fact)) ways_.erase(gone->unit());
  if (const auto* spawned = core::as<words::Spawned>(fact)) {
    ways_.erase(spawned->unit());  // before it spawned, it was nowhere
    keep(spawned->pose(), fact.at);
  }
}

void Past::keep(const words::Pose& pose, core::Micros at) {
  if (ways_.size() >= kMostUnits && !ways_.contains(pose.unit())) ways_.clear();
  Way& way = ways_[pose.unit()];
  way.told[way.count++ % kKept] = {at, pose};
}

const Past::Told* Past::ask(core::Id unit, core::Micros then) {
  wanted_ = true;
  const auto way = ways_.find(unit);
  if (way == ways_.end()) return nullptr;
  const std::size_t count = way->second.count;
  for (std::size_t back = 1; back <= std::min(count, kKept); ++back) {
    const Told& told = way->second.told[(count - back) % kKept];
    if (told.at <= then) return &told;
  }
  return nullptr;
}

}  // namespace entente::rules
