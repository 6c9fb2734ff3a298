// Makes an arena from a moment of a recording.
#pragma once

#include "proxy/core/arena/arena.h"
#include "proxy/core/world.h"
#include "schema/config.pb.h"

namespace entente {

/// The rules are those of `settings`; world and players are those of the recording that it names, or a new arena
/// without one. An error says what cannot be read or used.
Outcome<core::Arena> open_arena(const config::Arena& settings);

/// Everybody who played in that world at that time.
std::vector<core::SavedPlayer> starts_of(const core::WorldState& world, core::Micros at);

}  // namespace entente
