// Panic's back: what the room learns from a server's messages, and which Actions a player's intents become.
#include <doctest/doctest.h>

#include <sys/stat.h>

#include <algorithm>
#include <ctime>

#include "tests/panic/back_stage.h"
#include "tests/panic/maps.h"
#include "tests/program/folder.h"
#include "tests/support/hex.h"

namespace entente::panic::back_test {
namespace {

using core::Micros, core::kMillisecond, core::kSecond;

constexpr int kNorth = 1, kEast = 2, kWest = 4;

using Play = BackPlay;

/// Removes the tiles of the World, which are 1024 equal bytes.
std::string without_tiles(std::string told) {
  const std::size_t at = told.find(" tiles: \"");
  return told.erase(at, told.find('"', at + 9) + 1 - at);
}

std::string greeted(std::size_t dialect, bool slowly) {
  Play play(dialect);
  play.slowly = slowly;
  std::string all = play.stage.opens();
  all += play.hears<words::Enter>("name: 'anna'");
  all += play.hears<words::Spawn>("");
  all += play.stage.waits(600 * kSecond);
  return all + play.receives(play.greeting());
}

TEST_CASE("our back waits for a server that waits for players, and then passes on the whole battlefield") {
  const std::string told = greeted(0, false);
  CHECK(
      without_tiles(told) ==
      "says Waiting\n"
      "says Room game: \"panic\" dialect: \"be-packed\" mode: \"last tanks standing\" most_players: 4 most_shots: 2 "
      "teams: true\n"
      "says Rule name: \"speed\" value: \"25\"\n"
      "says Rule name: \"shot_range\" value: \"150\"\n"
      "says Rule name: \"shot_speed\" value: \"150\"\n"
      "says Rule name: \"reload\" value: \"1\"\n"
      "says World hash: \"panic-2/1-open\" kind: TILES name: \"panic 2/1\" west: -400 east: 400 south: -400 north: 400 "
      "columns: 32 rows: 32 walled: true\n"
      "says Player id: 1 name: \"anna\" team: RED responding: true\n"
      "says Player id: 101 name: \"panic-blue\" team: BLUE responding: true\n"
      "says Unit id: 102 owner: 1 team: RED health: 50 max_health: 50 pose { unit: 102 x: -362.5 y: 287.5 yaw: "
      "1.5707963267948966 }\n"
      "says Unit id: 103 owner: 1 model: 1 team: RED health: 30 max_health: 30 pose { unit: 103 x: -362.5 y: 262.5 "
      "yaw: "
      "1.5707963267948966 }\n"
      "says Unit id: 104 owner: 101 team: BLUE health: 50 max_health: 50 pose { unit: 104 x: -262.5 y: 287.5 yaw: "
      "1.5707963267948966 }\n"
      "says Owns player: 1 units: 102 units: 103 active: 102\n"
      "says Owns player: 101 units: 104 active: 104\n"
      "says Spawned unit: 102 pose { unit: 102 x: -362.5 y: 287.5 yaw: 1.5707963267948966 }\n"
      "says Spawned unit: 103 pose { unit: 103 x: -362.5 y: 262.5 yaw: 1.5707963267948966 }\n"
      "says Spawned unit: 104 pose { unit: 104 x: -262.5 y: 287.5 yaw: 1.5707963267948966 }\n"
      "says Ammo player: 1 clip: 100\n"
      "says Round\n"
      "says Ready\n");
  for (std::size_t dialect = 1; dialect < 3; ++dialect) {
    std::string same = greeted(dialect, false);
    const std::string name(game().dialects()[dialect].name);
    same.replace(same.find(name), name.size(), "be-packed");
    CHECK(same == told);
  }
  CHECK(greeted(0, true) == told);
}

TEST_CASE("a step is one Action, and the Move that answers it is a pose") {
  Play play;
  play.start();
  CHECK(play.hears<words::Step>("unit: 102 direction: EAST") == "sends Action player=1 action=1 direction=2 piece=1\n");
  CHECK(play.receives(play.lines.move(kEast, 1, 1)) == "says Pose unit: 102 x: -337.5 y: 287.5\n");
  CHECK(play.hears<words::Step>("unit: 103 direction: WEST") == "sends Action player=1 action=1 direction=4 piece=2\n");
  CHECK(play.receives(play.lines.move(kWest, 0, 2)) ==
        "says Pose unit: 103 x: -362.5 y: 262.5 yaw: -3.1415926535897931\n"
        "says WorldEdit edit { x: -387.5 y: 262.5 }\n");  // the wall is learnt
  CHECK(play.hears<words::Select>("unit: 103") != "");
  CHECK(play.points("x: -500 y: 262.5") == "");  // and a tank with a goal does not drive into it
  CHECK(play.points("x: -500 y: 212.5") == "sends Action player=1 action=1 direction=3 piece=2\n");
}

TEST_CASE("a tank has at most one unanswered Action; of the intents meanwhile, only the newest is kept") {
  Play play;
  play.start();
  play.hears<words::Step>("unit: 102 direction: EAST");
  CHECK(play.hears<words::Step>("unit: 102 direction: SOUTH") == "");
  CHECK(play.hears<words::Step>("unit: 102 direction: NORTH") == "");
  CHECK(play.hears<words::Step>("unit: 103 direction: SOUTH") ==
        "sends Action player=1 action=1 direction=3 piece=2\n");
  CHECK(play.receives(play.lines.move(kEast, 1, 1)).ends_with("sends Action player=1 action=1 direction=1 piece=1\n"));
  CHECK(play.stage.waits(kSecond) == "");
}

TEST_CASE("after two seconds without an answer, the next Action is sent") {
  Play play;
  play.start();
  play.hears<words::Step>("unit: 102 direction: EAST");
  CHECK(play.hears<words::Step>("unit: 102 direction: NORTH") == "");
  CHECK(play.stage.waits(2 * kSecond) ==
        "loses Step: the server did not answer in time\nsends Action player=1 action=1 direction=1 piece=1\n");
}

TEST_CASE("an answer that comes late is that of its own order, and makes no wall where a shot was fired") {
  const std::string wall = "says WorldEdit";
  const auto late = [](Play& play, const char* step) {
    play.start();
    play.hears<words::Fire>("unit: 102 shot: 7 vx: 1");
    play.hears<words::Step>(step);
    CHECK(play.stage.waits(2 * kSecond).find("sends Action player=1 action=1 ") != std::string::npos);
  };
  for (const char* step : {"unit: 102 direction: NORTH", "unit: 102 direction: EAST"}) {
    Play play;
    late(play, step);
    const std::string shot = play.receives(play.lines.move(kEast, 0, 1));
    CHECK(shot.find("says Shot shooter: 1 unit: 102 shot: 7 ") != std::string::npos);
    CHECK(shot.find(wall) == std::string::npos);
  }
  Play blocked;
  late(blocked, "unit: 102 direction: NORTH");
  blocked.receives(blocked.lines.move(kEast, 0, 1));
  CHECK(blocked.hears<words::Step>("unit: 102 direction: EAST") == "");  // the step still waits for its own answer
  CHECK(blocked.receives(blocked.lines.move(kNorth, 0, 1)).find(wall) != std::string::npos);

  Play skipped;  // a server that answers only the last order
  late(skipped, "unit: 102 direction: NORTH");
  CHECK(skipped.receives(skipped.lines.move(kNorth, 0, 1)).find(wall) != std::string::npos);
  CHECK(skipped.hears<words::Step>("unit: 102 direction: EAST").find("sends Action") != std::string::npos);
}

TEST_CASE("of two orders that one answer fits, the newer one is counted unless it is answered in time") {
  const std::string late = "loses Fire: the server did not carry out the shot in time\n";
  const std::string ended = "says ShotEnded shooter: 1 shot: 8 (to 1)\n";
  Play play;
  play.start();
  play.hears<words::Fire>("unit: 102 shot: 7 vx: 1");
  REQUIRE(play.stage.waits(2 * kSecond).starts_with(late));
  REQUIRE(play.hears<words::Fire>("unit: 102 shot: 8 vx: 1").find("sends Action") != std::string::npos);
  REQUIRE(play.receives(play.lines.move(kEast, 0, 1)).find(" shot: 7 ") != std::string::npos);

  SUBCASE("it has no answer") {
    CHECK(play.stage.waits(2 * kSecond - 1) == "");
    CHECK(play.stage.waits(1) == late + ended);
    CHECK(play.stage.waits(5 * kSecond) == "");
  }
  SUBCASE("a later order is answered") {
    play.hears<words::Step>("unit: 102 direction: NORTH");
    CHECK(play.receives(play.lines.move(kNorth, 1, 1)).starts_with(late + ended));
    CHECK(play.stage.waits(5 * kSecond) == "");
  }
  SUBCASE("its tank is lost") {
    const std::string died = play.receives(play.lines.event(kDestroy, 0, 0, 1));
    CHECK(died.find("loses Fire: the tank was lost before the shot was carried out\n" + ended) != std::string::npos);
    CHECK(play.stage.waits(5 * kSecond).find("loses") == std::string::npos);
  }
  SUBCASE("it is answered") {
    CHECK(play.receives(play.lines.move(kEast, 0, 1)).find(" shot: 8 ") != std::string::npos);
    CHECK(play.stage.waits(5 * kSecond) == "");
  }
}

/// The number of Actions in `lines`.
std::size_t actions(const std::string& lines) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = lines.find("sends Action", at)) != std::string::npos; ++at) ++count;
  return count;
}

