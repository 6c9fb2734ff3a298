#include "proxy/core/gameplay/steering.h"

#include <cmath>
#include <numbers>

namespace entente::core {
namespace {

constexpr double kFar = 1000;  // metres: a held key means a goal far away

Course to(double x, double y, double from_x, double from_y, double near) {
  Course course;
  course.x = x;
  course.y = y;
  const double far = std::hypot(x - from_x, y - from_y);
  course.kind = far > near ? Course::Kind::kGoTo : Course::Kind::kStay;
  return course;
}

Course by_keys(const words::Keys& keys, double x, double y) {
  using words::Keys;
  const auto pressed = [&](Keys::Bit bit) { return (keys.bits() & static_cast<unsigned>(bit)) != 0 ? 1 : 0; };
  const int ahead = pressed(Keys::FORWARD) - pressed(Keys::BACKWARD);
  const int left = pressed(Keys::LEFT) - pressed(Keys::RIGHT);
  Course course;
  if (ahead != 0 || left != 0) {
    const double way = keys.yaw() + std::atan2(left, ahead);
    course = to(x + kFar * std::cos(way), y + kFar * std::sin(way), x, y, 0);
  }
  course.speed = pressed(Keys::SNEAK) || pressed(Keys::CROUCH) ? 0.5 : 1;
  course.yaw = keys.yaw();
  course.jump = pressed(Keys::JUMP) != 0;
  return course;
}

Course by_claim(const words::PoseClaim& claim) {
  Course course;
  course.kind = Course::Kind::kBe;
  course.x = claim.x();
  course.y = claim.y();
  course.yaw = claim.yaw();
  return course;
}

}  // namespace

bool Steering::hear(const Intent& intent) {
  return std::visit(
      Overloaded{[&](const words::Step& word) { return wish_ = word, true; },
                 [&](const words::Toward& word) { return wish_ = word, true; },
                 [&](const words::Keys& word) { return wish_ = word, true; },
                 [&](const words::PoseClaim& word) { return wish_ = word, true; }, [](const auto&) { return false; }},
      intent.content);
}

Course Steering::course(double x, double y, double near) const {
  return std::visit(Overloaded{[](std::monostate) { return Course{}; },
                               [&](const words::Step& step) { return to(step.x(), step.y(), x, y, near); },
                               [&](const words::Toward& word) { return to(word.x(), word.y(), x, y, near); },
                               [&](const words::Keys& keys) { return by_keys(keys, x, y); },
                               [](const words::PoseClaim& claim) { return by_claim(claim); }},
                    wish_);
}

const words::PoseClaim* Steering::claim() const { return std::get_if<words::PoseClaim>(&wish_); }

std::optional<Shooting> Steering::shooting(const Intent& intent, double x, double y) {
  if (const auto* fire = as<words::Fire>(intent)) {
    Shooting shot;
    shot.fire = fire;
    if (fire->vx() != 0 || fire->vy() != 0) {
      shot.yaw = std::atan2(fire->vy(), fire->vx());
      shot.pitch = std::atan2(fire->vz(), std::hypot(fire->vx(), fire->vy()));
    }
    return shot;
  }
  Shooting straight_on;
  straight_on.yaw = looking();
  if (as<words::Split>(intent) || as<words::Eject>(intent)) {
    if (by_mouse()) straight_on.yaw = pointing(x, y);
    return straight_on;
  }
  if (const auto* trigger = as<words::Trigger>(intent)) {
    const bool was = std::exchange(trigger_, trigger->primary());
    if (trigger_ && !was) return straight_on;
  }
  return std::nullopt;
}

std::optional<double> Steering::looking() const {
  if (const auto* keys = std::get_if<words::Keys>(&wish_)) return keys->yaw();
  if (const auto* pose = claim()) return pose->yaw();
  return std::nullopt;
}

/// The direction of the mouse; nothing if it is at the unit.
std::optional<double> Steering::pointing(double x, double y) const {
  const auto* goal = std::get_if<words::Toward>(&wish_);
  if (goal == nullptr || !(std::hypot(goal->x() - x, goal->y() - y) > kReached)) return std::nullopt;
  return std::atan2(goal->y() - y, goal->x() - x);
}

double wrap_angle(double angle) {
  const double turn = 2 * std::numbers::pi;
  const double in_turn = std::fmod(angle + std::numbers::pi, turn);
  return (in_turn < 0 ? in_turn + turn : in_turn) - std::numbers::pi;
}

}  // namespace entente::core
