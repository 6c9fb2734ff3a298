// Where tanks are, and how they live and die, both ways.
// Law: before our client is in it hears of none; it is told of no death that did not happen, and not twice of one that
// did.
#pragma once

#include "adapters/bzdraft/front/flags.h"
#include "adapters/bzdraft/front/shots.h"
#include "proxy/core/next_look.h"
#include "proxy/core/replay/retelling.h"

namespace entente::bzdraft {

class Tanks {
 public:
  Tanks(Client& client, Cast& cast, core::TankKeeper& keeper, core::TankSight& sight, const Shots& shots,
        const Flags& flags, const core::Retelling& retold)
      : client_(client), cast_(cast), keeper_(keeper), sight_(sight), shots_(shots), flags_(flags), retold_(retold) {}

  void hear(const AliveUp&, FrontOut& out);
  void hear(const PlayerUpdate& update, FrontOut& out);
  void hear(const Killed& killed, FrontOut& out);
  void hear(const Teleport& teleport, FrontOut& out);
  void hear(const words::Died& died, FrontOut& out);
  void hear(const words::Teleported& teleported, FrontOut& out);
  void hear(const words::Health& health, FrontOut& out);

  /// Into play, there; for our own client also the only way to move it.
  void put(std::uint8_t number, const words::Pose& there, FrontOut& out);
  /// Our client sees that tank, or no longer.
  void show(std::uint8_t number, FrontOut& out);
  /// The newest pose, now or when it is this tank's turn.
  void update(std::uint8_t number, FrontOut& out);
  void update_late(FrontOut& out);
  /// Who is there has changed.
  void look_anew() { next_look_.now(); }
  void put_all(FrontOut& out);
  void check_death(FrontOut& out);

 private:
  Client& client_;
  Cast& cast_;
  core::TankKeeper& keeper_;
  core::TankSight& sight_;
  const Shots& shots_;
  const Flags& flags_;
  const core::Retelling& retold_;
  core::NextLook next_look_;  // whether the client must be told of any
  std::uint32_t order_ = 0;
  double health_ = 0;  // last told
};

}  // namespace entente::bzdraft
