// A place in a recording that moves with time, at a speed.
// Invariant: it never passes a fact that was not taken, so no event is lost by a pause.
#pragma once

#include <algorithm>
#include <memory>

#include "proxy/core/replay/fact_reader.h"

namespace entente::core {

class Playhead {
 public:
  /// `first`: the earliest place.
  Playhead(std::unique_ptr<FactReader> reader, Micros first, double speed, bool paused)
      : reader_(std::move(reader)), first_(first), at_(first), speed_(speed), paused_(paused) {}

  double speed() const { return speed_; }
  bool paused() const { return paused_; }
  /// It does not move before begin().
  bool begun() const { return begun_; }
  bool runs() const { return begun_ && !paused_; }
  /// The factor by which things move faster than recorded now.
  double scale() const { return runs() ? speed_ : 0; }
  Micros end_time() const { return reader_->end_time(); }
  Micros clamped(Micros at) const {
    const Micros first = std::max(first_, reader_->first());
    return std::clamp(at, first, std::max(first, end_time()));
  }
  /// In the recording's time, at the room's time `now`.
  Micros position(Micros now) const;
  /// Where it was when it last caught up, or was put.
  Micros at() const { return at_; }
  /// When it will be at a place, in the room's time. REQUIRES: runs().
  Micros when(Micros place) const;

  // Changes. After each, the playhead moves on from where it is at `now`.
  void begin(Micros now) { catch_up(now), begun_ = true; }
  void set_speed(double speed, Micros now) { catch_up(now), speed_ = speed; }
  void pause(bool on, Micros now) { catch_up(now), paused_ = on; }
  /// From now on, at() is where it is at `now`.
  void catch_up(Micros now);
  /// Goes to a place, which is clamped, without reading.
  void put(Micros at, Micros now) { at_ = clamped(at), since_ = now; }
  /// The world at at(); facts() continues after it.
  Outcome<Done> read_world(WorldState& world) { return reader_->seek(at_, world); }
  FactReader& facts() { return *reader_; }

 private:
  std::unique_ptr<FactReader> reader_;
  const Micros first_;
  Micros at_, since_ = 0;  // a place in the recording; the room's time there
  double speed_;
  bool paused_, begun_ = false;
};

}  // namespace entente::core
