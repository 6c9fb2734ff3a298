// A room whose calls are recorded (tap/room_calls.h). Made for one call.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "proxy/core/room/room.h"
#include "proxy/core/room/transition.h"
#include "proxy/relay/tap/room_calls.h"

namespace entente::relay {

class RecordedRoom {
 public:
  RecordedRoom(core::Room& room, RoomCalls& calls) : room_(room), calls_(calls) {}

  /// For rooms whose calls are not recorded.
  operator core::Room&() { return room_; }  // NOLINT(google-explicit-constructor)

  // As core::Room has them.
  void tick(core::Micros at) {
    calls_.tick(at);
    room_.tick(at);
  }
  void received(core::Id end, const Frames& frames, core::Micros at) {
    calls_.received(end, at);
    room_.received(end, frames, at);
  }
  /// The same from a back whose server is an arena, whose frames are not recorded.
  void received_from_arena(core::Id back, const Frames& frames, core::Micros at) {
    if (calls_.on()) {
      trace::Detail& call = calls_.other(at);
      const std::string bytes(as_text(frames.bytes));
      back == core::kBackId ? call.set_from_arena(bytes) : call.set_from_next_arena(bytes);
    }
    room_.received(back, frames, at);
  }
  core::Id seat(std::unique_ptr<core::Front> front, const core::Peer& peer, core::Micros at) {
    if (calls_.on()) *calls_.other(at).mutable_seated() = to_trace(peer);
    return room_.seat(std::move(front), peer, at);
  }
  /// `back`: kBackId or kNextBackId. `link`: of its server; 0: an arena. `unknown`: back_speaks() follows.
  void back_opened(core::Id back, const core::Peer& peer, LinkId link, bool unknown, core::Micros at) {
    if (calls_.on()) {
      trace::Detail& call = calls_.other(at);
      trace::ServerUp& up = back == core::kBackId ? *call.mutable_server_up() : *call.mutable_next_up();
      *up.mutable_peer() = to_trace(peer);
      up.set_link(link);
      up.set_unknown(unknown);
    }
    room_.back_opened(peer, at, back);
  }
  void back_speaks(core::Id back, std::size_t dialect, std::string_view name, core::Micros at) {
    if (calls_.on()) {
      trace::Detail& call = calls_.other(at);
      back == core::kBackId ? call.set_server_speaks(std::string(name)) : call.set_next_speaks(std::string(name));
    }
    room_.back_speaks(dialect, at, back);
  }
  void gone(core::Id end, std::string_view why, core::Micros at, std::uint32_t code = 0) {
    if (calls_.on()) {
      auto& call = calls_.other(at);
      trace::Gone& gone = end == core::kNextBackId ? *call.mutable_next_gone() : *call.mutable_gone();
      gone.set_server(end == core::kBackId);
      gone.set_why(std::string(why));
      gone.set_code(code);
    }
    room_.gone(end, why, at, code);
  }
  /// `face`: what `fresh` is.
  core::Wait replace_back(std::unique_ptr<core::Back> fresh, trace::Face face, const core::ServerLoss& loss,
                          core::Micros at) {
    if (calls_.on()) {
      trace::ServerReplaced& replaced = *calls_.other(at).mutable_server_replaced();
      *replaced.mutable_back() = std::move(face);
      replaced.set_why(std::string(loss.why));
      replaced.set_code(loss.code);
      replaced.set_meanwhile(loss.meanwhile);
    }
    return room_.transition().replace_back(std::move(fresh), loss, at);
  }
  /// `face`: what `next` is; of an arena's without a game.
  void begin_move(std::unique_ptr<core::Back> next, trace::Face face, core::Micros at) {
    if (calls_.on()) *calls_.other(at).mutable_moves() = std::move(face);
    room_.transition().begin_move(std::move(next), at);
  }
  void cancel_move(std::string_view why, core::Micros at) {
    if (calls_.on()) calls_.other(at).set_move_ended(std::string(why));
    room_.transition().cancel_move(why, at);
  }
  std::optional<core::Absence> keep(core::Id seat, core::Micros at) {
    if (calls_.on()) calls_.other(at).set_kept(true);
    return room_.keep(seat, at);
  }
  bool returned(core::Id seat, const core::Peer& peer, core::Micros at) {
    if (calls_.on()) *calls_.other(at).mutable_returned() = to_trace(peer);
    return room_.returned(seat, peer, at);
  }
  bool announce(core::Id seat, std::string_view text, core::Micros at) {
    if (calls_.on()) calls_.other(at).set_announced(std::string(text));
    return room_.announce(seat, text, at);
  }
  void end(std::string_view why, core::Micros at) {
    if (calls_.on()) calls_.other(at).set_ended(std::string(why));
    room_.end(why, at);
  }

 private:
  core::Room& room_;
  RoomCalls& calls_;
};

}  // namespace entente::relay
