// What a player is told to get from one server's world into that of the next server.
// Invariant: the player receives ordinary facts. When its server is lost, the player dies, and all other players and
// all units disappear. Later, it receives the difference between what is left and the next world
// (replay/difference.h).
#pragma once

#include <vector>

#include "proxy/core/world.h"

namespace entente::core {

/// Whether the player has a unit that lives.
bool is_alive(const WorldState& world, Id player);
/// The facts by which the player loses its server.
std::vector<Fact> facts_of_loss(const WorldState& world, Id player);
/// Whether a client that loads a world only when it joins can go on in `next`.
bool is_same_place(const WorldState& world, const WorldState& next);
/// The facts that turn `world` into `next`, where the player now is. Folds into `next` what its server has not told.
std::vector<Fact> facts_of_arrival(const WorldState& world, WorldState& next, Id player);

}  // namespace entente::core
