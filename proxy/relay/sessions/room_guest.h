// One client of a shared room: its link, and its seat in the room that it shares with others.
// Invariant: a client that breaks a rule or does not read loses only its own seat, with the goodbye of its game.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "proxy/relay/sessions/guest.h"
#include "proxy/relay/sessions/room_session.h"
#include "proxy/relay/sessions/shared_room.h"

namespace entente::relay {

class BridgeSession;

class RoomGuest final : public RoomSession, public Guest {
 public:
  /// `shared_room` outlives it.
  RoomGuest(WorkerRoute& accept_route, Owner& owner, SharedRoom& shared_room, const AcceptedClient& newcomer);
  ~RoomGuest() override;

  void move(const std::shared_ptr<MoveOrder>& order) override;
  void look_into_arena() override;

  // For the session that goes on with the client (BridgeSession) once its player was let in elsewhere.
  const SharedRoom& shared_room() const { return shared_room_; }
  /// Takes the player out of the room, and gives its session the client. Nothing: the player is not in.
  std::optional<core::DetachedPlayer> leave_room();
  /// For a client that must connect anew: tells the player where, and ends this session.
  using Session::refer_to;

  // Guest
  bool give_seat(core::Id seat) override;
  bool send(Lane lane, const SharedBytes& bytes) override;
  void flush() override;
  std::size_t waiting() const override { return client_.end->waiting(); }
  void close(std::string_view why, std::uint32_t code) override;
  void failed(const Fault& fault) override { set_reason(Reason::kProtocolFault, fault.what, fault); }
  void spoke(const core::Intent&) override { ++heard_words_, spoke_ = true; }
  void turned_away(std::string_view) override { turned_away_ = true; }
  std::optional<Reason> wait_to_enter() override;
  bool try_claim_session(std::uint32_t number) override;
  /// From now on it is served before newcomers.
  void player_entered(const words::Player& player) override {
    name_ = player.name();
    turned_away_ = false;
    tell_joined(name_);
    client_.end->set_priority(net::Priority::kPlayer);
  }
  const core::Peer& peer() const override { return peer_; }
  core::Id seat_id() const override { return client_.id; }
  const Limits& limits() const override { return limits_; }
  const LinkInfo& client() const override { return info_; }
  void end_seat(Reason why) override { end(why); }
  void take_up_session() override;
  void take_turn() override;

 private:
  // End::User
  void opened(End& end, const core::Peer& peer) override;
  void wrote(End&) override { client_.last_progress = now(); }
  void departed(End& end, const End::Departure& departure) override;
  WorkerRoute* route_for(std::string_view path) override;

  // Session, RoomSession
  void seat(std::size_t dialect) override;
  bool is_unseated() const override { return !seated_ && !queued_; }
  bool takes(const Frames& frames) override;
  bool announce_in_room(std::string_view text) override {
    return client_.id != 0 && shared_room_.announce(client_.id, text);
  }
  void dismiss(Reason reason, std::string_view why) override;
  void shut_down() override;
  void hang_up() override;
  bool leave_server(std::string_view server, std::string_view why) override;
  bool is_linked() const override { return client_.end->is_open(); }
  bool on_tick(Millis now) override;
  std::optional<Reason> overdue(Millis now) const override;
  std::string player_name() const override {
    const std::string now = shared_room_.name_of(client_.id);
    return now.empty() ? name_ : now;
  }

  struct Kept {
    Buffer bytes;
    std::vector<FrameMark> marks;
  };

  void take_seat();
  void leave(const char* why);
  void expect_return(const core::Absence& absence);
  bool is_on_the_way() const;

  SharedRoom& shared_room_;
  std::optional<SessionRef> returns_to_;  // the client's earlier session, which was moved out of the room
  std::unique_ptr<BridgeSession> next_;   // takes over the client once its player was let in elsewhere
  std::vector<Kept> kept_;                // of one read: what came before it had a seat
  std::string name_;                      // of the player, as it joined
  Wait greets_;                           // for what the client says first
  bool seated_ = false, spoke_ = false, touched_ = false, overflowed_ = false;
  bool queued_ = false;  // for its seat, or to enter
};

}  // namespace entente::relay
