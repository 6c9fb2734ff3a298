// Where tanks are, how they spawn and how they die, in both directions.
// Invariant: our client is sent nothing about tanks before it is in the game. It is sent each death once, and only
// deaths that happened.
#pragma once

#include <array>

#include "adapters/bzdraft/front/flags.h"
#include "adapters/bzdraft/front/shots.h"
#include "proxy/core/replay/resync_phase.h"
#include "proxy/core/tank/scan_timer.h"

namespace entente::bzdraft {

class Tanks {
 public:
  Tanks(Client& client, PlayerTable& players, core::TankKeeper& keeper, core::TankDisplay& display, const Shots& shots,
        const Flags& flags, const core::ResyncPhase& resync)
      : client_(client),
        players_(players),
        keeper_(keeper),
        display_(display),
        shots_(shots),
        flags_(flags),
        resync_(resync) {}

  void hear(const AliveUp&, FrontOut& out);
  void hear(const PlayerUpdate& update, FrontOut& out);
  void hear(const Killed& killed, FrontOut& out);
  void hear(const Teleport& teleport, FrontOut& out);
  void hear(const words::Died& died, FrontOut& out);
  void hear(const words::TokenCaptured& captured, FrontOut& out);
  void hear(const words::Teleported& teleported, FrontOut& out);
  void hear(const words::Health& health, FrontOut& out);

  /// Puts a tank into play at `there`. For our own client this is also the only way to move it.
  void put(std::uint8_t number, const words::Pose& there, FrontOut& out);
  /// Shows the tank to our client, or hides it.
  void show(std::uint8_t number, FrontOut& out);
  /// Sends the newest pose, now or as soon as the rate limit allows.
  void update(std::uint8_t number, FrontOut& out);
  void update_late(FrontOut& out);
  /// The players have changed: visits all tanks at the next tick.
  void look_anew() { scan_timer_.schedule_now(); }
  void put_all(FrontOut& out);
  void check_death(FrontOut& out);

 private:
  void check_capture(FrontOut& out);
  void put_back(std::uint8_t team, FrontOut& out);

  Client& client_;
  PlayerTable& players_;
  core::TankKeeper& keeper_;
  core::TankDisplay& display_;
  const Shots& shots_;
  const Flags& flags_;
  const core::ResyncPhase& resync_;
  core::ScanTimer scan_timer_;  // when an update may be due
  // By team: when its flag was captured. 0: not, or the check is over.
  std::array<core::Micros, kLastTeam + 1> captured_at_{};
  std::uint32_t order_ = 0;
  double health_ = 0;  // as last reported
};

}  // namespace entente::bzdraft
