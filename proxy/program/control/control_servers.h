// The command `servers` of the control socket: the servers of each route, as they stand.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "proxy/program/control/control.h"
#include "proxy/relay/server.h"

namespace entente {

/// `routes`: each route's name and number, for each call. `server` outlives `control`.
void add_servers_command(Control& control, relay::Server& server,
                         std::function<std::vector<std::pair<std::string, std::size_t>>()> routes);

}  // namespace entente
