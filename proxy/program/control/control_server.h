// The commands of every serving program: list, find, routes, kick, stats.
#pragma once

#include <functional>
#include <vector>

#include "proxy/program/control/control.h"
#include "proxy/program/control/roster.h"
#include "proxy/program/control/route_names.h"

namespace entente {

/// `server` and `roster` outlive the control. `routes`: all that have sessions or take newcomers. `stats`: a row for
/// each route.
void add_server_commands(Control& control, relay::ProxyServer& server, const Roster& roster, const RouteLister& routes,
                         std::function<std::vector<ReplyRow>()> stats);

}  // namespace entente
