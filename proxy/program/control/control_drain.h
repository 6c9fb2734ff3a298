// The commands drain, undrain and say.
#pragma once

#include "proxy/program/control/control.h"
#include "proxy/program/control/roster.h"
#include "proxy/program/control/route_names.h"
#include "proxy/program/serve/drainer.h"

namespace entente {

/// `server`, `roster` and `drainer` outlive the control.
void add_drain_commands(Control& control, relay::Server& server, const Roster& roster, const ListRoutes& routes,
                        Drainer& drainer);

}  // namespace entente
