// The commands move, refer, listener and listeners: players go to other routes, other nodes of a fleet, or other
// servers.
#pragma once

#include <string>

#include "proxy/program/control/control.h"
#include "proxy/program/control/roster.h"
#include "proxy/program/control/route_names.h"

namespace entente {

/// `server` and `roster` outlive the control. `public_host`: by which players reach this machine; "": not known.
void add_move_commands(Control& control, relay::ProxyServer& server, const Roster& roster, const RouteLister& routes,
                       const std::string& public_host);

}  // namespace entente
