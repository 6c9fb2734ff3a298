#include "proxy/program/control/control_drain.h"

#include <map>
#include <utility>

#include "proxy/program/base/counted.h"
#include "proxy/program/base/host_port.h"
#include "proxy/program/base/time_text.h"
#include "proxy/program/control/arguments.h"

namespace entente {
namespace {

constexpr std::size_t kLongestAddress = 300;  // bytes
constexpr core::Micros kLongestDrain = core::Micros{7} * 86'400 * core::kSecond;

/// Where else players of a game in a place (an arena, or servers) can connect.
struct Referral {
  std::string game, place, address;

  /// "native,lobby,example.org:4000"
  static std::optional<Referral> parse(const std::string& text) {
    const auto first = text.find(','), last = text.rfind(',');
    if (first == std::string::npos || first == last) return std::nullopt;
    const auto address = sayable_text(text.substr(last + 1), kLongestAddress);
    Referral referral{text.substr(0, first), text.substr(first + 1, last - first - 1), address ? *address : ""};
    if (referral.game.empty() || referral.place.empty() || !is_host_and_port(referral.address)) return std::nullopt;
    return referral;
  }
};

struct DrainOrder {
  std::string what;  // "": all routes
  std::string time;  // "": no limit
  Millis millis = 0;
  std::string text;  // "": no message
  std::vector<Referral> referrals = {};
};

constexpr const char* kDrainUsage =
    "usage: drain [ROUTE|SERVER] [--for TIME] [--refer GAME,PLACE,HOST:PORT] [--say TEXT]";

Outcome<DrainOrder> parse_drain(std::string_view rest) {
  DrainOrder order;
  while (!rest.empty()) {
    std::string referral;
    if (take_option(rest, "--refer", referral)) {
      const auto parsed = Referral::parse(referral);
      if (!parsed) return Error{"'" + control_field(referral) + "' is not GAME,PLACE,HOST:PORT"};
      order.referrals.push_back(*parsed);
    } else if (take_option(rest, "--for", order.time)) {
      const auto time = parse_time(order.time, kLongestDrain);
      if (!time) return time.error();
      order.millis = *time / core::kMillisecond;
    } else if (take_text(rest, "--say", order.text)) {
      const auto said = sayable_text(order.text);
      if (!said) return said.error();
      order.text = *said;
    } else if (order.what.empty()) {
      order.what = first_argument(rest);
      if (order.what.empty()) return Error{kDrainUsage};  // "", which is not all
    } else {
      return Error{kDrainUsage};
    }
  }
  return order;
}

/// Which players got a message, and which did not.
class Announcement {
 public:
  void add(std::vector<Attendee> attendees) {
    for (Attendee& one : attendees)
      if (!one.is_bot())
        (one.session.told == relay::AnnounceResult::kYes ? told_ : not_told_).push_back(std::move(one));
  }

  /// "told 12 of 14 players; not told: 2 of panic (the game has no chat)"
  std::string text() const {
    std::map<std::string, std::size_t> reasons;
    for (const Attendee& one : not_told_)
      ++reasons["of " + std::string(one.session.info.game->name()) + " (" + relay::why_not(one.session.told) + ")"];
    std::string text =
        "told " + std::to_string(told_.size()) + " of " + std::to_string(told_.size() + not_told_.size()) + " players";
    const char* before = "; not told: ";
    for (const auto& [reason, times] : reasons) {
      text += before + std::to_string(times) + " " + reason;
      before = ", ";
    }
    return text + "\n";
  }

  Reply added_to(Reply reply) const {
    std::vector<ReplyRow> not_told;
    for (const Attendee& one : not_told_) {
      not_told.push_back(one.row());
      not_told.back().push_back(text_field("why", relay::why_not(one.session.told)));
    }
    return reply.with("told", rows_of(told_)).with("not_told", not_told);
  }

