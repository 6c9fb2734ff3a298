// The back of the draft: a player on a remote server. It acts as a client of the draft, reports the server's messages
// to the room, and drives its player's tank. Its parts do the work.
// Invariant: the server's messages decide who is alive and where, except for our own tank, whose place we decide.
#pragma once

#include "adapters/bzdraft/back/chat.h"
#include "adapters/bzdraft/back/flags.h"
#include "adapters/bzdraft/back/joining.h"
#include "adapters/bzdraft/back/own_shots.h"
#include "adapters/bzdraft/back/players.h"
#include "proxy/core/tank/tank_back.h"

namespace entente::bzdraft {

class BzdraftBack final : public core::TankBack {
 public:
  void opened(const core::Peer&, Outlet& out) override {
    joining_.greet(out);
    await_server(out);
  }
  void receive(const Frames& frames, Outlet& out) override;

 private:
  bool hear_early(const core::Intent& intent, Outlet& out) override;
  void hear_word(const core::Intent& intent, Outlet& out) override;
  void enter(Outlet& out) override { joining_.enter(out); }
  void say_goodbye(Outlet& out) override;
  core::TankOnServer& tank() override { return tank_; }
  core::TankControl& control() override { return own_shots_; }
  core::TankHits& hits() override { return fights_; }

  PeerLink link_{wire::Way::kToClient};
  Tank tank_{link_, state_, server_players_};
  Joining joining_{link_, state_, server_players_, tank_};
  Players players_{link_, state_, server_players_, tank_};
  BackChat chat_{link_, state_, server_players_};
  Fights fights_{link_, state_, server_players_, tank_};
  BackFlags flags_{link_, state_, server_players_, tokens_, tank_, fights_};
  OwnShots own_shots_{link_, state_, tank_, fights_, tokens_};
};

}  // namespace entente::bzdraft
