// What a worker knows of a session, whatever carries it.
// Law: lives on one worker, from the accepted connection to done(); destroyed at the end of the turn after that.
#pragma once

#include "proxy/base/time.h"
#include "proxy/core/session.h"
#include "proxy/net/fd.h"
#include "proxy/relay/ends/link_table.h"
#include "proxy/relay/inquiry.h"
#include "proxy/relay/route.h"

namespace entente::relay {

class Seated {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    /// The server's greeting gave this session a player id. Told before the client can know it.
    virtual void named(Seated& session, std::uint32_t player) = 0;
    /// The route, on this worker, of the route that serves `path` on the listener of `listener`; null if none does.
    virtual WorkerRoute* route_at(const Route& listener, std::string_view path) = 0;
    /// Its client lost its link, and may come back from the same address.
    virtual void away(Seated& session, const core::Absence& absence) = 0;
    /// The session of this route and this address that is away by that number, and is so no longer; nothing: none.
    virtual std::optional<Seat> claim(Seated& session, std::uint32_t number) = 0;
    /// Its client has come to stay, and did not lose a session before: where there are too many, one that is away gives
    /// way.
    virtual void settled(Seated& session) = 0;
    /// Hands a client to the session that it belongs to.
    virtual void send_back(Seat to, net::Fd client, const net::Address& from) = 0;
    /// A number for a second link of a session.
    virtual LinkId next_link() = 0;
    /// Both links are closed: destroy it at the end of the turn.
    virtual void done(Seated& session) = 0;
  };

  virtual ~Seated() = default;

  /// Takes the accepted connection.
  virtual void start(net::Fd client) = 0;
  /// Its client is back, from there. REQUIRES: its game's clients do not greet: what was heard of it is not told here.
  virtual void take_back(net::Fd, const net::Address&) {}
  /// It is away, and its place is kept.
  virtual bool is_away() const { return false; }
  /// Its place goes to somebody who is there.
  virtual void give_way() {}
  virtual void datagram(const net::Address&, Bytes) {}
  virtual void tick(Millis now) = 0;
  virtual void stop() = 0;
  /// Whoever runs us wants it gone. `why`: to the player, where his game has a way to say it.
  virtual void kick(std::string_view why) = 0;
  virtual SessionReport report() const = 0;

  virtual const SessionInfo& info() const = 0;
  virtual WorkerRoute& worker_route() = 0;
  /// The route through whose listener it came.
  virtual const Route& listener() { return worker_route().route; }
  /// It ended because the server could not be reached.
  virtual bool server_unreached() const = 0;
};

}  // namespace entente::relay