TEST_CASE("at most ten Actions are sent in any second") {
  Play play;
  play.start();
  std::vector<Micros> sent;
  for (int i = 0; i < 600; ++i) {
    std::string said = play.hears<words::Step>(i % 2 == 0 ? "unit: 102 direction: EAST" : "unit: 102 direction: WEST");
    said += play.stage.waits(10 * kMillisecond);
    for (std::size_t n = actions(said); n > 0; --n) sent.push_back(play.stage.now());
    if (actions(said) > 0) said = play.receives(play.lines.move(i % 2 == 0 ? kEast : kWest, 1, 1));
    for (std::size_t n = actions(said); n > 0; --n) sent.push_back(play.stage.now());
  }
  CHECK(sent.size() > 50);
  for (std::size_t i = 10; i < sent.size(); ++i) CHECK(sent[i] - sent[i - 10] >= kSecond - 10 * kMillisecond);
}

/// Drives by that intent; the server allows every move. Returns the directions of the moves.
template <class Word>
std::string driven(const char* text, int most = 40) {
  Play play;
  play.start();
  std::string way, said = play.hears<Word>(text);
  for (int i = 0; i < most; ++i) {
    const std::size_t at = said.find("action=1 direction=");
    if (at != std::string::npos) {
      const int direction = said[at + 19] - '0';
      way += " NESW"[direction];
      said = play.receives(play.lines.move(direction, 1, 1));
      if (actions(said) > 0) continue;
    }
    said = play.stage.waits(250 * kMillisecond);
  }
  return way;
}

