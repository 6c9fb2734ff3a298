// Tells a tap the calls of a room, as messages Calls of schema/trace.proto. With them and the frames of the room's
// links, `entente reproduce` makes the same calls again.
// Invariant: if the beginning of a room was not told, none of its calls are. No calls are told after the recording has
// stopped or goes on in another file. Nothing is told between a call and what belongs to it. In steady state, no memory
// is allocated.
#pragma once

#include <string_view>

#include "proxy/core/room/room.h"
#include "proxy/relay/tap/tap_sink.h"
#include "schema/trace.pb.h"

namespace entente::relay {

class RoomCalls {
 public:
  /// The room begins now. `tap` may be null; if it wants no words, none of the room's calls are told.
  void begin(TapSink* tap, LinkId link, const trace::RoomBegan& began);
  bool on() const { return tap_ != nullptr; }

  // The room is called now.
  void tick(core::Micros at) { add(trace::TICK, at); }
  void received(core::Id end, core::Micros at) {
    if (end == core::kNextBackId) return add(trace::FROM_NEXT, at);
    add(end == core::kBackId ? trace::FROM_SERVER : trace::FROM_CLIENT, at);
  }
  /// Any other call. The caller fills the result in. REQUIRES: on().
  trace::Detail& other(core::Micros at);

  // What the current call of the room led to.
  void told_waiting(core::Id end, std::size_t bytes);
  void answered(bool answer);
  void closed(core::Id end, std::string_view why, std::uint32_t code);
  /// The operator's rules dropped or changed the nth intent. Null: dropped.
  void ruled(std::uint32_t nth, const core::Intent* changed);

  /// The call is over. `wall`: now.
  void end_call(core::Micros at, WallTime wall);
  /// Tells what is not told yet.
  void flush(WallTime wall);

 private:
  void add(trace::Call call, core::Micros at);
  void push(trace::Call call, std::uint64_t number);

  TapSink* tap_ = nullptr;  // null: nothing is told
  std::uint32_t generation_ = 0;
  core::Micros last_ = 0, flushed_ = 0;
  trace::Calls calls_;  // reused, for its memory
  Buffer written_;
};

trace::Peer to_trace(const core::Peer& peer);

}  // namespace entente::relay
