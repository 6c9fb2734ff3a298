// The command `lab` of the control socket: the faults that a route makes on purpose, and what was done to whom.
#pragma once

#include "proxy/program/control/control.h"
#include "proxy/program/control/roster.h"
#include "proxy/program/control/route_names.h"
#include "proxy/relay/proxy_server.h"

namespace entente {

/// `server` and `roster` outlive the control.
void add_lab_command(Control& control, relay::ProxyServer& server, const Roster& roster, const RouteLister& routes);

/// The faults of one direction that were made, such as "loss=3 delay=120"; "": none.
std::string counts_text(const relay::LabCountsOf<std::uint64_t>& counts, wire::Way way);

}  // namespace entente
