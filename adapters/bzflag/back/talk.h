// Chat, both ways.
#pragma once

#include "adapters/bzflag/back/tank.h"

namespace entente::bzflag {

class BackTalk {
 public:
  BackTalk(PeerLink& link, core::JoinState& state, core::TankServerPlayers& players)
      : link_(link), state_(state), players_(players) {}

  void hear(const Chat& chat, BackOut& out);
  void hear(const words::Say& say, BackOut& out);

 private:
  PeerLink& link_;
  core::JoinState& state_;
  core::TankServerPlayers& players_;
};

}  // namespace entente::bzflag
