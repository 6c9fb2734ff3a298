#include "proxy/rules/past.h"

#include <algorithm>

#include "proxy/core/seconds.h"
#include "proxy/core/world.h"

namespace entente::rules {

Past::Told::Told(const words::Pose& pose, core::Micros told_at)
    : at(told_at),
      x(pose.x()),
      y(pose.y()),
      z(pose.z()),
      vx(pose.vx()),
      vy(pose.vy()),
      vz(pose.vz()),
      yaw(pose.yaw()),
      pitch(pose.pitch()),
      yaw_rate(pose.yaw_rate()),
      state(pose.state()) {}

Past::Told Past::Told::placed(core::Micros now) const {
  Told there = *this;
  const double gone = std::min(core::kDeadReckoningSeconds, core::seconds(at, now));
  there.x += vx * gone;
  there.y += vy * gone;
  there.z += vz * gone;
  there.yaw += yaw_rate * gone;
  return there;
}

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
  std::unique_ptr<Way>& way = ways_[pose.unit()];
  if (way == nullptr) way = std::make_unique<Way>();
  way->told[way->count++ % kKept] = {pose, at};
}

const Past::Told* Past::ask(core::Id unit, core::Micros then) {
  wanted_ = true;
  const auto way = ways_.find(unit);
  if (way == ways_.end()) return nullptr;
  const std::size_t count = way->second->count;
  for (std::size_t back = 1; back <= std::min(count, kKept); ++back) {
    const Told& told = way->second->told[(count - back) % kKept];
    if (told.at <= then) return &told;
  }
  return nullptr;
}

}  // namespace entente::rules
