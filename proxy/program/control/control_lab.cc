#include "proxy/program/control/control_lab.h"

#include <algorithm>

#include "proxy/program/base/counted.h"
#include "proxy/program/control/arguments.h"
#include "proxy/program/settings/lab.h"

namespace entente {
namespace {

constexpr const char* kLabUsage = "usage: lab [ROUTE [SPEC|off]]";

bool is_empty(const relay::LabCountsOf<std::uint64_t>& counts) {
  return std::ranges::all_of(counts.by, [](const auto& way) {
    return std::ranges::all_of(way, [](std::uint64_t count) { return count == 0; });
  });
}

ReplyRow row(const std::string& route, std::string_view session, std::string_view player,
             const relay::LabCountsOf<std::uint64_t>& counts, std::string_view spec) {
  return {text_field("route", route),
          text_field("session", session),
          text_field("player", player),
          text_field("to_server", counts_text(counts, wire::Way::kToServer)),
          text_field("to_client", counts_text(counts, wire::Way::kToClient)),
          text_field("lab", spec)};
}

class Lab {
 public:
  Lab(relay::ProxyServer& server, const Roster& roster, const RouteLister& routes)
      : server_(server), roster_(roster), routes_(routes) {}

  Reply run(std::string_view rest) const {
    const std::string what = first_argument(rest);
    if (what.empty() && !trimmed(rest).empty()) return Error{kLabUsage};
    const std::string spec = whole_text(rest);
    const auto all = routes_();
    const auto routes = routes_called(all, what);
    if (!routes) return routes.error();
    return spec.empty() ? Reply(report(*routes)).only_asked() : put_on(*routes, spec == "off" ? "" : spec);
  }

 private:
  /// A line for each route that has a lab or had one, then one for each of its sessions.
  Reply report(const std::vector<const ListedRoute*>& routes) const {
    const std::vector<Attendee> sessions = roster_.all();
    std::vector<ReplyRow> rows;
    for (const ListedRoute* route : routes) {
      const auto plan = server_.lab(route->named.number);
      const relay::Totals totals = server_.totals(route->numbers);
      if (!plan && is_empty(totals.lab)) continue;
      rows.push_back(row(route->named.name, "all", "", totals.lab, plan ? plan->text() : "off"));
      for (const Attendee& one : sessions) {
        const auto& numbers = route->numbers;
        const bool its = std::find(numbers.begin(), numbers.end(), one.session.route) != numbers.end();
        if (its && one.session.lab)
          rows.push_back(
              row(route->named.name, std::to_string(one.session.info.link), one.player, one.session.lab->counts, ""));
      }
    }
    return Reply::table({"route", "session", "player", "to_server", "to_client", "lab"}, rows);
  }

  /// Of all of these routes, or of none.
  Reply put_on(const std::vector<const ListedRoute*>& routes, const std::string& spec) const {
    if (spec.starts_with('@')) return Error{"@FILE is for --lab and the configuration; write the faults here"};
    std::vector<std::shared_ptr<const relay::LabPlan>> plans;
    for (const ListedRoute* route : routes) {
      auto plan = parse_lab(spec, LabRoute(*server_.options(route->named.number)));
      if (!plan) return Error{route->named.name + ": " + plan.error().text};
      plans.push_back(std::move(*plan));
    }
    std::string lines;
    for (std::size_t i = 0; i < routes.size(); ++i) {
      const std::string& name = routes[i]->named.name;
      for (const std::size_t number : routes[i]->numbers) server_.set_lab(number, plans[i]);
      const auto transport = server_.options(routes[i]->named.number)->game->transport();
      if (const std::string idle = plans[i] ? plans[i]->without_effect(transport) : ""; !idle.empty())
        lines += name + ": " + idle + "\n";
      lines += plans[i] ? "the lab is on: " + name + " makes faults on purpose\n" : "the lab is off: " + name + "\n";
    }
    return lines;
  }

  relay::ProxyServer& server_;
  const Roster& roster_;
  const RouteLister routes_;
};

}  // namespace

std::string counts_text(const relay::LabCountsOf<std::uint64_t>& counts, wire::Way way) {
  std::string text;
  for (std::size_t i = 0; i < relay::kLabFaults; ++i) {
    const auto fault = static_cast<relay::LabFault>(i);
    if (const std::uint64_t count = counts.at(way, fault); count != 0)
      text += (text.empty() ? "" : " ") + std::string(relay::text(fault)) + "=" + std::to_string(count);
  }
  return text;
}

void add_lab_command(Control& control, relay::ProxyServer& server, const Roster& roster, const RouteLister& routes) {
  const Lab lab(server, roster, routes);
  control.add_order("lab [ROUTE [SPEC|off]]",
                    "Without SPEC: prints the faults that were made on purpose, by route and session. With SPEC: makes "
                    "these from now on, also to sessions that are open (`proxy --lab` explains SPEC). off: makes none.",
                    [lab](std::string_view rest) { return lab.run(rest); });
}

}  // namespace entente
