// The command `servers` of the control socket: the servers of each route, as they stand.
#pragma once

#include "proxy/program/control/control.h"
#include "proxy/program/control/route_names.h"
#include "proxy/relay/proxy_server.h"

namespace entente {

/// `server` outlives the control.
void add_servers_command(Control& control, relay::ProxyServer& server, const RouteLister& routes);

}  // namespace entente