TEST_CASE("a tank drives to its goal, along the longer axis first, and stays on a tile that is near enough") {
  // The Commander stands in tile (1,4): x -362.5, y 287.5.
  CHECK(driven<words::Toward>("x: -287.5 y: 262.5") == "EEES");
  CHECK(driven<words::Toward>("x: -348 y: 273") == "");
  CHECK(driven<words::Toward>("x: -345 y: 290") == "E");
  CHECK(driven<words::PoseClaim>("x: -362.5 y: 337.5 yaw: 1.57") == "NN");
  CHECK(driven<words::Keys>("bits: 1 yaw: 0", 7).starts_with("EEE"));
  CHECK(driven<words::Toward>("x: nan y: nan") == "");
}

TEST_CASE("a held key moves the tank at most four tiles a second") {
  Play play;
  play.start();
  std::string said = play.hears<words::Keys>("bits: 1 yaw: 0");
  std::size_t sent = 0;
  for (int i = 0; i < 99; ++i) {
    if (actions(said) > 0) {
      ++sent;
      play.receives(play.lines.move(kEast, 0, 4));  // another tank's Move, so that ours may go on
      said = play.receives(play.lines.move(kNorth, 1, 1));
      if (actions(said) > 0) continue;
    }
    said = play.stage.waits(10 * kMillisecond);
  }
  CHECK(sent >= 3);
  CHECK(sent <= 4);
}

TEST_CASE("a client that turns on the spot turns its tank: by a move there and back, or against an obstacle") {
  Play play;
  play.start();
  CHECK(play.hears<words::PoseClaim>("x: -362.5 y: 287.5 yaw: 0.3 yaw_rate: -0.7") == "");
  CHECK(play.stage.waits(kSecond / 4) == "");
  CHECK(play.hears<words::PoseClaim>("x: -362.5 y: 287.5 yaw: 0") == "");
  CHECK(play.stage.waits(400 * kMillisecond) == "");
  CHECK(play.stage.waits(100 * kMillisecond) == "sends Action player=1 action=1 direction=4 piece=1\n");
  CHECK(actions(play.receives(play.lines.move(kWest, 1, 1))) == 0);
  CHECK(play.stage.waits(250 * kMillisecond) == "sends Action player=1 action=1 direction=2 piece=1\n");
  play.receives(play.lines.move(kEast, 1, 1));
  CHECK(play.stage.waits(5 * kSecond) == "");
  play.hears<words::PoseClaim>("x: -362.5 y: 287.5 yaw: -1.5");
  CHECK(play.stage.waits(kSecond) == "sends Action player=1 action=1 direction=3 piece=1\n");  // onto his other tank
  play.receives(play.lines.move(3, 0, 1));
  CHECK(play.stage.waits(5 * kSecond) == "");
}

