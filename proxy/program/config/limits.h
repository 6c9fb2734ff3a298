// Converts [limits] of a configuration for the relay.
#pragma once

#include "proxy/base/limits.h"
#include "schema/config.pb.h"

namespace entente {

/// REQUIRES: every key is set (by read_toml or set_defaults).
Limits limits_of(const config::Limits& settings);

}  // namespace entente
