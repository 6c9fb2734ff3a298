// An arena as a configuration has it, and as its referee wants it. Law: the only place where the two meet.
#pragma once

#include <string>
#include <vector>

#include "proxy/core/arena/arena.h"
#include "proxy/core/bot/stand_ins.h"
#include "schema/config.pb.h"

namespace entente {

core::Arena arena_of(const config::Arena& settings);
/// `starts`: of an arena that goes on from somewhere.
core::StandInOptions stand_ins_of(const config::Arena& settings, const std::vector<core::ArenaStart>& starts);

/// What its keys, each of them right, have wrong together: the key, and why.
struct ArenaObjection {
  std::string key, why;
};
std::vector<ArenaObjection> objections_to(const config::Arena& settings);

}  // namespace entente
