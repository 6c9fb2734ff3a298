#include "adapters/bzdraft/back/own_shots.h"

namespace entente::bzdraft {
namespace {

// The draft has no values, so these are BZFlag's.
constexpr core::Muzzle kMuzzle{4.42, 1.57};

}  // namespace

std::optional<std::uint16_t> OwnShots::free_shot(std::optional<std::uint32_t> wished, BackOut& out) {
  return loaded(wished.value_or(core::GunReloads::kAny), out);
}

void OwnShots::fire(const words::Fire& fire, std::uint16_t number, BackOut& out) {
  ShotBegin begin;
  begin.position = triple(fire.x(), fire.y(), fire.z());
  const bool ray = fire.kind() == words::RAY && fire.life() > 0;  // a fast shot here
  const double speed = ray ? fire.range() / fire.life() : 1;
  begin.velocity = triple(fire.vx() * speed, fire.vy() * speed, fire.vz() * speed);
  begin.lifetime = thousandths(fire.life() > 0 ? fire.life() : kReload);
  begin.flag = flag_of_weapon(fire.weapon());
  begin_shot(begin, number, out);
}

/// Fires for a tank that our physics drive.
void OwnShots::fire_along(double yaw, words::Pose here, std::uint16_t number, BackOut& out) {
  const core::Flight flight = core::fired(here, yaw, kMuzzle, kShotSpeed);
  ShotBegin begin;
  begin.position = triple(flight.at[0], flight.at[1], flight.at[2]);
  begin.velocity = triple(flight.velocity[0], flight.velocity[1], flight.velocity[2]);
  begin.lifetime = thousandths(kReload);
  begin.flag = flag_kind(tokens_.carried());
  if (shot_kind(begin.flag) == words::WAVE) {  // it begins below the tank
    begin.position = triple(here.x(), here.y(), here.z());
    begin.velocity = {};
  }
  begin_shot(begin, number, out);
}

void OwnShots::begin_shot(ShotBegin begin, std::uint16_t number, BackOut& out) {
  begin.shooter = state_.number;
  begin.shot = static_cast<std::uint8_t>(number);
  fire_gun(begin.shot, from_thousandths(begin.lifetime), out);
  link_.send(out, begin);
}

}  // namespace entente::bzdraft
