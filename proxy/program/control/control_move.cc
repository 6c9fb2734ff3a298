#include "proxy/program/control/control_move.h"

#include <algorithm>
#include <optional>
#include <string>

#include "proxy/program/base/host_port.h"
#include "proxy/program/control/arguments.h"

namespace entente {
namespace {

constexpr std::size_t kLongestPlace = 300;  // bytes of an address that players are told

constexpr Millis kMoveWait = 1'000;  // longest wait for the result; a later one is only logged

/// The route with this name. If it names several routes into one arena: the one for clients of this game, if there is
/// one.
Outcome<const ListedRoute*> one_route(const ListedRoutes& all, const std::string& what, const wire::Game& game) {
  const auto found = routes_called(all, what);
  if (!found) return found.error();
  const ListedRoute* const first = found->front();
  const auto same_room = [&](const ListedRoute* one) { return one->named.room == first->named.room; };
  if (found->size() > 1 && (first->named.room.empty() || !std::all_of(found->begin(), found->end(), same_room)))
    return Error{"'" + what + "' is more than one route: " + names_of(*found)};
  const auto for_game = [&](const ListedRoute* one) { return one->named.game == game.name(); };
  const auto fits = std::find_if(found->begin(), found->end(), for_game);
  return fits != found->end() ? *fits : first;
}

Reply move(relay::ProxyServer& server, const Roster& roster, const ListedRoutes& routes, std::string_view rest) {
  using How = relay::MoveResult::How;
  const Target target = Target::parse(first_argument(rest));
  const std::string where = whole_text(rest);
  if (target.text.empty() || where.empty())
    return Error{"usage: move LINK|NAME|ADDRESS ROUTE; `list` shows who plays, `routes` lists the routes"};
  const auto found = roster.find(target);
  if (found.size() > 1) return ambiguous(target, found);
  if (found.empty()) return nobody_is(target);
  const Attendee& player = found.front();
  const auto to = one_route(routes, where, *player.session.info.game);
  if (!to) return to.error();
  const std::string& name = (*to)->named.name;
  const relay::MoveResult result = server.move(player.session.info.link, (*to)->named.number, kMoveWait);
  switch (result.how) {
    case How::kNobody:
      return nobody_is(target);
    case How::kStays:
      return Error{player.text() + " stays where it is: " + control_field(result.text)};
    case How::kMoved:
      return Reply("moved " + player.text() + " to " + name + " in " + std::to_string(result.took) + " ms\n")
          .with("sessions", rows_of(found));
    case How::kReferred:
      return Reply("told " + player.text() + " to connect anew: " + result.text + "\n")
          .with("sessions", rows_of(found));
    case How::kUnderWay:
      break;
  }
  const std::string waits = result.text.empty() ? "" : ", and " + result.text;
  return Reply(player.text() + " is on the way to " + name + waits + "; the log will say how it ends\n")
      .with("sessions", rows_of(found));
}

/// Tells a player to connect elsewhere.
Reply refer(relay::ProxyServer& server, const Roster& roster, std::string_view rest) {
  const Target target = Target::parse(first_argument(rest));
  const auto place = sayable_text(whole_text(rest), kLongestPlace);
  if (!place) return place.error();
  if (target.text.empty() || place->empty()) return Error{"usage: refer LINK|NAME|ADDRESS HOST:PORT"};
  if (!is_host_and_port(*place)) return Error{"'" + control_field(*place) + "' is not HOST:PORT"};
  const auto found = roster.find(target);
  if (found.size() > 1) return ambiguous(target, found);
  const std::string text = "moved to another server: connect to " + *place;
  if (found.empty() || !server.refer(found[0].session.info.link, text)) return nobody_is(target);
  return Reply("told " + found[0].text() + " to connect to " + *place + "\n").with("sessions", rows_of(found));
}

/// The address at which players reach this listener; nullopt: it is not known.
std::optional<std::string> address_of(const relay::ProxyServer& server, const NamedRoute& route,
                                      const std::string& public_host) {
  const net::Address listener = route.listener.with_port(server.port_for_players(route.number));
  if (!public_host.empty()) return net::host_and_port(public_host, listener.port());
  return listener.wildcard() ? std::nullopt : std::optional(listener.text());
}

/// The address at which players of a game connect to this process.
Reply listener(const relay::ProxyServer& server, const ListedRoutes& routes, const std::string& public_host,
               std::string_view rest) {
  const std::string game = whole_text(rest);
  if (game.empty()) return Error{"usage: listener GAME"};
  bool drains = false;
  for (const ListedRoute& one : routes) {
    const net::Address& at = one.named.listener;
    if (one.named.game != game || at.port() == 0) continue;
    if (server.is_draining(one.named.number)) {
      drains = true;
      continue;
    }
    const auto address = address_of(server, one.named, public_host);
    if (!address) return Error{"it is not known where players reach " + one.named.name + "; set public_host"};
    return Reply(*address + "\n");
  }
  return Error{"no route here takes clients of " + control_field(game) + (drains ? " now: it drains" : "")};
}

/// All of them.
Reply listeners(const relay::ProxyServer& server, const ListedRoutes& routes, const std::string& public_host) {
  std::vector<ReplyRow> rows;
  for (const ListedRoute& one : routes) {
    const net::Address& at = one.named.listener;
    if (at.port() == 0 || server.is_draining(one.named.number)) continue;
    const auto address = address_of(server, one.named, public_host);
    if (!address) continue;
    rows.push_back({text_field("game", one.named.game), text_field("place", place_of(server, one)),
                    text_field("address", *address)});
  }
  return Reply::table({"game", "place", "address"}, rows);
}

}  // namespace

void add_move_commands(Control& control, relay::ProxyServer& server, const Roster& roster, const RouteLister& routes,
                       const std::string& public_host) {
  control.add_order(
      "move LINK|NAME|ADDRESS ROUTE",
      "Moves a player to the server or arena of another route. A client that cannot go on there is told "
      "where to connect, and disconnected.",
      [&server, &roster, routes](std::string_view rest) { return move(server, roster, served_only(routes()), rest); });
  control.add_order("refer LINK|NAME|ADDRESS HOST:PORT", "Tells a player to connect elsewhere, and ends the session.",
                    [&server, &roster](std::string_view rest) { return refer(server, roster, rest); });
  control.add("listener GAME",
              "Prints the address of the first listener for a game, apart from listeners that are draining.",
              [&server, routes, public_host](std::string_view rest) {
                return listener(server, served_only(routes()), public_host, rest);
              });
  control.add("listeners", "Lists where players connect to this program: game, arena or servers, address.",
              [&server, routes, public_host](std::string_view rest) {
                return rest.empty() ? listeners(server, served_only(routes()), public_host)
                                    : Error{"listeners takes no arguments"};
              });
}

}  // namespace entente
