// A player of many units is told as one who has one, or few, and which they are is plain.
#include "proxy/core/casting.h"

#include <doctest/doctest.h>

#include "tests/support/stage.h"
#include "tests/support/toy_game.h"

namespace entente::core {
namespace {

struct Body {
  Id id;
  words::Unit::Kind kind;
  double radius = 0;
  bool hidden = false;
};

using Ids = std::vector<Id>;

Ids shown(std::initializer_list<Body> bodies, Id active, CellShown cell) {
  World world;
  words::Player player;
  player.set_id(1);
  world.fold(player);
  words::Owns owns;
  owns.set_player(1);
  owns.set_active(active);
  for (const Body& body : bodies) {
    words::Unit unit;
    unit.set_id(body.id);
    unit.set_owner(1);
    unit.set_kind(body.kind);
    unit.set_radius(body.radius);
    world.fold(unit);
    owns.add_units(body.id);
    words::Hidden hidden;
    hidden.set_unit(body.id);
    if (body.hidden) world.fold(hidden);
  }
  world.fold(owns);
  return shown_units(*world.player(1), world, cell);
}

TEST_CASE("who drives is shown, first whom his player steers, and of cells one alone") {
  using words::Unit;
  constexpr auto kLargest = CellShown::kLargest, kSteered = CellShown::kSteered;
  CHECK(shown({}, 0, kLargest).empty());
  CHECK(shown({{11, Unit::TANK}, {12, Unit::MAN}, {13, Unit::PELLET}}, 12, kLargest) == Ids{12, 11});
  CHECK(shown({{11, Unit::TANK, 0, true}, {12, Unit::TANK}}, 11, kLargest) == Ids{12});
  CHECK(shown({{11, Unit::CELL, 2}, {12, Unit::CELL, 3}, {13, Unit::CELL, 1}}, 11, kLargest) == Ids{12});
  CHECK(shown({{11, Unit::CELL, 2}, {12, Unit::CELL, 3}, {13, Unit::CELL, 1}}, 11, kSteered) == Ids{11});
  CHECK(shown({{11, Unit::CELL, 2}, {12, Unit::CELL, 3}, {13, Unit::CELL, 1}}, 13, kSteered) == Ids{13});
  CHECK(shown({{11, Unit::CELL, 2}, {12, Unit::CELL, 3}}, 0, kSteered) == Ids{12});
  CHECK(shown({{11, Unit::CELL, 2}, {12, Unit::TANK}}, 11, kSteered) == Ids{12, 11});
}

/// Says what it has when somebody spawns, and that it is gone when he leaves.
class OneTank final : public Back {
  void receive(Lane, Bytes, BackOut&) override {}
  void hear(const Intent& intent, BackOut& out) override {
    words::Unit unit;
    unit.set_id(7);
    unit.set_owner(intent.by);
    if (as<words::Spawn>(intent) != nullptr) return say_owned(unit, out);
    say_gone(intent.by, 7, out);
    say_gone(intent.by, 0, out);
  }
};

TEST_CASE("a unit is told of before whose it is, and goes before its player") {
  testing::BackStage back(std::make_unique<OneTank>(), toy::game(), 0, wire::Way::kToServer);
  CHECK(back.hears(words::Spawn()) ==
        "says Unit id: 7 owner: 1\n"
        "says Owns player: 1 units: 7 active: 7\n");
  CHECK(back.hears(words::Leave()) ==
        "says Gone unit: 7\n"
        "says PlayerGone id: 1\n"
        "says PlayerGone id: 1\n");
}

}  // namespace
}  // namespace entente::core
