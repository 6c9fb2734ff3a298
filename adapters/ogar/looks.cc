#include "adapters/ogar/looks.h"

#include <algorithm>
#include <cmath>

#include "proxy/core/bodies.h"

namespace entente::ogar {
namespace {

using words::Unit;

double size_by_kind(Unit::Kind kind) {
  switch (kind) {
    case Unit::TANK:
      return 60;
    case Unit::MAN:
      return 45;
    case Unit::BRICK:
    case Unit::VIRUS:
      return 100;
    case Unit::MOTHER:
      return 149;
    case Unit::PICKUP:
      return 20;
    default:
      return 32;
  }
}

}  // namespace

bool is_shown(const core::UnitState& state) {
  const Unit::Kind kind = state.unit.kind();
  return !state.hidden && (state.unit.alive() || !core::is_driven(kind));
}

std::uint16_t size_of(const Unit& unit) {
  constexpr double smallest = 10;
  if (unit.radius() > 0) return std::max<std::uint16_t>(1, to_u16(Plane().units(unit.radius())));
  double size = size_by_kind(unit.kind());
  if (unit.max_health() > 0) size = 60 * std::sqrt(std::clamp(unit.health() / unit.max_health(), 0.0, 1.0));
  return to_u16(std::max(smallest, size));
}

bool is_owned(const Unit& unit, const core::PlayerState& me, bool in_play) {
  if (unit.owner() != me.player.id()) return false;
  return !core::is_body(unit.kind()) || (in_play && (me.active == 0 || me.active == unit.id()));
}

void dress(const Unit& unit, const core::World& world, Look& look) {
  const core::PlayerState* owner = unit.owner() != 0 ? world.player(unit.owner()) : nullptr;
  look.type = type_of(unit.kind());
  look.size = size_of(unit);
  look.skin = unit.skin();
  look.name = unit.name();
  if (look.name.empty() && owner != nullptr) look.name = owner->player.name();
  const std::uint32_t rgb = unit.colour() != 0 || owner == nullptr ? unit.colour() : owner->player.colour();
  const words::Team team = unit.team() != words::TEAM_ANY || owner == nullptr ? unit.team() : owner->player.team();
  look.colour = rgb != 0 ? colour_of(rgb) : colour_of(team);
}

}  // namespace entente::ogar
