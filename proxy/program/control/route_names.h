// The routes of a program, as an operator names them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/base/fault.h"
#include "proxy/net/address.h"
#include "proxy/relay/proxy_server.h"

namespace entente {

struct NamedRoute {
  std::size_t number;     ///< as relay::ProxyServer::add numbered it
  std::string name;       ///< in the statistics: "bzflag 2.4 127.0.0.1:40123", "ogar modern3 127.0.0.1:443/a"
  std::string game;       ///< "bzflag"
  std::string room;       ///< the arena that it leads into; "" if it leads to a server
  net::Address listener;  ///< port 0: it has none
};

/// A route with all its sessions.
struct ListedRoute {
  NamedRoute named;
  std::vector<std::size_t> numbers;  ///< its current number, and those from before a reload
  bool retired = false;              ///< removed by a reload; its sessions go on
};

using ListedRoutes = std::vector<ListedRoute>;
/// From any thread.
using RouteLister = std::function<ListedRoutes()>;

/// The routes that match `what`: the address or port of the listener, the game, the arena, or the name in the
/// statistics. "": all. `all` outlives the result.
Outcome<std::vector<const ListedRoute*>> routes_called(const ListedRoutes& all, std::string_view what);

/// `all` without the retired routes.
ListedRoutes served_only(ListedRoutes all);

/// Where a route leads: its arena, or its servers.
std::string place_of(const relay::ProxyServer& server, const ListedRoute& route);

/// The servers that only older routes of this name have, from before a reload, with their sessions.
std::vector<relay::ProxyServer::UpstreamReport> older_servers_of(const relay::ProxyServer& server,
                                                                 const ListedRoute& route);

/// "a, b"
std::string names_of(const std::vector<const ListedRoute*>& routes);

}  // namespace entente
