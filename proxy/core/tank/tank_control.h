// Drives and fires a back's own tank as its player's words say, if the player's client does not do so itself.
// Invariant: nothing is fired by a gun that is reloading; a shot that does not happen is counted, and its client is
// told. Pulling the trigger fires one shot. While it is held, shots follow each other as evenly as the guns reload.
#pragma once

#include "proxy/core/gameplay/guns.h"
#include "proxy/core/tank/tank_hits.h"

namespace entente::core {

class TankControl {
 public:
  /// Drives the tank for the time since the last tick, and tests what hit it on the way.
  void drive(BackOut& out);
  void shoot(const Shooting& shooting, BackOut& out);

 protected:
  TankControl(JoinState& state, TankOnServer& tank, TankHits& hits) : state_(state), tank_(tank), hits_(hits) {}
  ~TankControl() = default;

  /// The number of a shot that may begin now, as wished if possible. Nothing: every gun is reloading.
  virtual std::optional<std::uint16_t> free_shot(std::optional<std::uint32_t> wished, BackOut& out) = 0;
  /// Fires a shot exactly as the player's client did.
  virtual void fire(const words::Fire& fire, std::uint16_t number, BackOut& out) = 0;
  /// Fires a shot from the muzzle of a tank that is `here`. `yaw`: in radians.
  virtual void fire_along(double yaw, words::Pose here, std::uint16_t number, BackOut& out) = 0;
  /// Why the tank cannot fire, apart from its guns; null: it can.
  virtual const MappingLine* why_not_shoot() const { return nullptr; }

  std::optional<std::uint8_t> loaded(std::uint32_t wished, BackOut& out) const {
    return guns_.loaded(wished, state_.room.most_shots(), out.now());
  }
  /// The gun is loaded again when its shot's life is over, as on servers, or a little earlier, because clocks of
  /// clients may run ahead.
  void fire_gun(std::uint8_t gun, double life, BackOut& out);

  JoinState& state_;
  TankOnServer& tank_;

 private:
  void steer(double dt, BackOut& out);
  void pull(double yaw, BackOut& out);

  TankHits& hits_;
  GunReloads guns_;
  Micros held_fires_at_ = 0;  ///< when a held trigger fires next
};

}  // namespace entente::core
