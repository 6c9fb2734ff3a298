// Shots, in both directions.
// Invariant: our client is sent no number beyond what the settings announced.
#pragma once

#include <optional>

#include "adapters/bzflag/front/lobby.h"
#include "adapters/bzflag/front/player_table.h"
#include "adapters/bzflag/front/rules.h"
#include "proxy/core/tank/tank_shots.h"

namespace entente::bzflag {

class Shots final : public core::TankShots {
 public:
  Shots(Client& client, PlayerTable& players, const Lobby& lobby, const core::TankKeeper& keeper, const Rules& rules)
      : TankShots(players, keeper, kServerId, 0), client_(client), players_(players), lobby_(lobby), rules_(rules) {}

  using TankShots::hear;
  void hear(const ShotBegin& begin, FrontOut& out);
  void hear(const ShotEnd& end, FrontOut& out);
  void hear(const GuidedUpdate& update, FrontOut& out);
  void hear(const words::ShotMoved& moved, FrontOut& out);

 private:
  std::optional<std::uint16_t> number_for(std::uint8_t player, std::uint32_t wished, FrontOut& out) override;
  void add_details(core::ShownShot& shown, const words::Shot& shot) override;
  void begin(const core::ShownShot& shown, const words::Shot& shot, FrontOut& out) override;
  void end(const core::ShownShot& shown, bool burst, FrontOut& out) override;

  std::uint32_t fired_with(const FlagKind& flag, const FrontOut& out) const;

  Client& client_;
  PlayerTable& players_;
  const Lobby& lobby_;
  const Rules& rules_;
};

}  // namespace entente::bzflag
