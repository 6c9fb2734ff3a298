// Passes a client from the acceptor that let it in to the worker where its session will live.
#pragma once

#include <memory>
#include <vector>

#include "proxy/base/limits.h"
#include "proxy/net/socket.h"
#include "proxy/net/web/web_link.h"
#include "proxy/relay/ends/enet_peer_user.h"
#include "proxy/relay/ends/link_table.h"
#include "proxy/relay/route/route.h"

namespace entente::relay {

/// A client that was let in, on its way to its worker.
struct AcceptedClient {
  std::size_t route = 0;
  LinkId link = 0;
  net::Fd fd;
  net::Address client;
  Limits limits;
  bool health_check = false;                         ///< of a load balancer: a caller until it plays
  bool only_resumes = false;                         ///< came in during a drain, for a kept place of its address
  Upstream* server = nullptr;                        ///< the server to begin with; null: none
  Upstreams::SessionCount session_count{};           ///< of that server, until the session has its own
  std::size_t server_dialect = 0;                    ///< in a bridge: what that server speaks, or is assumed to
  AcceptedEnetPeer enet{};                           ///< instead of `fd`, if it came by ENet
  std::shared_ptr<net::HeardRequest> heard{};        ///< if it asked for a WebSocket: what was read of it
  std::unique_ptr<net::MovedEnetPeer> moved_enet{};  ///< that peer, if its worker is not the listener's
  std::vector<EarlyEnetPacket> early{};              ///< what it has sent so far
  std::optional<Reason> no_dial_reason{};            ///< of a bot: why its server is not dialled
  Route::Ref route_ref{};                            ///< of its route

  void go_by(Route& its) {
    route = its.index;
    route_ref = Route::Ref(its);
  }

  /// Chooses the server that the session is to begin with; none if all are drained. REQUIRES: if a dialect must be
  /// known, ServerProbes::known().
  void choose_server(const Upstreams& upstreams, Millis now) {
    server = upstreams.choose(client, now);
    if (server == nullptr) return;
    server_dialect = server->dialect().value_or(0);
    session_count = Upstreams::SessionCount(*server);
    session_count.set_asks(health_check);
  }
};

/// The way from an acceptor to the sessions.
class Dispatcher {
 public:
  virtual ~Dispatcher() = default;
  virtual LinkId next_link() = 0;
  /// The worker that the next newcomer on this route shall go to.
  virtual std::size_t next_worker(const Route& route) = 0;
  virtual void assign(std::size_t worker, AcceptedClient newcomer) = 0;
  /// False when that worker is too far behind.
  virtual bool forward_datagram(SessionRef to, const net::Address& from, Bytes datagram) = 0;
  /// The batch of datagrams is over: wakes the workers that got some.
  virtual void flush_datagrams() = 0;
};

}  // namespace entente::relay
