// Flags, both ways.
#pragma once

#include "adapters/bzdraft/back/fights.h"
#include "proxy/core/tank/tank_flags.h"

namespace entente::bzdraft {

class BackFlags final : public core::TankFlags {
 public:
  BackFlags(PeerLink& link, core::TankSeat& seat, core::TankPeople& people, Tank& tank, Fights& fights)
      : TankFlags(seat, people), link_(link), tank_(tank), fights_(fights) {}

  void hear(const FlagUpdate& update, BackOut& out);
  void hear(const GrabFlagDown& grab, BackOut& out);
  void hear(const DropFlagDown& drop, BackOut& out);
  void hear(const words::TokenWish& wish, BackOut& out);

 private:
  words::Token told(std::uint16_t number, const Flag& flag) { return keep(token_of(number, flag), flag.carrier); }
  void capture(const DropFlagDown& drop, const words::Token& token, BackOut& out);

  PeerLink& link_;
  Tank& tank_;
  Fights& fights_;
};

}  // namespace entente::bzdraft
