#include "proxy/core/bodies.h"

#include <tuple>

namespace entente::core {

bool is_better_cell(const UnitState& one, const UnitState& other, Id active) {
  const auto rank = [&](const UnitState& cell) {
    return std::tuple(!cell.hidden, cell.unit.id() == active, cell.unit.radius());
  };
  return rank(one) > rank(other);
}

std::vector<Id> tank_units_of(const PlayerState& player, const WorldState& world) {
  std::vector<Id> bodies;
  const UnitState* cell = nullptr;
  for (const Id id : player.units) {
    const UnitState* state = world.unit(id);
    if (state == nullptr || !shown_as_tank(state->unit.kind())) continue;
    if (is_body(state->unit.kind())) {
      bodies.insert(id == player.active ? bodies.begin() : bodies.end(), id);
    } else if (cell == nullptr || is_better_cell(*state, *cell, player.active)) {
      cell = state;
    }
  }
  if (cell != nullptr) bodies.push_back(cell->unit.id());
  return bodies;
}

std::vector<Id> tank_units_of_nobody(const WorldState& world) {
  return world.sorted_units([](const UnitState& state) {
    return state.unit.owner() == 0 && shown_as_tank(state.unit.kind()) && !state.hidden;
  });
}

void say_owned(words::Unit unit, BackOut& out) {
  words::Owns owns;
  owns.set_player(unit.owner());
  owns.add_units(unit.id());
  owns.set_active(unit.id());
  out.say(std::move(unit));
  out.say(std::move(owns));
}

words::Health health_word(Id unit, double now, double max) {
  words::Health health;
  health.set_unit(unit);
  health.set_now(now);
  health.set_max(max);
  return health;
}

void say_gone(Id player, Id unit, BackOut& out) {
  if (unit != 0) {
    words::Gone gone;
    gone.set_unit(unit);
    out.say(gone);
  }
  words::PlayerGone gone;
  gone.set_id(player);
  out.say(gone);
}

}  // namespace entente::core
