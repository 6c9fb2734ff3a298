// A back's own tank, as it is sent to the server: where the player's client claims it to be, or where our physics drive
// it.
#pragma once

#include "adapters/bzflag/translate/peer_link.h"
#include "adapters/bzflag/wire/conversions.h"
#include "adapters/bzflag/wire/variables.h"
#include "proxy/core/tank/driven_tank.h"
#include "proxy/core/tank/tank_flags.h"

namespace entente::bzflag {

using core::BackOut;
using Stage = core::JoinState::Stage;

/// The server's rules that matter to a tank.
struct TankRules {
  Variables variables;
  double size = 800;  ///< metres: a side of the world
};

class Tank final : public core::TankOnServer {
 public:
  Tank(PeerLink& link, const core::JoinState& state, core::TankServerPlayers& players, const core::TankFlags& tokens,
       const TankRules& tank_rules)
      : TankOnServer(state, players, {core::kSecond / 30, 6}), link_(link), tokens_(tokens), tank_rules_(tank_rules) {}

  using TankOnServer::hear;
  void hear(const words::PoseClaim& claim, BackOut& out);

  void start_clock(core::Micros now) { clock_at_ = now; }
  /// Seconds on our client's clock; on ours if it has none.
  float clock(const BackOut& out) const;

  core::TankModel model() const override;
  core::TankModel target() const override;
  double jump() const override;
  double near() const override;
  void drove(const core::TankState& to, BackOut& out) override;

 private:
  void ask_to_spawn(BackOut& out) override;
  void limit_and_number(words::Pose& place) override;
  void tell_server(const words::Pose& place, BackOut& out) override;
  void limit(words::Pose& place) const;

  PeerLink& link_;
  const core::TankFlags& tokens_;
  const TankRules& tank_rules_;
  double clock_ = 0;           // of the last claim that had a time
  core::Micros clock_at_ = 0;  // when that claim arrived
};

}  // namespace entente::bzflag
