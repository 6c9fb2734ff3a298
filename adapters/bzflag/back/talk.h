// Chat, both ways.
#pragma once

#include "adapters/bzflag/back/tank.h"

namespace entente::bzflag {

class BackTalk {
 public:
  BackTalk(PeerLink& link, core::TankSeat& seat, core::TankPeople& people)
      : link_(link), seat_(seat), people_(people) {}

  void hear(const Chat& chat, BackOut& out);
  void hear(const words::Say& say, BackOut& out);

 private:
  PeerLink& link_;
  core::TankSeat& seat_;
  core::TankPeople& people_;
};

}  // namespace entente::bzflag
