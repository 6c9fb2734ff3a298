// The settings of a route that its sessions use. They are given when the route is added, and the Route keeps them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "proxy/net/proxies/proxy_header.h"
#include "proxy/net/proxies/trusted_proxies.h"
#include "proxy/relay/admission/access.h"
#include "proxy/relay/admission/bans.h"
#include "proxy/relay/route/bridge_options.h"
#include "proxy/relay/route/enet_mode.h"
#include "proxy/relay/route/source_mode.h"

namespace entente::relay {

struct RouteRules {
  std::string name;                    ///< as operators call it; empty: it has no name, and Route::named() makes one
  EnetMode enet = EnetMode::kPackets;  ///< if the game travels by ENet
  std::optional<BridgeOptions>
      bridge;  ///< to a server of another game or dialect, or into a shared room; none: a relay
  /// Of a relay: makes the back that speaks with its servers for a player who is moved here from a bridge. Null: no
  /// player can be moved here.
  std::function<std::unique_ptr<core::Back>(std::size_t dialect)> back;
  std::optional<BridgeOptions::ArenaPlace> arena_faces;  ///< of a route into an arena: for players who are moved here
  /// The host (a name or an IP address) to which players connect who are moved here and must connect anew, and at which
  /// they find the server's HTTP. Empty: the host that they are connected to now, or that the server names.
  std::string public_host;
  std::uint16_t public_port = 0;        ///< its port; 0: the listener's own
  bool clients_name_dialect = false;    ///< of a bridge: each client's own dialect counts (Game::named_by_client)
  std::optional<std::size_t> fallback;  ///< of a bridge: the dialect of clients that wait to be greeted
  std::vector<Access> access;           ///< a client must be allowed by each of them
  Bans* bans = nullptr;                 ///< several routes may share it; null: no bans
  /// Clients may connect only through these proxies, which must name the client of each connection: in PROXY headers
  /// (games over TCP or WebSocket) or in HTTP headers (only games over WebSocket, without TLS). Empty: clients connect
  /// directly.
  net::TrustedProxies proxies;
  /// Connections to the server begin with a PROXY header. Of games over TCP or WebSocket.
  std::optional<net::ProxyVersion> send_proxy;
  SourceMode source = SourceMode::kOwn;  ///< the address that the server sees
  bool strict = false;  ///< a client's message that does not decode is not passed on, and ends its session
  /// A relay may insert the operator's messages (ProxyServer::announce) between two frames to its clients.
  bool announce = false;
};

}  // namespace entente::relay
