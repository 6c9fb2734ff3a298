// What Panic's back tells the room of a server's messages, one by one, and what it keeps from the server.
#include <doctest/doctest.h>

#include "adapters/panic/wire/mapping.h"
#include "tests/games/every_fact.h"
#include "tests/panic/back_stage.h"
#include "tests/panic/maps.h"
#include "tests/program/folder.h"

namespace entente::panic::back_facts_test {
namespace {

using core::kMillisecond, core::kSecond;

constexpr int kNorth = 1, kEast = 2, kSouth = 3, kWest = 4;

/// In play: the units 102 and 103 are ours, 104 is blue's (101).
struct Game : BackPlay {
  explicit Game(std::size_t dialect = 0, std::map<std::string, std::string, std::less<>> settings = {})
      : BackPlay(dialect, std::move(settings)) {
    start();
  }
};

bool has(const std::string& all, std::string_view part) { return all.find(part) != std::string::npos; }
std::size_t count(const std::string& all, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = all.find(part, at)) != std::string::npos; at += part.size()) ++found;
  return found;
}

// -- Pieces -----------------------------------------------------------------------------------------------------------

TEST_CASE("panic back: a piece that comes later is told with its owner, and is in play at once") {
  Game game;
  CHECK(
      game.receives(game.lines.create(21, 30, 9, 6, 6)) ==
      "says Unit id: 105 owner: 101 model: 1 team: BLUE health: 30 max_health: 30 pose { unit: 105 x: -237.5 y: 237.5 "
      "yaw: 1.5707963267948966 }\n"
      "says Owns player: 101 units: 104 units: 105 active: 104\n"
      "says Spawned unit: 105 pose { unit: 105 x: -237.5 y: 237.5 yaw: 1.5707963267948966 }\n");
  CHECK(has(game.receives(game.lines.create(24, 50, 10, 7, 7)),
            "says Player id: 106 name: \"panic-yellow\" team: YELLOW "));
}

TEST_CASE("panic back: bricks, things to pick up and decorations are nobody's, and there from the start") {
  Game game;
  CHECK(game.receives(game.lines.create(3, 5, 9, 6, 6)) ==
        "says Unit id: 105 kind: BRICK model: 3 health: 5 alive: true pose { unit: 105 x: -237.5 y: 237.5 yaw: "
        "1.5707963267948966 }\n");
  CHECK(has(game.receives(game.lines.create(8, 5, 10, 6, 7)), "kind: PICKUP model: 8 "));
  CHECK(has(game.receives(game.lines.create(9, 5, 11, 6, 8)), "kind: PICKUP model: 9 "));
  CHECK(has(game.receives(game.lines.create(10, 5, 12, 6, 9)), "kind: DECOR model: 10 "));
}

TEST_CASE("panic back: a number that is created again is the same unit, as it is now") {
  Game game;
  CHECK(has(game.receives(game.lines.create(16, 50, 1, 8, 8)), "says Spawned unit: 102 pose { unit: 102 x: -187.5 "));
  const std::string again = game.receives(game.lines.create(20, 40, 4, 9, 9));
  CHECK(has(again, "says Unit id: 104 owner: 101 "));
  CHECK(has(again, " health: 40 max_health: 50 "));
  CHECK(has(again, "says Spawned unit: 104 "));
  CHECK(has(again, "says Health unit: 104 now: 40\n"));  // coming into play heals nobody
}

