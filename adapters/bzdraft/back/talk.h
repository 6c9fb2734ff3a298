// Chat, both ways.
#pragma once

#include "adapters/bzdraft/back/tank.h"

namespace entente::bzdraft {

class BackTalk {
 public:
  BackTalk(PeerLink& link, core::JoinState& state, core::TankServerPlayers& players)
      : link_(link), state_(state), players_(players) {}

  void hear(const ChatMessage& chat, BackOut& out);
  void hear(const words::Say& say, BackOut& out);

 private:
  PeerLink& link_;
  core::JoinState& state_;
  core::TankServerPlayers& players_;
};

}  // namespace entente::bzdraft
