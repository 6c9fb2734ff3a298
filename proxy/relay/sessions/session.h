// A session: one client, from the accepted connection to the last byte. Relays (tcp_session.h, web_session.h,
// enet_session.h) pass its bytes to a server; bridge_session.h and room_guest.h seat its player in a room.
// Law: lives on one worker, and is destroyed at the end of the turn after done(). The first reason to end counts; it is
// counted, said in the log and told to the tap once. From then on both links have Limits::linger_ms to close.
#pragma once

#include <optional>
#include <string>

#include "proxy/base/limits.h"
#include "proxy/core/session.h"
#include "proxy/net/fd.h"
#include "proxy/relay/acceptors/seating.h"
#include "proxy/relay/admission/rates.h"
#include "proxy/relay/ends/dial.h"
#include "proxy/relay/ends/link_table.h"
#include "proxy/relay/ends/peer.h"
#include "proxy/relay/inquiry.h"
#include "proxy/relay/route.h"

namespace entente::relay {

class Session : private Dial::User {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    /// The server's greeting gave this session a player id. Told before the client can know it.
    virtual void named(Session& session, std::uint32_t player) = 0;
    /// The route, on this worker, of the route that serves `path` on the listener of `listener`; null if none does.
    virtual WorkerRoute* route_at(const Route& listener, std::string_view path) = 0;
    /// Its client lost its link, and may come back from the same address.
    virtual void away(Session& session, const core::Absence& absence) = 0;
    /// The session of this route and this address that is away by that number, and is so no longer; nothing: none.
    virtual std::optional<Seat> claim(Session& session, std::uint32_t number) = 0;
    /// Its client has come to stay, and did not lose a session before: where there are too many, one that is away gives
    /// way.
    virtual void settled(Session& session) = 0;
    /// Hands a client to the session that it belongs to.
    virtual void send_back(Seat to, net::Fd client, const net::Address& from) = 0;
    /// A number for a second link of a session.
    virtual LinkId next_link() = 0;
    /// Both links are closed: destroy it at the end of the turn.
    virtual void done(Session& session) = 0;
  };

  ~Session() override = default;

  /// Takes the accepted connection.
  virtual void start(net::Fd client) = 0;
  /// Its client is back, from there. REQUIRES: its game's clients do not greet: what was heard of it is not told here.
  virtual void take_back(net::Fd, const net::Address&) {}
  /// It is away, and its place is kept.
  virtual bool is_away() const { return false; }
  /// Its place goes to somebody who is there.
  virtual void give_way() {}
  /// A datagram of the client's that the listener heard.
  virtual void datagram(const net::Address&, Bytes) {}
  void tick(Millis now);
  void stop();
  /// Whoever runs us wants it gone. `why`: to the player, where his game has a way to say it.
  virtual void kick(std::string_view why);
  SessionReport report() const;

  const SessionInfo& info() const { return info_; }
  WorkerRoute& worker_route() { return *worker_route_; }
  /// The route through whose listener it came.
  const Route& listener() const { return listener_.route; }
  /// It ended because the server could not be reached.
  bool server_unreached() const { return dial_.unreached(); }

 protected:
  /// `listener` outlives it.
  Session(WorkerRoute& listener, Owner& owner, const Newcomer& newcomer);

  /// By us. `why` is for the peers, where their game has a way to say it; empty: nothing is said.
  void end(Reason reason, const Fault& fault = Fault{""}, std::string_view why = {});
  /// Keeps the reason, if it is the first; the links have so long to close.
  void because(Reason reason, std::string_view why = {}, const Fault& fault = Fault{""});
  /// Nothing more is passed on: tells its end and closes the links.
  void finish();
  /// Done, if its links are closed.
  virtual void settle();

  void count_opened();
  void open_tap(WallTime at);
  /// To the tap, once it is open.
  void note(const std::string& text);
  /// What the client sent counts for its rates; above them it is not read until it has paid.
  void charge(std::size_t bytes, std::size_t messages);
  Millis now() const { return listener_.loop.now(); }
  Reason reason() const { return reason_.value_or(Reason::kClientLeft); }

  // What each kind does its own way.
  /// Says goodbye: once peers have heard it, or at once, finish().
  virtual void dismiss(Reason, std::string_view /*why*/) { finish(); }
  /// Closes the links once what was sent is out.
  virtual void part() = 0;
  /// Closes the links at once, whatever waits.
  virtual void hang_up() = 0;
  virtual bool is_linked() const = 0;
  /// The client's reading.
  virtual void pause_client(Pause why) = 0;
  virtual void resume_client(Pause why) = 0;
  /// What it does every tick, before its limits are looked at. False: they are not.
  virtual bool attend(Millis) { return true; }
  /// Closes the link to a server that does not answer the dial in time. True: it was so.
  virtual bool drop_late_server(Millis) { return false; }
  /// Which limit of time it exceeds.
  virtual std::optional<Reason> overdue(Millis now) const = 0;
  /// How long the client may read why it was turned away.
  virtual Millis goodbye() const { return 0; }
  virtual void tell_end();
  virtual void close_tap(const std::string& why);
  virtual WallTime wall() const { return wall_now(); }
  /// Its player's name in a room.
  virtual std::string player() const { return {}; }
  // Dial::User. A session without a server of its own does not dial.
  int dial(const net::Address&, net::Sockets) override;
  void undialled(Reason why) override { end(why); }

  WorkerRoute& listener_;      // that the client came through
  WorkerRoute* worker_route_;  // of the route that its path chose
  Owner& owner_;
  const Limits limits_;
  SessionInfo info_;  // of the client's link
  Dial dial_;
  Rates rates_;
  std::uint64_t said_ = 0, answered_ = 0;  // bytes of messages: the client's, the server's
  const Millis began_;
  Millis moved_;                  // when something was last passed on
  Millis gone_by_ = 0;            // then its links are closed in any case; 0: it does not end
  std::optional<Reason> reason_;  // of the end
  std::string why_;
  Fault fault_{""};
  bool plays_ = false;   // it is no newcomer any more
  bool ending_ = false;  // nothing is passed on any more

 private:
  bool over_rates_ = false, counted_ = false, tapped_ = false, done_ = false;
};

}  // namespace entente::relay
