// Flags, both ways.
#pragma once

#include "adapters/bzflag/back/fights.h"

namespace entente::bzflag {

class BackFlags {
 public:
  BackFlags(PeerLink& link, core::JoinState& state, core::TankServerPlayers& players, core::TankFlags& tokens,
            Tank& tank, Fights& fights)
      : link_(link), state_(state), server_players_(players), tokens_(tokens), tank_(tank), fights_(fights) {}

  void hear(const FlagUpdate& flags, BackOut& out);
  void hear(const AddPlayer& added, BackOut& out) { tokens_.tell_carried(added.id.byte, out); }
  void hear(const GrabFlag& grab, BackOut& out);
  void hear(const DropFlag& drop, BackOut& out);
  void hear(const CaptureFlag& capture, BackOut& out);
  void hear(const TransferFlag& transfer, BackOut& out);
  void hear(const NearFlag& near, BackOut& out);
  void hear(const words::TokenWish& wish, BackOut& out);

 private:
  words::Token told(const NumberedFlag& flag) { return tokens_.keep(token_of(flag), flag.flag.owner.byte); }
  void answered(std::uint8_t player);
  void take(const NumberedFlag& flag, std::uint8_t by, core::Id from, BackOut& out);

  PeerLink& link_;
  core::JoinState& state_;
  core::TankServerPlayers& server_players_;
  core::TankFlags& tokens_;
  Tank& tank_;
  Fights& fights_;
};

}  // namespace entente::bzflag
