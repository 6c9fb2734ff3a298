// The life of a tank: on a server, as a back follows it, and at a client, which may claim its own death.
#include <doctest/doctest.h>

#include <string>

#include "proxy/core/tank/driven_tank.h"
#include "proxy/core/tank/last_capture.h"
#include "proxy/core/tank/tank_keeper.h"
#include "proxy/core/tank/tank_server_players.h"
#include "tests/core/deaf_out.h"

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
    drives.set_vy(3);
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
    CHECK(tank.told.vy() == 0);
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

/// A tank whose player is in, and is known to the server.
struct OnServer {
  OnServer() {
    state.number = 3;
    heard.time = 100 * kSecond;
    players.tell_tank(players.meet(state.number, heard), 2, heard);
  }
  /// Seconds until the server is next asked for a life, if it does not answer; -1: it is not asked in a minute.
  int asks_again_after() {
    const int before = tank.requests;
    for (int seconds = 1; seconds <= 60; ++seconds) {
      heard.time += kSecond;
      tank.claims.check(heard, [&](Claim claim, int times) {
        if (claim == Claim::kSpawn) counts_as_alive = tank.spawn_late(times, heard);
      });
      if (tank.requests > before) return seconds;
    }
    return -1;
  }

  Heard heard;
  JoinState state;
  TankServerPlayers players{state};
  CountedTank tank{state, players};
  bool counts_as_alive = false;
};

TEST_CASE("a server that does not put a tank into play is asked again, at intervals that double up to 24 seconds") {
  OnServer play;
  play.tank.hear(words::Spawn(), play.heard);
  CHECK(play.tank.requests == 1);
  play.tank.hear(words::Spawn(), play.heard);  // the server is being asked already
  CHECK(play.tank.requests == 1);
  for (const int seconds : {3, 6, 12, 24, 24}) {
    CHECK(play.asks_again_after() == seconds);
    CHECK(play.counts_as_alive);
  }
  play.tank.begin_life({}, play.heard);
  CHECK(play.asks_again_after() == -1);
  play.tank.hear(words::Spawn(), play.heard);  // it is in play
  CHECK(play.asks_again_after() == -1);
}

TEST_CASE("a request to spawn that came too early after a death is repeated soon, and does not count as late") {
  OnServer play;
  play.tank.end(play.heard.time + 5 * kSecond);
  play.tank.hear(words::Spawn(), play.heard);
  for (int i = 0; i < 2; ++i) {
    CHECK(play.asks_again_after() == 3);
    CHECK_FALSE(play.counts_as_alive);
  }
  CHECK(play.asks_again_after() == 3);  // now the server has had its time
  CHECK(play.counts_as_alive);
  CHECK(play.asks_again_after() == 6);
}

TEST_CASE("claims of a client whose tank has died move nothing") {
  OnServer play;
  words::PoseClaim claim;
  claim.set_x(7);
  play.tank.begin_life({}, play.heard);
  play.tank.hear(claim, play.heard);
  REQUIRE(play.heard.moves == 1);
  REQUIRE(play.tank.reports == 1);
  play.tank.end();
  play.heard.time += 10 * kSecond;
  claim.set_x(8);
  play.tank.hear(claim, play.heard);
  play.tank.report_if_due(play.heard);
  CHECK(play.heard.moves == 1);
  CHECK(play.tank.reports == 1);
  CHECK(play.tank.pose.x() == 7);
}

TEST_CASE("keys of a player who claims its places turn its gun, and do not drive its tank") {
  OnServer play;
  words::Keys keys;
  keys.set_bits(words::Keys::FORWARD);
  keys.set_yaw(2);
  words::PoseClaim claim;
  claim.set_x(7);
  play.tank.begin_life({}, play.heard);
  play.tank.hear(claim, play.heard);
  CHECK(play.tank.steer(keys));
  REQUIRE(play.tank.steering.claim() != nullptr);
  CHECK(play.tank.steering.claim()->x() == 7);
  CHECK(play.tank.steering.looking() == 2);
  CHECK_FALSE(play.tank.steer(words::Spawn()));
}

TEST_CASE("a tank is driven once for each moment of its life, and for at most 0.2 seconds at once") {
  DrivenTank tank;
  CHECK_FALSE(tank.step(kSecond));
  tank.begin({}, kSecond);
  CHECK_FALSE(tank.step(kSecond));
  auto step = tank.step(kSecond + 100 * kMillisecond);
  REQUIRE(step);
  CHECK(step->since == kSecond);
  CHECK(step->dt == doctest::Approx(0.1));
  CHECK_FALSE(tank.step(kSecond + 100 * kMillisecond));
  step = tank.step(9 * kSecond);
  REQUIRE(step);
  CHECK(step->since == kSecond + 100 * kMillisecond);
  CHECK(step->dt == 0.2);
  tank.end();
  CHECK_FALSE(tank.step(10 * kSecond));
}