TEST_CASE("panic back: a map has only so many tiles: further pieces are lost") {
  Game game;
  std::string told;
  for (std::uint32_t number = 10; number < 10 + 1021; ++number)
    told += game.receives(game.lines.create(2, 1, number, 20, 20));
  CHECK_FALSE(has(told, "loses"));
  CHECK(game.receives(game.lines.create(2, 1, 5'000, 20, 20)) ==
        "loses a message: it creates more pieces than a map has tiles\n");
  CHECK(has(game.receives(game.lines.create(2, 1, 10, 21, 20)), "says Unit id: 105 "));  // a known one is not new
  game.receives(game.lines.event(kDestroy, 0, 0, 10));
  CHECK(has(game.receives(game.lines.create(2, 1, 5'000, 20, 20)), "says Unit "));
}

TEST_CASE("panic back: a brick that is shot is damaged and gone, but nobody has died") {
  Game game;
  game.receives(game.lines.create(3, 5, 9, 4, 4));  // between blue and us
  CHECK(game.receives(joined({game.lines.move(kWest, 0, 4), game.lines.event(kUpdateHealth, 0, 3, 9)})) ==
        "says Pose unit: 104 x: -262.5 y: 287.5 yaw: -3.1415926535897931\n"
        "says Shot shooter: 101 unit: 104 shot: 1 kind: RAY x: -262.5 y: 287.5 vx: -1 range: 150 team: BLUE\n"
        "says Health unit: 105 now: 3 by: 101 from_x: -262.5 from_y: 287.5\n");
  CHECK(game.receives(game.lines.event(kDestroy, 0, 0, 9)) == "says Gone unit: 105 by: 104 why: BY_SHOT\n");
}

TEST_CASE("panic back: one turn is one shot, however many it hits; a move is none") {
  Game game;
  game.receives(game.lines.move(kWest, 0, 4));
  CHECK(count(game.receives(game.lines.event(kUpdateHealth, 0, 40, 1)), "says Shot") == 1);
  CHECK(count(game.receives(game.lines.event(kUpdateHealth, 0, 30, 1)), "says Shot") == 0);
  game.receives(game.lines.move(kWest, 0, 4));
  CHECK(has(game.receives(game.lines.event(kUpdateHealth, 0, 20, 1)), "says Shot shooter: 101 unit: 104 shot: 2 "));
  game.receives(game.lines.move(kWest, 0, 4));
  game.receives(game.lines.move(kWest, 1, 4));
  CHECK(game.receives(game.lines.event(kUpdateHealth, 0, 10, 1)) == "says Health unit: 102 now: 10 max: 50\n");
}

TEST_CASE("panic back: more health than a model has is its full health") {
  Game game;
  CHECK(game.receives(game.lines.event(kUpdateHealth, 0, 80, 1)) == "says Health unit: 102 now: 80 max: 80\n");
  CHECK(game.receives(game.lines.event(kUpdateHealth, 0, 40, 1)) == "says Health unit: 102 now: 40 max: 50\n");
}

TEST_CASE("panic back: another player's last tank takes nobody else's tanks along") {
  Game game;
  CHECK(game.receives(game.lines.event(kDestroy, 0, 0, 4)) ==
        "says Died player: 101 unit: 104\nsays Gone unit: 104\nsays Owns player: 101\n");
  CHECK(game.receives(game.lines.event(kDestroy, 0, 0, 4)) ==
        "loses a message: its piece was never created, or is gone\n");
  CHECK(
      has(game.hears<words::Step>("unit: 102 direction: EAST"), "sends Action player=1 action=1 direction=2 piece=1"));
}

TEST_CASE("panic back: on a known map, a turn towards a free tile that nobody asked for is a shot") {
  const Folder maps;
  maps.write("yard.map", walled_map(30, 20));
  BackPlay play(0, {{"maps", maps.path().string()}});
  play.stage.opens();
  play.hears<words::Spawn>("");
  play.receives(
      joined({play.lines.state(1, {1}, 1, 1), play.lines.create(16, 50, 1, 1, 4), play.lines.create(20, 50, 4, 5, 4),
              play.lines.create(20, 50, 5, 5, 3), play.lines.event(kGameStart, 0, 0, 0)}));
  CHECK(has(play.receives(play.lines.move(kEast, 0, 4)), "says Shot "));
  CHECK_FALSE(has(play.receives(play.lines.move(kNorth, 0, 4)), "says Shot "));  // another tank blocks it
  play.receives(play.lines.move(kEast, 23, 4));
  CHECK_FALSE(has(play.receives(play.lines.move(kEast, 0, 4)), "says Shot "));  // the wall does
}

TEST_CASE("panic back: a step that another tank blocks makes no wall") {
  Game game;
  game.hears<words::Step>("unit: 102 direction: SOUTH");  // where our other tank stands
  CHECK_FALSE(has(game.receives(game.lines.move(kSouth, 0, 1)), "WorldEdit"));
  game.hears<words::Step>("unit: 102 direction: WEST");
  CHECK(has(game.receives(game.lines.move(kWest, 0, 1)), "says WorldEdit edit { x: -387.5 y: 287.5 }\n"));
  game.hears<words::Step>("unit: 102 direction: WEST");
  CHECK_FALSE(has(game.receives(game.lines.move(kWest, 0, 1)), "WorldEdit"));  // it is known
}

// -- The game ---------------------------------------------------------------------------------------------------------

TEST_CASE("panic back: ammunition is never negative, and is told once the game has begun") {
  BackPlay play;
  play.stage.opens();
  play.hears<words::Enter>("name: 'anna'");
  play.hears<words::Spawn>("");
  CHECK(play.receives(joined({play.lines.state(1, {1}), play.lines.event(kUpdateAmmo, 0, 7, 0)})) == "");
  CHECK(has(play.receives(joined({play.lines.create(16, 50, 1, 1, 4), play.lines.event(kGameStart, 0, 0, 0)})),
            "says Ammo player: 1 clip: 7\n"));
  CHECK(play.receives(play.lines.event(kUpdateAmmo, 0, -3, 0)) == "says Ammo player: 1\n");
}

TEST_CASE("panic back: of the shots that the ammunition allows, none is asked for twice before the server counts it") {
  Game game;
  game.receives(game.lines.event(kUpdateAmmo, 0, 1, 0));
  CHECK(has(game.hears<words::Fire>("unit: 102 vx: 1"), "sends Action player=1 action=2 "));
  CHECK(game.hears<words::Fire>("unit: 103 shot: 3 vx: 1") ==
        "loses Fire: the tank has no ammunition\nsays ShotEnded shooter: 1 shot: 3 (to 1)\n");
}

TEST_CASE("panic back: a won game is our player's; a lost one is that of the only one left, or nobody's") {
  Game won;
  CHECK(won.receives(won.lines.event(kGameOver, 0, 1, 0)) == "says Round state: OVER winner: 1\n");
  CHECK(has(won.hears<words::Step>("unit: 102 direction: EAST"), "sends Action"));  // it may drive on
  Game lost;
  lost.receives(lost.lines.create(24, 50, 10, 7, 7));
  lost.receives(joined({lost.lines.event(kDestroy, 0, 0, 1), lost.lines.event(kDestroy, 0, 0, 2)}));
  CHECK(lost.receives(lost.lines.event(kGameOver, 0, 0, 0)) == "says Round state: OVER\n");
}

TEST_CASE("panic back: a defeated player whose tanks still stand watches, and sends nothing more") {
  Game game;
  const std::string over = game.receives(game.lines.event(kGameOver, 0, 0, 0));
  CHECK(has(over, "says Player id: 1 name: \"anna\" team: RED role: WATCH "));
  CHECK(game.hears<words::Step>("unit: 102 direction: EAST") == "loses Step: the player only watches\n");
  CHECK(game.hears<words::Spawn>("") == "loses Spawn: the player only watches\n");
  game.receives(game.lines.create(16, 50, 1, 3, 3));  // not even a new tank is driven
  game.hears<words::Toward>("x: 0 y: 0");
  CHECK(game.stage.waits(5 * kSecond) == "");
}

TEST_CASE("panic back: who comes only to watch drives nothing, also if the server has given it tanks") {
  BackPlay play;
  play.stage.opens();
  play.hears<words::Enter>("name: 'anna' role: WATCH");
  CHECK(has(play.receives(play.greeting()), "says Player id: 1 name: \"anna\" team: RED role: WATCH "));
  CHECK(play.hears<words::Step>("unit: 102 direction: EAST") == "loses Step: the player only watches\n");
  Game later;
  later.hears<words::Keys>("bits: 1");
  later.hears<words::Enter>("name: 'anna' role: WATCH");
  CHECK(later.stage.waits(5 * kSecond) == "");
}

TEST_CASE("panic back: who watched and then plays steers its tanks, also those that came meanwhile") {
  Game game;
  game.hears<words::Enter>("name: 'anna' role: WATCH");
  game.hears<words::Enter>("name: 'anna'");
  game.hears<words::Spawn>("");
  CHECK(
      has(game.hears<words::Step>("unit: 102 direction: EAST"), "sends Action player=1 action=1 direction=2 piece=1"));
  BackPlay play;
  play.stage.opens();
  play.hears<words::Enter>("name: 'anna' role: WATCH");
  play.receives(play.greeting());
  play.hears<words::Enter>("name: 'anna'");
  play.hears<words::Spawn>("");
  CHECK(
      has(play.hears<words::Step>("unit: 102 direction: EAST"), "sends Action player=1 action=1 direction=2 piece=1"));
}

TEST_CASE("panic back: who has no tank, and gets none, is answered when it asks to spawn, also if it asks early") {
  constexpr const char* kWatches = "loses Spawn: the player only watches\n";
  BackPlay watcher;
  watcher.stage.opens();
  watcher.hears<words::Enter>("name: 'anna' role: WATCH");
  CHECK(watcher.hears<words::Spawn>("") == kWatches);
  BackPlay late;  // the game is full
  late.stage.opens();
  late.hears<words::Enter>("name: 'anna'");
  CHECK(late.hears<words::Spawn>("").empty());  // not known yet
  late.receives(joined({late.lines.state(5, {}), late.lines.create(20, 50, 4, 5, 4)}));
  CHECK(late.stage.waits(kSecond).ends_with(std::string("says Ready\n") + kWatches));
  CHECK(late.hears<words::Spawn>("") == kWatches);
  Game lost;
  lost.receives(joined({lost.lines.event(kDestroy, 0, 0, 1), lost.lines.event(kDestroy, 0, 0, 2)}));
  CHECK(lost.hears<words::Spawn>("") == kWatches);
  Game plays;
  CHECK(plays.hears<words::Spawn>("").empty());
}

TEST_CASE("panic back: a client that claims its death is told that the server decides it") {
  Game game;
  const std::string answer = game.hears<words::DeathClaim>("why: BY_ITSELF");
  CHECK(answer.starts_with("loses DeathClaim: "));
  CHECK(has(answer, "says ClaimRefused why: "));
  BackPlay watcher;
  watcher.stage.opens();
  watcher.hears<words::Enter>("name: 'anna' role: WATCH");
  CHECK(has(watcher.hears<words::DeathClaim>("why: BY_ITSELF"), "says ClaimRefused why: "));
}

TEST_CASE("panic back: a watcher's game begins half a second after its last piece") {
  BackPlay play;
  play.stage.opens();
  play.receives(play.lines.state(5, {}));
  CHECK(play.stage.waits(400 * kMillisecond) == "");
  play.receives(play.lines.create(20, 50, 4, 5, 4));
  CHECK(play.stage.waits(499 * kMillisecond) == "");
  CHECK(has(play.stage.waits(kMillisecond), "says Ready\n"));
}

TEST_CASE("panic back: after a second GameState, another game may be won, with its own ammunition and tanks") {
  Game game;
  game.receives(game.lines.event(kGameOver, 0, 1, 0));
  game.receives(game.greeting());
  CHECK(game.receives(game.lines.event(kGameOver, 0, 1, 0)) == "says Round state: OVER winner: 1\n");
  CHECK(game.hears<words::Step>("unit: 102 direction: EAST") ==
        "loses Step: it is not a living tank of the player\n");  // of the last game
  CHECK(
      has(game.hears<words::Step>("unit: 105 direction: EAST"), "sends Action player=1 action=1 direction=2 piece=1"));
}

TEST_CASE("panic back: a second GameState before the first game has begun says nothing about pieces nobody knows") {
  BackPlay play;
  play.stage.opens();
  play.receives(joined({play.lines.state(1, {1}), play.lines.create(16, 50, 1, 1, 4)}));
  CHECK(play.receives(play.lines.state(1, {1})) == "");
  const std::string told = play.receives(play.lines.event(kGameStart, 0, 0, 0));
  CHECK_FALSE(has(told, "says Unit"));
  CHECK(has(told, "says Ready\n"));
}

TEST_CASE("panic back: it names the dialect that the server was found to speak, and reads it") {
  BackPlay play;
  play.stage.opens();
  CHECK(play.stage.waits(0) == "");
  for (std::size_t dialect = 0; dialect < 3; ++dialect) {
    Game game(dialect);
    CHECK(has(game.receives(game.greeting()),
              "dialect: \"" + std::string(panic::game().dialects()[dialect].name) + "\""));
  }
}

// -- The player -------------------------------------------------------------------------------------------------------

TEST_CASE("panic back: nobody but its player drives, and nobody once it has left") {
  Game game;
  core::Intent foreign{word_of<words::Step>("unit: 102 direction: EAST")};
  foreign.by = 9;
  CHECK(game.stage.hears(foreign) == "loses Step: a connection has only one player\n");
  CHECK(game.hears<words::Leave>("why: 'enough'") == "closes: enough\n");
  CHECK(game.hears<words::Step>("unit: 102 direction: EAST") == "loses Step: a connection has only one player\n");
  CHECK(game.stage.session_ends("closing time") == "");
  CHECK(game.stage.waits(kSecond) == "");
}

TEST_CASE("panic back: a server that closes during the game has only ended it") {
  Game game;
  CHECK(game.stage.ends("connection reset") == "");
  CHECK(game.hears<words::Step>("unit: 102 direction: EAST") == "loses Step: a connection has only one player\n");
}

TEST_CASE("panic back: a tank that was destroyed is neither selected nor driven, and its wishes are forgotten") {
  Game game;
  game.hears<words::Select>("unit: 103");
  game.hears<words::Toward>("x: 0 y: 262.5");
  game.receives(game.lines.event(kDestroy, 0, 0, 2));
  CHECK(game.stage.waits(kSecond) == "");
  CHECK(game.hears<words::Select>("unit: 103") == "loses Select: it is not a living tank of the player\n");
  CHECK(game.hears<words::Step>("unit: 103 direction: EAST") == "loses Step: it is not a living tank of the player\n");
}

TEST_CASE("panic back: the next tank is driven only after a spawn, one that is named at once") {
  Game game;
  game.receives(game.lines.event(kDestroy, 0, 0, 1));
  CHECK(game.hears<words::Keys>("bits: 1") == "loses Keys: the player is not in play\n");
  CHECK(
      has(game.hears<words::Step>("unit: 103 direction: EAST"), "sends Action player=1 action=1 direction=2 piece=2"));
}

TEST_CASE("panic back: a shot goes along the goal, the keys or the tank, whichever there is") {
  Game game;
  CHECK(has(game.hears<words::Split>(""), "action=2 direction=1 "));  // as the tank looks
  Game pointing;
  pointing.hears<words::Toward>("x: -362.5 y: -300");
  CHECK(has(pointing.hears<words::Split>(""), "action=2 direction=3 "));
  Game steering;
  steering.hears<words::Keys>("bits: 0 yaw: 3.14");
  CHECK(has(steering.hears<words::Trigger>("primary: true"), "action=2 direction=4 "));
}

TEST_CASE("panic back: a shot that was asked for before a step is sent before it, and the other way round") {
  const auto sent_after = [](bool shot_first) {
    Game game;
    game.hears<words::Step>("unit: 102 direction: EAST");  // the tank is busy
    if (shot_first) game.hears<words::Fire>("unit: 102 shot: 3 vy: 1");
    game.hears<words::Step>("unit: 102 direction: NORTH");
    if (!shot_first) game.hears<words::Fire>("unit: 102 shot: 3 vy: 1");
    return game.receives(game.lines.move(kEast, 1, 1));
  };
  CHECK(has(sent_after(true), "sends Action player=1 action=2 direction=1 "));
  CHECK(has(sent_after(false), "sends Action player=1 action=1 direction=1 "));
}

TEST_CASE("panic back: a client's tank is astray only half a second after it left its tile for the last time") {
  Game game;
  const auto claims = [&](const char* claim) {
    const std::string said = game.hears<words::PoseClaim>(claim);
    return count(said + game.stage.waits(400 * kMillisecond), "says Corrected ");
  };
  const char* const off = "x: 0 y: 287.5";
  CHECK(claims(off) == 0);
  CHECK(claims("x: -362.5 y: 287.5") == 0);
  CHECK(claims(off) == 0);
  CHECK(count(game.stage.waits(200 * kMillisecond), "says Corrected ") == 1);
  CHECK(claims(off) == 0);  // it was moved back, and leaves again
  CHECK(count(game.stage.waits(200 * kMillisecond), "says Corrected ") == 1);
}

TEST_CASE("panic back: each Action without an answer is counted once") {
  Game game;
  for (int i = 0; i < 3; ++i) {
    CAPTURE(i);
    CHECK(count(game.hears<words::Step>("unit: 102 direction: EAST"), "sends Action ") == 1);
    CHECK(count(game.stage.waits(5 * kSecond), "loses Step: the server did not answer in time\n") == 1);
    CHECK_FALSE(has(game.stage.waits(5 * kSecond), "loses"));
  }
}

TEST_CASE("panic back: each kind of intent is carried out, or counted by a reason of the mapping") {
  testing::check_every_intent(mapping(), [](const core::Intent& intent) {
    Game fresh;
    return fresh.stage.hears(intent);
  });
}

TEST_CASE("panic back: a tank of our colour that the GameState has not named is ours, but is not steered") {
  Game game;
  CHECK(has(game.receives(game.lines.create(16, 50, 9, 7, 7)), "says Unit id: 105 owner: 1 "));
  CHECK(game.hears<words::Select>("unit: 105") == "loses Select: it is not a living tank of the player\n");
  CHECK(game.hears<words::Step>("unit: 105 direction: EAST") == "loses Step: it is not a living tank of the player\n");
}

TEST_CASE("panic back: messages of kinds that are reserved, and moves without a direction, change nothing") {
  Game game;
  CHECK(has(game.receives(game.lines.create(11, 50, 9, 7, 7)), "loses "));
  CHECK(has(game.receives(game.lines.event(kMove, 9, 1, 4)), "loses Move.direction: not a valid direction\n"));
  CHECK(has(game.receives(game.lines.move(kWest, 1, 4)), "says Pose unit: 104 x: -287.5 y: 287.5 "));
}

}  // namespace
}  // namespace entente::panic::back_facts_test
