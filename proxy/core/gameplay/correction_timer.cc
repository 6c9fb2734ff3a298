#include "proxy/core/gameplay/correction_timer.h"

#include <algorithm>
#include <cmath>

namespace entente::core {
namespace {

constexpr Micros kAstray = 500 * kMillisecond, kBetween = kSecond;
/// Metres that a tank may be away from its true place: a tile, plus the distance that it drives until the client is
/// corrected.
constexpr double kLength = 25 + 7.5;
constexpr double kThere = 2.5;  // metres: a client this near has carried out the correction and drives on

/// Where a unit is now, if it is alive.
std::optional<words::Pose> place_of(const UnitState* unit, Micros now) {
  if (unit == nullptr || !unit->unit.alive()) return std::nullopt;
  return place_at(unit->unit.pose(), unit->posed_at, now);
}

/// The place, if the time has come. Otherwise asks for a tick then.
std::optional<words::Pose> when(std::optional<Micros> due, const words::Pose& place, FrontOut& out) {
  if (due && out.now() >= *due) return place;
  if (due) out.wake(*due);
  return std::nullopt;
}

}  // namespace

std::optional<Micros> CorrectionTimer::look(bool astray, Micros now) {
  if (!astray) astray_since_ = 0;
  if (forced_) return force(now);
  if (!astray) return std::nullopt;
  if (astray_since_ == 0) astray_since_ = now;
  return std::max({now, astray_since_ + kAstray, put_at_ + kBetween});
}

Micros CorrectionTimer::force(Micros now) {
  const Micros due = put_at_ + kBetween;
  forced_ = now < due;
  return std::max(now, due);
}

void OwnTank::claimed(const words::Pose& pose, Micros now) {
  pose_ = pose;
  posed_ = now;
}

void OwnTank::put(const words::Pose& pose, Micros now) {
  pose_ = pose;
  posed_ = 0;
  revives_ = false;
  timer_.put(now);
}

words::Pose OwnTank::place(Micros now) const { return posed_ != 0 ? place_at(pose_, posed_, now) : pose_; }

std::optional<words::Pose> OwnTank::look(const UnitState* truth, FrontOut& out) {
  const auto there = place_of(truth, out.now());
  if (!there || (posed_ == 0 && !timer_.forced())) return std::nullopt;
  const words::Pose here = place(out.now());
  const double off = std::hypot(there->x() - here.x(), there->y() - here.y());
  if (posed_ != 0 && off <= kThere && !revives_) timer_.forget_forced();
  const bool near = off <= kLength;  // false for NaN
  return when(timer_.look(!near, out.now()), *there, out);
}

std::optional<words::Pose> OwnTank::force(const UnitState* truth, FrontOut& out) {
  const auto there = place_of(truth, out.now());
  if (!there) return std::nullopt;
  return when(timer_.force(out.now()), *there, out);
}

std::optional<words::Pose> OwnTank::revive(const UnitState* truth, FrontOut& out) {
  const auto there = force(truth, out);
  revives_ = timer_.forced();
  return there;
}

}  // namespace entente::core
