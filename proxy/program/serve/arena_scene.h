// A moment of a recording as an arena that goes on from there.
#pragma once

#include "proxy/core/arena/arena.h"
#include "proxy/core/world.h"
#include "schema/config.pb.h"

namespace entente {

/// The rules are those of `settings`, the world and the players those of the recording that it names; without one, a
/// courtyard. An error says what cannot be read, or be an arena.
Outcome<core::Arena> open_arena(const config::Arena& settings);

/// Everybody who played in that world at that time of its own.
std::vector<core::ArenaStart> starts_of(const core::World& world, core::Micros at);

}  // namespace entente
