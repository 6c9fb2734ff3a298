#include "proxy/core/leash.h"

#include <algorithm>
#include <cmath>

namespace entente::core {
namespace {

constexpr Micros kAstray = 500 * kMillisecond, kBetween = kSecond;
constexpr Micros kPutOff = 1;  // astray since so long ago that it is put there at the next look
/// Of a tank, in metres: a tile, and what it drives in the time it takes to tell.
constexpr double kLength = 25 + 7.5;

/// Where what lives is now.
std::optional<words::Pose> place_of(const UnitState* unit, Micros now) {
  if (unit == nullptr || !unit->unit.alive()) return std::nullopt;
  return place_at(unit->unit.pose(), unit->posed, now);
}

}  // namespace

bool Leash::pulls() const { return astray_since_ == kPutOff; }

std::optional<Micros> Leash::look(bool astray, Micros now) {
  if (!astray && !pulls()) {
    astray_since_ = 0;
    return std::nullopt;
  }
  if (astray_since_ == 0) astray_since_ = std::max(now, kPutOff + 1);
  const Micros due = astray_since_ + kAstray;
  return now < due ? due : pull(now);
}

Micros Leash::pull(Micros now) {
  const Micros due = put_at_ + kBetween;
  if (now >= due) return now;
  if (astray_since_ == 0) astray_since_ = kPutOff;
  return due;
}

void OwnTank::said(const words::Pose& pose, Micros now) {
  pose_ = pose;
  posed_ = now;
}

void OwnTank::put(const words::Pose& pose, Micros now) {
  pose_ = pose;
  posed_ = 0;
  leash_.put(now);
}

words::Pose OwnTank::place(Micros now) const { return posed_ != 0 ? place_at(pose_, posed_, now) : pose_; }

std::optional<words::Pose> OwnTank::look(const UnitState* truth, FrontOut& out) {
  const auto there = place_of(truth, out.now());
  if (!there || (posed_ == 0 && !leash_.pulls())) return std::nullopt;
  const words::Pose here = place(out.now());
  const bool near = std::hypot(there->x() - here.x(), there->y() - here.y()) <= kLength;  // not who is nowhere
  const auto due = leash_.look(!near, out.now());
  if (due && out.now() >= *due) return there;
  if (due) out.wake(*due);
  return std::nullopt;
}

std::optional<words::Pose> OwnTank::pull(const UnitState* truth, FrontOut& out) {
  const auto there = place_of(truth, out.now());
  if (!there) return std::nullopt;
  const Micros due = leash_.pull(out.now());
  if (out.now() >= due) return there;
  out.wake(due);
  return std::nullopt;
}

}  // namespace entente::core
