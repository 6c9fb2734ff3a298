// Tells a client where everybody is, some 20 times a second: World Update, or State Update.
// Law: a client that is slow is told the newest, never what is older; nobody is told to be at a place that is none.
#pragma once

#include "adapters/aos/front/cast.h"
#include "adapters/aos/front/walk.h"

namespace entente::aos {

class Painter {
 public:
  /// `rate`: a second; the setting, or empty.
  Painter(std::string_view rate, Client& client, const Ground& ground, Cast& cast, const Walk& walk);

  /// True when it is time to paint; wishes for a tick if it is not.
  bool due(FrontOut& out);
  /// The next painting is at the next moment at which all fronts of the room paint: what they send goes out together.
  void plan(const FrontOut& out);
  void paint(FrontOut& out);
  /// Wishes for a tick then.
  void wait(FrontOut& out) const { out.wake(paint_at_); }

 private:
  void paint_views(FrontOut& out);
  void paint_states(FrontOut& out);
  bool see(Slot slot, Motion& motion, FrontOut& out);
  void guess_keys(Slot slot, const words::Pose& pose, FrontOut& out);

  Client& client_;
  const Ground& ground_;
  Cast& cast_;
  const Walk& walk_;
  core::Micros paint_every_;
  core::Micros paint_at_ = 0;
  // Filled again and again.
  Message views_{std::in_place_type<WorldUpdate>};
  Message states_{std::in_place_type<StateUpdateDown>};
};

}  // namespace entente::aos
