// How tanks come into play, drive, shoot and die, in both directions. Also counts our player's score, which old servers
// leave to their clients.
#pragma once

#include "adapters/bzflag/back/tank.h"
#include "adapters/bzflag/wire/flag_effects.h"
#include "proxy/core/tank/tank_hits.h"

namespace entente::bzflag {

class Fights final : public core::TankHits {
 public:
  Fights(PeerLink& link, core::JoinState& state, core::TankServerPlayers& players, const core::TankFlags& tokens,
         Tank& tank, const TankRules& tank_rules)
      : TankHits(state, tank), link_(link), server_players_(players), tokens_(tokens), tank_rules_(tank_rules) {}

  void hear(const Alive& alive, BackOut& out);
  void hear(const PlayerUpdate& update, BackOut& out);
  void hear(const PlayerUpdateSmall& update, BackOut& out);
  void hear(const Teleport& teleport, BackOut& out);
  void hear(const Killed& killed, BackOut& out);
  void hear(const ShotBegin& shot, BackOut& out);
  void hear(const ShotEnd& end, BackOut& out);
  void hear(const GuidedUpdate& moved, BackOut& out);
  void hear(const ScoreOver&, BackOut& out) { end_game(out); }
  void hear(const TimeLeft& left, BackOut& out);
  /// The shots of a player who has left are gone: the next player gets its number.
  void hear(const RemovePlayer& removed, BackOut&) { incoming_.forget_shooter(removed.id.byte); }
  void hear(const words::TeleportClaim& claim, BackOut& out);
  void hear(const words::DeathClaim& claim, BackOut& out);
  void hear(const words::ShotEndClaim& claim, BackOut& out);
  void hear(const words::ShotMoveClaim& claim, BackOut& out);
  void hear(const words::ScoreClaim& claim, BackOut& out);

  void tell_dead(BackOut& out) override;
  /// The flag of a team was captured: its tanks are dead. The server sends no other message about these deaths.
  void die_with_flag(const words::TokenCaptured& captured, BackOut& out);
  /// The server says that our tank has dropped its shield.
  void shield_dropped();

 private:
  template <class Update>
  void moved(const Update& update, BackOut& out);
  bool counts(const core::Incoming& shot, const BackOut& out) const override;
  std::optional<words::Died> tell_hit(const core::Incoming& shot, BackOut& out) override;
  void look_around(const core::DrivenTank::TimeStep& step, BackOut& out) override;
  void assume_dead(const words::Died& died, BackOut& out) override { die(state_.number, died, out); }
  bool spares(std::int16_t team, const BackOut& out) const;
  void guide_shots(double dt, BackOut& out);
  const core::TankServerPlayer* roller(BackOut& out) const;
  void drop_flag(BackOut& out);
  bool end_shot(const ShotEnd& end, BackOut& out);
  void report_death(const KilledReport& report, BackOut& out);
  bool die(std::uint8_t number, words::Died died, BackOut& out);
  void end_game(BackOut& out);
  void blow_up(core::Id killer, BackOut& out);
  void count(const Killed& killed, BackOut& out);

  PeerLink& link_;
  core::TankServerPlayers& server_players_;
  const core::TankFlags& tokens_;
  const TankRules& tank_rules_;
  int end_credit_ = 0;          // shots that we have ended and bzfs holds against us
  bool shield_ended_ = false;   // one of them while our tank had a shield
  ScoreReport score_;           // used if clients count their own score
  bool client_counts_ = false;  // the player's client counts the score itself
};

}  // namespace entente::bzflag
