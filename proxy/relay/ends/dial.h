// Connects to a route's server: tries its addresses one after another, each for at most Limits::connect_ms.
// Law: it sends nothing but a PROXY header. Each failure is logged. After the last one the user is told.
#pragma once

#include "proxy/net/socket.h"
#include "proxy/relay/ends/link_side.h"
#include "proxy/relay/ends/outgoing.h"
#include "proxy/relay/route.h"

namespace entente::relay {

class Dial {
 public:
  class User {
   public:
    virtual ~User() = default;
    /// Connect to `server`. An errno when that cannot even begin.
    virtual int dial(const net::Address& server, Outgoing outgoing) = 0;
    /// It is over, without success.
    virtual void dial_failed(Reason why) = 0;
  };

  explicit Dial(User& user) : user_(user) {}

  /// Starts with the first address. Makes the sockets for this transport; ENet makes its own. `client`: for whom it is;
  /// port 0: for a bot. REQUIRES: called once.
  void begin(WorkerRoute& worker_route, std::uint32_t connect_ms, wire::Transport transport,
             const net::Address& client);
  /// The address that the server sees; a wildcard: the one that the routes pick.
  const net::Address& source() const { return source_.get().address; }
  bool under_way() const { return worker_route_ != nullptr; }

  /// The result of the current attempt. REQUIRES: the link of a failed or late attempt is closed.
  void succeeded() { worker_route_ = nullptr; }
  void failed(int error);
  bool late(Millis now) const { return under_way() && relay::late(now, began_, connect_ms_); }
  /// The same, not counting the time for which data of the server waited for us.
  template <class Link>
  bool late(Millis now, const Link& link) const {
    return under_way() && relay::late(now, began_, connect_ms_, link);
  }
  void timed_out() { next(Reason::kServerTimeout); }

  /// No address of the server could be reached.
  bool unreached() const { return unreached_; }

 private:
  void next(Reason last);
  Outcome<net::Sockets> sockets_towards(const net::Address& server) const;
  Buffer first_bytes(const net::Address& server) const;
  bool try_one(const net::Address& server);
  void say(const net::Address& server, int error);
  void give_up(Reason why);

  User& user_;
  WorkerRoute* worker_route_ = nullptr;  // while it is under way
  std::uint32_t connect_ms_ = 0;
  Millis began_ = 0;
  std::size_t next_ = 0;
  wire::Transport transport_ = wire::Transport::kTcp;
  bool unreached_ = false;
  net::Address client_;
  SessionSource source_;
};

}  // namespace entente::relay
