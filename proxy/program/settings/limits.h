// Converts [limits] of a configuration for the relay.
#pragma once

#include "proxy/base/limits.h"
#include "schema/config.pb.h"

namespace entente {

/// REQUIRES: every key is set (by read_toml or set_defaults).
Limits limits_of(const config::Limits& settings);

/// The limits of a route: its own keys, and those of [limits] where it has none.
config::Limits limits_for(const config::Limits& general, const config::Limits& own);

}  // namespace entente
