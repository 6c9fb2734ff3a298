// The commands that every serving program has: list, kick, stats.
#pragma once

#include <functional>
#include <string>

#include "proxy/program/control/control.h"
#include "proxy/relay/server.h"

namespace entente {

/// `server` outlives the control. `player`: the name of a link's player where only a tap reads it, as of relays; "" if
/// it is not known. `stats`: a line for each route.
void add_server_commands(Control& control, relay::Server& server, std::function<std::string(relay::LinkId)> player,
                         std::function<std::string()> stats);

}  // namespace entente
