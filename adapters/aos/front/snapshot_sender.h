// Sends the client everybody's position, 20 times a second by default, in World Update or State Update.
// Invariant: a slow client gets only the newest state, never an older one. No position is sent that is not finite.
#pragma once

#include "adapters/aos/front/client_movement.h"
#include "adapters/aos/front/player_table.h"

namespace entente::aos {

class SnapshotSender {
 public:
  /// `rate`: the setting, in snapshots a second; empty: the default.
  SnapshotSender(std::string_view rate, Client& client, const MapSender& map, PlayerTable& players,
                 const ClientMovement& movement);

  /// Whether it is time to send. If not, asks for a tick.
  bool due(FrontOut& out);
  /// Plans the next snapshot for a multiple of the interval, so that all fronts of the room send at the same moment
  /// and their packets go out together.
  void plan(const FrontOut& out);
  void send(FrontOut& out);
  /// Asks for a tick at the next snapshot.
  void wait(FrontOut& out) const { out.wake(send_at_); }

 private:
  void send_views(FrontOut& out);
  void send_states(FrontOut& out);
  bool see(Slot slot, Motion& motion, FrontOut& out);
  void guess_keys(Slot slot, const words::Pose& pose, FrontOut& out);

  Client& client_;
  const MapSender& map_;
  PlayerTable& players_;
  const ClientMovement& movement_;
  core::Micros interval_;
  core::Micros send_at_ = 0;
  // Reused for every snapshot.
  Message views_{std::in_place_type<WorldUpdate>};
  Message states_{std::in_place_type<StateUpdateDown>};
};

}  // namespace entente::aos
