// Shots, both ways.
// Law: our client is told no number beyond what the settings announced.
#pragma once

#include <optional>

#include "adapters/bzflag/front/cast.h"
#include "adapters/bzflag/front/lobby.h"
#include "proxy/core/tank/tank_shots.h"

namespace entente::bzflag {

class Shots final : public core::TankShots {
 public:
  Shots(Client& client, Cast& cast, const Lobby& lobby, const core::TankKeeper& keeper)
      : TankShots(cast, keeper, kServerId, 0), client_(client), cast_(cast), lobby_(lobby) {}

  using TankShots::hear;
  void hear(const ShotBegin& begin, FrontOut& out);
  void hear(const ShotEnd& end, FrontOut& out);
  void hear(const GuidedUpdate& update, FrontOut& out);
  void hear(const words::ShotMoved& moved, FrontOut& out);

 private:
  std::optional<std::uint16_t> number_for(std::uint8_t player, std::uint32_t wished, FrontOut& out) override;
  void dress(core::ShownShot& shown, const words::Shot& shot, bool mine) override;
  void begin(const core::ShownShot& shown, const words::Shot& shot, FrontOut& out) override;
  void end(const core::ShownShot& shown, bool burst, FrontOut& out) override;

  void keep_own(const ShotBegin& begin, const FrontOut& out);
  std::uint32_t fired_with(const FlagKind& flag, const FrontOut& out) const;

  Client& client_;
  Cast& cast_;
  const Lobby& lobby_;
};

}  // namespace entente::bzflag
