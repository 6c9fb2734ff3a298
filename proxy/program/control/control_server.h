// The commands of every serving program: list, find, kick, stats.
#pragma once

#include <functional>
#include <vector>

#include "proxy/program/control/control.h"
#include "proxy/program/control/roster.h"

namespace entente {

/// All arguments outlive the control. `stats`: a row for each route.
void add_server_commands(Control& control, relay::Server& server, const Roster& roster,
                         std::function<std::vector<ReplyRow>()> stats);

}  // namespace entente
