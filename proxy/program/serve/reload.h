// A configuration that is read again while it is served: what of it holds at once, and what takes a restart.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "proxy/program/config/config.h"

namespace entente {

/// Reads it again, as it was read at first.
using Reread = std::function<Expected<config::Config, Complaints>()>;

/// What differs between the two and cannot change while it runs, a line each: all but limits, who may come, and the
/// level of the log; and more sessions where ENet listens.
std::vector<std::string> takes_restart(config::Config running, config::Config fresh);

}  // namespace entente
