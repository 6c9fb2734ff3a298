// The shots of our own tank.
#pragma once

#include <array>

#include "adapters/bzflag/back/fights.h"
#include "adapters/bzflag/back/joining.h"
#include "proxy/core/tank/tank_control.h"

namespace entente::bzflag {

class OwnShots final : public core::TankControl {
 public:
  OwnShots(PeerLink& link, core::JoinState& state, core::TankServerPlayers& players, const core::TankFlags& tokens,
           Tank& tank, Fights& fights, const Joining& joining, const TankRules& tank_rules)
      : TankControl(state, tank, fights),
        link_(link),
        server_players_(players),
        tokens_(tokens),
        own_tank_(tank),
        joining_(joining),
        tank_rules_(tank_rules) {}

 private:
  const MappingLine* why_not_shoot() const override;
  std::optional<std::uint16_t> free_shot(std::optional<std::uint32_t> wished, BackOut& out) override;
  void fire(const words::Fire& fire, std::uint16_t number, BackOut& out) override;
  void fire_along(double yaw, words::Pose here, std::uint16_t number, BackOut& out) override;
  void begin_shot(ShotBegin begin, std::uint16_t number, BackOut& out);

  PeerLink& link_;
  core::TankServerPlayers& server_players_;
  const core::TankFlags& tokens_;
  Tank& own_tank_;
  const Joining& joining_;
  const TankRules& tank_rules_;
  std::array<std::uint8_t, 256> salts_{};  // by slot: counts how often it has fired; a part of its shots' numbers
};

}  // namespace entente::bzflag
