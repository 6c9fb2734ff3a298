#include "proxy/core/tank/flag_numbers.h"

namespace entente::core {

std::optional<std::uint16_t> FlagNumbers::free() const {
  for (std::uint16_t number = 0; number < most_; ++number)
    if (tokens_.id(number) == 0 && pickups_.id(number) == 0) return number;
  return std::nullopt;
}

/// A free number. If there is none, that of a token that is not in the game.
std::optional<std::uint16_t> FlagNumbers::make_free(const WorldState& world) {
  if (const auto number = free()) return number;
  for (std::uint16_t number = 0; number < most_; ++number) {
    const Id old = tokens_.id(number);
    if (old == 0) continue;
    if (const auto* token = world.token(old); token != nullptr && token->state() != words::Token::NOWHERE) continue;
    tokens_.remove_id(old);
    return number;
  }
  return std::nullopt;
}

std::optional<std::uint16_t> FlagNumbers::give(Id id, const WorldState& world) {
  if (const std::uint16_t* known = tokens_.number(id)) return *known;
  const words::Token* const token = world.token(id);
  const bool in_game = token == nullptr || token->state() != words::Token::NOWHERE;
  const auto number = in_game ? make_free(world) : free();
  if (number) tokens_.add(*number, id);
  return number;
}

void FlagNumbers::give_all(const WorldState& world) {
  for (const auto& [id, token] : world.tokens())
    if (token.kind() != words::Token::BASE && token.state() != words::Token::NOWHERE) (void)give(id, world);
}

FlagNumbers::Seen FlagNumbers::see(Id unit, const WorldState& world) {
  const UnitState* state = world.unit(unit);
  const bool is_shown = state != nullptr && !state->hidden && state->unit.alive();
  if (!is_shown) return {drop(unit)};
  if (pickups_.number(unit) == nullptr) {
    const auto number = make_free(world);
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
