// What an owner stores of the players in its arena.
#include "proxy/fleet/arena/saved_arena.h"

#include <doctest/doctest.h>

#include <utility>

namespace entente::fleet::saved_arena_test {
namespace {

TEST_CASE("a player who moves is stored where it is now, not where its last pose was told") {
  core::WorldState world;
  const auto tell = [&](core::Fact fact) {
    fact.at = core::kSecond;
    world.fold(fact);
  };
  words::Player anna;
  anna.set_id(1);
  anna.set_name("anna");
  tell(anna);
  words::Unit tank;
  tank.set_id(11);
  tank.set_owner(1);
  tank.set_alive(true);
  tank.mutable_pose()->set_unit(11);
  tank.mutable_pose()->set_x(3);
  tank.mutable_pose()->set_vx(10);
  tell(tank);
  words::Owns owns;
  owns.set_player(1);
  owns.add_units(11);
  owns.set_active(11);
  tell(owns);
  REQUIRE(world.player(1) != nullptr);
  const auto saved = save(world, *world.player(1), core::kSecond + core::kSecond / 2);
  CHECK(saved.pose().x() == doctest::Approx(8));
  CHECK(saved.pose().y() == 0);
}

}  // namespace
}  // namespace entente::fleet::saved_arena_test