TEST_CASE("a tank that has just driven turns on the spot half a second later, and not if it cannot go there and back") {
  Play play;
  play.start();
  const std::string drives = "sends Action player=1 action=1 direction=1 piece=1\n";
  CHECK(play.hears<words::PoseClaim>("x: -362.5 y: 337.5 yaw: 0") == drives);
  CHECK(actions(play.receives(play.lines.move(kNorth, 1, 1))) == 0);
  CHECK(play.stage.waits(250 * kMillisecond) == drives);
  CHECK(actions(play.receives(play.lines.move(kNorth, 1, 1))) == 0);
  CHECK(play.stage.waits(499 * kMillisecond) == "");
  CHECK(play.stage.waits(kMillisecond) == "sends Action player=1 action=1 direction=4 piece=1\n");

  Play blocked;
  blocked.start();
  blocked.hears<words::Step>("unit: 102 direction: WEST");
  blocked.receives(blocked.lines.move(kWest, 0, 1));  // a wall
  CHECK(blocked.hears<words::PoseClaim>("x: -362.5 y: 287.5 yaw: 0") == "");
  CHECK(blocked.stage.waits(5 * kSecond) == "");
}

TEST_CASE("a player who enters after the start gets his name from then on") {
  Play play;
  play.stage.opens();
  play.receives(play.greeting());
  CHECK(play.hears<words::Enter>("name: 'anna'") == "says Player id: 1 name: \"anna\" team: RED responding: true\n");
  CHECK(play.hears<words::Enter>("name: 'anna' role: WATCH") ==
        "says Player id: 1 name: \"anna\" team: RED role: WATCH responding: true\n");
  CHECK(play.hears<words::PoseClaim>("x: 0 y: 287.5") == "loses PoseClaim: the player only watches\n");
}

TEST_CASE("a player whose client drove too far ahead is moved back") {
  Play play;
  play.start();
  CHECK(actions(play.hears<words::PoseClaim>("x: 0 y: 287.5")) == 1);
  CHECK(play.stage.waits(400 * kMillisecond) == "");
  CHECK(play.stage.waits(200 * kMillisecond) ==
        "says Corrected pose { unit: 102 x: -362.5 y: 287.5 yaw: 1.5707963267948966 } hard: true (to 1)\n");
  CHECK(play.stage.waits(5 * kSecond) == "loses Step: the server did not answer in time\n");
}

TEST_CASE("a shot that a newer one replaces, that is not answered, or whose tank is lost, ends for its client") {
  const std::string replaced = "loses Fire: a newer shot came before it could be sent\n";
  const std::string lost = "loses Fire: the tank was lost before the shot was carried out\n";
  const std::string late = "loses Fire: the server did not carry out the shot in time\n";
  Play play;
  play.start();
  CHECK(actions(play.hears<words::Step>("unit: 102 direction: EAST")) == 1);  // the shots wait for its answer
  CHECK(play.hears<words::Fire>("unit: 102 vx: 1") == "");                    // its number is 0
  CHECK(play.hears<words::Fire>("unit: 102 shot: 8 vx: 1") == replaced + "says ShotEnded shooter: 1 (to 1)\n");
  CHECK(play.hears<words::Split>("") == replaced + "says ShotEnded shooter: 1 shot: 8 (to 1)\n");
  CHECK(play.hears<words::Fire>("unit: 102 shot: 9 vx: 1") == replaced);  // the client has not drawn a split
  CHECK(actions(play.receives(play.lines.move(kEast, 1, 1))) == 1);
  const std::string unanswered = play.stage.waits(2 * kSecond);
  CHECK(unanswered == late + "says ShotEnded shooter: 1 shot: 9 (to 1)\n");

  CHECK(actions(play.hears<words::Fire>("unit: 102 vx: 1")) == 1);
  CHECK(play.hears<words::Fire>("unit: 102 shot: 10 vx: 1") == "");
  const std::string died = play.receives(play.lines.event(kDestroy, 0, 0, 1));
  CHECK(died.find(lost + "says ShotEnded shooter: 1 (to 1)\n" + lost + "says ShotEnded shooter: 1 shot: 10 (to 1)\n") !=
        std::string::npos);
}

TEST_CASE("a shot of a player who has lost its tank, is not in play, or only watches, ends for its client") {
  const std::string ended = "says ShotEnded shooter: 1 shot: 3 (to 1)\n";
  Play play;
  play.start();
  play.receives(play.lines.event(kDestroy, 0, 0, 1));
  CHECK(play.hears<words::Fire>("unit: 102 shot: 3 vx: 1") ==
        "loses Fire: it is not a living tank of the player\n" + ended);
  CHECK(play.hears<words::Fire>("shot: 3 vx: 1") == "loses Fire: the player is not in play\n" + ended);
  CHECK(play.hears<words::Split>("") == "loses Split: the player is not in play\n");
  play.hears<words::Enter>("name: 'anna' role: WATCH");
  CHECK(play.hears<words::Fire>("shot: 3 vx: 1") == "loses Fire: the player only watches\n" + ended);
}