 private:
  std::vector<Attendee> told_, not_told_;
};

class Drain {
 public:
  Drain(relay::ProxyServer& server, const Roster& roster, const RouteLister& routes, Drainer& drainer,
        std::function<void(bool)> drains_all)
      : server_(server), roster_(roster), routes_(routes), drainer_(drainer), drains_all_(std::move(drains_all)) {}

  Reply drain(std::string_view rest) const {
    const auto order = parse_drain(rest);
    if (!order) return order.error();
    if (is_server(order->what)) return drain_server(*order);
    const auto all = routes_();
    const auto routes = routes_called(all, order->what);
    if (!routes) return routes.error();
    Announcement announcement;
    for (const ListedRoute* route : *routes)
      announce(*route, text_for(*order, referral_for(*route, *order)), announcement);
    const Drainer::Time time = order->time.empty() ? Drainer::Time() : Drainer::Time(order->millis);
    std::string lines;
    std::vector<ReplyRow> rows;
    for (const ListedRoute* route : *routes) {
      const Referral* const referral = referral_for(*route, *order);
      for (const std::size_t number : route->numbers)
        drainer_.drain(number, time, referral != nullptr ? text_for(*order, referral) : "");
      const std::uint64_t left = server_.totals(route->numbers).current_sessions();
      const std::string& name = route->named.name;
      lines += "draining " + name + ": " + sessions_go_on(left) + (time ? " for " + order->time : "") +
               (referral != nullptr ? "; players are told to connect to " + referral->address : "") + "\n";
      rows.push_back({text_field("route", name), number_field("sessions", left)});
    }
    if (order->what.empty()) drains_all_(true);
    if (order->text.empty() && order->referrals.empty()) return Reply(lines).with("routes", rows);
    return announcement.added_to(Reply(lines + announcement.text()).with("routes", rows));
  }

  Reply say(std::string_view rest) const {
    std::string what;
    take_option(rest, "--route", what);
    const auto text = sayable_text(whole_text(rest));
    if (!text) return text.error();
    if (text->empty()) return Error{"usage: say [--route ROUTE] TEXT"};
    const auto all = routes_();
    const auto routes = routes_called(all, what);
    if (!routes) return routes.error();
    Announcement announcement;
    for (const ListedRoute* route : *routes) announce(*route, *text, announcement);
    return announcement.added_to(Reply(announcement.text()));
  }

  Reply undrain(std::string_view rest) const {
    const std::string what = whole_text(rest);
    if (what.empty() && !trimmed(rest).empty()) return Error{"usage: undrain [ROUTE|SERVER]"};
    if (drainer_.undrain_server(what) != 0) return "server " + what + " gets new players again\n";
    const auto all = routes_();
    const auto routes = routes_called(all, what);
    if (!routes) return routes.error();
    if (drainer_.is_stopping())
      return Error{"the program stops when its players have left, and accepts no more players"};
    if (what.empty()) drains_all_(false);
    std::string lines;
    std::vector<ReplyRow> rows;
    for (const ListedRoute* route : *routes) {
      bool drained = false;
      for (const std::size_t number : route->numbers) drained |= drainer_.undrain(number);
      if (!drained) continue;
      const std::string& name = route->named.name;
      if (route->retired) {
        const std::uint64_t left = server_.totals(route->numbers).current_sessions();
        lines += name + ", which a reload has removed: " + sessions_go_on(left) + "\n";
        continue;
      }
      lines += name;
      lines += drainer_.is_retiring() ? " takes no newcomers: another process does\n" : " takes newcomers again\n";
      rows.push_back({text_field("route", name)});
    }
    if (lines.empty())
      lines = names_of(*routes) + (routes->size() > 1 ? " were not draining\n" : " was not draining\n");
    return Reply(lines).with("routes", rows);
  }

 private:
  bool is_server(std::string_view name) const {
    for (const ListedRoute& route : served_only(routes_()))
      for (const auto& one : server_.servers(route.named.number))
        if (one.name == name) return true;
    return false;
  }

