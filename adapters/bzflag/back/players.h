// The players of the server, their badges, and the state of the game.
#pragma once

#include <optional>

#include "adapters/bzflag/back/tank.h"

namespace entente::bzflag {

class Players {
 public:
  Players(PeerLink& link, core::JoinState& state, core::TankServerPlayers& players, Tank& tank,
          const TankRules& tank_rules)
      : link_(link), state_(state), players_(players), tank_(tank), tank_rules_(tank_rules) {}

  void hear(const AddPlayer& added, BackOut& out);
  void hear(const RemovePlayer& removed, BackOut& out) { forget(removed.id.byte, out); }
  void hear(const ReplayReset&, BackOut& out);
  void hear(const PlayerInfo& info, BackOut& out);
  void hear(const AdminInfo& info, BackOut& out);
  void hear(const Pause& pause, BackOut& out);
  void hear(const Alive& alive, BackOut& out);
  void hear(const AutoPilot& autopilot, BackOut& out);
  void hear(const NewRabbit& rabbit, BackOut& out);
  void hear(const Score& scores, BackOut& out);
  void hear(const TeamUpdate& teams, BackOut& out);
  void hear(const ScoreOver& over, BackOut& out);
  void hear(const TimeLeft& left, BackOut& out);
  void hear(const words::Pause& pause, BackOut& out);
  void hear(const words::Autopilot& word, BackOut& out);

 private:
  void forget(std::uint8_t number, BackOut& out);
  void set_badge(std::uint8_t number, words::Badge badge, bool on, BackOut& out);
  void ask_for_pause(BackOut& out);

  PeerLink& link_;
  core::JoinState& state_;
  core::TankServerPlayers& players_;
  Tank& tank_;
  const TankRules& tank_rules_;
  std::optional<std::uint8_t> rabbit_;
  std::optional<bool> pause_wish_;  // whether our player wants to pause, if the server was not asked yet
};

}  // namespace entente::bzflag
