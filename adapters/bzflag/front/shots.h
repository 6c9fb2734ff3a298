// Shots, both ways.
// Law: where the server decides what they hit, our client must not: it would blow itself up; and it is told no number
// beyond what the settings announced.
#pragma once

#include <optional>

#include "adapters/bzflag/front/cast.h"
#include "adapters/bzflag/front/lobby.h"
#include "proxy/core/shown_shots.h"
#include "proxy/core/tank/tank_keeper.h"

namespace entente::bzflag {

class Shots {
 public:
  Shots(Client& client, Cast& cast, const Lobby& lobby, const core::TankKeeper& keeper)
      : client_(client), cast_(cast), lobby_(lobby), keeper_(keeper) {}

  void hear(const ShotBegin& begin, FrontOut& out);
  void hear(const ShotEnd& end, FrontOut& out);
  void hear(const GuidedUpdate& update, FrontOut& out);
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
  void keep_own(const ShotBegin& begin, const FrontOut& out);
  std::uint32_t fired_with(const FlagKind& flag, const FrontOut& out) const;
  std::optional<std::uint16_t> shot_number(Actor& actor, std::uint8_t player, std::uint32_t wished, FrontOut& out);

  Client& client_;
  Cast& cast_;
  const Lobby& lobby_;
  const core::TankKeeper& keeper_;
  core::ShownShots shots_;
  std::uint32_t last_shot_ = 0;  // of our client
};

}  // namespace entente::bzflag