  Reply drain_server(const DrainOrder& order) const {
    if (!order.text.empty() || !order.referrals.empty())
      return Error{"--refer and --say are for routes; " + order.what + " is a server"};
    const bool limited = !order.time.empty();
    drainer_.drain_server(order.what, limited ? Drainer::Time(order.millis) : Drainer::Time());
    using After = relay::ProxyServer::AfterDrain;
    std::uint64_t left = 0;
    std::map<After, std::uint64_t> after;
    for (const ListedRoute& route : served_only(routes_()))
      for (const auto& one : server_.servers(route.named.number)) {
        if (one.name != order.what) continue;
        left += one.sessions;
        after[server_.after_drain(route.named.number, one.name)] += one.sessions;
      }
    std::string text = "draining server " + order.what + ": " + sessions_go_on(left);
    if (limited) text += " for " + order.time;
    const char* before = limited ? ", then " : nullptr;
    for (const auto& [what, sessions] : after) {
      if (sessions == 0 || before == nullptr) continue;
      const bool one = sessions == 1;
      text += before + counted(sessions, what == After::kEnd ? "session" : "player");
      if (what == After::kMove) text += one ? " goes to another server" : " go to another server";
      if (what == After::kWait) text += one ? " waits for a server" : " wait for a server";
      if (what == After::kEnd)
        text += std::string(one ? " ends" : " end") +
                " (relays cannot move players, and these bridges have no other server and no hold_s)";
      before = ", ";
    }
    return text + "\n";
  }

  /// The first one for the route's game and place; null: there is none.
  const Referral* referral_for(const ListedRoute& route, const DrainOrder& order) const {
    const std::string place = place_of(server_, route);
    for (const Referral& referral : order.referrals)
      if (referral.game == route.named.game && referral.place == place) return &referral;
    return nullptr;
  }
  /// The message for the players of a route; "": none.
  static std::string text_for(const DrainOrder& order, const Referral* referral) {
    if (referral == nullptr) return order.text;
    if (order.text.empty()) return std::string(Drainer::kWhy) + ": connect to " + referral->address;
    return order.text + " (connect to " + referral->address + ")";
  }

  void announce(const ListedRoute& route, const std::string& text, Announcement& announcement) const {
    if (text.empty()) return;
    for (const std::size_t number : route.numbers)
      announcement.add(roster_.with_players(server_.announce(number, text)));
  }

  relay::ProxyServer& server_;
  const Roster& roster_;
  const RouteLister routes_;
  Drainer& drainer_;
  const std::function<void(bool)> drains_all_;
};

}  // namespace

void add_drain_commands(Control& control, relay::ProxyServer& server, const Roster& roster, const RouteLister& routes,
                        Drainer& drainer, std::function<void(bool)> drains_all) {
  const Drain drain(server, roster, routes, drainer, std::move(drains_all));
  control.add_order(
      "drain [ROUTE|SERVER] [--for TIME] [--refer GAME,PLACE,HOST:PORT] [--say TEXT]",
      "Turns newcomers away from a route (a game, an arena, a port or a listener), or from all. Players who are there "
      "go on until they leave. With SERVER (a name in `servers`): sends no new players to it. --for: ends the sessions "
      "that are left after TIME; players of bridges on SERVER go to another server or, with hold_s, wait for one. "
      "--say: tells the "
      "players TEXT now. --refer, once or more: tells players of GAME in "
      "PLACE (an arena's name or a route's servers, as `listeners` prints them) to connect to HOST:PORT, now and "
      "when TIME is over.",
      [drain](std::string_view rest) { return drain.drain(rest); });
  control.add_order("undrain [ROUTE|SERVER]", "Takes newcomers again.",
                    [drain](std::string_view rest) { return drain.undrain(rest); });
  control.add_order("say [--route ROUTE] TEXT", "Tells the players of a route, or of all, TEXT in the server's name.",
                    [drain](std::string_view rest) { return drain.say(rest); });
}

}  // namespace entente
