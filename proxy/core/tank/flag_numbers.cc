#include "proxy/core/tank/flag_numbers.h"

namespace entente::core {

std::optional<std::uint16_t> FlagNumbers::free() const {
  for (std::uint16_t number = 0; number < most_; ++number)
    if (tokens_.id(number) == 0 && pickups_.id(number) == 0) return number;
  return std::nullopt;
}

std::optional<std::uint16_t> FlagNumbers::give(Id token, const WorldState& world) {
  if (const std::uint16_t* known = tokens_.number(token)) return *known;
  auto number = free();
  for (std::uint16_t other = 0; !number && other < most_; ++other) {
    const Id old = tokens_.id(other);
    if (old == 0 || world.token(old) != nullptr) continue;
    tokens_.remove_id(old);
    number = other;
  }
  if (number) tokens_.add(*number, token);
  return number;
}

FlagNumbers::Seen FlagNumbers::see(Id unit, const WorldState& world) {
  const UnitState* state = world.unit(unit);
  const bool is_shown = state != nullptr && !state->hidden && state->unit.alive();
  if (!is_shown) return {drop(unit)};
  if (pickups_.number(unit) == nullptr) {
    const auto number = free();
    if (!number) return {std::nullopt, true};
    pickups_.add(*number, unit);
  }
  return {Pickup{pickups_.number_or(unit, 0), state}};
}

std::optional<FlagNumbers::Pickup> FlagNumbers::drop(Id unit) {
  const std::uint16_t* known = pickups_.number(unit);
  if (known == nullptr) return std::nullopt;
  const Pickup pickup{*known};
  pickups_.remove_id(unit);
  return pickup;
}

std::vector<Id> FlagNumbers::all_pickups(const WorldState& world) {
  return world.sorted_units([](const UnitState& state) { return state.unit.kind() == words::Unit::PICKUP; });
}

}  // namespace entente::core
