#include "proxy/program/config/loop.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "proxy/net/network.h"
#include "proxy/net/socket.h"
#include "proxy/program/config/fleet_settings.h"
#include "proxy/program/settings/route.h"

namespace entente {
namespace {

/// Whether who connects to `host` on this machine reaches a listener at `at`.
bool is_here(const std::string& host, const net::Address& at, bool looks) {
  const bool local = host == "localhost" || host.ends_with(".localhost");
  const auto address = net::Address::parse(local ? "127.0.0.1" : host, 0);
  if (!address) return false;
  if (address->same_ip(at)) return true;
  const bool to_any = address->wildcard();  // that is this machine, too
  if (!at.wildcard()) return to_any && (net::is_loopback_v4(at) || at.ip_text() == "::1");
  if (!at.v6() && address->v6()) return false;
  if (to_any || net::is_loopback_v4(*address) || address->ip_text() == "::1") return true;
  return looks && !net::objection_to_address(*address);
}

bool leads_to(const Endpoint& server, const ListenEnd& listen, bool looks) {
  if (server.port != listen.address.port()) return false;
  const auto by_enet = [](const wire::Game& game) { return game.transport() == wire::Transport::kEnet; };
  if (by_enet(*server.game) != by_enet(*listen.game)) return false;
  const std::string path = listen.web ? listen.web->path : "", to = server.web ? server.web->path : "";
  if (!path.empty() && !to.empty() && path != to) return false;
  return is_here(server.host, listen.address, looks);
}

struct Ends {
  std::optional<ListenEnd> listen;  // nothing: it is wrong, or takes any free port
  std::vector<Endpoint> servers;
};

Ends ends_of(const config::Route& route, std::span<const wire::Game* const> known) {
  Ends ends;
  if (const auto listen = parse_listen(route.listen(), known); listen && listen->address.port() != 0)
    ends.listen = *listen;
  if (fleet_arena_of(route)) return ends;
  for (const std::string& url : route.to())
    if (auto server = parse_to(url, known)) ends.servers.push_back(*server);
  return ends;
}

std::string loop_at(const std::vector<std::vector<std::size_t>>& next, std::size_t first) {
  std::vector<bool> seen(next.size());
  for (std::vector<std::size_t> todo{first}; !todo.empty();) {
    const std::size_t one = todo.back();
    todo.pop_back();
    for (const std::size_t other : next[one]) {
      if (other == first && one == first) return "is this route's own listener: it would lead to itself";
      if (other == first) return "leads back to this route's own listener, by route " + std::to_string(one + 1);
      if (!seen[other]) todo.push_back(other);
      seen[other] = true;
    }
  }
  return "";
}

}  // namespace

std::vector<std::string> loops_of(const config::Config& config, std::span<const wire::Game* const> known, bool looks) {
  std::vector<Ends> all;
  for (const config::Route& route : config.route()) all.push_back(ends_of(route, known));
  std::vector<std::vector<std::size_t>> next(all.size());  // the routes to which the servers of each lead
  for (std::size_t one = 0; one < all.size(); ++one)
    for (std::size_t other = 0; other < all.size(); ++other)
      if (const auto& listen = all[other].listen;
          listen && std::any_of(all[one].servers.begin(), all[one].servers.end(),
                                [&](const Endpoint& server) { return leads_to(server, *listen, looks); }))
        next[one].push_back(other);
  std::vector<std::string> loops;
  for (std::size_t one = 0; one < all.size(); ++one) loops.push_back(loop_at(next, one));
  return loops;
}

}  // namespace entente
