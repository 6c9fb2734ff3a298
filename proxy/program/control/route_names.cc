#include "proxy/program/control/route_names.h"

#include <algorithm>
#include <utility>

namespace entente {
namespace {

bool is(const NamedRoute& route, std::string_view what) {
  if (what.empty() || route.name == what || route.game == what || (!route.room.empty() && route.room == what))
    return true;
  return route.listener.port() != 0 && (route.listener.text() == what || std::to_string(route.listener.port()) == what);
}

}  // namespace

Outcome<std::vector<const ListedRoute*>> routes_called(const ListedRoutes& all, std::string_view what) {
  std::vector<const ListedRoute*> found, known;
  for (const ListedRoute& route : all) {
    known.push_back(&route);
    if (is(route.named, what)) found.push_back(&route);
  }
  if (!found.empty()) return found;
  return Error{"no route is called '" + std::string(what) +
               "'; name a game, an arena, a port or a listener of: " + names_of(known)};
}

ListedRoutes served_only(ListedRoutes all) {
  std::erase_if(all, [](const ListedRoute& route) { return route.retired; });
  return all;
}

std::string place_of(const relay::ProxyServer& server, const ListedRoute& route) {
  if (!route.named.room.empty()) return route.named.room;
  std::string place;
  for (const auto& one : server.servers(route.named.number)) place += (place.empty() ? "" : " ") + one.name;
  return place;
}

std::vector<relay::ProxyServer::UpstreamReport> older_servers_of(const relay::ProxyServer& server,
                                                                 const ListedRoute& route) {
  auto known = server.servers(route.named.number);
  std::vector<relay::ProxyServer::UpstreamReport> found;
  for (auto number = route.numbers.rbegin(); number != route.numbers.rend(); ++number)
    for (auto& one : server.servers(*number)) {
      const auto is_it = [&](const auto& other) { return other.name == one.name; };
      if (one.sessions == 0 || std::any_of(known.begin(), known.end(), is_it)) continue;
      known.push_back(one);
      found.push_back(std::move(one));
    }
  return found;
}

std::string names_of(const std::vector<const ListedRoute*>& routes) {
  std::string names;
  for (const ListedRoute* route : routes) names += (names.empty() ? "" : ", ") + route->named.name;
  return names;
}

}  // namespace entente
