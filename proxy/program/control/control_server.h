// The commands of every serving program: list, kick, stats.
#pragma once

#include <functional>
#include <string>

#include "proxy/program/control/control.h"
#include "proxy/relay/server.h"

namespace entente {

/// `server` outlives the control. `player`: the name of a link's player, where only a tap knows it (relays); "" if
/// unknown. `stats`: a line for each route.
void add_server_commands(Control& control, relay::Server& server, std::function<std::string(relay::LinkId)> player,
                         std::function<std::string()> stats);

}  // namespace entente
