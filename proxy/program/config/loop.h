// Routes that lead to themselves: a client would be connected to its own listener, again and again.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "adapters/wire/game.h"
#include "schema/config.pb.h"

namespace entente {

/// For each route, why one of its servers leads back to the route's own listener, at once or by other routes; "": none
/// does. `looks`: whether to find out which addresses this machine has.
std::vector<std::string> loops_of(const config::Config& config, std::span<const wire::Game* const> known, bool looks);

}  // namespace entente
