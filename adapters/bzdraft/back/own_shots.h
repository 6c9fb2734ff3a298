// The shots of our own tank.
#pragma once

#include "adapters/bzdraft/back/fights.h"
#include "proxy/core/tank/tank_control.h"
#include "proxy/core/tank/tank_flags.h"

namespace entente::bzdraft {

class OwnShots final : public core::TankControl {
 public:
  OwnShots(PeerLink& link, core::JoinState& state, Tank& tank, Fights& fights, const core::TankFlags& tokens)
      : TankControl(state, tank, fights), link_(link), tokens_(tokens) {}

 private:
  std::optional<std::uint16_t> free_shot(std::optional<std::uint32_t> wished, BackOut& out) override;
  void fire(const words::Fire& fire, std::uint16_t number, BackOut& out) override;
  void fire_along(double yaw, words::Pose here, std::uint16_t number, BackOut& out) override;
  void begin_shot(ShotBegin begin, std::uint16_t number, BackOut& out);

  PeerLink& link_;
  const core::TankFlags& tokens_;
};

}  // namespace entente::bzdraft
