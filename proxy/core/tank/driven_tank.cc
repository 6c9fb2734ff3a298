#include "proxy/core/tank/driven_tank.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace entente::core {

void DrivenTank::begin(const words::Pose& place, Micros now) {
  alive = true;
  asked = held = false;
  pose = sent = place;
  posed = sent_at = driven = now;
  steering.stop();
  driver.drop_aim();
}

void DrivenTank::end() {
  alive = asked = held = false;
  steering.stop();
}

void DrivenTank::told(const words::Pose& place, Micros now) {
  held = false;
  sent = place;
  sent_at = now;
}

void DrivenTank::claimed(const words::Pose& place, Micros now) {
  pose = place;
  posed = now;
  held = true;
}

std::optional<DrivenTank::Step> DrivenTank::step(Micros now) {
  if (!alive || now <= driven) return std::nullopt;
  const Micros since = std::exchange(driven, now);
  return Step{since, std::min(0.2, static_cast<double>(now - since) / kSecond), state_of(pose)};
}

void keep_within(words::Pose& pose, double most, double edge) {
  const double speed = std::hypot(pose.vx(), pose.vy());
  if (speed > most) {
    pose.set_vx(pose.vx() * most / speed);
    pose.set_vy(pose.vy() * most / speed);
  }
  pose.set_x(std::clamp(pose.x(), -edge, edge));
  pose.set_y(std::clamp(pose.y(), -edge, edge));
}

}  // namespace entente::core
