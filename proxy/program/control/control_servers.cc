#include "proxy/program/control/control_servers.h"

namespace entente {
namespace {

/// Such as "up" or "down, drained".
std::string state_of(const relay::ProxyServer::UpstreamReport& server, bool retired) {
  using State = relay::Upstream::State;
  std::string state = server.state == State::kUp ? "up" : server.state == State::kDown ? "down" : "not tried";
  if (server.full) state += ", full";
  if (server.drained) state += ", drained";
  if (retired) state += ", draining";
  return state;
}

ReplyRow row(const NamedRoute& route, const relay::ProxyServer::UpstreamReport& server, bool retired) {
  return {text_field("route", route.name),
          text_field("server", server.name),
          text_field("state", state_of(server, retired)),
          server.since ? number_field("seconds", *server.since / 1000) : text_field("seconds", ""),
          number_field("sessions", server.sessions),
          number_field("opened", server.opened),
          number_field("weight", server.weight),
          text_field("dialect", server.dialect.value_or("")),
          text_field("why", server.why)};
}

}  // namespace

void add_servers_command(Control& control, relay::ProxyServer& server, const RouteLister& routes) {
  control.add("servers", "Lists the servers of each route: whether they are up and for how long, and their sessions.",
              [&server, routes](std::string_view rest) {
                if (!rest.empty()) return Reply(Error{"servers takes no arguments"});
                std::vector<ReplyRow> rows;
                for (const ListedRoute& route : routes()) {
                  if (route.retired && server.totals(route.numbers).current_sessions() == 0) continue;
                  for (const auto& one : server.servers(route.named.number))
                    rows.push_back(row(route.named, one, route.retired));
                  for (const auto& one : older_servers_of(server, route)) rows.push_back(row(route.named, one, true));
                }
                return Reply::table(
                    {"route", "server", "state", "seconds", "sessions", "opened", "weight", "dialect", "why"}, rows);
              });
}

}  // namespace entente
