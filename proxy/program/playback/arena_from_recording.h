// Makes an arena from a moment of a recording.
#pragma once

#include <string>

#include "proxy/core/arena/arena.h"
#include "proxy/core/world.h"
#include "schema/config.pb.h"

namespace entente {

/// The rules come from `settings`. World and players come from the recording that it names; without one, the arena is
/// new. An error says what cannot be read or used. `damage`, if not null, gets a sentence if the recording can be read
/// only in part.
Outcome<core::Arena> open_arena(const config::Arena& settings, std::string* damage = nullptr);

/// The players who were in that world at that time.
std::vector<core::SavedPlayer> starts_of(const core::WorldState& world, core::Micros at);

}  // namespace entente
