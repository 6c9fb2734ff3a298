// A peer's link to a room, as the end of a session has it: cuts what the peer sends into frames.
#pragma once

#include "adapters/wire/frame_reader.h"
#include "proxy/core/room/room.h"

namespace entente::testing {

class CutLink {
 public:
  /// `way`: the direction in which the peer sends.
  CutLink(const wire::Game& game, std::size_t dialect, wire::Way way) : reader_(game, dialect, way) {}

  /// Gives the room what the peer sent to `end`. Bytes that cannot be cut end the room, as they end a session; a
  /// datagram that cannot be cut is dropped.
  void receive(core::Room& room, core::Id end, Lane lane, Bytes bytes, core::Micros now) {
    const auto fault = reader_.feed(lane, bytes, [&](const Frames& frames) { room.received(end, frames, now); });
    if (fault && lane == Lane::kStream) room.end(fault->what, now);
  }

 private:
  wire::FrameReader reader_;
};

}  // namespace entente::testing
