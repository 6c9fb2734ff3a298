// How tanks come into play, drive, shoot and die, in both directions. Also counts our player's score, which old servers
// leave to their clients.
#pragma once

#include "adapters/bzflag/back/tank.h"
#include "proxy/core/tank/tank_hits.h"

namespace entente::bzflag {

class Fights final : public core::TankHits {
 public:
  Fights(PeerLink& link, core::JoinState& state, core::TankServerPlayers& players, Tank& tank,
         const TankRules& tank_rules)
      : TankHits(state, tank), link_(link), server_players_(players), tank_rules_(tank_rules) {}

  void hear(const Alive& alive, BackOut& out);
  void hear(const PlayerUpdate& update, BackOut& out);
  void hear(const PlayerUpdateSmall& update, BackOut& out);
  void hear(const Teleport& teleport, BackOut& out);
  void hear(const Killed& killed, BackOut& out);
  void hear(const ShotBegin& shot, BackOut& out);
  void hear(const ShotEnd& end, BackOut& out);
  void hear(const GuidedUpdate& moved, BackOut& out);
  void hear(const words::TeleportClaim& claim, BackOut& out);
  void hear(const words::DeathClaim& claim, BackOut& out);
  void hear(const words::ShotEndClaim& claim, BackOut& out);
  void hear(const words::ShotMoveClaim& claim, BackOut& out);
  void hear(const words::ScoreClaim& claim, BackOut& out);

  void tell_dead(BackOut& out) override;
  /// The flag of a team was captured: its tanks are dead. The server sends no other message about these deaths.
  void die_with_flag(const words::TokenCaptured& captured, BackOut& out);

 private:
  template <class Update>
  void moved(const Update& update, BackOut& out);
  words::Died tell_hit(const core::Incoming& shot, BackOut& out) override;
  void assume_dead(const words::Died& died, BackOut& out) override { die(state_.number, died, out); }
  bool is_harmless(const ShotBegin& begin, const BackOut& out);
  bool die(std::uint8_t number, words::Died died, BackOut& out);
  void blow_up(core::Id killer, BackOut& out);
  void count(const Killed& killed, BackOut& out);

  PeerLink& link_;
  core::TankServerPlayers& server_players_;
  const TankRules& tank_rules_;
  int ends_ = 0;                // reported ends of others' shots since the last death; bzfs counts them
  ScoreReport score_;           // used if clients count their own score
  bool client_counts_ = false;  // the player's client counts the score itself
};

}  // namespace entente::bzflag
