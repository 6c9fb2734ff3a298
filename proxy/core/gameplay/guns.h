// The guns of a tank, one for each shot that it may have in the air: which may fire, and where shots start.
// Invariant: a gun that is reloading does not fire.
#pragma once

#include <array>
#include <optional>

#include "proxy/base/mapping.h"
#include "proxy/core/gameplay/incoming.h"
#include "proxy/core/gameplay/steering.h"
#include "proxy/core/room_member.h"

namespace entente::core {

class GunReloads {
 public:
  /// Any gun.
  static constexpr std::uint32_t kAny = 256;

  /// The requested gun, or the first loaded one, among the first `most` (1 to 256); nothing if all are reloading.
  std::optional<std::uint8_t> loaded(std::uint32_t wished, std::uint32_t most, Micros now) const;
  /// How many of the first `most` guns (0 to 256) are loaded.
  std::uint32_t count(std::uint32_t most, Micros now) const;
  /// The gun fires and reloads until `loads_until`.
  void fire(std::uint8_t gun, Micros loads_until) { loaded_at_[gun] = loads_until; }

 private:
  std::array<Micros, 256> loaded_at_{};
};

/// Refuses a shot: counts it, and tells a client that has already drawn it that it has ended.
void refuse_shot(const Shooting& wish, Id player, const MappingLine& why, BackOut& out);

/// In metres, from the centre of a tank's base.
struct Muzzle {
  double front = 4.42, height = 1.57;
};
/// The velocity of a shot fired along `yaw` with this speed (metres per second): level, plus the tank's own
/// velocity.
Flight fired(const words::Pose& tank, double yaw, const Muzzle& muzzle, double speed);

}  // namespace entente::core
