// The command `servers` of the control socket: the servers of each route, as they stand.
#pragma once

#include <vector>

#include "proxy/program/control/control.h"
#include "proxy/program/control/route_names.h"
#include "proxy/relay/server.h"

namespace entente {

/// All arguments outlive the control.
void add_servers_command(Control& control, relay::Server& server, const std::vector<NamedRoute>& routes);

}  // namespace entente
