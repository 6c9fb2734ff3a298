// Which units represent a player in a game where each player drives one tank.
#include "proxy/core/bodies.h"

#include <doctest/doctest.h>

#include "tests/support/stage.h"
#include "tests/support/toy_game.h"

namespace entente::core::bodies_test {
namespace {

using words::Unit;

Fact unit(Id id, Id owner, Unit::Kind kind, double radius = 0) {
  Unit word;
  word.set_id(id);
  word.set_owner(owner);
  word.set_kind(kind);
  word.set_radius(radius);
  return word;
}

WorldState world_with(Id active) {
  WorldState world;
  words::Player player;
  player.set_id(1);
  world.fold(player);
  for (const Fact& fact :
       {unit(11, 1, Unit::TANK), unit(12, 1, Unit::MAN), unit(13, 1, Unit::PELLET), unit(14, 1, Unit::MAN),
        unit(15, 1, Unit::CELL, 2), unit(16, 1, Unit::CELL, 5), unit(17, 1, Unit::CELL, 3), unit(32, 0, Unit::TANK),
        unit(31, 0, Unit::CELL), unit(33, 0, Unit::VIRUS), unit(34, 0, Unit::MAN)})
    world.fold(fact);
  words::Owns owns;
  owns.set_player(1);
  for (Id id = 11; id <= 17; ++id) owns.add_units(id);
  owns.set_active(active);
  world.fold(owns);
  for (const Id id : {14U, 34U}) {
    words::Hidden hidden;
    hidden.set_unit(id);
    world.fold(hidden);
  }
  return world;
}

std::vector<Id> shown(Id active) {
  const WorldState world = world_with(active);
  return tank_units_of(*world.player(1), world);
}

/// Adds a unit when a player spawns, and removes it when the player leaves.
class OneTank final : public Back {
  void receive(const Frames&, BackOut&) override {}
  void hear(const Intent& intent, BackOut& out) override {
    Unit word;
    word.set_id(7);
    word.set_owner(intent.by);
    if (as<words::Spawn>(intent) != nullptr) return say_owned(word, out);
    say_gone(intent.by, 7, out);
    say_gone(intent.by, 0, out);
  }
};

}  // namespace

TEST_CASE("a player is shown by its bodies, the steered one first, and by one cell: the steered one or the largest") {
  CHECK(shown(0) == std::vector<Id>{11, 12, 14, 16});
  CHECK(shown(12) == std::vector<Id>{12, 11, 14, 16});
  CHECK(shown(15) == std::vector<Id>{11, 12, 14, 15});
}

TEST_CASE("a hidden unit still exists; a visible cell represents its player before a hidden one does") {
  WorldState world = world_with(15);
  CHECK(is_seen(world.unit(12)) == false);  // not in play yet
  for (const Id id : {15U, 17U}) {
    words::Hidden hidden;
    hidden.set_unit(id);
    world.fold(hidden);
  }
  CHECK(tank_units_of(*world.player(1), world).back() == 16);
  words::Hidden hidden;
  hidden.set_unit(16);
  world.fold(hidden);
  CHECK(tank_units_of(*world.player(1), world).back() == 15);
}

TEST_CASE("a unit without an owner is shown if it could be driven") {
  CHECK(tank_units_of_nobody(world_with(0)) == std::vector<Id>{31, 32});
}

TEST_CASE("a unit is announced before its owner, and removed before its player") {
  testing::BackStage back(std::make_unique<OneTank>(), toy::game(), 0, wire::Way::kToServer);
  CHECK(back.hears(words::Spawn()) ==
        "says Unit id: 7 owner: 1\n"
        "says Owns player: 1 units: 7 active: 7\n");
  CHECK(back.hears(words::Leave()) ==
        "says Gone unit: 7\n"
        "says PlayerGone id: 1\n"
        "says PlayerGone id: 1\n");
}

}  // namespace entente::core::bodies_test