TEST_CASE("an own shot with the number 0 keeps it") {
  Play play;
  play.start();
  CHECK(actions(play.hears<words::Fire>("unit: 102 vx: 1")) == 1);
  CHECK(play.receives(play.lines.move(kEast, 0, 1)).find("says Shot shooter: 1 unit: 102 kind: RAY ") !=
        std::string::npos);
}

TEST_CASE("shots go in the nearest direction, and only with ammunition") {
  Play play;
  play.start();
  CHECK(play.hears<words::Fire>("unit: 102 shot: 7 vx: 1 vy: 0.5") ==
        "sends Action player=1 action=2 direction=2 piece=1\n");
  CHECK(play.receives(joined({play.lines.move(kEast, 0, 1), play.lines.event(kUpdateAmmo, 0, 0, 0)})) ==
        "says Pose unit: 102 x: -362.5 y: 287.5\n"
        "says Shot shooter: 1 unit: 102 shot: 7 kind: RAY x: -362.5 y: 287.5 vx: 1 range: 150 team: RED\n"
        "says Ammo player: 1\n");
  CHECK(play.hears<words::Fire>("unit: 102 vy: 1") ==
        "loses Fire: the tank has no ammunition\nsays ShotEnded shooter: 1 (to 1)\n");
  CHECK(play.hears<words::Fire>("unit: 102 shot: 8 vy: 1") ==
        "loses Fire: the tank has no ammunition\nsays ShotEnded shooter: 1 shot: 8 (to 1)\n");
  play.receives(play.lines.event(kUpdateAmmo, 0, 5, 0));
  CHECK(play.hears<words::Split>("") == "sends Action player=1 action=2 direction=2 piece=1\n");  // ahead
}

TEST_CASE("a held trigger shoots twice a second") {
  Play play;
  play.start();
  std::size_t shots = 0;
  std::string said = play.hears<words::Trigger>("primary: true");
  for (int i = 0; i < 200; ++i) {
    shots += actions(said);
    if (actions(said) > 0) play.receives(play.lines.move(kNorth, 0, 1));
    said = play.stage.waits(10 * kMillisecond);
  }
  CHECK(shots == 4);
  play.hears<words::Trigger>("primary: false");
  CHECK(play.stage.waits(kSecond) == "");
}

TEST_CASE("an Action that would crash the server is never sent") {
  Play play;
  play.start();
  CHECK(play.hears<words::Step>("unit: 104 direction: EAST") ==
        "loses Step: it is not a living tank of the player\n");  // blue's
  CHECK(play.hears<words::Step>("unit: 999 direction: EAST") == "loses Step: it is not a living tank of the player\n");
  CHECK(play.hears<words::Step>("unit: 102") == "loses Step.direction: not a valid direction\n");
  Play edge;  // a map whose edge can be shot over
  edge.stage.opens();
  edge.hears<words::Spawn>("");
  edge.receives(joined({edge.lines.state(1, {1}, 1, 1), edge.lines.event(kUpdateAmmo, 0, 100, 0),
                        edge.lines.create(16, 50, 1, 1, 4), edge.lines.event(kGameStart, 0, 0, 0)}));
  CHECK(edge.hears<words::Fire>("shot: 3 vx: -1") ==
        "loses Fire: the shot might leave the map, which crashes the server\n"
        "says ShotEnded shooter: 1 shot: 3 (to 1)\n");
  CHECK(actions(edge.hears<words::Fire>("vx: 1")) == 1);
}

TEST_CASE("with the .map file, a safe shot is known to be safe") {
  const Folder maps;
  maps.write("yard.map", walled_map(30, 20));
  maps.write("notes.map", "no map at all");
  REQUIRE(::mkfifo(maps.file("pipe.map").c_str(), 0600) == 0);  // nobody waits for its writer
  Play play(0, {{"maps", maps.path().string()}});
  play.stage.opens();
  play.hears<words::Spawn>("");
  const std::string told =
      play.receives(joined({play.lines.state(1, {1}, 1, 1), play.lines.event(kUpdateAmmo, 0, 100, 0),
                            play.lines.create(16, 50, 1, 1, 4), play.lines.event(kGameStart, 0, 0, 0)}));
  CHECK(told.find("name: \"panic 1/1 Yard\"") != std::string::npos);
  CHECK(told.find("notes.map is not a map") != std::string::npos);
  CHECK(told.find("pipe.map is not a file.") != std::string::npos);
  CHECK(actions(play.hears<words::Fire>("vx: -1")) == 1);
  // A tank with a goal does not drive into a known wall.
  play.receives(play.lines.move(kWest, 0, 1));
  CHECK(play.points("x: -500 y: 146.67") == "");
}

