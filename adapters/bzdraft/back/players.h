// The players of the server, and the state of the game.
#pragma once

#include "adapters/bzdraft/back/tank.h"

namespace entente::bzdraft {

class Players {
 public:
  Players(PeerLink& link, core::JoinState& state, core::TankServerPlayers& players, Tank& tank)
      : link_(link), state_(state), players_(players), tank_(tank) {}

  void hear(const AddPlayer& added, BackOut& out);
  void hear(const RemovePlayer& removed, BackOut& out);
  void hear(const Score& score, BackOut& out);
  void hear(const TeamUpdate& team, BackOut& out);
  void hear(const ScoreOver& over, BackOut& out);
  void hear(const TimeLeft& left, BackOut& out);
  void hear(const words::ScoreClaim& claim, BackOut& out);

 private:
  PeerLink& link_;
  core::JoinState& state_;
  core::TankServerPlayers& players_;
  Tank& tank_;
};

}  // namespace entente::bzdraft
