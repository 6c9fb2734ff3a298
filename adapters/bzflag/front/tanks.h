// Where tanks are, as our client sees them, and how they die.
// Invariant: our client is sent each death once, and only deaths that happened. It is sent the newest pose of each
// tank, no more often than it can draw.
#pragma once

#include "adapters/bzflag/front/player_table.h"
#include "adapters/bzflag/front/shots.h"
#include "proxy/core/tank/last_capture.h"
#include "proxy/core/tank/scan_timer.h"
#include "proxy/core/tank/tank_keeper.h"

namespace entente::bzflag {

class Tanks {
 public:
  Tanks(Client& client, PlayerTable& players, core::TankKeeper& keeper, Shots& shots, const core::LastCapture& capture,
        const core::ResyncPhase& resync)
      : client_(client), players_(players), keeper_(keeper), shots_(shots), capture_(capture), resync_(resync) {}

  void hear(const words::Clock& clock, FrontOut& out);
  void hear(const words::Died& died, FrontOut& out);
  void hear(const words::Teleported& teleported, FrontOut& out);

  /// Puts a tank into play at `there`. For our own client this is also the only way to move it.
  void put(std::uint8_t number, const words::Pose& there, FrontOut& out);
  /// Sends the newest pose, now or as soon as the rate limit allows.
  void update(std::uint8_t number, FrontOut& out) { update(number, players_.at(number), out); }
  /// Shows the tank to our client, or hides it.
  void show(std::uint8_t number, FrontOut& out);
  /// The players have changed: visits all tanks at the next tick.
  void look_anew() { scan_timer_.schedule_now(); }
  /// Sends the updates that are due.
  void update_late(FrontOut& out);

 private:
  void update(std::uint8_t number, PlayerEntry& entry, FrontOut& out);
  Message newest(std::uint8_t number, PlayerEntry& entry, FrontOut& out);
  static words::Pose seen(PlayerEntry& entry, const core::UnitState& state, FrontOut& out);
  core::Micros due_at(const PlayerEntry& entry, const FrontOut& out) const;

  Client& client_;
  PlayerTable& players_;
  core::TankKeeper& keeper_;
  Shots& shots_;
  const core::LastCapture& capture_;
  const core::ResyncPhase& resync_;
  core::ScanTimer scan_timer_;  // when an update may be due
  bool paused_ = false;         // whether a replay is paused, which then sends no poses
};

}  // namespace entente::bzflag