TEST_CASE("hits and deaths are passed on with the shooter, and a spawn puts the next tank into play") {
  Play play;
  play.start();
  CHECK(play.receives(joined({play.lines.move(kWest, 0, 4), play.lines.event(kUpdateHealth, 0, 20, 1)})) ==
        "says Pose unit: 104 x: -262.5 y: 287.5 yaw: -3.1415926535897931\n"
        "says Shot shooter: 101 unit: 104 shot: 1 kind: RAY x: -262.5 y: 287.5 vx: -1 range: 150 team: BLUE\n"
        "says Health unit: 102 now: 20 max: 50 by: 101 from_x: -262.5 from_y: 287.5\n");
  CHECK(play.receives(joined({play.lines.move(kWest, 0, 4), play.lines.event(kDestroy, 0, 0, 1)})) ==
        "says Pose unit: 104 x: -262.5 y: 287.5 yaw: -3.1415926535897931\n"
        "says Shot shooter: 101 unit: 104 shot: 2 kind: RAY x: -262.5 y: 287.5 vx: -1 range: 150 team: BLUE\n"
        "says Died player: 1 unit: 102 killer: 101 why: BY_SHOT\n"
        "says Gone unit: 102 by: 104 why: BY_SHOT\n"
        "says Owns player: 1 units: 103 active: 103\n");
  CHECK(play.hears<words::Keys>("bits: 1") == "loses Keys: the player is not in play\n");
  CHECK(play.hears<words::Spawn>("") ==
        "says Spawned unit: 103 pose { unit: 103 x: -362.5 y: 262.5 yaw: 1.5707963267948966 }\n");
  CHECK(actions(play.points("x: 0 y: 0")) == 1);
  // An Action was on its way when its tank died: nothing more goes out for it.
  play.stage.waits(kSecond);
  CHECK(play.receives(play.lines.event(kDestroy, 0, 0, 2)) ==
        "says Died player: 1 unit: 103\n"
        "says Gone unit: 103\n"
        "says Player id: 1 name: \"anna\" team: RED role: WATCH responding: true\n"
        "says Owns player: 1\n");
  CHECK(play.receives(play.lines.event(kGameOver, 0, 0, 0)) == "says Round state: OVER winner: 101\n");
  CHECK(play.hears<words::Toward>("x: 0 y: 0") == "loses Toward: the player only watches\n");
  CHECK(play.stage.waits(10 * kSecond) == "");
  CHECK(play.receives(play.lines.event(kGameOver, 0, 1, 0)) == "loses GameOver: only the first one counts\n");
}

TEST_CASE("a player has no tank in play before he spawns, and then all of them") {
  Play play;
  play.stage.opens();
  const std::string told = play.receives(play.greeting());
  CHECK(told.find("says Spawned unit: 104") != std::string::npos);
  CHECK(told.find("says Spawned unit: 102") == std::string::npos);
  CHECK(told.find("says Spawned unit: 103") == std::string::npos);
  CHECK(play.hears<words::Toward>("x: 0 y: 0") == "loses Toward: the player is not in play\n");
  CHECK(play.hears<words::Spawn>("") ==
        "says Spawned unit: 103 pose { unit: 103 x: -362.5 y: 262.5 yaw: 1.5707963267948966 }\n"
        "says Spawned unit: 102 pose { unit: 102 x: -362.5 y: 287.5 yaw: 1.5707963267948966 }\n");
  CHECK(play.hears<words::Spawn>("") == "");
}

TEST_CASE("a tank that was damaged before it came into play is not healed by that") {
  Play play;
  play.stage.opens();
  play.hears<words::Enter>("name: 'anna'");
  play.receives(play.greeting());
  play.receives(play.lines.event(kUpdateHealth, 0, 20, 1));
  const std::string told = play.hears<words::Spawn>("");
  CHECK(told.find("says Spawned unit: 102") != std::string::npos);
  CHECK(told.find("says Health unit: 102 now: 20\n") != std::string::npos);
}

TEST_CASE("a player who steers all his tanks at once continues with the next one without a Spawn") {
  Play play;
  play.start();
  play.receives(play.lines.event(kDestroy, 0, 0, 1));
  CHECK(play.points("x: 0 y: 262.5") ==
        "says Spawned unit: 103 pose { unit: 103 x: -362.5 y: 262.5 yaw: 1.5707963267948966 }\n"
        "sends Action player=1 action=1 direction=2 piece=2\n");
}

