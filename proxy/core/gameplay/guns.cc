#include "proxy/core/gameplay/guns.h"

#include <algorithm>
#include <cmath>

namespace entente::core {

std::optional<std::uint8_t> GunReloads::loaded(std::uint32_t wished, std::uint32_t most, Micros now) const {
  const std::uint32_t guns = std::clamp<std::uint32_t>(most, 1, kAny);
  const auto loaded = [&](std::uint32_t gun) { return gun < guns && loaded_at_[gun] <= now; };
  if (loaded(wished)) return static_cast<std::uint8_t>(wished);
  for (std::uint32_t gun = 0; gun < guns; ++gun)
    if (loaded(gun)) return static_cast<std::uint8_t>(gun);
  return std::nullopt;
}

std::uint32_t GunReloads::count(std::uint32_t most, Micros now) const {
  const auto end = loaded_at_.begin() + std::min<std::uint32_t>(most, kAny);
  return static_cast<std::uint32_t>(std::count_if(loaded_at_.begin(), end, [&](Micros at) { return at <= now; }));
}

void refuse_shot(const Shooting& wish, Id player, const MappingLine& why, BackOut& out) {
  out.drop(why);
  if (wish.fire == nullptr) return;
  words::ShotEnded ended;
  ended.set_shooter(player);
  ended.set_shot(wish.fire->shot());
  out.say({player, ended});
}

Flight fired(const words::Pose& tank, double yaw, const Muzzle& muzzle, double speed) {
  const double c = std::cos(yaw), s = std::sin(yaw);
  Flight flight;
  flight.at = {tank.x() + muzzle.front * c, tank.y() + muzzle.front * s, tank.z() + muzzle.height};
  flight.velocity = {speed * c + tank.vx(), speed * s + tank.vy(), 0};
  return flight;
}

}  // namespace entente::core
