// The commands drain, undrain and say.
#pragma once

#include <functional>

#include "proxy/program/control/control.h"
#include "proxy/program/control/drainer.h"
#include "proxy/program/control/roster.h"
#include "proxy/program/control/route_names.h"

namespace entente {

/// `server`, `roster` and `drainer` outlive the control. `drains_all`: called when all routes begin to drain, or take
/// newcomers again.
void add_drain_commands(Control& control, relay::ProxyServer& server, const Roster& roster, const RouteLister& routes,
                        Drainer& drainer, std::function<void(bool)> drains_all);

}  // namespace entente
