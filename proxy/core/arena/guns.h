// The guns of a tank, one for each shot that it may have in the air: which may fire, and from where.
// Law: a gun that reloads does not fire.
#pragma once

#include <array>
#include <optional>

#include "proxy/base/mapping.h"
#include "proxy/core/arena/incoming.h"
#include "proxy/core/session.h"
#include "proxy/core/tank/steering.h"

namespace entente::core {

class Guns {
 public:
  /// A wish for no gun in particular.
  static constexpr std::uint32_t kAny = 256;

  /// The wished one, else the first, of the first `most` (1 to 256) that is loaded; nothing if all of them reload.
  std::optional<std::uint8_t> loaded(std::uint32_t wished, std::uint32_t most, Micros now) const;
  /// How many of the first `most` (0 to 256) are loaded.
  std::uint32_t count(std::uint32_t most, Micros now) const;
  /// It fires; `loads_until` then.
  void fire(std::uint8_t gun, Micros loads_until) { loaded_at_[gun] = loads_until; }

 private:
  std::array<Micros, 256> loaded_at_{};
};

/// A shot that does not happen is counted as lost; a client that has drawn it already is told that it is over.
void refuse_shot(const Shooting& wish, Id player, const Mapping& why, BackOut& out);

/// Metres, from the middle of a tank's foot.
struct Muzzle {
  double front = 4.42, height = 1.57;
};
/// How a shot of that speed (metres a second) leaves the tank along `yaw`: level, and with what the tank itself drives.
Flight fired(const words::Pose& tank, double yaw, const Muzzle& muzzle, double speed);

}  // namespace entente::core
