// The commands that every serving program has: list, kick, stats.
#pragma once

#include <functional>
#include <string>

#include "proxy/program/control.h"
#include "proxy/relay/server.h"

namespace entente {

/// `server` outlives the control. `stats`: a line for each route.
void add_server_commands(Control& control, relay::Server& server, std::function<std::string()> stats);

}  // namespace entente
