#include "adapters/ogar/front/looks.h"

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
      return kPost;
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

/// A colour of the colour wheel: `turn` goes from red (0) around to red (1). `strength` 0 is white.
Colour hue(double turn, double strength) {
  const auto part = [&](double from) {
    const double off = std::abs(std::remainder(6 * turn - from, 6));  // 0 to 3, on a wheel of six
    return static_cast<std::uint8_t>(std::lround(230 * (1 - strength * std::clamp(off - 1, 0.0, 1.0))));
  };
  return {part(0), part(2), part(4)};
}

/// Whether the player has cells: its own colour is then theirs. The colour of a man is that of the blocks that he
/// builds.
bool has_cells(const core::WorldState& world, const core::PlayerState& player) {
  return std::any_of(player.units.begin(), player.units.end(), [&](core::Id id) {
    const core::UnitState* unit = world.unit(id);
    return unit != nullptr && unit->unit.kind() == Unit::CELL;
  });
}

}  // namespace

bool is_shown(const core::UnitState& state) {
  const Unit::Kind kind = state.unit.kind();
  return !state.hidden && (state.unit.alive() || !core::shown_as_tank(kind));
}

std::uint16_t size_of(const Unit& unit) {
  constexpr double smallest = 10;
  if (unit.radius() > 0) return std::max<std::uint16_t>(1, to_u16(Plane().units(unit.radius())));
  double size = size_by_kind(unit.kind());
  if (unit.max_health() > 0) size = 60 * std::sqrt(std::clamp(unit.health() / unit.max_health(), 0.0, 1.0));
  return to_u16(std::max(smallest, size));
}

std::uint16_t size_of(const Unit& unit, const core::WorldState& world) {
  const std::uint16_t size = size_of(unit);
  if (!core::is_body(unit.kind()) || unit.owner() == 0) return size;
  const core::PlayerState* owner = world.player(unit.owner());
  const std::uint32_t wins = owner != nullptr ? std::min(owner->score.wins(), kMostWins) : 0;
  return static_cast<std::uint16_t>(size + wins);
}

Colour colour_of(const core::WorldState& world, core::Id player, words::Team team) {
  const core::PlayerState* state = player != 0 ? world.player(player) : nullptr;
  if (state == nullptr) return colour_of(team);
  if (team == words::TEAM_ANY) team = state->player.team();
  const bool sided = team != words::TEAM_ANY && team != words::ROGUE;
  if (state->player.colour() != 0 && (!sided || has_cells(world, *state))) return colour_of(state->player.colour());
  if (sided) return colour_of(team);
  constexpr double kGolden = 0.618034;  // steps of the golden ratio, so that consecutive players differ clearly
  return hue(std::fmod(player * kGolden, 1), world.room().teams() ? 0.4 : 0.8);
}

bool is_owned(const Unit& unit, const core::PlayerState& me, bool in_play) {
  if (unit.owner() != me.player.id()) return false;
  return !core::is_body(unit.kind()) || (in_play && (me.active == 0 || me.active == unit.id()));
}

void set_look(const Unit& unit, const core::WorldState& world, Look& look) {
  const core::PlayerState* owner = unit.owner() != 0 ? world.player(unit.owner()) : nullptr;
  look.type = type_of(unit.kind());
  look.size = size_of(unit, world);
  look.skin = unit.skin();
  look.name = unit.name();
  if (look.name.empty() && owner != nullptr) look.name = owner->player.name();
  look.colour = unit.colour() != 0 ? colour_of(unit.colour()) : colour_of(world, unit.owner(), unit.team());
}

}  // namespace entente::ogar
