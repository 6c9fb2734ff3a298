// A client is shown the nearest pellets, up to its limit, a few at a time.
#include "proxy/core/gameplay/nearest_pellets.h"

#include <doctest/doctest.h>

namespace entente::core::nearest_pellets_test {
namespace {

void lay(WorldState& world, Id id, double x, words::Unit::Kind kind = words::Unit::PELLET) {
  words::Unit unit;
  unit.set_id(id);
  unit.set_kind(kind);
  unit.mutable_pose()->set_unit(id);
  unit.mutable_pose()->set_x(x);
  world.fold(unit);
}

TEST_CASE(
    "the nearest pellets come first, a few at each look, and are removed when others are nearer or they are gone") {
  WorldState world;
  NearestPellets pellets;
  CHECK_FALSE(pellets.look(world, 0, 0));
  for (Id id = 1; id <= 60; ++id) lay(world, id, static_cast<double>(id));
  lay(world, 99, 0, words::Unit::VIRUS);
  CHECK(pellets.look(world, 0, 0));
  CHECK(pellets.come() == std::vector<Id>{1, 2, 3});
  CHECK(pellets.gone().empty());
  CHECK(pellets.look(world, 0, 0, NearestPellets::kMost));
  CHECK(pellets.come().size() == NearestPellets::kMost - 3);
  CHECK(pellets.holds(40));
  CHECK_FALSE(pellets.holds(41));
  CHECK(pellets.look(world, 0, 0));
  CHECK(pellets.come().empty());

  words::Hidden hidden;
  hidden.set_unit(7);
  world.fold(hidden);
  CHECK(pellets.look(world, 0, 0));
  CHECK(pellets.gone() == std::vector<Id>{7});
  CHECK(pellets.come() == std::vector<Id>{41});

  CHECK(pellets.look(world, 61, 0));  // seen from the other end: 21 to 60 are the nearest
  CHECK(pellets.come() == std::vector<Id>{60, 59, 58});
  CHECK(pellets.gone().size() == 19);
  CHECK_FALSE(pellets.holds(20));
  CHECK(pellets.look(world, 9'000, 0));
  CHECK_FALSE(pellets.holds(60));
  CHECK_FALSE(pellets.look(world, 9'000, 0));
}

}  // namespace
}  // namespace entente::core::nearest_pellets_test
