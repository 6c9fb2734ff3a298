// One client of a shared room: its link, and its seat in the room that it shares with others.
// Law: a client that breaks a rule or does not read loses only its own seat, with the goodbye of its game.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "proxy/relay/sessions/room_session.h"
#include "proxy/relay/sessions/shared_room.h"

namespace entente::relay {

class RoomGuest final : public RoomSession {
 public:
  /// `shared_room` outlives it.
  RoomGuest(WorkerRoute& accept_route, Owner& owner, SharedRoom& shared_room, const AcceptedClient& newcomer);

  // Called by the shared room during a call of the room. None of them calls the room.
  /// Gives the guest this seat. False if its session has ended already.
  bool sits(core::Id seat);
  /// Returns true at the first send after a flush(): flush() must be called again.
  bool send(Lane lane, Bytes bytes, bool lent);
  void flush();
  std::size_t waiting() const { return front_.end->waiting(); }
  void close(std::string_view why, std::uint32_t code);
  void failed(const Fault& fault) { set_reason(Reason::kProtocolFault, fault.what, fault); }
  void spoke() { ++heard_words_, spoke_ = true; }
  void turned_away() { turned_away_ = true; }
  /// The guest is queued to enter. It is not read until take_turn().
  void waits_to_enter();
  /// Its player is in: from now on it is served before newcomers.
  void play() { front_.end->set_priority(net::Priority::kPlayer); }
  const core::Peer& peer() const { return peer_; }
  core::Id seat_id() const { return front_.id; }
  const Limits& limits() const { return limits_; }

  // By the shared room, outside the room.
  void overflow() { end(Reason::kClientStalled); }
  /// The wait is over: the guest takes its seat, or has entered.
  void take_turn();

 private:
  // End::User
  void opened(End& end, const core::Peer& peer) override;
  void received(End& end, Lane lane, Bytes bytes, std::size_t frames) override;
  void wrote(End&) override { front_.took = now(); }
  void departed(End& end, const End::Departure& departure) override;
  WorkerRoute* route_for(std::string_view path) override;

  // Session, RoomSession
  void seat(std::size_t dialect) override;
  bool is_unseated() const override { return !seated_ && !queued_; }
  void enter_room(Lane lane, Bytes bytes) override { shared_room_.received(front_.id, lane, bytes); }
  bool announce(std::string_view text) override { return front_.id != 0 && shared_room_.announce(front_.id, text); }
  void dismiss(Reason reason, std::string_view why) override;
  void shut_down() override;
  void hang_up() override;
  bool is_linked() const override { return front_.end->is_open(); }
  bool on_tick(Millis) override;
  std::optional<Reason> overdue(Millis now) const override;
  WallTime wall() const override { return shared_room_.wall_by_now(); }
  std::string player() const override { return shared_room_.name_of(front_.id); }

  struct Kept {
    Lane lane;
    Buffer bytes;
    std::size_t frames;
  };

  void take_seat();
  void leave(const char* why);

  SharedRoom& shared_room_;
  std::vector<Kept> kept_;  // of one read: what came before it had its seat
  Millis greets_since_;
  bool seated_ = false, spoke_ = false, touched_ = false, overflowed_ = false;
  bool queued_ = false;  // for its seat, or to enter
};

}  // namespace entente::relay
