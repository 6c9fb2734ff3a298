#include "proxy/core/tank/tank_control.h"

#include <algorithm>

#include "proxy/core/drops.h"
#include "proxy/core/seconds.h"

namespace entente::core {

void TankControl::shoot(const Shooting& shooting, BackOut& out) {
  const MappingLine* why = tank_.may_act() ? why_not_shoot() : &drops::kFireNotInPlay;
  if (why != nullptr) return refuse_shot(shooting, state_.me, *why, out);
  if (shooting.fire != nullptr && state_.client_decides()) {
    const auto number = free_shot(shooting.fire->shot(), out);
    if (!number) return refuse_shot(shooting, state_.me, drops::kReloading, out);
    hits_.fired(shooting.fire->shot(), *number);
    return fire(*shooting.fire, *number, out);
  }
  const double yaw = shooting.yaw.value_or(tank_.pose.yaw());
  if (tank_.steering.claim() != nullptr) return pull(yaw, out);  // its own client has turned it
  tank_.driver.aim(yaw, out.now());
  drive(out);
}

void TankControl::pull(double yaw, BackOut& out) {
  const auto number = free_shot(std::nullopt, out);
  if (!number) return out.drop(drops::kReloading);
  hits_.fired(*number, *number);
  fire_along(yaw, place_at(tank_.pose, tank_.posed_at, out.now(), 0.2), *number, out);
}

void TankControl::fire_gun(std::uint8_t gun, double life, BackOut& out) {
  const auto reloads = static_cast<Micros>(sane_life(life) * 0.95e6);
  guns_.fire(gun, out.now() + reloads);
  held_fires_at_ = out.now() + reloads / std::max<Micros>(1, state_.room.most_shots());
}

void TankControl::drive(BackOut& out) {
  const auto step = tank_.step(out.now());
  if (!step) return;
  const bool claims = tank_.steering.claim() != nullptr, paused = tank_.may_be_paused();
  if (!claims && !paused) steer(step->dt, out);
  const bool next = out.now() >= held_fires_at_ && (claims || !tank_.driver.aims()) && loaded(GunReloads::kAny, out);
  if (tank_.steering.trigger_held() && !paused && next) pull(tank_.steering.looking().value_or(tank_.pose.yaw()), out);
  hits_.test(*step, out);
}

void TankControl::steer(double dt, BackOut& out) {
  TankState now = state_of(tank_.pose);
  tank_.driver.drive(tank_.model(), tank_.terrain, tank_.steering, tank_.jump(), dt, now, tank_.near());
  tank_.posed_at = out.now();
  tank_.drove(now, out);
  if (tank_.driver.has_aimed(now.yaw, out.now())) pull(now.yaw, out);
}

}  // namespace entente::core
