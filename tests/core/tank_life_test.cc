// The life of a tank: on a server, as a back follows it, and at a client, which may claim its own death.
#include <doctest/doctest.h>

#include <string>

#include "proxy/core/tank/driven_tank.h"
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

TEST_CASE("a tank on the server is seen as the only unit of its player, who steers it") {
  class Seen final : public testing::DeafBackOut {
   public:
    void say(Fact fact) override { world_seen.fold(fact); }
    WorldState world_seen;
  } out;
  const JoinState state;
  TankServerPlayers players(state);
  TankServerPlayer& ben = players.meet(3, out);
  out.say(ben.player);
  players.tell_tank(ben, 2, out);
  const UnitState* const tank = out.world_seen.active_unit(ben.player.id());
  REQUIRE(tank != nullptr);
  CHECK(tank->unit.id() == ben.unit);
  CHECK(tank->unit.radius() == 2);
}

/// Counts what it sends to its server.
class CountedTank final : public TankOnServer {
 public:
  CountedTank(const JoinState& state, TankServerPlayers& players) : TankOnServer(state, players, Pace(1, 1)) {}
  TankModel model() const override { return {}; }
  double jump() const override { return 0; }
  void drove(const TankState&, BackOut&) override {}

  int requests = 0, reports = 0;
  words::Pose told;

 private:
  void ask_to_spawn(BackOut&) override { ++requests; }
  void limit_and_number(words::Pose&) override {}
  void tell_server(const words::Pose& place, BackOut&) override {
    ++reports;
    told = place;
  }
};

TEST_CASE("a server is told a claimed place once, and of a tank that stands, or whose client has gone silent, again") {
  for (const bool claims : {false, true}) {
    CAPTURE(claims);
    Heard heard;
    JoinState state;
    state.number = 3;
    TankServerPlayers players(state);
    players.tell_tank(players.meet(state.number, heard), 2, heard);
    CountedTank tank(state, players);
    heard.time = kSecond;
    tank.begin_life({}, heard);
    words::PoseClaim drives;
    drives.set_x(7);
    drives.set_vx(25);
    drives.set_yaw_rate(1);
    if (claims) tank.hear(drives, heard);
    const int before = tank.reports;
    CHECK(before == (claims ? 1 : 0));
    const int ticks = claims ? 75 : 25;  // of 40 ms: 3 s, or 1 s
    for (int i = 1; i < ticks; ++i) {
      heard.time += 40 * kMillisecond;
      tank.report_if_due(heard);
    }
    CHECK(tank.reports == before);
    heard.time += 40 * kMillisecond;
    tank.report_if_due(heard);
    CHECK(tank.reports == before + 1);
    CHECK(tank.told.x() == (claims ? 7 : 0));
    CHECK(tank.told.vx() == 0);
    CHECK(tank.told.yaw_rate() == 0);
  }
}

TEST_CASE("a new life begins without a pause; a tank may be paused as soon as it was asked for") {
  Heard heard;
  JoinState state;
  state.stage = JoinState::Stage::kIn;
  TankServerPlayers players(state);
  CountedTank tank(state, players);
  tank.begin_life({}, heard);
  CHECK(tank.may_act());
  tank.claims.begin(Claim::kPause, kSecond, heard);
  CHECK_FALSE(tank.may_act());
  tank.claims.answered(Claim::kPause);
  tank.paused = true;
  CHECK_FALSE(tank.may_act());
  tank.end();
  tank.begin_life({}, heard);
  CHECK(tank.may_act());
}

TEST_CASE("a new life does not go on with what the last one was about to do") {
  DrivenTank tank;
  words::Pose place;
  place.set_x(3);
  tank.begin(place, kSecond);
  words::Toward goal;
  goal.set_x(50);
  tank.steering.hear(goal);
  tank.driver.aim(1, kSecond);
  tank.claimed(place, kSecond);
  SUBCASE("it has died") {
    tank.end();
    CHECK(tank.steering.course(0, 0).kind == Course::Kind::kStay);
    CHECK_FALSE(tank.update_pending);
  }
  SUBCASE("it is put into play twice") {}
  tank.begin({}, 2 * kSecond);
  CHECK_FALSE(tank.driver.aims());
  CHECK(tank.steering.course(0, 0).kind == Course::Kind::kStay);
  CHECK_FALSE(tank.update_pending);
  CHECK(tank.pose.x() == 0);
  CHECK(tank.seen(2 * kSecond).x() == 0);
}

TEST_CASE("a player who has asked to spawn before the server let it in comes into play without asking again") {
  for (const bool asked : {true, false}) {
    Heard heard;
    JoinState state;
    state.number = 3;
    TankServerPlayers players(state);
    players.tell_tank(players.meet(state.number, heard), 2, heard);
    CountedTank tank(state, players);
    tank.spawn_early = asked;
    tank.arrive(heard);
    CHECK(tank.requests == (asked ? 1 : 0));
  }
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
