#include "proxy/core/tank/tank_driver.h"

#include <cmath>

namespace entente::core {
namespace {

constexpr Micros kAimsFor = 5 * kSecond;  // a tank turns around in four seconds
constexpr double kLooksThere = 0.03;      // radians
constexpr double kPlaceError = 0.09, kAngleError = 0.05, kVelocityError = 0.5;

}  // namespace

Controls follow(const TankModel& model, const TankState& tank, const Steering& steering, double jump, double dt,
                double near) {
  const Course course = steering.course(tank.x, tank.y, near);
  const double dx = course.x - tank.x, dy = course.y - tank.y;
  Controls controls;
  if (course.kind == Course::Kind::kGoTo)
    controls = steer_to(model, tank, course.x, course.y, course.speed, dt);
  else if (course.yaw)
    controls = turn_to(model, tank, *course.yaw, dt);
  else if (steering.by_mouse() && std::hypot(dx, dy) > kReached)  // too near to drive there, but it turns that way
    controls = turn_to(model, tank, std::atan2(dy, dx), dt);
  if (course.jump) controls.jump = jump;
  return controls;
}

void TankDriver::aim(double yaw, Micros now) {
  aim_ = yaw;
  aim_until_ = now + kAimsFor;
}

bool TankDriver::has_aimed(double yaw, Micros now) {
  if (!aim_) return false;
  const bool there = std::abs(wrap_angle(*aim_ - yaw)) < kLooksThere;
  if (!there && now <= aim_until_) return false;
  aim_.reset();
  return true;
}

void TankDriver::drive(const TankModel& model, const Terrain& terrain, const Steering& steering, double jump, double dt,
                       TankState& tank, double near) const {
  Controls controls = follow(model, tank, steering, jump, dt, near);
  if (aim_) controls = {0, turn_to(model, tank, *aim_, dt).turn, controls.jump};
  core::drive(model, terrain, controls, dt, tank);
}

bool strays(const TankState& seen, const TankState& is) {
  return std::hypot(seen.x - is.x, seen.y - is.y, seen.z - is.z) > kPlaceError ||
         std::abs(wrap_angle(seen.yaw - is.yaw)) > kAngleError;
}

bool strays_soon(const TankState& seen, const TankState& is) {
  return std::hypot(seen.vx - is.vx, seen.vy - is.vy) > kVelocityError;
}

}  // namespace entente::core
