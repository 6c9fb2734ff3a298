// Smooth movement of a unit that its server moves by whole tiles. A viewer sees it glide from where it was seen to
// where it is, in the time that its last move took.
// Invariant: never more than two tiles behind; beyond that it jumps. A unit with a velocity is shown where dead
// reckoning puts it.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "proxy/core/seconds.h"
#include "proxy/core/world.h"

namespace entente::core {

class TileInterpolator {
 public:
  struct Point {
    double x, y;  ///< metres
  };

  /// Where to show a unit that was reported at `pose` at `posed_at`.
  Point at(const words::Pose& pose, Micros posed_at, Micros now) {
    if (pose.vx() != 0 || pose.vy() != 0) {
      const double on = std::min(kDeadReckoningSeconds, seconds(posed_at, now));
      rest({pose.x() + pose.vx() * on, pose.y() + pose.vy() * on}, posed_at);
      return to_;
    }
    const Point target{pose.x(), pose.y()};
    if (!known_) rest(target, {});
    if (target.x != to_.x || target.y != to_.y) move(target, posed_at, now);
    const Point shown = along(now);
    const double dx = target.x - shown.x, dy = target.y - shown.y;
    if (!(dx * dx + dy * dy > kMostBehind * kMostBehind)) return shown;
    rest(target, posed_at);
    return target;
  }

  /// Its velocity from where it was last seen, in metres per second, and until when; 0 once it has arrived.
  struct Motion {
    double vx = 0, vy = 0;
    Micros until = 0;
  };
  Motion motion(Micros now) const {
    if (takes_ == 0 || now >= began_ + takes_) return {};
    const double seconds = static_cast<double>(takes_) / static_cast<double>(kSecond);
    return {(to_.x - from_.x) / seconds, (to_.y - from_.y) / seconds, began_ + takes_};
  }

  /// The unit was teleported: the next at() shows it at its new place at once.
  void jump() { known_ = false; }

 private:
  static constexpr double kMostBehind = 50;  // metres: two tiles of a world of 800

  void rest(Point point, std::optional<Micros> moved) {
    known_ = true;
    from_ = to_ = point;
    takes_ = 0;
    moved_ = moved;
  }
  void move(Point target, Micros posed_at, Micros now) {
    from_ = along(now);
    to_ = target;
    began_ = now;
    takes_ = moved_ ? std::min(kSecond, posed_at - std::min(posed_at, *moved_)) : kSecond;
    moved_ = posed_at;
  }
  Point along(Micros now) const {
    if (takes_ == 0 || now >= began_ + takes_) return to_;
    const double fraction = static_cast<double>(now - began_) / static_cast<double>(takes_);
    return {std::lerp(from_.x, to_.x, fraction), std::lerp(from_.y, to_.y, fraction)};
  }

  bool known_ = false;
  Point from_{}, to_{};
  Micros began_ = 0, takes_ = 0;
  std::optional<Micros> moved_;  // when it last moved, if known
};

}  // namespace entente::core
