// Our own tank where words steer it and no client of BZFlag does: its physics are ours. See back.h.
#include <cmath>

#include "adapters/bzflag/back.h"

namespace entente::bzflag {
namespace {

/// What others may see wrong before they are told (_positionTolerance, _angleTolerance at v2.4.26), and a change of
/// velocity that soon makes it so.
constexpr double kPlaceError = 0.09, kAngleError = 0.05, kVelocityError = 0.5;

constexpr double kLooksThere = 0.03;               // radians
constexpr double kThere = 0.5, kMouseThere = 1.7;  // metres: 30 of Ogar's units
constexpr double kMouseLate = 0.04;                // seconds: one of Ogar's ticks

}  // namespace

core::TankModel BackSession::model() const {
  core::TankModel model;
  const auto sane = [&](const char* name, double least, double most) {
    return std::clamp<double>(variables_[name], least, most);
  };
  model.length = sane("_tankLength", 0.1, 100);
  model.width = sane("_tankWidth", 0.1, 100);
  model.height = sane("_tankHeight", 0.1, 100);
  model.speed = sane("_tankSpeed", 0.1, 500);
  model.turn_rate = sane("_tankAngVel", 0.01, 50);
  model.gravity = -variables_["_gravity"];
  model.climb = variables_["_maxBumpHeight"];
  return model;
}

core::TankState BackSession::state() const {
  const words::Pose& pose = own_.pose;
  return {pose.x(), pose.y(), pose.z(), pose.vx(), pose.vy(), pose.vz(), pose.yaw(), pose.yaw_rate()};
}

/// From where it was at the last tick to now, and what hit it on the way.
void BackSession::drive(Outlet& out) {
  if (!own_.alive || out.now() <= driven_) return;
  const core::Micros since = std::exchange(driven_, out.now());
  const double dt = std::min(0.2, static_cast<double>(driven_ - since) / core::kSecond);
  const core::TankState was = state();
  if (steering_.claim() == nullptr && !own_.paused) steer(dt, out);
  if (steering_.trigger_held() && !own_.paused) fire_along(steering_.looking().value_or(own_.pose.yaw()), out);
  if (wish_ && !wish_->claims_deaths()) test_hits(was, state(), since, out);
}

/// Of a mouse: it points at where its player sees the tank, which is where that was a moment ago.
double BackSession::dead_zone() const {
  if (!steering_.by_mouse()) return kThere;
  return kMouseThere + kMouseLate * std::hypot(own_.pose.vx(), own_.pose.vy());
}

void BackSession::steer(double dt, Outlet& out) {
  const core::TankModel tank = model();
  core::TankState now = state();
  const core::Course course = steering_.course(now.x, now.y, dead_zone());
  const double dx = course.x - now.x, dy = course.y - now.y;
  core::Controls controls;
  if (aim_)
    controls = core::turn_to(tank, now, *aim_, dt);
  else if (course.kind == core::Course::Kind::kGoTo)
    controls = core::steer_to(tank, now, course.x, course.y, course.speed, dt);
  else if (course.yaw)
    controls = core::turn_to(tank, now, *course.yaw, dt);
  else if (steering_.by_mouse() && std::hypot(dx, dy) > kThere)  // too near to drive there, but that way it looks
    controls = core::turn_to(tank, now, std::atan2(dy, dx), dt);
  if (course.jump && room_.jumping()) controls.jump = variables_["_jumpVelocity"];
  core::drive(tank, terrain_, controls, dt, now);

  words::Pose& pose = own_.pose;
  const bool still = now.x == pose.x() && now.y == pose.y() && now.z == pose.z() && now.yaw == pose.yaw() &&
                     pose.vx() == 0 && pose.vy() == 0 && pose.yaw_rate() == 0;
  own_.posed = out.now();
  if (!still) {
    pose.set_x(now.x);
    pose.set_y(now.y);
    pose.set_z(now.z);
    pose.set_vx(now.vx);
    pose.set_vy(now.vy);
    pose.set_vz(now.vz);
    pose.set_yaw(now.yaw);
    pose.set_yaw_rate(now.yaw_rate);
    pose.set_state(now.vz != 0 ? words::Pose::FALLING : 0);
    leash(pose);
    out.say(pose);
  }
  mind_error(out);
  if (aim_ && (std::abs(core::wrap_angle(*aim_ - now.yaw)) < kLooksThere || out.now() > aim_until_)) {
    aim_.reset();
    fire_along(now.yaw, out);
  }
}

/// Others reckon where we are; they are told when they would be wrong.
void BackSession::mind_error(Outlet& out) {
  const words::Pose seen = core::place_at(own_.sent, own_.sent_at, out.now(), 10);
  const words::Pose& here = own_.pose;
  const bool wrong = std::hypot(seen.x() - here.x(), seen.y() - here.y(), seen.z() - here.z()) > kPlaceError ||
                     std::abs(core::wrap_angle(seen.yaw() - here.yaw())) > kAngleError ||
                     std::hypot(seen.vx() - here.vx(), seen.vy() - here.vy()) > kVelocityError ||
                     seen.state() != here.state();
  if (!wrong || own_.held) return;
  own_.pose.set_seq(++own_.order);
  own_.held = true;
}

}  // namespace entente::bzflag
