// Shots, in both directions.
#pragma once

#include <optional>

#include "adapters/bzdraft/front/player_table.h"
#include "adapters/bzdraft/front/world_sender.h"
#include "proxy/core/tank/tank_shots.h"

namespace entente::bzdraft {

class Shots final : public core::TankShots {
 public:
  Shots(Client& client, const PlayerTable& players, const WorldSender& world_sender, const core::TankKeeper& keeper)
      : TankShots(players, keeper, kServer), client_(client), players_(players), world_sender_(world_sender) {}

  using TankShots::hear;
  void hear(const ShotBegin& begin, FrontOut& out);
  void hear(const ShotEnd& end, FrontOut& out);
  void hear(const ShotUpdate& update, FrontOut& out);
  void hear(const words::ShotMoved& moved, FrontOut& out);

 private:
  std::optional<std::uint16_t> number_for(std::uint8_t player, std::uint32_t wished, FrontOut& out) override;
  void add_details(core::ShownShot& shown, const words::Shot& shot) override;
  void begin(const core::ShownShot& shown, const words::Shot& shot, FrontOut& out) override;
  void end(const core::ShownShot& shown, bool burst, FrontOut& out) override;

  Client& client_;
  const PlayerTable& players_;
  const WorldSender& world_sender_;
};

}  // namespace entente::bzdraft
