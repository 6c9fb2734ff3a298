// A session whose client plays in a room: its own (bridge_session.h), or one that it shares (room_guest.h).
// Invariant: the front says goodbye to a client that breaks a rule or a limit, in its game's own way.
#pragma once

#include <optional>
#include <string>

#include "proxy/relay/ends/counted_end.h"
#include "proxy/relay/sessions/room_host.h"
#include "proxy/relay/sessions/session.h"

namespace entente::relay {

class RoomSession : public Session, protected End::User, private net::Alarm::User {
 public:
  void start(net::Fd client) override;
  void datagram(const net::Address& from, Bytes datagram) override;
  void send_away(Reason reason, std::string_view why) override;
  AnnounceResult say(std::string_view text) override;

 protected:
  /// `host` runs the room, and outlives the session's use of it.
  RoomSession(WorkerRoute& accept_route, Owner& owner, RoomHost& host, const AcceptedClient& newcomer, bool gathers);
  /// Of the client of another session, which is to be taken over. Until then, the front's end has no peer.
  RoomSession(const RoomSession& other, RoomHost& host, Successor);
  /// Goes on with the client of `other`, which does nothing more.
  void adopt_client(RoomSession& other);

  /// The client's dialect is known: its player is to have a seat.
  virtual void seat(std::size_t dialect) = 0;
  /// seat() was not called yet.
  virtual bool is_unseated() const = 0;
  /// Whether the room takes what the client sent. If not, it is heard later, or dropped.
  virtual bool takes(const Frames&) { return true; }
  /// Sends the player a message in the server's name. False: the player has not entered.
  virtual bool announce_in_room(std::string_view text) = 0;

  void on_frames(End& end, const Frames& frames) override;
  std::unique_ptr<End> make_client_end(const AcceptedClient& newcomer, bool gathers);
  void greet(const core::Peer& peer);
  void name(Bytes greeting);
  /// The client belongs to that session, which goes on with it. This session only accepted the connection, and ends.
  void hand_back(SessionRef to);
  /// Tells a client that has no seat why its session ends.
  void tell_unseated(Reason reason);
  /// Why the session ends, for the player. Who started a bot is told the name of the reason.
  std::string why_for_player(Reason reason) const;
  void let_go(Reason reason, std::string_view why, std::uint32_t code);
  std::uint32_t code_for(const CountedEnd& side, std::uint32_t said = 0) const;

  std::size_t waiting_for_client() const override { return client_.end->waiting(); }
  std::size_t weight() const override { return client_.end != nullptr ? client_.end->weight() : 0; }
  void pause_client(Pause why) override { client_.pause(why); }
  void resume_client(Pause why) override { client_.resume(why); }
  WallTime wall() const override { return host_.wall_by_now(); }
  Millis goodbye() const override { return goodbye_ms(*info_.game, reason()); }

  RoomHost& host_;
  CountedEnd client_{Facing::kClient, info_};
  core::Peer peer_;              // the client
  std::size_t heard_words_ = 0;  // intents of the current call of the room
  bool turned_away_ = false;     // the player was refused or thrown out, and not let in since

 private:
  void received_besides(End& end, std::size_t bytes, std::size_t messages) override;
  void over(End&) override { settle(); }
  void rang() override;

  net::Alarm silence_;  // fires if the client is silent, where it may be waiting for a greeting
  bool named_ = false;
};

}  // namespace entente::relay
