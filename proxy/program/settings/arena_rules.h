// Converts an arena's configuration to the referee's rules. Invariant: no other code depends on both.
#pragma once

#include <string>
#include <vector>

#include "proxy/core/arena/arena.h"
#include "proxy/core/bot/stand_ins.h"
#include "schema/config.pb.h"

namespace entente {

core::Arena arena_of(const config::Arena& settings);
/// `starts`: the players of an arena that continues a recording.
core::StandInOptions stand_ins_of(const config::Arena& settings, const std::vector<core::SavedPlayer>& starts);

/// Errors in the combination of keys that are valid by themselves: the key, and why.
struct ArenaObjection {
  std::string key, why;
};
std::vector<ArenaObjection> objections_to(const config::Arena& settings);

}  // namespace entente
