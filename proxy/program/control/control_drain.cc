#include "proxy/program/control/control_drain.h"

#include "proxy/program/control/arguments.h"
#include "proxy/program/time_text.h"

namespace entente {
namespace {

constexpr core::Micros kLongestDrain = core::Micros{7} * 86'400 * core::kSecond;

struct DrainOrder {
  std::string what;  // "": all routes
  std::string time;  // "": no limit
  Millis millis = 0;
};

Outcome<DrainOrder> parse_drain(std::string_view rest) {
  DrainOrder order;
  while (!rest.empty()) {
    if (take_flag(rest, "--for", order.time)) {
      const auto time = parse_time(order.time, kLongestDrain);
      if (!time) return time.error();
      order.millis = *time / core::kMillisecond;
    } else if (order.what.empty()) {
      order.what = first_argument(rest);
    } else {
      return Error{"usage: drain [ROUTE] [--for TIME]"};
    }
  }
  return order;
}

class Drain {
 public:
  Drain(relay::Server& server, const std::vector<NamedRoute>& routes, Drainer& drainer)
      : server_(server), routes_(routes), drainer_(drainer) {}

  Reply drain(std::string_view rest) const {
    const auto order = parse_drain(rest);
    if (!order) return order.error();
    const auto routes = routes_called(routes_, order->what);
    if (!routes) return routes.error();
    const Drainer::Time time = order->time.empty() ? Drainer::Time() : Drainer::Time(order->millis);
    std::string lines;
    std::vector<ReplyRow> rows;
    for (const NamedRoute* route : *routes) {
      drainer_.drain(route->number, time);
      const std::uint64_t left = server_.totals(route->number).now();
      lines += "draining " + route->name + ": " + std::to_string(left) + " sessions go on" +
               (time ? " for " + order->time : "") + "\n";
      rows.push_back({text_field("route", route->name), number_field("sessions", left)});
    }
    return Reply(lines).with("routes", rows);
  }

  Reply undrain(std::string_view rest) const {
    const auto routes = routes_called(routes_, whole_text(rest));
    if (!routes) return routes.error();
    std::string lines;
    std::vector<ReplyRow> rows;
    for (const NamedRoute* route : *routes) {
      if (!drainer_.undrain(route->number)) continue;
      lines += route->name + " takes newcomers again\n";
      rows.push_back({text_field("route", route->name)});
    }
    if (rows.empty()) return Error{names_of(*routes) + (routes->size() > 1 ? " do not drain" : " does not drain")};
    return Reply(lines).with("routes", rows);
  }

 private:
  relay::Server& server_;
  const std::vector<NamedRoute>& routes_;
  Drainer& drainer_;
};

}  // namespace

void add_drain_commands(Control& control, relay::Server& server, const std::vector<NamedRoute>& routes,
                        Drainer& drainer) {
  const Drain drain(server, routes, drainer);
  control.add_order("drain [ROUTE] [--for TIME]",
                    "Turns newcomers away from a route, or from all. Players who are there go on until they leave, or "
                    "until TIME is over. ROUTE: a game, an arena, a port or a listener.",
                    [drain](std::string_view rest) { return drain.drain(rest); });
  control.add_order("undrain [ROUTE]", "Takes newcomers again.",
                    [drain](std::string_view rest) { return drain.undrain(rest); });
}

}  // namespace entente
