#include "proxy/core/casting.h"

namespace entente::core {

bool drives(const words::Unit& unit) {
  return unit.kind() == words::Unit::TANK || unit.kind() == words::Unit::MAN || unit.kind() == words::Unit::CELL;
}

std::vector<Id> shown_units(const PlayerState& player, const World& world, CellShown cell) {
  const auto is_chosen = [&](Id id) { return cell == CellShown::kSteered && id == player.active; };
  std::vector<Id> units;
  const UnitState* shown = nullptr;  // of the cells
  for (const Id id : player.units) {
    const UnitState* state = world.unit(id);
    if (state == nullptr || state->hidden || !drives(state->unit)) continue;
    if (state->unit.kind() == words::Unit::CELL) {
      const bool larger = shown == nullptr || state->unit.radius() > shown->unit.radius();
      if (is_chosen(id) || (larger && !(shown != nullptr && is_chosen(shown->unit.id())))) shown = state;
    } else {
      units.insert(id == player.active ? units.begin() : units.end(), id);
    }
  }
  if (shown != nullptr) units.push_back(shown->unit.id());
  return units;
}

void say_owned(words::Unit unit, BackOut& out) {
  words::Owns owns;
  owns.set_player(unit.owner());
  owns.add_units(unit.id());
  owns.set_active(unit.id());
  out.say(std::move(unit));
  out.say(std::move(owns));
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