TEST_CASE("a hit long after a turn has no shooter") {
  Play play;
  play.start();
  play.receives(play.lines.move(kWest, 0, 4));
  play.stage.waits(200 * kMillisecond);
  CHECK(play.receives(play.lines.event(kUpdateHealth, 0, 20, 1)) == "says Health unit: 102 now: 20 max: 50\n");
}

TEST_CASE("the shooter is the tank that turned towards the victim last, in range and with nothing in between") {
  struct Shooter {
    std::uint32_t code;  // blue's: 20 shoots 6 tiles far, 23 twelve
    int x, y, looks;
  };
  struct Case {
    const char* what;
    std::vector<Shooter> shooters;  // in the order in which they turn
    int by;                         // which of them, from 1; 0: nobody
  };
  const Case cases[] = {
      // the victim stands in tile (15, 15)
      {"just in range", {{20, 9, 15, kEast}}, 1},
      {"too far", {{20, 8, 15, kEast}}, 0},
      {"farther", {{23, 15, 27, kNorth}}, 1},
      {"too far for any", {{23, 15, 28, kNorth}}, 0},
      {"looks away", {{20, 14, 15, kWest}}, 0},
      {"looks past", {{20, 14, 14, kEast}}, 0},
      {"on the same tile", {{20, 15, 15, kEast}}, 0},
      {"behind another, who turned before", {{20, 12, 15, kNorth}, {20, 10, 15, kEast}}, 0},
      {"behind another who shot", {{20, 12, 15, kEast}, {20, 10, 15, kEast}}, 1},
      {"behind bricks", {{2, 16, 15, 0}, {20, 18, 15, kWest}}, 0},
      {"behind ammunition", {{9, 16, 15, 0}, {20, 18, 15, kWest}}, 2},
      {"two on one tile", {{20, 12, 15, kEast}, {20, 12, 15, kEast}}, 2},
      {"from two sides", {{20, 15, 13, 3}, {20, 12, 15, kEast}}, 2},
  };
  for (const Case& each : cases) {
    INFO(each.what);
    Play play;
    play.stage.opens();
    play.hears<words::Spawn>("");
    play.receives(joined({play.lines.state(1, {100}), play.lines.create(16, 50, 100, 15, 15)}));
    std::uint32_t number = 0;
    for (const Shooter& shooter : each.shooters)
      play.receives(play.lines.create(shooter.code, 50, ++number, shooter.x, shooter.y));
    play.receives(play.lines.event(kGameStart, 0, 0, 0));
    number = 0;
    for (const Shooter& shooter : each.shooters) {
      if (++number; shooter.looks != 0) play.receives(play.lines.move(shooter.looks, 0, number));
      play.stage.waits(kMillisecond);
    }
    const std::string told = play.receives(play.lines.event(kUpdateHealth, 0, 20, 100));
    const std::string shot =
        each.by == 0 ? "says Health" : "says Shot shooter: 101 unit: " + std::to_string(101 + each.by) + " ";
    INFO(told);
    CHECK(told.starts_with(shot));
  }
}

TEST_CASE("of two tanks that may have shot, the one that turned last did, whatever their numbers are") {
  for (const std::uint32_t last : {1U, 2U}) {
    Play play;
    play.stage.opens();
    play.receives(joined({play.lines.state(1, {100}), play.lines.create(16, 50, 100, 15, 15),
                          play.lines.create(20, 50, 1, 15, 13), play.lines.create(20, 50, 2, 15, 17),
                          play.lines.event(kGameStart, 0, 0, 0)}));
    for (const std::uint32_t number : {3 - last, last}) {
      play.receives(play.lines.move(number == 1 ? 3 : kNorth, 0, number));
      play.stage.waits(kMillisecond);
    }
    const std::string told = play.receives(play.lines.event(kUpdateHealth, 0, 20, 100));
    CHECK(told.find(last == 1 ? " from_y: 62.5" : " from_y: -37.5") != std::string::npos);
  }
}

TEST_CASE("the shooter among a thousand tanks on one tile is found fast") {
  Play play;
  play.stage.opens();
  play.receives(joined({play.lines.state(1, {1}), play.lines.create(16, 50, 1, 1, 20)}));
  for (std::uint32_t number = 2; number <= 1024; ++number)
    play.receives(play.lines.create(23, 20, number, 13, 20));  // twelve free tiles away
  play.receives(play.lines.event(kGameStart, 0, 0, 0));
  for (std::uint32_t number = 2; number <= 1024; ++number) play.receives(play.lines.move(kWest, 0, number));
  const Buffer hurt = play.lines.event(kUpdateHealth, 0, 20, 1);
  CHECK(play.receives(hurt).starts_with("says Shot shooter: 101 "));
  const std::clock_t began = std::clock();  // CPU time: other programs may be running
  for (int i = 0; i < 200; ++i) play.receives(hurt);
  CHECK(std::clock() - began < 2 * CLOCKS_PER_SEC);
}

