// Chat, both ways.
#pragma once

#include "adapters/bzflag/back/tank.h"

namespace entente::bzflag {

class BackChat {
 public:
  BackChat(PeerLink& link, core::JoinState& state, core::TankServerPlayers& players)
      : link_(link), state_(state), server_players_(players) {}

  void hear(const Chat& chat, BackOut& out);
  void hear(const words::Say& say, BackOut& out);

 private:
  PeerLink& link_;
  core::JoinState& state_;
  core::TankServerPlayers& server_players_;
};

}  // namespace entente::bzflag
