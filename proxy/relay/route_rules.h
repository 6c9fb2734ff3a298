// The settings of a route that its sessions go by. Whoever adds the route gives them, and the Route keeps them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "proxy/net/proxy_header.h"
#include "proxy/net/trusted_proxies.h"
#include "proxy/relay/admission/access.h"
#include "proxy/relay/admission/bans.h"
#include "proxy/relay/ends/enet_mode.h"
#include "proxy/relay/ends/source_mode.h"
#include "proxy/relay/sessions/bridge_options.h"

namespace entente::relay {

struct RouteRules {
  EnetMode enet = EnetMode::kPackets;  ///< if the game travels by ENet
  std::optional<BridgeOptions>
      bridge;  ///< to a server of another game or dialect, or into a shared room; none: a relay
  /// Of a relay: speaks with its servers for a player who is moved there from a bridge. Null: nobody can be.
  std::function<std::unique_ptr<core::Back>(std::size_t dialect)> back;
  std::optional<BridgeOptions::ArenaPlace> arena_faces;  ///< of a route into an arena: for players who are moved there
  /// Where players find the listener who are moved here and must connect anew: a name or an IP address. Empty: where
  /// they are connected now.
  std::string public_host;
  bool clients_name_dialect = false;    ///< of a bridge: each client's own dialect counts (Game::named_by_client)
  std::optional<std::size_t> fallback;  ///< of a bridge: the dialect of clients that wait to be greeted
  std::vector<Access> access;           ///< a client must be allowed by each of them
  Bans* bans = nullptr;                 ///< several routes may share it; null: no bans
  /// Clients may come only through these proxies, which must name the client of each connection: of games over TCP or
  /// WebSocket by PROXY headers; of games over WebSocket without TLS also by HTTP headers. Empty: clients connect
  /// themselves.
  net::TrustedProxies proxies;
  /// Connections to the server begin with a PROXY header. Of games over TCP or WebSocket.
  std::optional<net::ProxyVersion> send_proxy;
  SourceMode source = SourceMode::kOwn;  ///< the address that the server sees
  bool strict = false;  ///< a client's message that does not decode is not passed on, and ends its session
  /// A relay may put what the operator says (ProxyServer::announce) between two frames to its clients.
  bool announce = false;
};

}  // namespace entente::relay