TEST_CASE("positions beyond the edge are limited") {
  Play play;
  play.start();
  std::string told;
  for (int i = 0; i < 5; ++i) told = play.receives(play.lines.move(kEast, 255, 1));
  CHECK(told == "says Pose unit: 102 x: 12387.5 y: 287.5\n");
  CHECK(play.receives(play.lines.move(kWest, 255, 1)).find(" x: 6012.5 ") != std::string::npos);
  for (int i = 0; i < 5; ++i) told = play.receives(play.lines.move(kNorth, 255, 1));
  CHECK(told.find(" y: 6787.5 ") != std::string::npos);
}

TEST_CASE("a player steers the tank that he selects") {
  Play play;
  play.start();
  CHECK(play.hears<words::Select>("unit: 103") == "says Owns player: 1 units: 102 units: 103 active: 103\n");
  CHECK(play.points("x: 0 y: 262.5").ends_with("piece=2\n"));
  CHECK(play.hears<words::Select>("unit: 104") == "loses Select: it is not a living tank of the player\n");
}

TEST_CASE("of a mouse move and a shot in one update, the shot is sent first: it is fired from where it was aimed") {
  Play play;
  play.start();
  play.hears<words::Spawn>("");
  CHECK(play.hears<words::Toward>("x: 0 y: 262.5") == "");
  CHECK(play.hears<words::Split>("").find("sends Action player=1 action=2 direction=2 ") != std::string::npos);
}

TEST_CASE("a player of a full game gets the battlefield, and watches") {
  Play play;
  play.stage.opens();
  play.receives(
      joined({play.lines.state(5, {}), play.lines.event(kUpdateAmmo, 0, 0, 0), play.lines.create(20, 50, 4, 5, 4)}));
  const std::string told = play.stage.waits(kSecond);
  CHECK(told.find("says Player id: 1 name: \"panic-red\" role: WATCH") != std::string::npos);
  CHECK(told.ends_with("says Ready\n"));
  CHECK(play.receives(play.lines.move(kEast, 1, 4)).starts_with("says Pose unit: 102"));
}

TEST_CASE("a second GameState is a new battlefield") {
  Play play;
  play.start();
  const std::string told = play.receives(play.greeting());
  CHECK(told.starts_with("says Gone unit: 102\nsays Gone unit: 103\nsays Gone unit: 104\nsays Room"));
  CHECK(told.find("says Spawned unit: 105") != std::string::npos);  // who was in play still is
}

TEST_CASE("leaving closes the connection; with leave=quit, a Quit is sent first") {
  Play play;
  play.start();
  CHECK(play.hears<words::Leave>("") == "closes: the player left\n");
  Play quits(0, {{"leave", "quit"}});
  quits.start();
  CHECK(unpadded(quits.stage.session_ends("closing time")) ==
        "sends Action player=1 action=3 direction=0 piece=0\ncloses: closing time\n");
  Play early(0, {{"leave", "quit"}});
  early.stage.opens();
  CHECK(early.stage.session_ends("never began") == "closes: never began\n");  // it has no player number yet
}

TEST_CASE("a server that disconnects before the game is a refusal") {
  Play play;
  play.stage.opens();
  CHECK(play.stage.ends("connection reset") == "says Refused code: SERVER_GONE text: \"connection reset\"\n");
}

TEST_CASE("invalid bytes end the connection, unknown pieces do not") {
  Play play;
  play.start();
  CHECK(play.receives(play.lines.move(kEast, 1, 77)) == "loses a message: its piece was never created, or is gone\n");
  CHECK(play.receives(play.lines.move(9, 0, 1)) == "loses Move.direction: not a valid direction\n");
  CHECK(play.receives(play.lines.create(12, 0, 9, 1, 1)) ==
        "loses CreateReserved: the document reserves the type, and the released client crashes on it\n");
  CHECK(play.receives(play.lines.event(40, 0, 0, 1)) ==
        "loses EventReserved: the document reserves the type, and the released client crashes on it\n");
  CHECK(play.receives(from_hex("ff")) == "cannot be cut: unknown message type type\n");
  Play early;
  early.stage.opens();
  CHECK(early.receives(early.lines.move(kEast, 1, 1)) == "loses a message: it came before the first GameState\n");
}

TEST_CASE("an intent that Panic has no Action for is counted with the mapping's reason") {
  Play play;
  play.start();
  CHECK(play.hears<words::Say>("text: 'hello'") == "loses Say: the game has no chat\n");
  CHECK(play.hears<words::Reload>("") == "loses Reload: ammunition is never refilled\n");
}

}  // namespace
}  // namespace entente::panic::back_test
