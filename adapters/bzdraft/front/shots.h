// Shots, both ways.
// Law: where the server decides what they hit, our client must not: it would blow itself up.
#pragma once

#include <optional>

#include "adapters/bzdraft/front/cast.h"
#include "adapters/bzdraft/front/land.h"
#include "proxy/core/shown_shots.h"
#include "proxy/core/tank/tank_keeper.h"

namespace entente::bzdraft {

class Shots {
 public:
  Shots(Client& client, const Cast& cast, const Land& land, const core::TankKeeper& keeper)
      : client_(client), cast_(cast), land_(land), keeper_(keeper) {}

  void hear(const ShotBegin& begin, FrontOut& out);
  void hear(const ShotEnd& end, FrontOut& out);
  void hear(const ShotUpdate& update, FrontOut& out);
  void hear(const words::Shot& shot, FrontOut& out);
  void hear(const words::ShotMoved& moved, FrontOut& out);
  void hear(const words::ShotEnded& ended, FrontOut& out);

  /// Ends those that would hit our client's own tank.
  void spare_own_tank(FrontOut& out);

  /// Null if there is none.
  const core::ShownShot* find(core::Id shooter, std::uint32_t shot) const { return shots_.find(shooter, shot); }
  const core::ShownShot* numbered(std::uint8_t player, std::uint16_t number) const {
    return shots_.numbered(player, number);
  }

 private:
  std::optional<std::uint8_t> shot_number(std::uint8_t player, std::uint32_t wished, const FrontOut& out) const;

  Client& client_;
  const Cast& cast_;
  const Land& land_;
  const core::TankKeeper& keeper_;
  core::ShownShots shots_;
  std::uint32_t last_shot_ = 256;  // of our client
};

}  // namespace entente::bzdraft
