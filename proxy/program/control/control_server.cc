#include "proxy/program/control/control_server.h"

#include <algorithm>

#include "proxy/program/control/arguments.h"

namespace entente {
namespace {

/// Empty while the server's name has no address.
std::string known_server(const relay::LinkInfo& session) {
  return session.server.port() != 0 ? session.server.text() : "";
}

bool has_source(const Attendee& attendee) { return !attendee.session.source.wildcard(); }

std::string route_called(std::size_t number, const ListedRoutes& routes) {
  const auto has_it = [&](const ListedRoute& one) {
    return std::find(one.numbers.begin(), one.numbers.end(), number) != one.numbers.end();
  };
  const auto at = std::find_if(routes.begin(), routes.end(), has_it);
  return at != routes.end() ? at->named.name : "";
}

ReplyRow full_row(const Attendee& attendee, const ListedRoutes& routes, bool with_source) {
  const relay::SessionReport& session = attendee.session;
  ReplyRow row = {number_field("link", session.info.link),     text_field("game", attendee.game()),
                  text_field("client", attendee.client()),     text_field("server", known_server(session.info)),
                  number_field("seconds", session.age / 1000), number_field("bytes", session.bytes),
                  text_field("player", attendee.player)};
  if (with_source) row.push_back(text_field("source", has_source(attendee) ? session.source.ip_text() : ""));
  row.push_back(only_json(text_field("route", route_called(session.route, routes))));
  return row;
}

/// The column `source` is added only if a session has a source, because scripts rely on the other columns.
Reply list(const std::vector<Attendee>& attendees, const ListedRoutes& routes) {
  const bool with_source = std::any_of(attendees.begin(), attendees.end(), has_source);
  std::vector<std::string> header = {"link", "game", "client", "server", "seconds", "bytes", "player"};
  if (with_source) header.emplace_back("source");
  const auto moved = [](const Attendee& one) { return one.session.moved_to.has_value(); };
  const bool with_moved = std::any_of(attendees.begin(), attendees.end(), moved);
  if (with_moved) header.emplace_back("moved_to");
  const auto in_arena = [](const Attendee& one) { return !one.session.arena.empty(); };
  const bool with_arena = std::any_of(attendees.begin(), attendees.end(), in_arena);  // as `source`
  if (with_arena) header.emplace_back("arena");
  std::vector<ReplyRow> rows;
  for (const Attendee& one : attendees) {
    rows.push_back(full_row(one, routes, with_source));
    if (with_moved)
      rows.back().push_back(
          text_field("moved_to", one.session.moved_to ? route_called(*one.session.moved_to, routes) : ""));
    if (with_arena) rows.back().push_back(text_field("arena", one.session.arena));
  }
  return Reply::table(header, rows);
}

Reply find(const Roster& roster, const ListedRoutes& routes, std::string_view rest) {
  const std::string wanted = whole_text(rest);
  if (wanted.empty()) return Error{"usage: find LINK|NAME|ADDRESS"};
  return list(roster.search(Target::parse(wanted)), routes);
}

Reply who(const Roster& roster, const ListedRoutes& routes, std::string_view rest) {
  const std::string wanted = whole_text(rest);
  if (wanted.empty()) return Error{"usage: who LINK|NAME|ADDRESS"};
  return list(roster.find(Target::parse(wanted)), routes);
}

Reply routes_table(const relay::ProxyServer& server, const ListedRoutes& routes) {
  std::vector<ReplyRow> rows;
  for (const ListedRoute& one : routes) {
    const NamedRoute& route = one.named;
    const relay::Totals all = server.totals(one.numbers);
    if (one.retired && all.current_sessions() == 0) continue;
    rows.push_back({text_field("route", route.name), text_field("game", route.game), text_field("arena", route.room),
                    flag_field("draining", one.retired || server.is_draining(route.number)),
                    number_field("sessions", all.current_sessions()),
                    number_field("waiting", server.waiting(route.number)), number_field("opened", all.begun),
                    number_field("refused", all.refused()),
                    number_field("to_server", all.to_server.bytes + all.to_server.datagram_bytes),
                    number_field("to_client", all.to_client.bytes + all.to_client.datagram_bytes)});
  }
  return Reply::table(
      {"route", "game", "arena", "draining", "sessions", "waiting", "opened", "refused", "to_server", "to_client"},
      rows);
}

Reply kick(relay::ProxyServer& server, const Roster& roster, std::string_view rest) {
  const Target target = Target::parse(first_argument(rest));
  std::string why;
  if (!take_text(rest, "--why", why)) why = whole_text(rest);
  const auto shown = sayable_text(why);
  if (!shown) return shown.error();
  if (target.text.empty()) return Error{"usage: kick LINK|NAME|ADDRESS [why]; `list` shows who plays"};
  const auto found = roster.find(target);
  if (found.size() > 1) return ambiguous(target, found);
  if (found.empty() || !server.kick(found[0].session.info.link, *shown)) return nobody_is(target);
  return Reply("kicked " + found[0].text() + "\n").with("sessions", rows_of(found));
}

}  // namespace

void add_server_commands(Control& control, relay::ProxyServer& server, const Roster& roster, const RouteLister& routes,
                         std::function<std::vector<ReplyRow>()> stats) {
  control.add("list", "Lists the open sessions, with fields separated by tabs.",
              [&roster, routes](std::string_view rest) {
                return rest.empty() ? list(roster.all(), routes()) : Error{"list takes no arguments"};
              });
  control.add("find LINK|NAME|ADDRESS",
              "Lists the sessions of a link, of an address or a network, or of players whose name contains NAME.",
              [&roster, routes](std::string_view rest) { return find(roster, routes(), rest); });
  control.add("who LINK|NAME|ADDRESS",
              "Lists the sessions of a link, of an address, or of players with this whole name.",
              [&roster, routes](std::string_view rest) { return who(roster, routes(), rest); });
  control.add("routes", "Lists the routes: sessions now and so far, refused clients, bytes in each direction.",
              [&server, routes](std::string_view rest) {
                return rest.empty() ? routes_table(server, routes()) : Error{"routes takes no arguments"};
              });
  control.add_order("kick LINK|NAME|ADDRESS [why]",
                    "Ends a session; the player sees why if the game can show it. If a name looks like a link or an "
                    "address, put `name:` before it.",
                    [&server, &roster](std::string_view rest) { return kick(server, roster, rest); });
  control.add("stats", "Prints the traffic of each route so far.", [stats = std::move(stats)](std::string_view rest) {
    return rest.empty() ? Reply::records(stats()) : Error{"stats takes no arguments"};
  });
}

}  // namespace entente
