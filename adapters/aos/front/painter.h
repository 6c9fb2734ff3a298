// Sends the client everybody's position, 20 times a second by default, in World Update or State Update.
// Law: a slow client gets only the newest state, never an older one. No position is sent that is not finite.
#pragma once

#include "adapters/aos/front/player_table.h"
#include "adapters/aos/front/walk.h"

namespace entente::aos {

class Painter {
 public:
  /// `rate`: the setting, in paintings a second; empty: the default.
  Painter(std::string_view rate, Client& client, const Ground& ground, PlayerTable& players, const Walk& walk);

  /// Whether it is time to paint. If not, asks for a tick.
  bool due(FrontOut& out);
  /// Plans the next painting for a multiple of the interval, so that all fronts of the room paint at the same moment
  /// and their packets go out together.
  void plan(const FrontOut& out);
  void paint(FrontOut& out);
  /// Asks for a tick at the next painting.
  void wait(FrontOut& out) const { out.wake(paint_at_); }

 private:
  void paint_views(FrontOut& out);
  void paint_states(FrontOut& out);
  bool see(Slot slot, Motion& motion, FrontOut& out);
  void guess_keys(Slot slot, const words::Pose& pose, FrontOut& out);

  Client& client_;
  const Ground& ground_;
  PlayerTable& players_;
  const Walk& walk_;
  core::Micros paint_every_;
  core::Micros paint_at_ = 0;
  // Reused for every painting.
  Message views_{std::in_place_type<WorldUpdate>};
  Message states_{std::in_place_type<StateUpdateDown>};
};

}  // namespace entente::aos
