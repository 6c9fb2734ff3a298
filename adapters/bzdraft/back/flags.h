// Flags, both ways.
#pragma once

#include "adapters/bzdraft/back/fights.h"
#include "proxy/core/tank/tank_flags.h"

namespace entente::bzdraft {

class BackFlags {
 public:
  BackFlags(PeerLink& link, core::JoinState& state, core::TankServerPlayers& players, core::TankFlags& tokens,
            Tank& tank, Fights& fights)
      : link_(link), state_(state), server_players_(players), tokens_(tokens), tank_(tank), fights_(fights) {}

  void hear(const FlagUpdate& update, BackOut& out);
  void hear(const AddPlayer& added, BackOut& out) { tokens_.tell_carried(added.player, out); }
  void hear(const GrabFlagDown& grab, BackOut& out);
  void hear(const DropFlagDown& drop, BackOut& out);
  void hear(const words::TokenWish& wish, BackOut& out);

 private:
  words::Token told(std::uint16_t number, const Flag& flag) {
    return tokens_.keep(token_of(number, flag), flag.carrier);
  }
  void answered(std::uint8_t player);
  void capture(const DropFlagDown& drop, const words::Token& token, BackOut& out);

  PeerLink& link_;
  core::JoinState& state_;
  core::TankServerPlayers& server_players_;
  core::TankFlags& tokens_;
  Tank& tank_;
  Fights& fights_;
};

}  // namespace entente::bzdraft
