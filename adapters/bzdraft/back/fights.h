// How tanks come into play, drive, shoot and die, both ways.
#pragma once

#include "adapters/bzdraft/back/tank.h"
#include "proxy/core/tank/tank_hits.h"

namespace entente::bzdraft {

class Fights final : public core::TankHits {
 public:
  Fights(PeerLink& link, core::JoinState& state, core::TankServerPlayers& players, Tank& tank)
      : TankHits(state, tank), link_(link), server_players_(players) {}

  void hear(const AliveDown& alive, BackOut& out);
  void hear(const PlayerUpdate& update, BackOut& out);
  void hear(const Teleport& teleport, BackOut& out);
  void hear(const Killed& killed, BackOut& out);
  void hear(const ShotBegin& shot, BackOut& out);
  void hear(const ShotEnd& end, BackOut& out);
  void hear(const ShotUpdate& moved, BackOut& out);
  /// The shots of a player who has left are gone: the next player may get its number.
  void hear(const RemovePlayer& removed, BackOut&) { incoming_.forget_shooter(removed.player); }
  void hear(const words::TeleportClaim& claim, BackOut& out);
  void hear(const words::DeathClaim& claim, BackOut& out);
  void hear(const words::ShotEndClaim& claim, BackOut& out);
  void hear(const words::ShotMoveClaim& claim, BackOut& out);

  void tell_dead(BackOut& out) override;
  /// The player with this number died. `died`: how; this sets the player.
  void die(std::uint8_t number, words::Died died, BackOut& out);

 private:
  std::optional<words::Died> tell_hit(const core::Incoming& shot, BackOut& out) override;
  void assume_dead(const words::Died& died, BackOut& out) override { die(state_.number, died, out); }

  PeerLink& link_;
  core::TankServerPlayers& server_players_;
};

}  // namespace entente::bzdraft
