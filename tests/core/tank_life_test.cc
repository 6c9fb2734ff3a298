// The life of a tank: on a server, as a back follows it, and at a client, which may claim its own death.
#include <doctest/doctest.h>

#include <string>

#include "proxy/core/tank/tank_keeper.h"
#include "proxy/core/tank/tank_server_players.h"
#include "tests/core/deaf_back_out.h"

namespace entente::core::tank_life_test {
namespace {

/// Counts what is said of tanks.
class Heard final : public testing::DeafBackOut {
 public:
  void say(Fact fact) override {
    deaths += as<words::Died>(fact) != nullptr ? 1 : 0;
    spawns += as<words::Spawned>(fact) != nullptr ? 1 : 0;
    moves += as<words::Pose>(fact) != nullptr ? 1 : 0;
  }

  int deaths = 0, spawns = 0, moves = 0;
};

TEST_CASE("a tank dies once, and no late update of the server revives it") {
  constexpr std::uint8_t kNumber = 3;
  const JoinState state;
  TankServerPlayers players(state);
  Heard heard;
  players.tell_tank(players.meet(kNumber, heard), 2, heard);
  words::Pose place;
  REQUIRE(players.spawn(kNumber, place, heard) != nullptr);
  CHECK(players.die(kNumber, {}, heard) != nullptr);
  CHECK(players.die(kNumber, {}, heard) == nullptr);
  CHECK(heard.deaths == 1);
  players.move(kNumber, place, heard);
  CHECK(heard.moves == 0);
  CHECK(heard.spawns == 1);
  REQUIRE(players.spawn(kNumber, place, heard) != nullptr);
  CHECK(players.die(kNumber, {}, heard) != nullptr);
  CHECK(heard.deaths == 2);
}

TEST_CASE("a client claims one death in each life") {
  struct Display final : TankDisplay {
    void put(std::uint8_t, const words::Pose&, FrontOut&) override {}
    void show(std::uint8_t, FrontOut&) override {}
  } display;
  TankKeeper keeper(display);
  keeper.put({}, 0);
  CHECK_FALSE(keeper.claims_death());
  CHECK(keeper.claim_death(kSecond));
  CHECK_FALSE(keeper.claim_death(kSecond));
  CHECK(keeper.claims_death());
  keeper.put({}, 2 * kSecond);  // it is in play again
  CHECK_FALSE(keeper.claims_death());
  CHECK(keeper.claim_death(3 * kSecond));
  CHECK(keeper.forget_death());
  CHECK_FALSE(keeper.forget_death());
}

}  // namespace
}  // namespace entente::core::tank_life_test
