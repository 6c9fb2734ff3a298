// Chat, both ways.
#pragma once

#include "adapters/bzdraft/back/tank.h"

namespace entente::bzdraft {

class BackTalk {
 public:
  BackTalk(PeerLink& link, core::TankSeat& seat, core::TankPeople& people)
      : link_(link), seat_(seat), people_(people) {}

  void hear(const ChatMessage& chat, BackOut& out);
  void hear(const words::Say& say, BackOut& out);

 private:
  PeerLink& link_;
  core::TankSeat& seat_;
  core::TankPeople& people_;
};

}  // namespace entente::bzdraft
