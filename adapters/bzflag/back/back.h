// The back of BZFlag: a player on a remote bzfs. It joins as a stock client does, reports the server's messages to the
// room, and drives its player's tank. It uses the messages of 2.4, which dialect_translator.h converts for
// servers of other dialects. Its parts do the work.
// Invariant: nothing is sent that makes bzfs kick a stock client. The server's messages decide who is alive and where,
// except for our own tank, whose place we decide.
#pragma once

#include "adapters/bzflag/back/chat.h"
#include "adapters/bzflag/back/flags.h"
#include "adapters/bzflag/back/joining.h"
#include "adapters/bzflag/back/own_shots.h"
#include "adapters/bzflag/back/players.h"
#include "proxy/core/tank/tank_back.h"

namespace entente::bzflag {

class BzflagBack final : public core::TankBack {
 public:
  explicit BzflagBack(const core::FaceOptions& options)
      : link_(options.dialect, wire::Way::kToClient),
        joining_(options, link_, state_, server_players_, tank_, rules_, tank_rules_) {}

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
  void look_after_link(Outlet& out) override { joining_.ask_for_link(out); }
  core::TankOnServer& tank() override { return tank_; }
  core::TankControl& control() override { return own_shots_; }
  core::TankHits& hits() override { return fights_; }

  PeerLink link_;
  TankRules tank_rules_;
  ServerRules rules_{link_, state_, tank_rules_};
  Tank tank_{link_, state_, server_players_, tokens_, tank_rules_};
  Joining joining_;
  Players players_{link_, state_, server_players_, tank_, tank_rules_};
  BackChat chat_{link_, state_, server_players_};
  Fights fights_{link_, state_, server_players_, tokens_, tank_, tank_rules_};
  BackFlags flags_{link_, state_, server_players_, tokens_, tank_, fights_};
  OwnShots own_shots_{link_, state_, server_players_, tokens_, tank_, fights_, joining_, tank_rules_};
};

}  // namespace entente::bzflag