TEST_CASE("a pose is limited to the fastest speed, in its direction, and to the edges") {
  words::Pose pose;
  pose.set_vx(30);
  pose.set_vy(-40);
  pose.set_x(101);
  pose.set_y(-101);
  keep_within(pose, 50, 101);
  CHECK(pose.vx() == 30);
  CHECK(pose.x() == 101);
  keep_within(pose, 25, 100);
  CHECK(pose.vx() == doctest::Approx(15));
  CHECK(pose.vy() == doctest::Approx(-20));
  CHECK(pose.x() == 100);
  CHECK(pose.y() == -100);
}

TEST_CASE("a player who watched and plays again has a tank that is alive once the server moves it") {
  constexpr std::uint8_t kNumber = 3;
  const JoinState state;
  TankServerPlayers players(state);
  Heard heard;
  TankServerPlayer& ben = players.meet(kNumber, heard);
  players.tell_tank(ben, 2, heard);
  words::Pose place;
  REQUIRE(players.spawn(kNumber, place, heard) != nullptr);
  REQUIRE(players.die(kNumber, {}, heard) != nullptr);
  players.forget_tank(ben, heard);
  CHECK(players.spawn(kNumber, place, heard) == nullptr);
  players.move(kNumber, place, heard);
  CHECK(heard.spawns == 1);
  players.tell_tank(ben, 2, heard);
  players.move(kNumber, place, heard);
  CHECK(heard.spawns == 2);
  players.move(kNumber, place, heard);
  CHECK(heard.spawns == 2);
  CHECK(heard.moves == 1);
}

TEST_CASE("a number that a server gives to another player is another player's") {
  constexpr std::uint8_t kNumber = 3;
  const JoinState state;
  TankServerPlayers players(state);
  Heard heard;
  const Id ben = players.meet(kNumber, heard).player.id();
  CHECK(players.meet(kNumber, heard).player.id() == ben);
  CHECK(players.number_of(ben, 9) == kNumber);
  players.forget(kNumber, heard);
  CHECK(players.id_of(kNumber) == 0);
  CHECK(players.number_of(ben, 9) == 9);
  const Id carl = players.meet(kNumber, heard).player.id();
  CHECK(carl != ben);
  CHECK(players.number_of(carl, 9) == kNumber);
}

TEST_CASE("a player who is refused is told why, and its session is closed unless the server has hung up") {
  class Closes final : public testing::DeafBackOut {
   public:
    void say(Fact fact) override { refusals += as<words::Refused>(fact) != nullptr ? 1 : 0; }
    void close(std::string_view, std::uint32_t) override { ++closes; }
    int refusals = 0, closes = 0;
  };
  for (const bool hung_up : {false, true}) {
    Closes out;
    JoinState state;
    state.goodbye_said = hung_up;
    state.refuse(words::Refused::FULL, "it is full", true, out);
    CHECK(out.refusals == 1);
    CHECK(out.closes == (hung_up ? 0 : 1));
    CHECK(state.goodbye_said);
  }
}

TEST_CASE("players of a team die by a capture once, if they die within a second of it") {
  LastCapture capture;
  CHECK_FALSE(capture.has_killed(words::TEAM_ANY, 0));
  capture.told(words::RED, 10 * kSecond);
  CHECK(capture.has_killed(words::RED, 11 * kSecond - 1));
  CHECK_FALSE(capture.has_killed(words::RED, 11 * kSecond));
  CHECK_FALSE(capture.has_killed(words::BLUE, 10 * kSecond));
}

TEST_CASE("a death that nobody confirms is forgotten once its time is over, and the tank lives on") {
  struct Wakes final : testing::DeafFrontOut {
    void wake(Micros at) override { asked = at; }
    Micros asked = 0;
  } out;
  struct Display final : TankDisplay {
    void put(std::uint8_t, const words::Pose&, FrontOut&) override {}
    void show(std::uint8_t, FrontOut&) override {}
  } display;
  TankKeeper keeper(display);
  out.time = 10 * kSecond;
  CHECK_FALSE(keeper.survives(kSecond, out));  // it claims none
  CHECK(out.asked == 0);
  REQUIRE(keeper.claim_death(out.time));
  out.time = 11 * kSecond - 1;
  CHECK_FALSE(keeper.survives(kSecond, out));
  CHECK(out.asked == 11 * kSecond);
  out.time = 11 * kSecond;
  CHECK(keeper.survives(kSecond, out));
  CHECK_FALSE(keeper.survives(kSecond, out));
  CHECK_FALSE(keeper.claims_death());
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
