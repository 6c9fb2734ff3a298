// Connects a session to a server of its route: looks up the servers' names, and tries the servers and their addresses
// one after another, each for at most Limits::connect_ms. If none can be reached and the route holds its sessions, it
// waits and tries again.
// Invariant: it sends nothing but a PROXY header. Each failure is logged. After the last one the user is told.
#pragma once

#include <vector>

#include "proxy/net/socket.h"
#include "proxy/relay/ends/outgoing.h"
#include "proxy/relay/ends/relay_link.h"
#include "proxy/relay/route/route.h"
#include "proxy/relay/upstream/lookup_waits.h"

namespace entente::relay {

class Dial final : private LookupWaits::User {
 public:
  class User {
   public:
    virtual ~User() = default;
    /// Connects to `server`. Returns an errno if that cannot even begin.
    virtual int dial(Dial& dial, const net::Address& server, Outgoing outgoing) = 0;
    /// Closes the link of the attempt that is under way, if that attempt is late(). Returns whether it was.
    virtual bool drop_late(Dial& dial, Millis now) = 0;
    /// The session could not be connected to any server.
    virtual void dial_failed(Dial& dial, Reason why) = 0;
  };

  /// `transport`: makes the sockets for it; ENet makes its own.
  Dial(User& user, std::uint32_t connect_ms, wire::Transport transport)
      : user_(user), connect_ms_(connect_ms), transport_(transport) {}
  ~Dial() override { wait_by_ticks(); }
  Dial(const Dial&) = delete;
  Dial& operator=(const Dial&) = delete;

  /// The session is going to connect to this server, and counts for it from now on.
  void expect(Upstream& server) { count_at(server); }
  /// Whether the client only asks who plays: it starts no server, and keeps none from being stopped. Initially false.
  void set_asks(bool asks);
  /// Whether the client is a load balancer's health check: it starts no server, and keeps none from being stopped.
  /// Initially false.
  void set_checks(bool checks);
  /// Whether others must connect before it: meanwhile it waits as if no server were up, and lets those pass who are
  /// behind it in the queue. Initially false.
  void set_behind(bool on) { behind_ = on; }

  /// `session`: gives the client's address (port 0: a bot) and, by its link, the place in the queue: smaller links go
  /// first. `first`: the server to begin with; null: the route chooses. `dialect`: only servers that speak it.
  /// REQUIRES: not under way.
  void begin(WorkerRoute& worker_route, const LinkInfo& session, Upstream* first, std::optional<std::size_t> dialect);
  /// The session does not count for a server any more.
  void leave_server() {
    end();
    session_count_ = {};
  }
  /// Connects again after the server was lost: not before `from`, and if no server can be reached, until `until`. Until
  /// then, no server is reached. An attempt that is under way is given up. REQUIRES: its link is closed.
  void again(WorkerRoute& worker_route, const LinkInfo& session, std::optional<std::size_t> dialect, Millis from,
             Millis until);
  /// Changes how long it waits for a server to come up.
  void wait_until(Millis until) { hold_until_ = until; }
  Millis waits_until() const { return hold_until_; }
  /// Does not connect before `from`, and lets others go first. REQUIRES: holding().
  void rest(Millis from);
  /// Gives up an attempt that is late. Tries again if it is the session's turn. REQUIRES: called regularly.
  void tick(Millis now);
  /// The address that the server sees; a wildcard: the one that the system's routing picks.
  const net::Address& source() const { return source_.get().address; }
  /// The rates and the name of the server that was reached; null and empty: none was.
  SharedRates* server_rates() const { return reached_ != nullptr ? &reached_->rates() : nullptr; }
  std::string server_name() const {
    if (trying_) return walk_.server().name;
    return reached_ != nullptr ? reached_->name : "";
  }
  /// Whether the attempt that begins is the first one at this address, among the last kMostTried, since a server was
  /// reached. While all are down, there are four attempts a second.
  bool tries_first() const { return tries_first_; }
  bool under_way() const { return worker_route_ != nullptr; }
  /// Waits for a server to come up, for a slot, or for a lookup: no attempt is under way.
  bool holding() const {
    return worker_route_ != nullptr && (ticket_.taken() || rest_until_ != 0 || looks_up()) && !trying_;
  }
  /// Waits for a lookup.
  bool looks_up() const { return worker_route_ != nullptr && walk_.looks_up() && !trying_; }

  /// The result of the current attempt. REQUIRES: the link of a failed attempt is closed.
  /// `has_slot`: the player has a slot on the server. Otherwise the session stays in the queue until leave_queue(), if
  /// slots are scarce or others wait for one elsewhere.
  void succeeded(bool has_slot = true);
  /// The server took the connection, but declines the session.
  void declined();
  /// The player has a slot, or the session ends: it waits no longer.
  void leave_queue() {
    ticket_.leave();
    wait_by_ticks();
  }
  void failed(int error);
  bool late(Millis now) const { return trying_ && relay::late(now, began_, connect_ms_); }
  /// The same, not counting the time for which data of the server waited for us.
  template <class Link>
  bool late(Millis now, const Link& link) const {
    return trying_ && relay::late(now, began_, connect_ms_, link);
  }
  /// The server that was reached refused the player because it is full: the session does not count for it any more.
  void server_is_full(Millis now);

 private:
  static constexpr std::size_t kMostTried = 64;

  void begin(WorkerRoute& worker_route, const LinkInfo& session, Upstream* first, std::optional<std::size_t> dialect,
             Millis until);
  void looked_up() override;
  void count_at(Upstream& server);
  void wait_for_lookup();
  void wait_by_ticks();
  void connect();
  void end();
  void next(Reason last, const std::string& why);
  bool hold(Reason last);
  net::NewSockets sockets_towards(const net::Address& server) const;
  bool try_one(const net::Address& server, std::string& blame);
  bool remember_try(const net::Address& server);
  bool gives_up_without_socket(const net::Address& server, const net::SocketError& why, std::string& blame);
  /// `blame`: gets the reason if it is the server's fault.
  void note_failure(const net::Address& server, int error, std::string& blame);
  void say(const net::Address& server, int error);
  void give_up(Reason why);

  User& user_;
  const std::uint32_t connect_ms_;
  const wire::Transport transport_;
  WorkerRoute* worker_route_ = nullptr;  // while it is under way
  LookupWaits* waits_in_ = nullptr;      // until a lookup ends; null: tick() looks
  Millis began_ = 0;
  bool trying_ = false;           // an attempt is under way
  bool tries_first_ = false;      // as of tries_first()
  bool asks_ = false;             // as of set_asks()
  bool checks_ = false;           // as of set_checks()
  bool behind_ = false;           // as of set_behind()
  bool wastes_turn_ = false;      // it could not use its last turn, and others might
  net::Address client_, server_;  // server_: of the current attempt
  LinkId link_ = 0;
  UpstreamWalk walk_;
  Upstream* reached_ = nullptr;
  Upstreams::SessionCount session_count_;
  Upstreams::QueueTicket ticket_;
  Millis hold_until_ = 0, try_at_ = 0;
  Millis rest_until_ = 0;                         // again() may not connect earlier; 0: it may
  Reason held_for_ = Reason::kServerUnreachable;  // the reason to end, if no server takes it in time
  SessionSource source_;
  std::vector<net::Address> tried_;  // since a server was reached
};

}  // namespace entente::relay
