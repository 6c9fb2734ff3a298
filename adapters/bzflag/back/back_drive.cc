// Our own tank where words steer it and no client of BZFlag does: its physics are ours. See back.h.
#include <cmath>

#include "adapters/bzflag/back/back.h"

namespace entente::bzflag {
namespace {

constexpr double kMouseThere = 1.7;  // metres: 30 of Ogar's units
constexpr double kMouseLate = 0.04;  // seconds: one of Ogar's ticks

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

/// From where it was at the last tick to now, and what hit it on the way.
void BackSession::drive(Outlet& out) {
  const auto step = own_.step(out.now());
  if (!step) return;
  if (own_.steering.claim() == nullptr && !own_.paused) steer(step->dt, out);
  if (own_.steering.trigger_held() && !own_.paused && is_loaded(out))
    fire_along(own_.steering.looking().value_or(own_.pose.yaw()), out);
  if (wish_ && !wish_->claims_deaths()) test_hits(step->was, core::state_of(own_.pose), step->since, out);
}

/// Of a mouse: it points at where its player sees the tank, which is where that was a moment ago.
double BackSession::dead_zone() const {
  if (!own_.steering.by_mouse()) return core::kReached;
  return kMouseThere + kMouseLate * std::hypot(own_.pose.vx(), own_.pose.vy());
}

void BackSession::steer(double dt, Outlet& out) {
  core::TankState now = core::state_of(own_.pose);
  const double jump = room_.jumping() ? variables_["_jumpVelocity"] : 0;
  own_.driver.drive(model(), own_.terrain, own_.steering, jump, dt, now, dead_zone());

  words::Pose& pose = own_.pose;
  const bool still = now.x == pose.x() && now.y == pose.y() && now.z == pose.z() && now.yaw == pose.yaw() &&
                     pose.vx() == 0 && pose.vy() == 0 && pose.yaw_rate() == 0;
  own_.posed = out.now();
  if (!still) {
    core::put(now, pose);
    pose.set_state(now.vz != 0 ? words::Pose::FALLING : 0);
    leash(pose);
    out.say(pose);
  }
  mind_error(out);
  if (own_.driver.has_aimed(now.yaw, out.now())) fire_along(now.yaw, out);
}

/// Others reckon where we are; they are told when they would be wrong.
void BackSession::mind_error(Outlet& out) {
  const words::Pose seen = own_.seen(out.now());
  const core::TankState here = core::state_of(own_.pose), there = core::state_of(seen);
  const bool wrong = core::strays(there, here) || core::strays_soon(there, here) || seen.state() != own_.pose.state();
  if (!wrong || own_.held) return;
  own_.pose.set_seq(++own_.order);
  own_.held = true;
}

}  // namespace entente::bzflag
