// What our client does with its own tank, and what becomes of it: it spawns, drives, strays, dies.
#pragma once

#include "adapters/bzflag/front/shots.h"

namespace entente::bzflag {

class Play {
 public:
  Play(Client& client, Cast& cast, core::TankKeeper& keeper, core::TankSight& sight, const Shots& shots)
      : client_(client), cast_(cast), keeper_(keeper), sight_(sight), shots_(shots) {}

  void hear(const AliveRequest&, FrontOut& out);
  void hear(const PlayerUpdate& update, FrontOut& out);
  void hear(const PlayerUpdateSmall& update, FrontOut& out);
  void hear(const KilledReport& report, FrontOut& out);
  void hear(const TeleportReport& report, FrontOut& out);
  void hear(const ScoreReport& report, FrontOut& out);
  void hear(const PauseReport& report, FrontOut& out);
  void hear(const AutoPilotReport& report, FrontOut& out);
  void hear(const words::Health& health, FrontOut& out);
  /// False: our client cannot be told. REQUIRES: it is for our client.
  bool hear_refused(const words::ClaimRefused& refused, FrontOut& out);

  /// It was put into play.
  void begin() { spawn_asked_ = 0; }
  void check(FrontOut& out);

 private:
  void claim(std::uint8_t player, float time, std::int16_t status, words::Pose pose, FrontOut& out);
  void check_death(FrontOut& out);
  void check_spawn(FrontOut& out);
  void put_in_place(FrontOut& out);

  Client& client_;
  Cast& cast_;
  core::TankKeeper& keeper_;
  core::TankSight& sight_;
  const Shots& shots_;
  std::uint32_t order_ = 0;       // of what its client said last
  core::Micros spawn_asked_ = 0;  // 0: it was answered
  double health_ = 0;             // last told
};

}  // namespace entente::bzflag
