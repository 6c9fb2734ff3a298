// Chat, both ways.
#pragma once

#include "adapters/bzdraft/back/tank.h"

namespace entente::bzdraft {

class BackChat {
 public:
  BackChat(PeerLink& link, core::JoinState& state, core::TankServerPlayers& players)
      : link_(link), state_(state), server_players_(players) {}

  void hear(const ChatMessage& chat, BackOut& out);
  void hear(const words::Say& say, BackOut& out);

 private:
  PeerLink& link_;
  core::JoinState& state_;
  core::TankServerPlayers& server_players_;
};

}  // namespace entente::bzdraft
