#include "proxy/core/room/next_world.h"

#include "proxy/core/replay/difference.h"

namespace entente::core {
namespace {

/// The settings of a game that its clients learn when they join.
words::Room settings_of(const WorldState& world) {
  words::Room settings;
  settings.set_mode(world.room().mode());
  settings.set_most_shots(world.room().most_shots());
  settings.set_jumping(world.room().jumping());
  settings.set_ricochet(world.room().ricochet());
  settings.set_teams(world.room().teams());
  return settings;
}

std::vector<Fact> difference(const WorldState& from, const WorldState& to) {
  std::vector<Fact> facts;
  tell_difference(
      from, to, [](Id) { return false; }, [&](Fact fact) { facts.push_back(std::move(fact)); });
  return facts;
}

}  // namespace

bool is_alive(const WorldState& world, Id player) {
  const UnitState* unit = world.active_unit(player);
  return unit != nullptr && unit->unit.alive();
}

std::vector<Fact> facts_of_loss(const WorldState& world, Id player) {
  WorldState left;
  world.tell([&](Fact& fact) {
    const auto* known = as<words::Player>(fact);
    const auto* score = as<words::Score>(fact);
    const bool own = (known != nullptr && known->id() == player) || (score != nullptr && score->player() == player);
    if (own || as<words::Room>(fact) != nullptr || as<words::Round>(fact) != nullptr) left.fold(fact);
  });
  std::vector<Fact> facts;
  if (is_alive(world, player)) {
    words::Died died;
    died.set_player(player);
    died.set_unit(world.player(player)->active);
    died.set_why(words::BY_SERVER);
    facts.push_back(died);
  }
  for (Fact& fact : difference(world, left)) facts.push_back(std::move(fact));
  return facts;
}

bool is_same_place(const WorldState& world, const WorldState& next) {
  const words::World *before = world.geometry(), *now = next.geometry();
  if (before == nullptr) return !world.ready() || now == nullptr;  // a player who has not entered has loaded no world
  if (now == nullptr) return false;
  return before->SerializeAsString() == now->SerializeAsString() &&
         settings_of(world).SerializeAsString() == settings_of(next).SerializeAsString();
}

std::vector<Fact> facts_of_arrival(const WorldState& world, WorldState& next, Id player) {
  const PlayerState* own = world.player(player);
  // The server reports the player itself later, or never.
  if (own != nullptr && next.player(player) == nullptr) next.fold(own->player);
  next.fold(words::Ready());
  std::vector<Fact> facts = difference(world, next);
  if (!world.ready()) facts.emplace_back(words::Ready());
  return facts;
}

}  // namespace entente::core
