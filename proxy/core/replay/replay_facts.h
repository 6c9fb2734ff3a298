// Prepares recorded facts for viewers: what they must not see, and how fast things move.
// Invariant: pure functions.
#pragma once

#include "proxy/base/mapping.h"
#include "proxy/core/world.h"

namespace entente::core {

/// Facts to the recorded player about joining, leaving and its view; viewers have their own.
bool is_for_recorded_player(const Fact& fact);

/// Why `fact` is not for viewers; null if it is. Facts about the recorded player's units (health, ammunition) are for
/// viewers.
const MappingLine* kept_back(const Fact& fact);

/// Addresses the fact to everybody: removes "me" and what only operators may see.
void make_public(Fact& fact);

/// Makes motion `by` times as fast. REQUIRES: more than 0 for shots.
void scale_motion(Fact& fact, double by);

/// Who a live broadcast is for.
enum class See : std::uint8_t {
  kPublic,  ///< what everybody in the game may see and hear
  kTeams,   ///< and the chat of all teams
};

/// Prepares a fact that was just told for this audience. False: it is not for them.
bool show(Fact& fact, See see);

/// When a fact of WorldState::tell() became true: for a pose, a shot or a round the time from which to extrapolate,
/// otherwise `now`.
Micros true_since(const Fact& fact, const WorldState& world, Micros now);

/// Where a unit last reported at `posed_at` is at `now`; after a second without a report it is assumed to stand.
words::Pose moved_pose(const words::Pose& pose, Micros posed_at, Micros now);

/// Where a shot fired at `fired_at` is at `now`, and how long it still lives.
void advance_shot(words::Shot& shot, Micros fired_at, Micros now);

}  // namespace entente::core
