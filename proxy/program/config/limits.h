// The [limits] of a configuration as the relay takes them.
#pragma once

#include "proxy/base/limits.h"
#include "schema/config.pb.h"

namespace entente {

/// REQUIRES: every key is set (read_toml and set_presets see to it).
Limits limits_of(const config::Limits& settings);

}  // namespace entente
