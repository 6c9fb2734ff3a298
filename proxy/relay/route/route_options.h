// The description of a route. A caller makes it of a checked configuration; the ProxyServer takes it, and everything
// that is kept for the route refers to it.
// Invariant: it does not change while the route serves, except for NewcomerRules, which are replaced as a whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/wire/game.h"
#include "proxy/base/limits.h"
#include "proxy/net/address.h"
#include "proxy/net/proxies/proxy_header.h"
#include "proxy/net/proxies/trusted_proxies.h"
#include "proxy/relay/admission/access.h"
#include "proxy/relay/admission/bans.h"
#include "proxy/relay/faults/lab_plan.h"
#include "proxy/relay/route/bridge_options.h"
#include "proxy/relay/route/enet_mode.h"
#include "proxy/relay/route/relay_rules.h"
#include "proxy/relay/route/source_mode.h"
#include "proxy/relay/route/web_options.h"
#include "proxy/relay/tap/tap_sink.h"
#include "proxy/relay/upstream/upstreams.h"

namespace entente::relay {

/// Who may come, and what each session may do. ProxyServer::set_rules replaces them while the route serves; a session
/// keeps the limits that it began with.
struct NewcomerRules {
  Limits limits;
  std::vector<Access> access;  ///< a client must be allowed by each of them
};

/// A listener in front of one or more servers, or of a shared room. What it points to outlives the ProxyServer.
struct RouteOptions : NewcomerRules {
  std::string name;    ///< as operators call it; empty: it has no name, and Route::named() makes one
  std::string place;   ///< put before an error about this route, such as "a.toml:3:10: "
  Tap* tap = nullptr;  ///< may be null

  // The listener.
  const wire::Game* game = nullptr;     ///< that its clients speak
  std::size_t listen_dialect = 0;       ///< the game's documented default is its first
  net::Address listen;                  ///< port 0: any; the UDP port is the same. [::] takes IPv4, too
  bool only_v6 = false;                 ///< [::] does not, because another listener does
  EnetMode enet = EnetMode::kPackets;   ///< if the game travels by ENet
  WebOptions web{};                     ///< if a game travels by WebSocket
  bool clients_name_dialect = false;    ///< of a bridge: each client's own dialect counts (Game::named_by_client)
  std::optional<std::size_t> fallback;  ///< of a bridge: the dialect of clients that wait to be greeted
  bool strict = false;  ///< a client's message that does not decode is not passed on, and ends its session
  /// Clients may connect only through these proxies, which must name the client of each connection: in PROXY headers
  /// (games over TCP or WebSocket) or in HTTP headers (only games over WebSocket, without TLS). Empty: clients connect
  /// directly.
  net::TrustedProxies proxies;
  Bans* bans = nullptr;  ///< several routes may share it; null: no bans
  /// The host (a name or an IP address) to which players connect who are moved here and must connect anew, and at which
  /// they find the server's HTTP. Empty: the host that they are connected to now, or that the server names.
  std::string public_host;
  std::uint16_t public_port = 0;  ///< its port; 0: the listener's own
  /// A relay may insert the operator's messages (ProxyServer::announce) between two frames to its clients.
  bool announce = false;
  /// What a relay does on purpose to what passes, from the beginning (ProxyServer::set_lab changes it). Null: nothing.
  /// REQUIRES: no LabPlan::objection() for its game.
  std::shared_ptr<const LabPlan> lab;

  /// Of a relay: the operator's rules. Nothing: there are none. `rewrite`: not with EnetMode::kDatagrams.
  std::optional<RelayRules> relay_rules;

  // What it leads to.
  /// 1 to kMostServers. A route into a shared room has one, whose host is the room's name. A dialect that is not named
  /// is detected, without harm to the server (Game::probe), before a player is let through.
  std::vector<UpstreamOptions> servers{1};
  UpstreamRules upstream;  ///< hold_ms: not with EnetMode::kDatagrams
  /// Connections to the server begin with a PROXY header. Of games over TCP or WebSocket.
  std::optional<net::ProxyVersion> send_proxy;
  SourceMode source = SourceMode::kOwn;  ///< the address that the server sees
  /// To a server of another game or dialect, or into a shared room; none: a relay.
  std::optional<BridgeOptions> bridge;
  /// Of a relay: makes the back that speaks with its servers for a player who is moved here from a bridge. Null: no
  /// player can be moved here.
  std::function<std::unique_ptr<core::Back>(std::size_t dialect)> back;
  std::optional<BridgeOptions::ArenaPlace> arena_faces;  ///< of a route into an arena: for players who are moved here
};

}  // namespace entente::relay
