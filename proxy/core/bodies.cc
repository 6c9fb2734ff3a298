#include "proxy/core/bodies.h"

#include <algorithm>

namespace entente::core {

std::vector<Id> bodies_of(const PlayerState& player, const World& world) {
  std::vector<Id> bodies;
  const UnitState* cell = nullptr;
  for (const Id id : player.units) {
    const UnitState* state = world.unit(id);
    if (state == nullptr || state->hidden || !is_driven(state->unit.kind())) continue;
    if (is_body(state->unit.kind())) {
      bodies.insert(id == player.active ? bodies.begin() : bodies.end(), id);
    } else {
      const bool chosen = cell != nullptr && cell->unit.id() == player.active;
      const bool larger = cell == nullptr || state->unit.radius() > cell->unit.radius();
      if (id == player.active || (larger && !chosen)) cell = state;
    }
  }
  if (cell != nullptr) bodies.push_back(cell->unit.id());
  return bodies;
}

std::vector<Id> bodies_of_nobody(const World& world) {
  std::vector<Id> bodies;
  for (const auto& [id, state] : world.units())
    if (state.unit.owner() == 0 && is_driven(state.unit.kind()) && !state.hidden) bodies.push_back(id);
  std::sort(bodies.begin(), bodies.end());
  return bodies;
}

}  // namespace entente::core
