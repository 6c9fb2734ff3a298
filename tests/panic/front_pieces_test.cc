// What Panic's front shows a client of each unit, in rooms of Panic and of other games, and what its keys ask for.
#include <doctest/doctest.h>

#include "tests/panic/front_stage.h"

namespace entente::panic::front_pieces_test {
namespace {

using core::kMillisecond, core::kSecond;

constexpr int kNorth = 1, kEast = 2, kSouth = 3;
constexpr int kDrive = 1, kShoot = 2;

bool has(const std::string& all, std::string_view part) { return all.find(part) != std::string::npos; }

/// A room of another game, in play.
struct Game : FrontPlay {
  explicit Game(Settings settings = {{"name", "paul"}}) : FrontPlay(0, std::move(settings)) { start(); }
};

/// A room of Panic, in which the player 1 has the green Eliminator 5, and 2 the blue Negotiator 6.
struct PanicRoom : FrontPlay {
  PanicRoom() {
    stage.opens();
    hears<words::Room>("game: 'panic'");
    hears<words::World>(
        "hash: 'p' kind: TILES name: 'panic 1/1' west: -400 east: 400 south: -266.66666666 north: 266.66666666 "
        "columns: 30 rows: 20");
    hears<words::Player>("id: 1 name: 'paul' team: GREEN");
    hears<words::Player>("id: 2 team: BLUE");
    hears<words::Unit>(
        "id: 5 owner: 1 team: GREEN model: 2 health: 100 max_health: 100 pose { x: 13 y: -13 yaw: 1.57 }");
    hears<words::Unit>(
        "id: 6 owner: 2 team: BLUE model: 3 health: 20 max_health: 20 alive: true pose { x: 120 y: -13 yaw: 1.57 }");
    hears<words::Owns>("player: 1 units: 5 active: 5");
    hears<words::Owns>("player: 2 units: 6 active: 6");
    hears<words::Ready>("");
    greeting = hears<words::Spawned>("unit: 5 pose { x: 13 y: -13 yaw: 1.57 }");
  }
  std::string greeting;
};

// -- A room of Panic --------------------------------------------------------------------------------------------------

TEST_CASE("panic front: in a room of Panic, the map, models, colours and health are the server's own") {
  PanicRoom room;
  CHECK(room.greeting ==
        "sends GameState map=1 map_version=1 player=4 tank_count=1 tanks=[1]\n"
        "sends UpdateAmmo direction=0 value=100 piece=0\n"
        "sends CreateTank code=30 value=100 piece=1 x=15 y=10\n"
        "sends CreateTank code=23 value=20 piece=2 x=19 y=10\n"
        "sends GameStart direction=0 value=0 piece=0\n");
  CHECK(room.hears<words::Health>("unit: 6 now: 7 max: 20") == "sends UpdateHealth direction=0 value=7 piece=2\n");
  CHECK(room.hears<words::Unit>("id: 9 kind: BRICK model: 5 health: 3 alive: true pose { x: 40 y: 40 }")
            .starts_with("sends CreateBrick code=5 value=3 piece=3 "));
  CHECK(room.hears<words::Unit>("id: 10 kind: PICKUP model: 8 health: 25 alive: true pose { x: 40 y: 70 }")
            .starts_with("sends CreateHealth value=25 piece=4 "));
}

TEST_CASE("panic front: in a room of Panic, a lost tank is destroyed and does not come back, so nothing is asked for") {
  PanicRoom room;
  CHECK(room.hears<words::Died>("player: 1 unit: 5 killer: 2") == "sends Destroy direction=0 value=0 piece=1\n");
  CHECK(room.waits(20 * kSecond) == "");
  CHECK(room.acts(kDrive, kEast, 1, 4) == "loses Action.piece: it is not a living tank of the player\n");
}

TEST_CASE(
    "panic front: in a room of Panic, each key is passed on, and each pose is a move, even if it changes nothing") {
  PanicRoom room;
  CHECK(has(room.acts(kDrive, kEast, 1, 4), "says Step unit: 5 direction: EAST "));
  CHECK(has(room.acts(kDrive, kEast, 1, 4), "says Step unit: 5 direction: EAST "));
  CHECK(room.poses(5, 13, -13, 0) == "sends Move direction=2 value=0 piece=1\n");
  CHECK(room.poses(5, 13, -13, 0) == "sends Move direction=2 value=0 piece=1\n");
  CHECK(room.waits(10 * kSecond) == "");                      // the server turns tanks that are blocked
  CHECK(has(room.acts(kShoot, kNorth, 1, 4), " range: 80"));  // three tiles
}

TEST_CASE("panic front: in a room of Panic, the number is the colour's, and a world of the same name is the same map") {
  PanicRoom room;
  CHECK(room.acts(kDrive, kEast, 1, 1) == "loses Action.player: it is another player's number\n");
  CHECK(room.hears<words::WorldEdit>("edit { x: 13 y: 40 }") ==
        "loses WorldEdit: the client has its own map, which does not change\n");
}

// -- A room of another game -------------------------------------------------------------------------------------------

TEST_CASE("panic front: each team has its colour, and a player without one is red to itself and yellow to others") {
  struct Case {
    const char* team;
    int code;
  };
  int id = 20;
  for (const Case& one : {Case{"RED", 16}, Case{"HUNTER", 16}, Case{"BLUE", 20}, Case{"PURPLE", 20}, Case{"YELLOW", 24},
                          Case{"ROGUE", 24}, Case{"RABBIT", 24}, Case{"GREEN", 28}, Case{"TEAM_ANY", 24}}) {
    Game game;
    const std::string said = game.hears<words::Unit>(
        "id: " + std::to_string(++id) + " owner: 2 alive: true team: " + one.team + " pose { x: 40 y: 40 yaw: 1.57 }");
    CHECK_MESSAGE(has(said, "sends CreateTank code=" + std::to_string(one.code) + " "), one.team);
  }
}

TEST_CASE("panic front: a tank whose colour changes is created again, but never the client's own") {
  Game game;
  CHECK(has(game.hears<words::UnitChanged>("unit: 6 team: BLUE"), "sends CreateTank code=20 value=50 piece=2 "));
  CHECK_FALSE(has(game.hears<words::UnitChanged>("unit: 5 team: BLUE"), "sends CreateTank"));
}

TEST_CASE(
    "panic front: men are tanks, things to pick up are health, decorations are holes, and the world's cells are not "
    "shown") {
  Game game;
  const auto shown = [&](const char* unit) {
    return game.hears<words::Unit>(std::string(unit) + " alive: true pose { x: 40 y: 40 yaw: 1.57 }");
  };
  CHECK(has(shown("id: 30 kind: MAN owner: 2 team: RED"), "sends CreateTank code=16 value=50 piece=3 "));
  CHECK(has(shown("id: 31 kind: PICKUP"), "sends CreateHealth value=1 piece=4 "));
  CHECK(has(shown("id: 32 kind: DECOR"), "sends CreateDecoration value=1 piece=5 "));
  CHECK(has(shown("id: 33 kind: BRICK"), "sends CreateBrick code=2 value=1 piece=6 "));
  CHECK(has(shown("id: 34 kind: CELL owner: 2 team: RED radius: 5.7"), "sends CreateTank code=16 value=101 piece=7 "));
  CHECK(shown("id: 35 kind: CELL radius: 5.7") == "");
  CHECK(shown("id: 36 kind: EJECTED") == "loses Unit: the client has nothing like viruses and ejected mass\n");
}

TEST_CASE("panic front: a unit that is dead or hidden when the client comes is shown only when it is there") {
  FrontPlay play;
  play.stage.opens();
  play.tells_room();
  play.hears<words::Unit>("id: 9 owner: 3 team: BLUE pose { x: 12.5 y: 12.5 yaw: 1.57 }");
  play.hears<words::Unit>("id: 10 owner: 3 team: BLUE alive: true pose { x: 12.5 y: 37.5 yaw: 1.57 }");
  play.hears<words::Hidden>("unit: 10");
  play.hears<words::Ready>("");
  const std::string greeting = play.hears<words::Spawned>(FrontPlay::kSpawned);
  CHECK_FALSE(has(greeting, "code=20"));
  CHECK(has(play.hears<words::Spawned>("unit: 9 pose { x: 12.5 y: 12.5 yaw: 1.57 }"),
            "sends CreateTank code=20 value=50 piece=3 "));
  CHECK(has(play.poses(10, 12.5, 37.5, 1.57), "sends CreateTank code=20 value=50 piece=4 "));
}

TEST_CASE("panic front: with two tanks, each key says which one it is for, once until it is for the other") {
  FrontPlay play;
  play.stage.opens();
  play.tells_room();
  play.hears<words::Unit>("id: 7 owner: 1 team: ROGUE alive: true pose { x: 112.5 y: 112.5 yaw: 1.57 }");
  play.hears<words::Owns>("player: 1 units: 5 units: 7 active: 5");
  play.hears<words::Ready>("");
  const std::string greeting = play.hears<words::Spawned>(FrontPlay::kSpawned);
  CHECK(has(greeting, "tank_count=2 tanks=[1 3]\n"));
  CHECK(has(play.acts(kShoot, kEast, 3), "says Select unit: 7\nsays Fire unit: 7 shot: 1 "));
  CHECK(play.acts(kShoot, kEast, 3).starts_with("says Fire unit: 7 shot: 2 "));
  CHECK(has(play.acts(kShoot, kEast, 1), "says Select unit: 5\nsays Fire unit: 5 shot: 3 "));
}

TEST_CASE("panic front: a turned tank is shown again only after a moment, unless it turns elsewhere") {
  Game game;
  const auto shot = [&](const char* way) { return game.hears<words::Shot>(std::string("shooter: 2 unit: 6 ") + way); };
  CHECK(shot("vy: -1") == "sends Move direction=3 value=0 piece=2\n");
  CHECK(shot("vy: -1") == "");
  CHECK(shot("vx: 1") == "sends Move direction=2 value=0 piece=2\n");
  game.stage.ages(100 * kMillisecond);
  CHECK(shot("vx: 1") == "sends Move direction=2 value=0 piece=2\n");
  CHECK(shot("vz: 1") == "");  // straight up: it has no heading
}

TEST_CASE("panic front: a tank turns on the spot again as soon as the shot that its client asked for is shown") {
  Game game;
  CHECK(has(game.acts(kShoot, kSouth, 1), "says Fire "));
  CHECK(game.poses(5, 12.5, -12.5, -1.5) == "");  // it turns for the shot
  CHECK(has(game.hears<words::Shot>("shooter: 1 unit: 5 vy: -1"), "sends Move direction=3 value=0 piece=1\n"));
  game.waits(kSecond);
  CHECK(game.poses(5, 12.5, -12.5, 0) == "sends Move direction=2 value=0 piece=1\n");
}

TEST_CASE("panic front: a tank turns on the spot again once its step is done") {
  Game game;
  CHECK(has(game.acts(kDrive, kEast, 1), "says Step "));
  CHECK(game.poses(5, 12.5, -12.5, 0) == "");  // it turns for the step
  CHECK(game.poses(5, 37.5, -12.5, 0) == "sends Move direction=2 value=1 piece=1\n");
  game.waits(kSecond);
  CHECK(game.poses(5, 37.5, -12.5, 1.5) == "sends Move direction=1 value=0 piece=1\n");
}

TEST_CASE("panic front: a shot of another player uses up none of the client's ammunition, and 1 is always left") {
  Game game;
  CHECK_FALSE(has(game.hears<words::Shot>("shooter: 2 unit: 6 vy: -1"), "UpdateAmmo"));
  std::string last;
  for (int i = 0; i < 120; ++i) {
    last += game.hears<words::Shot>("shooter: 1 unit: 5 vx: 1");
    last += game.waits(kSecond);
  }
  CHECK(has(last, "sends UpdateAmmo direction=0 value=1 piece=0\n"));
  CHECK_FALSE(has(last, "sends UpdateAmmo direction=0 value=0 "));
  game.hears<words::Died>("player: 1 unit: 5");
  CHECK(has(game.hears<words::Spawned>(FrontPlay::kSpawned), "sends UpdateAmmo direction=0 value=100 piece=0\n"));
}

TEST_CASE("panic front: once the room counts the ammunition, the front does not, not even after a death") {
  Game game;
  CHECK(game.hears<words::Ammo>("player: 1 clip: 70000") == "sends UpdateAmmo direction=0 value=9999 piece=0\n");
  game.hears<words::Ammo>("player: 1 clip: 5");
  CHECK_FALSE(has(game.hears<words::Shot>("shooter: 1 unit: 5 vx: 1"), "UpdateAmmo"));
  game.hears<words::Died>("player: 1 unit: 5");
  CHECK_FALSE(has(game.hears<words::Spawned>(FrontPlay::kSpawned) + game.waits(kSecond), "UpdateAmmo"));
}

TEST_CASE("panic front: a client may be one of the winning team, and learns of the first end only") {
  Game game;
  CHECK(game.hears<words::Round>("state: OVER winning_team: ROGUE") == "sends GameOver direction=0 value=1 piece=0\n");
  CHECK(game.hears<words::Round>("state: OVER winner: 2") == "");
}

TEST_CASE("panic front: with reset=yes, each round that follows an end begins with a GameState, and may end, too") {
  Game game({{"name", "paul"}, {"reset", "yes"}});
  CHECK(game.hears<words::Round>("") == "");  // the round goes on
  game.hears<words::Round>("state: OVER winner: 2");
  CHECK(game.hears<words::Round>("").starts_with("sends GameState "));
  CHECK(game.hears<words::Round>("state: OVER winner: 1") == "sends GameOver direction=0 value=1 piece=0\n");
}

TEST_CASE("panic front: a full team makes a client watch, too; one that is refused for good, or twice, leaves") {
  FrontPlay team;
  team.stage.opens();
  CHECK(has(team.hears<words::Refused>("code: TEAM_FULL may_retry: true"), "says Enter name: \"paul\" role: WATCH "));
  CHECK(has(team.hears<words::Refused>("code: FULL may_retry: true"), "closes: refused\n"));
  FrontPlay never;
  never.stage.opens();
  CHECK(has(never.hears<words::Refused>("code: FULL text: 'no more'"), "closes: no more\n"));
  CHECK(never.hears<words::Refused>("code: FULL text: 'no more'") == "");  // it has left
}

TEST_CASE("panic front: a client that was given up as a player's return keeps waiting for nothing else") {
  FrontPlay play(0, {{"name", "paul"}, {"reconnect", "2"}});
  play.stage.opens();
  CHECK(play.waits(1999 * kMillisecond) == "");
  CHECK(has(play.waits(kMillisecond), "says Enter "));
  CHECK(play.acts(kDrive, kNorth, 1) == "loses Action: the game has not begun\n");  // too late to return
  CHECK_FALSE(play.stage.try_reserve_seat());                                       // it is not in the game
}

TEST_CASE("panic front: a step is forgotten when its tank dies, and is not made after its spawn") {
  Game game;
  game.acts(kDrive, kEast, 1);
  game.hears<words::Pose>("unit: 5 x: 12.5 y: -12.5 yaw: 1.5 yaw_rate: -0.785");
  game.acts(kDrive, kSouth, 1);  // for later
  game.hears<words::Died>("player: 1 unit: 5 respawn_s: 1");
  CHECK_FALSE(has(game.waits(10 * kSecond), "says Step"));
  game.hears<words::Spawned>(FrontPlay::kSpawned);
  CHECK_FALSE(has(game.waits(10 * kSecond), "says Step"));
}

TEST_CASE("panic front: a held key repeats its step after a second, and a step from elsewhere at once") {
  Game game;
  CHECK(has(game.acts(kDrive, kEast, 1), "says Step"));
  CHECK_FALSE(has(game.acts(kDrive, kEast, 1), "says Step"));
  game.stage.ages(kSecond - 1);
  CHECK_FALSE(has(game.acts(kDrive, kEast, 1), "says Step"));
  game.stage.ages(1);
  CHECK(has(game.acts(kDrive, kEast, 1), "says Step unit: 5 direction: EAST x: 37.5 "));
  game.poses(5, 37.5, -12.5, 0);
  CHECK(has(game.acts(kDrive, kEast, 1), "says Step unit: 5 direction: EAST x: 62.5 "));
}

TEST_CASE("panic front: a tank has five seconds to turn for its step, and is free once it is on its next tile") {
  Game slow;
  slow.acts(kDrive, kEast, 1);
  slow.hears<words::Pose>("unit: 5 x: 12.5 y: -12.5 yaw: 1.5 yaw_rate: -0.3");
  slow.waits(4 * kSecond);
  CHECK_FALSE(has(slow.acts(kDrive, kNorth, 1), "says Step"));
  CHECK(has(slow.waits(2 * kSecond), "says Step unit: 5 direction: NORTH "));

  Game there;
  there.acts(kDrive, kEast, 1);
  there.poses(5, 37.5, -12.5, 0, 10);  // still moves
  CHECK(has(there.acts(kDrive, kNorth, 1), "says Step unit: 5 direction: NORTH "));
}

TEST_CASE("panic front: a cell's ammunition is a tenth of the mass of all cells of its player") {
  FrontPlay play;
  play.stage.opens();
  play.hears<words::Room>("game: 'ogar'");
  play.hears<words::World>("hash: 'o' kind: OPEN west: -400 east: 400 south: -400 north: 400");
  play.hears<words::Player>("id: 1 name: 'paul' team: ROGUE");
  play.hears<words::Ready>("");
  play.hears<words::Unit>("id: 5 owner: 1 kind: CELL team: ROGUE radius: 5.7 alive: true pose { x: 12.5 y: -12.5 }");
  play.hears<words::Owns>("player: 1 units: 5 active: 5");
  play.waits(kSecond);
  play.hears<words::Unit>("id: 7 owner: 1 kind: CELL team: ROGUE radius: 5.7 alive: true pose { x: 62.5 y: -12.5 }");
  CHECK(has(play.hears<words::Owns>("player: 1 units: 5 units: 7 active: 5"),
            "sends UpdateAmmo direction=0 value=20 piece=0\n"));
  CHECK_FALSE(has(play.hears<words::Shot>("shooter: 1 unit: 5 vx: 1"), "UpdateAmmo"));
}

TEST_CASE("panic front: a step that was under way when the client was lost is nothing to the client that returns") {
  FrontPlay play(0, {{"name", "paul"}, {"reconnect", "2"}});
  play.start_awaited();
  CHECK(has(play.acts(kDrive, kEast, 1), "says Step "));
  CHECK(play.stage.returns().starts_with("sends GameState"));
  CHECK_FALSE(has(play.waits(2 * kSecond), "sends Move"));
}

TEST_CASE("panic front: a player who has lost one of two tanks is in play, and asks for nothing") {
  FrontPlay play;
  play.stage.opens();
  play.tells_room();
  play.hears<words::Unit>("id: 7 owner: 1 team: ROGUE alive: true pose { x: 112.5 y: 112.5 yaw: 1.57 }");
  play.hears<words::Owns>("player: 1 units: 5 units: 7 active: 5");
  play.hears<words::Ready>("");
  play.hears<words::Spawned>(FrontPlay::kSpawned);
  CHECK(has(play.hears<words::Died>("player: 1 unit: 7 killer: 2 respawn_s: 1"),
            "sends UpdateHealth direction=0 value=0 piece=3\n"));
  CHECK_FALSE(has(play.waits(10 * kSecond), "says Spawn"));
  play.hears<words::Died>("player: 1 unit: 5 killer: 2 respawn_s: 1");
  CHECK(has(play.waits(2 * kSecond), "says Spawn\n"));
}

TEST_CASE("panic front: a pellet is not drawn over the client's own tank, but once the tank has left the tile") {
  Game game;
  game.hears<words::Unit>("id: 40 kind: PELLET alive: true pose { unit: 40 x: 13 y: -13 }");
  CHECK_FALSE(has(game.waits(2 * kSecond), "sends CreateAmmo"));
  std::string said = game.poses(5, 62.5, -12.5, 1.57);
  said += game.waits(2 * kSecond);
  CHECK(has(said, "sends CreateAmmo value=1 piece=3 x=16 y=16\n"));
}

TEST_CASE("panic front: a token is shown where it lies now, and is gone while somebody carries it") {
  Game game;
  CHECK(has(game.hears<words::Token>("id: 4 state: GROUND x: 62.5 y: 62.5"),
            "sends CreateAmmo value=1 piece=3 x=18 y=13\n"));
  CHECK(has(game.hears<words::Token>("id: 4 state: GROUND x: 87.5 y: 62.5"), " piece=3 x=19 y=13\n"));
  CHECK(game.hears<words::Token>("id: 4 state: GROUND x: 87.5 y: 62.5") == "");
  CHECK(game.hears<words::Token>("id: 4 state: CARRIED carrier: 2") == "sends Destroy direction=0 value=0 piece=3\n");
  CHECK(has(game.hears<words::Token>("id: 4 state: GROUND x: 62.5 y: 62.5"), "sends CreateAmmo value=1 "));
  CHECK(game.hears<words::Token>("id: 5 kind: BASE state: GROUND x: 62.5 y: 62.5") == "");
}

}  // namespace
}  // namespace entente::panic::front_pieces_test
