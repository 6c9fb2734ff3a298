// Reloading a configuration while it is served: what applies at once, and what needs a restart.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "proxy/program/config/config.h"

namespace entente {

/// Reads and judges the configuration as at the start, beside what runs.
using Reread = std::function<Expected<LoadedConfig, ConfigErrors>(const Machine& machine)>;

/// One line for each difference that needs a restart: everything except routes, arenas, limits, access lists, the
/// operator page's token and the log level, and also a higher `sessions` if ENet listens. Of the fleet's arenas and the
/// routes into them, everything except `listen` and an arena's `watch`.
std::vector<std::string> takes_restart(config::Config running, config::Config fresh);

/// One line for each difference in the limits, the general access lists and the log level. They apply at once.
std::vector<std::string> applied_at_once(const config::Config& before, const config::Config& fresh);

}  // namespace entente
