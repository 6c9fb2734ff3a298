// A bridge for one player: the client's link, the player's room (player_room.h), and where the player is
// (whereabouts.h). The room's front talks to the client, its back to the place where the player is.
// The front and the back know the games; the session knows the network.
// Invariant: a peer that breaks a rule of its game or a limit is refused, with the goodbye of its game.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "proxy/relay/sessions/player_room.h"
#include "proxy/relay/sessions/room_session.h"
#include "proxy/relay/sessions/whereabouts.h"

namespace entente::relay {

class RoomGuest;

class BridgeSession final : public RoomSession {
 public:
  /// If Route::detects_in_session is true, the session detects the server's dialect.
  BridgeSession(WorkerRoute& accept_route, Owner& owner, const AcceptedClient& newcomer);

  /// For the client of `guest`, whose player is to be moved out of its shared room. The guest makes the session, and
  /// owns it until the player was let in elsewhere. REQUIRES: SharedRoom::can_take_out(). `guest` outlives it, or is
  /// replaced by it.
  explicit BridgeSession(RoomGuest& guest);

  // For that guest.
  Mover& mover() { return where_.mover; }
  /// False: there was a move, and nothing more is to be done for it. REQUIRES: called regularly.
  bool tick_move(Millis now);
  /// Goes on with the client.
  void adopt_client(RoomGuest& guest);

  void reattach(net::Fd client, const net::Address& from) override;
  bool is_away() const override { return away_; }
  void look_into_arena() override;
  void give_way() override;
  void move(const std::shared_ptr<MoveOrder>& order) override { where_.mover.begin(order); }

 private:
  friend class Hold;
  friend class Meanwhile;
  friend class Mover;
  friend class PlayerRoom;
  friend class Whereabouts;

  // End::User, of the client's
  void opened(End& end, const core::Peer& peer) override;
  void wrote(End& end) override;
  void departed(End& end, const End::Departure& departure) override;
  WorkerRoute* route_for(std::string_view path) override;

  // Session, RoomSession
  void seat(std::size_t dialect) override;
  bool is_unseated() const override { return !room_.is_open(); }
  bool announce_in_room(std::string_view text) override { return room_.announce(text); }
  bool leave_server(std::string_view server, std::string_view why) override;
  Dial* server_dial() override { return where_.here().dial.get(); }
  void leave_queue() override;
  void dismiss(Reason reason, std::string_view why) override;
  void shut_down() override;
  void hang_up() override;
  bool is_linked() const override;
  bool on_tick(Millis now) override;
  void pause_server(Pause why) override { where_.here().pause(why); }
  void resume_server(Pause why) override { where_.here().resume(why); }
  std::optional<Reason> overdue(Millis now) const override;
  void tell_end() override;
  void close_tap(const std::string& why) override;
  std::string player_name() const override { return name_; }
  std::string arena_name() const override;
  std::optional<std::size_t> moved_to() const override;
  const Route& at() const override { return where_.route().route; }

  bool may_go_on() const { return room_.is_open() && !turned_away_ && !reason_ && !ending_; }
  std::optional<Reason> play();
  bool stays(const End::Departure& departure);
  void lack_face(const CountedEnd& side);
  void note_name() { known_name_ = name_; }
  void tell_new_name();

  const std::optional<Reason> no_dial_reason_;  // why the server is not dialled; see AcceptedClient
  Whereabouts where_;
  PlayerRoom room_;
  RoomGuest* guest_ = nullptr;  // the guest that still has the client; null: none
  std::string name_;            // of the player, as the room tells it
  std::string known_name_;      // the one that the client knows, since note_name()
  bool entered_ = false;        // the player asked to be let in, and was not refused
  bool away_ = false;           // its client lost its link, and may come back
};

}  // namespace entente::relay
