// Our client's own tank: its spawns, its movement, its corrections, its deaths.
#pragma once

#include "adapters/bzflag/front/shots.h"
#include "proxy/core/tank/last_capture.h"

namespace entente::bzflag {

class Play {
 public:
  Play(Client& client, PlayerTable& players, core::TankKeeper& keeper, core::TankDisplay& display, const Shots& shots,
       const core::LastCapture& capture)
      : client_(client), players_(players), keeper_(keeper), display_(display), shots_(shots), capture_(capture) {}

  void hear(const AliveRequest&, FrontOut& out);
  void hear(const PlayerUpdate& update, FrontOut& out);
  void hear(const PlayerUpdateSmall& update, FrontOut& out);
  void hear(const KilledReport& report, FrontOut& out);
  void hear(const TeleportReport& report, FrontOut& out);
  void hear(const ScoreReport& report, FrontOut& out);
  void hear(const PauseReport& report, FrontOut& out);
  void hear(const AutoPilotReport& report, FrontOut& out);
  void hear(const words::Health& health, FrontOut& out);
  void hear(const words::TokenCaptured& captured, FrontOut& out);
  /// Handles a refused spawn or a refused claim of death. False: it is neither, and the client cannot be told.
  /// REQUIRES: the refusal is addressed to our client.
  bool hear_refused(const words::ClaimRefused& refused, FrontOut& out);

  /// Our client was put into play.
  void begin() { spawn_asked_ = 0; }
  void check(FrontOut& out);

 private:
  void claim(float time, std::int16_t status, words::Pose pose, FrontOut& out);
  void check_death(FrontOut& out);
  void check_capture(FrontOut& out);
  void check_spawn(FrontOut& out);
  void put_in_place(FrontOut& out);

  Client& client_;
  PlayerTable& players_;
  core::TankKeeper& keeper_;
  core::TankDisplay& display_;
  const Shots& shots_;
  const core::LastCapture& capture_;
  std::uint32_t order_ = 0;       // the order number of the client's last update
  core::Micros spawn_asked_ = 0;  // when a spawn was requested; 0: none is pending
  core::Micros captured_ = 0;     // when its tank exploded because of a capture; 0: not, or the check is over
  double health_ = 0;             // as last reported
};

}  // namespace entente::bzflag
