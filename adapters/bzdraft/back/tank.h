// A back's own tank, as it is sent to the server: where the player's client claims it to be, or where our physics drive
// it.
#pragma once

#include "adapters/bzdraft/wire/conversions.h"
#include "adapters/bzdraft/wire/peer_link.h"
#include "proxy/core/tank/driven_tank.h"

namespace entente::bzdraft {

using core::BackOut;
using Stage = core::JoinState::Stage;

class Tank final : public core::TankOnServer {
 public:
  Tank(PeerLink& link, const core::JoinState& state, core::TankServerPlayers& players)
      : TankOnServer(state, players, {kUpdateEvery, kUpdateBurst}), link_(link) {}

  using TankOnServer::hear;
  void hear(const words::Spawn& spawn, BackOut& out);

  /// The world that it drives in.
  void learn(const words::World& world);
  /// The server has introduced the tank's player, or will not do so.
  void arrive(BackOut& out);
  void give_up() { waits_ = false; }

  core::TankModel model() const override { return {}; }
  double jump() const override;
  void drove(const core::TankState& to, BackOut& out) override;

 private:
  void ask_to_spawn(BackOut& out) override { link_.send(out, AliveUp{}); }
  void limit_and_number(words::Pose& place) override;
  void tell_server(const words::Pose& place, BackOut& out) override;

  PeerLink& link_;
  double half_ = 0;     // metres: half of the world's side
  bool waits_ = false;  // its player asked to spawn before the server had introduced it
};

}  // namespace entente::bzdraft
