// Panic's front: what a client is sent for the room's facts, and which intents its Actions become.
#include <doctest/doctest.h>

#include <filesystem>

#include "adapters/wire/field_visitor.h"
#include "tests/games/every_fact.h"
#include "tests/panic/front_stage.h"
#include "tests/program/folder.h"

namespace entente::panic::front_test {
namespace {

using core::Micros, core::kMillisecond, core::kSecond;

constexpr int kNorth = 1, kEast = 2, kSouth = 3;
constexpr int kDrive = 1, kShoot = 2, kQuit = 3;

using Play = FrontPlay;

constexpr const char* kGreeting =
    "sends GameState map=2 map_version=1 player=1 tank_count=1 tanks=[1]\n"
    "sends UpdateAmmo direction=0 value=100 piece=0\n"
    "sends CreateTank code=16 value=50 piece=1 x=16 y=16\n"
    "sends CreateTank code=28 value=50 piece=2 x=20 y=16\n"
    "sends GameStart direction=0 value=0 piece=0\n";

TEST_CASE("a client gets nothing until its tank is in play, and then everything in the only order that it survives") {
  for (std::size_t dialect = 0; dialect < 3; ++dialect) {
    Play play(dialect);
    CHECK(play.stage.opens() == "says Enter name: \"paul\" version: \"panic 2\"\n");
    CHECK(play.tells_room() == "");
    CHECK(play.waits(60 * kSecond) == "");
    CHECK(play.hears<words::Ready>("") == "says Spawn\n");
    CHECK(play.waits(5 * kSecond) == "says Spawn\n");  // the first may have been too early
    CHECK(play.hears<words::Spawned>(Play::kSpawned) == kGreeting);
    CHECK(play.waits(60 * kSecond) == "");
  }
}

TEST_CASE("a client without a configured name gets a random one") {
  Play play(0, {});
  const std::string said = play.stage.opens();
  CHECK(said.starts_with("says Enter name: \"panic-"));
  CHECK(said.size() == std::string("says Enter name: \"panic-1234\" version: \"panic 2\"\n").size());
}

TEST_CASE("a drive is a step to the middle of the next tile, and a shot is a ray, however the bytes arrive") {
  for (const bool slowly : {false, true})
    for (std::size_t dialect = 0; dialect < 3; ++dialect) {
      Play play(dialect);
      play.start();
      play.slowly = slowly;
      CHECK(play.acts(kDrive, kEast, 1) == "says Select unit: 5\nsays Step unit: 5 direction: EAST x: 37.5 y: -12.5\n");
      CHECK(play.acts(kDrive, kEast, 1) == "");  // the key is still held
      CHECK(play.acts(kDrive, kNorth, 1) == "says Step unit: 5 direction: NORTH x: 12.5 y: 12.5\n");
      CHECK(play.acts(kShoot, kSouth, 1) == "says Fire unit: 5 shot: 1 kind: RAY x: 12.5 y: -12.5 vy: -1 range: 150\n");
      CHECK(play.acts(kQuit, 0, 0) == "says Leave why: \"the player quit\"\ncloses: the player quit\n");
    }
}

TEST_CASE("an Action for another player, with another's tank or without a direction is dropped") {
  Play play;
  play.start();
  CHECK(play.acts(kDrive, kEast, 1, 2) == "loses Action.player: it is another player's number\n");
  CHECK(play.acts(kQuit, 0, 0, 2) == "loses Action.player: it is another player's number\n");
  CHECK(play.acts(kDrive, kEast, 2) == "loses Action.piece: it is not a living tank of the player\n");
  CHECK(play.acts(kShoot, kEast, 77) == "loses Action.piece: it is not a living tank of the player\n");
  CHECK(play.acts(kShoot, kEast, 0) == "loses Action.piece: it is not a living tank of the player\n");
  CHECK(play.acts(kShoot, 0, 1) == "loses Action.direction: not a valid direction\n");
  CHECK(play.acts(kDrive, 9, 1) == "loses Action.direction: not a valid direction\n");
  CHECK(play.acts(0, 0, 0) == "loses Action.action: the action is unknown\n");
  CHECK(play.acts(255, kEast, 1) == "loses Action.action: the action is unknown\n");
  Play early;
  early.stage.opens();
  CHECK(early.acts(kDrive, kEast, 1) == "loses Action: the game has not begun\n");
}

TEST_CASE("a tank moves when it is more than half into the next tile; a diagonal way is two moves") {
  Play play;
  play.start();
  CHECK(play.poses(6, 127, -12.5) == "sends Move direction=2 value=0 piece=2\n");  // it was drawn looking north
  CHECK(play.poses(6, 128, -12.5) == "sends Move direction=2 value=1 piece=2\n");
  CHECK(play.poses(6, 124, -12.5) == "");
  CHECK(play.poses(6, 37.5, 87.5, 1.57) ==
        "sends Move direction=4 value=4 piece=2\n"
        "sends Move direction=1 value=4 piece=2\n");
  CHECK(play.poses(6, 37.5, 87.5, 0.75) == "");
  CHECK(play.poses(6, 37.5, 87.5, 0.65) == "sends Move direction=2 value=0 piece=2\n");
  CHECK(play.poses(6, 1e9, -1e9) ==
        "sends Move direction=2 value=14 piece=2\n"
        "sends Move direction=3 value=19 piece=2\n"
        "sends Move direction=2 value=0 piece=2\n");  // at the edge of what a client can count
}

TEST_CASE("a tank with a velocity is moved on without new poses, a tile at a time") {
  Play play;
  play.start();
  play.poses(6, 112.5, -12.5, 0, 25);
  const std::string said = play.waits(900 * kMillisecond);
  CHECK(said == "sends Move direction=2 value=1 piece=2\n");
  CHECK(play.poses(6, 152.3, -12.5, 0, 0.5) == "");  // slowly, too
  CHECK(play.waits(kSecond) == "sends Move direction=2 value=1 piece=2\n");
}

TEST_CASE("a step without effect only turns the tank") {
  Play play;
  play.start();
  play.acts(kDrive, kEast, 1);
  CHECK(play.waits(300 * kMillisecond) == "");
  CHECK(play.waits(200 * kMillisecond) == "sends Move direction=2 value=0 piece=1\n");
  play.acts(kDrive, kNorth, 1);
  play.poses(5, 12.5, 12.5, 1.57);  // done
  CHECK(play.waits(10 * kSecond) == "");
  play.acts(kDrive, kNorth, 1);
  play.poses(5, 13, 14, 1.57, 5);  // still on the way
  CHECK(play.waits(900 * kMillisecond) == "");
}

TEST_CASE("a tank that turns for a step finishes it, and then makes the newest step requested meanwhile") {
  Play play;
  play.start();
  CHECK(play.acts(kDrive, kEast, 1).ends_with("says Step unit: 5 direction: EAST x: 37.5 y: -12.5\n"));
  play.hears<words::Pose>("unit: 5 x: 12.5 y: -12.5 yaw: 1.5 yaw_rate: -0.785");
  CHECK(play.acts(kDrive, kNorth, 1) == "");
  CHECK(play.acts(kDrive, kSouth, 1) == "");
  CHECK(play.acts(kShoot, kNorth, 1) == "");
  CHECK(play.acts(kShoot, kEast, 1).find("says Fire unit: 5 shot: 1 ") != std::string::npos);  // it turns there anyway
  CHECK(play.waits(kSecond).find("says") == std::string::npos);
  CHECK(play.hears<words::Pose>("unit: 5 x: 37.5 y: -12.5 yaw: 0 vx: 10") ==
        "sends Move direction=2 value=1 piece=1\n");
  const std::string there = play.waits(kSecond);
  CHECK(there.find("says Step unit: 5 direction: SOUTH x: 37.5 y: -37.5\n") != std::string::npos);
  CHECK(there.find("NORTH") == std::string::npos);
  CHECK(there.find("says Fire unit: 5 shot: 2 kind: RAY x: 37.5 y: -12.5 vy: 1 ") < there.find("says Step"));
  // The key of the current step, pressed again, cancels the other request.
  play.waits(10 * kSecond);
  play.poses(5, 37.5, -12.5, 0);
  play.acts(kDrive, kSouth, 1);
  play.hears<words::Pose>("unit: 5 x: 37.5 y: -12.5 yaw: -1 yaw_rate: -0.785");
  CHECK(play.acts(kDrive, kNorth, 1) == "");
  CHECK(play.acts(kDrive, kSouth, 1) == "");
  CHECK(play.hears<words::Pose>("unit: 5 x: 37.5 y: -37.5 yaw: -1.57").find("Step") == std::string::npos);
  CHECK(play.waits(kSecond).find("Step") == std::string::npos);
}

TEST_CASE("a step without effect is detected in time, even if another check was due earlier") {
  Play play;
  play.start();
  play.poses(6, 112.5, -12.5, 0, 1);
  play.acts(kDrive, kEast, 1);
  play.poses(6, 112.5, -12.5);
  CHECK(play.waits(500 * kMillisecond) == "sends Move direction=2 value=0 piece=1\n");
}

TEST_CASE("a turn for a step or a shot is not sent: the client would take it for a blocked step or a shot") {
  Play play;
  play.start();
  play.acts(kDrive, kEast, 1);
  CHECK(play.poses(5, 12.5, -12.5, 0.1, 25) == "");
  CHECK(play.waits(900 * kMillisecond) == "sends Move direction=2 value=1 piece=1\n");
  play.poses(5, 37.5, -12.5);
  CHECK(play.waits(kSecond) == "");

  play.acts(kShoot, kSouth, 1);
  CHECK(play.poses(5, 37.5, -12.5, -1.5) == "");
  CHECK(play.hears<words::Shot>("shooter: 1 unit: 5 vy: -100") ==
        "sends Move direction=3 value=0 piece=1\n"
        "sends UpdateAmmo direction=0 value=99 piece=0\n");
  play.waits(kSecond);
  play.acts(kShoot, kNorth, 1);
  CHECK(play.poses(5, 37.5, -12.5, 1.5) == "");
  CHECK(play.waits(5 * kSecond) == "sends Move direction=1 value=0 piece=1\n");  // no shot came: the tank only turned
}

TEST_CASE("a token on the ground is shown as ammunition") {
  Play play;
  play.start();
  CHECK(play.hears<words::Token>("id: 4 state: FLYING x: 12.5 y: 12.5") == "");
  CHECK(play.hears<words::Token>("id: 4 state: GROUND x: 12.5 y: 12.5") ==
        "sends CreateAmmo value=1 piece=3 x=16 y=15\n");
  CHECK(play.hears<words::Token>("id: 4 state: GROUND x: 13 y: 12.5") == "");
  CHECK(play.hears<words::TokenTaken>("by: 2 token { id: 4 state: CARRIED carrier: 2 }") ==
        "sends Destroy direction=0 value=0 piece=3\n");
  CHECK(play.hears<words::TokenDropped>("by: 2 token { id: 4 state: GROUND x: -12.5 y: -12.5 }") ==
        "sends CreateAmmo value=1 piece=4 x=15 y=16\n");
  play.waits(kSecond);
  std::string all;
  for (int id = 10; id < 70; ++id)
    all += play.hears<words::Token>("id: " + std::to_string(id) + " state: GROUND") + play.waits(100 * kMillisecond);
  CHECK(all.find("loses Token: more than a client can read in time\n") != std::string::npos);
  CHECK(play.acts(kDrive, kEast, 4) == "loses Action.piece: it is not a living tank of the player\n");
}

TEST_CASE("at most forty tokens on the ground are shown; those that are gone do not count") {
  Play play;
  play.start();
  std::string all;
  const auto tokens = [&](int first, const std::string& state) {
    for (int id = first; id < first + 40; ++id)
      all += play.hears<words::Token>("id: " + std::to_string(id) + " state: " + state);
    return std::exchange(all, {});
  };
  constexpr const char* kCreated = "sends CreateAmmo value=1 ";
  tokens(100, "GROUND");
  play.waits(2 * kSecond);
  CHECK(play.hears<words::Token>("id: 200 state: GROUND").starts_with("loses Token"));
  tokens(100, "CARRIED");
  play.waits(2 * kSecond);
  CHECK(play.hears<words::Token>("id: 200 state: GROUND").starts_with(kCreated));
  play.hears<words::Token>("id: 200 state: CARRIED");

  play.waits(2 * kSecond);
  play.stage.set_waiting(10'000);  // a client that does not read, and never sees these
  CHECK(tokens(300, "GROUND") == "");
  CHECK(tokens(300, "CARRIED") == "");
  play.stage.set_waiting(0);
  CHECK(play.hears<words::Token>("id: 200 state: GROUND").starts_with(kCreated));
}

TEST_CASE("blocks beyond those that can be shown as walls are counted") {
  Play play;
  play.stage.opens();
  play.tells_room();
  play.hears<words::World>("hash: 'b' kind: VOXELS west: -400 east: 400 south: -400 north: 400 block: 1");
  const auto row = [&](std::size_t number) {
    const std::string y = std::to_string(399.5 - static_cast<double>(number));
    return play.hears<words::WorldEdit>("edit { op: LINE x: -399.5 y: " + y + " z: 0.5 x2: 399.5 y2: " + y +
                                        " z2: 0.5 }");
  };
  std::size_t lost = 0;
  for (std::size_t i = 0; i < 63; ++i) lost += row(i) == "" ? 0 : 1;  // of 800 columns each; 50,000 are remembered
  CHECK(lost == 1);
  CHECK(row(63) == "loses WorldEdit: more is built than can be shown as walls\n");
}

TEST_CASE("blocks two high that fill more than half of a tile are shown as bricks") {
  Play play;
  play.stage.opens();
  play.tells_room();
  const auto tells_world = [&](const std::string& hash) {
    return play.hears<words::World>("hash: '" + hash +
                                    "' kind: VOXELS west: -400 east: 400 south: -400 north: 400 block: 12.5");
  };
  const auto edits = [&](const std::string& edit) { return play.hears<words::WorldEdit>("edit { " + edit + " }"); };
  // Four columns a tile. The tile 20, 2 is 100 to 125 m east, 325 to 350 m north.
  const char* const kLow = "op: LINE x: 106 y: 344 z: 6 x2: 119 y2: 344 z2: 6";
  const char* const kHigh = "op: LINE x: 106 y: 344 z: 18 x2: 119 y2: 344 z2: 18";
  const std::string created = "sends CreateBrick code=2 value=1 piece=3 x=20 y=2\n";
  const std::string destroyed = "sends Destroy direction=0 value=0 piece=3\n";
  CHECK(tells_world("b") == "");
  CHECK(edits(kLow) + edits(kHigh) + edits("x: 106 y: 331 z: 6") + edits("x: 106 y: 331 z: 18") == "");

  SUBCASE("built before the client joined") {
    play.hears<words::Ready>("");
    CHECK(play.hears<words::Spawned>(Play::kSpawned).find(created) != std::string::npos);
  }
  SUBCASE("by every kind of edit") {
    edits("op: DIG x: 106 y: 331 z: 18");
    play.hears<words::Ready>("");
    play.hears<words::Spawned>(Play::kSpawned);
    CHECK(edits("x: 106 y: 331 z: 18") == created);
    CHECK(edits("x: 119 y: 331 z: 6") + edits("x: 119 y: 331 z: 18") == "");  // it stands already
    CHECK(edits("op: COLUMN x: 119 y: 331 z: 18") == "");                     // three of four are enough
    CHECK(edits("op: BLAST x: 106 y: 344 z: 18") == destroyed);
    CHECK(edits(kLow) + edits(kHigh) + edits("x: 106 y: 331 z: 6") + edits("x: 106 y: 331 z: 18") == created);
    CHECK(edits("op: DIG x: 106 y: 331 z: 18") == destroyed);
    CHECK(edits("x: 106 y: 331 z: 18") == created);
    CHECK(tells_world("b") == "");
    CHECK(play.waits(kSecond) ==
          "sends Move direction=2 value=0 piece=2\n" + destroyed);  // the same world again, without buildings
  }
  SUBCASE("edits are limited to the world, and invalid numbers are ignored") {
    play.hears<words::Ready>("");
    play.hears<words::Spawned>(Play::kSpawned);
    CHECK(edits("op: DIG x: 106 y: 331 z: -782") == "");  // 64 blocks below one of the wall
    CHECK(edits("x: 1e300 y: 331 z: 18") + edits("op: LINE x: 106 y: 331 z: 6 x2: nan y2: 1e9 z2: 18") == "");
    CHECK(edits("op: DIG x: 106 y: 331 z: 18") == destroyed);
    CHECK(edits("op: LINE x: -50000 y: 331 z: 18 x2: 50000 y2: 331 z2: 18") == created);
    CHECK(edits("op: BLAST x: -400 y: 400 z: 0") + edits("x: 500 y: 500 z: 6") == "");
  }
}

TEST_CASE("a world without blocks cannot be built on") {
  Play play;
  play.start();
  CHECK(play.hears<words::WorldEdit>("edit { x: 106 y: 344 }") ==
        "loses WorldEdit: the client has its own map, which does not change\n");
}

TEST_CASE("a tile is a wall if no tank can stand in its middle, and so is the world's edge") {
  Play play;
  play.stage.opens();
  play.tells_room();
  play.hears<words::World>(
      "hash: 'a' kind: SOLIDS west: -400 east: 400 south: -400 north: 400 "
      "solids { x: 50 y: 0 half_x: 12.5 half_y: 12.5 height: 9 }");  // its corner is the next tile's middle
  play.hears<words::Ready>("");
  const std::string greeting = play.hears<words::Spawned>(Play::kSpawned);
  const std::string walls =  // the nearest first, and before the tanks, which are drawn on top
      "sends CreateBrick code=2 value=1 piece=3 x=17 y=16\n"
      "sends CreateBrick code=2 value=1 piece=4 x=17 y=15\n"
      "sends CreateBrick code=2 value=1 piece=5 x=18 y=16\n"
      "sends CreateBrick code=2 value=1 piece=6 x=18 y=15\n"
      "sends CreateTank";
  CHECK(greeting.find(walls) != std::string::npos);
  CHECK(play.acts(kDrive, kEast, 1) == "says Select unit: 5\nsends Move direction=2 value=0 piece=1\n");
  play.poses(5, 12.5, 387.5, 1.57);
  play.waits(kSecond);
  CHECK(play.acts(kDrive, kNorth, 1) == "sends Move direction=1 value=0 piece=1\n");
  CHECK(play.acts(kDrive, kSouth, 1).starts_with("says Step unit: 5 direction: SOUTH"));
  // Another world, which has its wall elsewhere.
  play.hears<words::World>(
      "hash: 'b' kind: SOLIDS west: -400 east: 400 south: -400 north: 400 "
      "solids { x: 0 y: 0 half_x: 12.5 half_y: 12.5 height: 9 }");
  play.poses(5, 12.5, -12.5, 1.57);
  play.waits(10 * kSecond);
  CHECK(play.acts(kDrive, kEast, 1).starts_with("says Step unit: 5 direction: EAST"));
  play.waits(10 * kSecond);
  CHECK(play.acts(kDrive, kNorth, 1) == "sends Move direction=1 value=0 piece=1\n");
}

/// A world of tiles in which the tiles for which `stands` are walls.
template <class Stands>
words::World tiled(const char* hash, Stands&& stands) {
  words::World world;
  world.set_hash(hash);
  world.set_kind(words::World::TILES);
  world.set_west(-400), world.set_east(400), world.set_south(-400), world.set_north(400);
  world.set_columns(32), world.set_rows(32);
  for (unsigned i = 0; i < 32 * 32; ++i) world.mutable_tiles()->push_back(stands(i % 32, i / 32) ? '\0' : '\3');
  return world;
}

std::size_t bricks(const std::string& said) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = said.find("sends CreateBrick ", at)) != std::string::npos; ++at) ++count;
  return count;
}

TEST_CASE("of the walls of a world, 400 are shown, and a world with more of them is counted") {
  const std::string full = "loses World: it has more walls than a client can read in time; only 400 are shown\n";
  const auto even = [](unsigned x, unsigned y) { return (x + y) % 2 == 0; };
  Play play;
  play.stage.opens();
  play.tells_room();
  play.stage.hears(tiled("b", [&](unsigned x, unsigned y) { return even(x, y) && y < 25; }));
  play.hears<words::Ready>("");
  const std::string all = play.hears<words::Spawned>(Play::kSpawned);
  CHECK(bricks(all) == 400);
  CHECK(all.find(full) == std::string::npos);
  // Those of the next world are shown instead.
  std::string next = play.stage.hears(tiled("c", [&](unsigned x, unsigned y) { return !even(x, y) && y < 25; }));
  CHECK(next.find(full) == std::string::npos);
  CHECK(bricks(next + play.waits(60 * kSecond)) == 400);
  next = play.stage.hears(tiled("d", [&](unsigned x, unsigned y) { return !even(x, y); }));
  CHECK(next.find(full) != std::string::npos);
  CHECK(bricks(next + play.waits(60 * kSecond)) == 0);

  Play greeted;
  greeted.stage.opens();
  greeted.tells_room();
  greeted.stage.hears(tiled("d", even));
  greeted.hears<words::Ready>("");
  const std::string some = greeted.hears<words::Spawned>(Play::kSpawned);
  CHECK(bricks(some) == 400);
  CHECK(some.find(full) != std::string::npos);
}

TEST_CASE("a world whose obstacles are too many to be laid out as walls is counted") {
  words::World world;
  world.set_hash("b");
  world.set_kind(words::World::SOLIDS);
  world.set_west(-400), world.set_east(400), world.set_south(-400), world.set_north(400);
  words::Solid solid;
  solid.set_half_x(400), solid.set_half_y(400), solid.set_height(1);
  for (int i = 0; i < 98; ++i) *world.add_solids() = solid;  // each on 1,024 tiles
  Play play;
  play.stage.opens();
  play.tells_room();
  play.stage.hears(world);
  play.hears<words::Ready>("");
  CHECK(play.hears<words::Spawned>(Play::kSpawned).find("loses World: it has more obstacles than can be looked at") !=
        std::string::npos);
}

TEST_CASE("a tank on the tile of a wall is shown on the nearest tile without one") {
  Play play;
  play.stage.opens();
  play.tells_room();
  play.hears<words::World>(
      "hash: 'a' kind: SOLIDS west: -400 east: 400 south: -400 north: 400 "
      "solids { x: 37.5 y: -12.5 half_x: 5 half_y: 5 height: 9 }");  // a wall of the whole tile 17 16
  play.hears<words::Ready>("");
  REQUIRE(play.hears<words::Spawned>(Play::kSpawned).find("CreateBrick code=2 value=1 piece=3 x=17 y=16\n") !=
          std::string::npos);
  const std::string created =
      play.hears<words::Unit>("id: 9 owner: 3 team: BLUE alive: true pose { x: 37.5 y: -1.5 yaw: 1.57 }");
  CHECK(created == "sends CreateTank code=20 value=50 piece=4 x=17 y=15\n");  // north of it
  CHECK(play.poses(9, 45, -3, 1.57) == "");                                   // still nearest to the north
  CHECK(play.poses(9, 48, -4, 1.57) == "");  // nearer to the east, but it stays where it is shown
  CHECK(play.poses(9, 48.5, -20, 1.57) ==
        "sends Move direction=2 value=1 piece=4\nsends Move direction=3 value=1 piece=4\nsends Move direction=1 "
        "value=0 piece=4\n");
  CHECK(play.hears<words::Pose>("unit: 9 x: 40 y: -3 z: 9 yaw: 1.57") ==
        "sends Move direction=4 value=1 piece=4\nsends Move direction=1 value=0 piece=4\n");  // on top
  CHECK(play.poses(9, 62.5, -12.5, 1.57).starts_with("sends Move direction=2 value=1 piece=4\n"));
  // The client's own tank steps from where it is shown.
  play.poses(5, 12.5, -12.5, 1.57);
  CHECK(play.poses(5, 28.5, -12.5, 1.57) == "");
  CHECK(play.acts(kDrive, kEast, 1).ends_with("sends Move direction=2 value=0 piece=1\n"));
}

TEST_CASE("with the client's maps, their rock and water stop a tank, too; a tank in them may leave") {
  const Folder maps;
  std::string rows(32 * 33, '3');
  for (std::size_t row = 0; row < 32; ++row) rows[33 * row + 32] = '\n';
  rows[33 * 16 + 17] = '0';  // rock east of the tank
  rows[33 * 15 + 16] = '1';  // water north of it
  rows[33 * 14 + 16] = '1';
  maps.write("2_1.map", "Field\n2\n1\n1\n32\n32\n1,4;1,5;1,6\n\n" + rows);
  Play play(0, {{"name", "paul"}, {"maps", maps.path().string()}});
  play.stage.opens();
  play.tells_room();
  play.hears<words::World>(
      "hash: 'a' kind: SOLIDS west: -400 east: 400 south: -400 north: 400 "
      "solids { x: 37.5 y: -12.5 half_x: 5 half_y: 5 height: 9 }");  // where the rock is, which the client draws itself
  play.hears<words::Ready>("");
  CHECK(play.hears<words::Spawned>(Play::kSpawned).find("CreateBrick") == std::string::npos);
  CHECK(play.acts(kDrive, kEast, 1) == "says Select unit: 5\nsends Move direction=2 value=0 piece=1\n");
  CHECK(play.acts(kDrive, kNorth, 1) == "sends Move direction=1 value=0 piece=1\n");
  CHECK(play.acts(kDrive, kSouth, 1).starts_with("says Step unit: 5 direction: SOUTH"));
  play.poses(5, 12.5, 12.5, 1.57);  // put into the water
  play.waits(10 * kSecond);
  CHECK(play.acts(kDrive, kNorth, 1).starts_with("says Step unit: 5 direction: NORTH"));

  maps.write("other.map", "no map at all");
  Play wrong(0, {{"maps", maps.path().string()}});
  CHECK(wrong.stage.opens().starts_with("loses World: "));
}

TEST_CASE("maps that were read for all clients are not read again for each") {
  const Folder maps;
  maps.write("other.map", "no map at all");
  const Settings settings{{"maps", maps.path().string()}};
  const auto prepared = faces().prepare({0, settings});
  std::filesystem::remove(maps.file("other.map"));
  testing::FrontStage stage(faces().front({0, settings, false, prepared}), game(), 0, wire::Way::kToClient);
  CHECK(stage.opens().starts_with("loses World: "));
  CHECK_FALSE(Play(0, settings).stage.opens().starts_with("loses World: "));
}

TEST_CASE("players who leave all at once cost little, however many pieces there are") {
  constexpr core::Id kFirst = 100, kPlayers = 9, kOthers = 2'000;
  const auto tank = [](core::Id id, core::Id owner) {
    words::Unit unit;
    unit.set_id(id);
    unit.set_owner(owner);
    unit.set_alive(true);
    unit.mutable_pose()->set_yaw(1.5707963);  // as a client draws it
    return unit;
  };
  Play play;
  play.stage.opens();
  play.tells_room();
  for (core::Id id = kFirst; id < kFirst + kPlayers; ++id) {
    words::Player player;
    player.set_id(id);
    words::Owns owns;
    owns.set_player(id);
    owns.add_units(id);
    play.stage.knows(player);
    play.stage.knows(tank(id, id));
    play.stage.knows(owns);
  }
  for (core::Id id = 1'000; id < 1'000 + kOthers; ++id) play.stage.knows(tank(id, 0));
  play.hears<words::Ready>("");
  play.hears<words::Spawned>(Play::kSpawned);
  play.waits(100 * kSecond);
  std::size_t at_once = 0, all = 0;
  for (core::Id id = kFirst; id < kFirst + kPlayers; ++id) {
    words::PlayerGone gone;
    gone.set_id(id);
    at_once += play.stage.hears(gone).find("sends Destroy ") != std::string::npos ? 1 : 0;
  }
  CHECK(at_once == 5);
  const std::string later = play.waits(kSecond);
  for (std::size_t at = 0; (at = later.find("sends Destroy ", at)) != std::string::npos; ++at) ++all;
  CHECK(at_once + all == kPlayers);
}

TEST_CASE("the client's own death is health 0, and its respawn is moves and health; others are destroyed and created") {
  Play play;
  play.start();
  CHECK(play.hears<words::Died>("player: 1 unit: 5 killer: 2 respawn_s: 3") ==
        "sends UpdateHealth direction=0 value=0 piece=1\n"
        "sends CreateDecoration value=1 piece=3 x=16 y=16\n");  // a crater, drawn on top
  const char* const kWaits = "loses Action.piece: the tank is dead and waits to be put into play\n";
  CHECK(play.acts(kDrive, kEast, 1) == kWaits);
  CHECK(play.waits(2900 * kMillisecond) == "");
  CHECK(play.waits(200 * kMillisecond) == "says Spawn\n");
  CHECK(play.acts(kDrive, kEast, 1) == kWaits);
  CHECK(play.waits(kSecond) == "");
  CHECK(play.acts(kShoot, kEast, 1) == "says Spawn\n");  // a key requests the spawn again
  CHECK(play.acts(kDrive, kEast, 1) == kWaits);
  CHECK(play.hears<words::Spawned>("unit: 5 pose { x: -37.5 y: 12.5 yaw: 0 }") ==
        "sends Destroy direction=0 value=0 piece=3\n"
        "sends Move direction=4 value=2 piece=1\n"
        "sends Move direction=1 value=1 piece=1\n"
        "sends Move direction=2 value=0 piece=1\n"
        "sends UpdateHealth direction=0 value=50 piece=1\n"
        "sends UpdateAmmo direction=0 value=100 piece=0\n");
  CHECK(play.hears<words::Died>("player: 2 unit: 6 killer: 1") == "sends Destroy direction=0 value=0 piece=2\n");
  CHECK(play.poses(6, 0, 0) == "");
  CHECK(play.hears<words::Spawned>("unit: 6 pose { x: 0.5 y: -0.5 }") ==
        "sends CreateTank code=28 value=50 piece=2 x=16 y=16\n"
        "sends Move direction=2 value=0 piece=2\n");
}

TEST_CASE("an invalid respawn time is one second, and the longest is ten minutes") {
  for (const auto& [told, span] :
       {std::pair("nan", kSecond), std::pair("-1e300", kSecond), std::pair("inf", 600 * kSecond)}) {
    Play play;
    play.start();
    play.hears<words::Died>(std::string("player: 1 unit: 5 respawn_s: ") + told);
    CHECK(play.waits(span - kMillisecond) == "");
    CHECK(play.waits(kMillisecond) == "says Spawn\n");
  }
}

TEST_CASE("a new tank is created; a tank that is gone or hidden is destroyed") {
  Play play;
  play.start();
  CHECK(play.hears<words::Unit>("id: 9 owner: 3 team: BLUE alive: true pose { x: 12.5 y: 12.5 yaw: 1.57 }") ==
        "sends CreateTank code=20 value=50 piece=3 x=16 y=15\n");
  CHECK(play.hears<words::Hidden>("unit: 9") == "sends Destroy direction=0 value=0 piece=3\n");
  CHECK(play.poses(9, 12.5, 12.5, 1.57) == "sends CreateTank code=20 value=50 piece=3 x=16 y=15\n");
  CHECK(play.hears<words::Gone>("unit: 9") == "sends Destroy direction=0 value=0 piece=3\n");
  CHECK(play.hears<words::PlayerGone>("id: 2") == "sends Destroy direction=0 value=0 piece=2\n");
  CHECK(play.hears<words::Unit>("id: 11 kind: VIRUS alive: true") ==
        "loses Unit: the client has nothing like viruses and ejected mass\n");
}

TEST_CASE("a tank whose unit is gone continues as another unit of the player") {
  Play play;
  play.start();
  CHECK(play.hears<words::Unit>("id: 20 owner: 1 team: ROGUE kind: CELL alive: true pose { x: 112.5 y: 112.5 }") ==
        "sends CreateTank code=16 value=50 piece=3 x=20 y=11\n");
  CHECK(play.hears<words::Owns>("player: 1 units: 5 units: 20 active: 5") == "");
  CHECK(play.acts(kDrive, kEast, 3) == "loses Action.piece: it is not a living tank of the player\n");
  CHECK(play.hears<words::Gone>("unit: 5") ==
        "sends UpdateHealth direction=0 value=0 piece=1\n"
        "sends CreateDecoration value=1 piece=4 x=16 y=16\n"
        "sends Destroy direction=0 value=0 piece=3\n"
        "sends Destroy direction=0 value=0 piece=4\n"
        "sends Move direction=2 value=4 piece=1\n"
        "sends Move direction=1 value=5 piece=1\n"
        "sends UpdateHealth direction=0 value=50 piece=1\n");
  CHECK(play.acts(kDrive, kEast, 1) == "says Select unit: 20\nsays Step unit: 20 direction: EAST x: 137.5 y: 112.5\n");
}

TEST_CASE("health is sent as a share of a Commander's, and is at least 1 for a living tank") {
  Play play;
  play.start();
  CHECK(play.hears<words::Health>("unit: 5 now: 30 max: 60") == "sends UpdateHealth direction=0 value=25 piece=1\n");
  CHECK(play.hears<words::Health>("unit: 5 now: 0.1 max: 60") == "sends UpdateHealth direction=0 value=1 piece=1\n");
}

TEST_CASE("a shot turns its tank, and uses up ammunition if the room does not count it") {
  Play play;
  play.start();
  CHECK(play.hears<words::Shot>("shooter: 1 unit: 5 vx: 100") ==
        "sends Move direction=2 value=0 piece=1\n"
        "sends UpdateAmmo direction=0 value=99 piece=0\n");
  CHECK(play.waits(kSecond) == "");
  CHECK(play.poses(5, 12.5, -12.5, 1.57) == "sends Move direction=1 value=0 piece=1\n");  // it still looks north
  CHECK(play.hears<words::Ammo>("player: 1 clip: 12") == "sends UpdateAmmo direction=0 value=12 piece=0\n");
  CHECK(play.hears<words::Ammo>("player: 2 clip: 7") == "");
  CHECK(play.hears<words::Shot>("shooter: 2 unit: 6 vy: -3") == "sends Move direction=3 value=0 piece=2\n");
}

TEST_CASE("GameOver is sent once") {
  for (const bool won : {true, false}) {
    Play play;
    play.start();
    play.hears<words::Clock>("paused: true");  // a replay resyncs
    CHECK(play.hears<words::Round>("state: OVER winner: 1") == "");
    play.hears<words::Clock>("paused: true speed: 1");
    CHECK(play.hears<words::Round>(won ? "state: OVER winner: 1" : "state: OVER winning_team: GREEN") ==
          (won ? "sends GameOver direction=0 value=1 piece=0\n" : "sends GameOver direction=0 value=0 piece=0\n"));
    CHECK(play.hears<words::Round>("state: OVER winner: 1") == "");
    CHECK(play.hears<words::Round>("") == "");
    CHECK(play.hears<words::Round>("state: OVER winner: 2") == "");
  }
}

TEST_CASE("if another round follows, a client gets no GameOver, and plays on") {
  Play play;
  play.start();
  play.hears<words::Died>("player: 1 unit: 5 respawn_s: 1");
  CHECK(play.hears<words::Round>("state: OVER another: true winner: 2") ==
        "loses Round: another round follows, but a client that learns of an end ignores all keys\n");
  CHECK(play.waits(2 * kSecond).find("says Spawn\n") != std::string::npos);
  CHECK(play.hears<words::Round>("another: true") == "");
  play.hears<words::Spawned>(Play::kSpawned);
  CHECK(play.acts(kDrive, kNorth, 1).find("says Step") != std::string::npos);
}

TEST_CASE("a client that joins after a game was over gets no GameOver") {
  Play play;
  play.stage.opens({"10.0.0.7:4711", 0, ""});
  play.tells_room();
  play.hears<words::Round>("state: OVER winner: 2");
  play.hears<words::Ready>("");
  CHECK(play.hears<words::Round>("") == "");
  CHECK(play.hears<words::Spawned>(Play::kSpawned) == kGreeting);
}

std::size_t messages(const std::string& lines) {
  return static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n'));
}

TEST_CASE("at most 45 messages are sent in any second; what waited is sent in its latest state") {
  Play play;
  play.start();
  for (int id = 10; id < 22; ++id)
    play.hears<words::Unit>("id: " + std::to_string(id) + " owner: 3 alive: true pose { x: 12.5 y: 12.5 yaw: 1.57 }");
  play.waits(2 * kSecond);
  std::vector<Micros> sent;
  for (int i = 0; i < 400; ++i) {  // 12 tanks, each a tile further every 10 ms
    std::string said;
    for (int id = 10; id < 22; ++id) said += play.poses(id, 12.5 + 25 * (i % 12), 12.5);
    said += play.waits(10 * kMillisecond);
    for (std::size_t n = messages(said); n > 0; --n) sent.push_back(play.stage.now());
  }
  CHECK(sent.size() > 140);
  for (std::size_t i = 45; i < sent.size(); ++i) CHECK(sent[i] - sent[i - 45] >= kSecond - 10 * kMillisecond);
  // At rest, all 12 tanks are shown where they are: in the column of i = 399.
  const std::string rest = play.waits(2 * kSecond);
  CHECK(messages(rest) <= 24);
  for (int id = 10; id < 22; ++id) CHECK(play.poses(id, 12.5 + 25 * (399 % 12), 12.5) == "");
}

TEST_CASE("a client that stops reading gets only the latest state when it reads again") {
  Play play;
  play.start();
  play.poses(6, 112.5, -12.5);
  play.stage.set_waiting(2'049);
  CHECK(play.poses(6, 137.5, -12.5) == "");
  CHECK(play.poses(6, 187.5, -12.5) == "");
  CHECK(play.waits(kSecond) == "");
  play.stage.set_waiting(0);
  CHECK(play.waits(kSecond) == "sends Move direction=2 value=3 piece=2\n");
}

/// A spectator is shown another's tank. He gets a tank at the start and loses it at once: the released client draws
/// nothing before GameStart, fails if it starts without a tank, and can pan once it has lost.
void check_looks_on(Play& play) {
  play.hears<words::Player>("id: 1 role: WATCH");
  play.hears<words::Unit>("id: 6 owner: 2 team: GREEN alive: true pose { x: 12.5 y: 12.5 }");
  CHECK(play.hears<words::Ready>("") ==
        "sends GameState map=2 map_version=1 player=1 tank_count=1 tanks=[2]\n"
        "sends UpdateAmmo direction=0 value=0 piece=0\n"
        "sends CreateTank code=28 value=50 piece=1 x=16 y=15\n"
        "sends CreateTank code=16 value=0 piece=2 x=16 y=15\n"
        "sends GameStart direction=0 value=0 piece=0\n"
        "sends Destroy direction=0 value=0 piece=2\n");
}

TEST_CASE("a client of a full game watches") {
  Play play;
  play.stage.opens();
  CHECK(play.hears<words::Refused>("code: FULL may_retry: true") ==
        "says Enter name: \"paul\" role: WATCH version: \"panic 2\"\n");
  check_looks_on(play);
  CHECK(play.acts(kDrive, kEast, 1) == "loses Action.piece: it is not a living tank of the player\n");
  CHECK(play.poses(6, 37.5, 12.5) == "sends Move direction=2 value=1 piece=1\n");
}

TEST_CASE("with watch=yes, a client watches and requests no spawn; if it is refused, it leaves") {
  Play play(0, {{"name", "paul"}, {"watch", "yes"}});
  CHECK(play.stage.opens() == "says Enter name: \"paul\" role: WATCH version: \"panic 2\"\n");
  check_looks_on(play);
  CHECK(play.waits(60 * kSecond) == "");
  CHECK(play.acts(kDrive, kEast, 1) == "loses Action.piece: it is not a living tank of the player\n");
  CHECK(play.poses(6, 37.5, 12.5) == "sends Move direction=2 value=1 piece=1\n");
  CHECK(play.acts(kDrive, kEast, 2) == "loses Action.piece: it is not a living tank of the player\n");
  CHECK(play.acts(kQuit, 0, 0) == "says Leave why: \"the player quit\"\ncloses: the player quit\n");

  Play full(0, {{"name", "paul"}, {"watch", "yes"}});
  full.stage.opens();
  CHECK(full.hears<words::Refused>("code: FULL may_retry: true text: 'full'") ==
        "says Leave why: \"full\"\ncloses: full\n");
}

TEST_CASE("a spectator gets a new world from the start, and sees an empty one from its middle") {
  Play play(0, {{"name", "paul"}, {"watch", "yes"}});
  play.stage.opens();
  play.hears<words::Player>("id: 1 role: WATCH");
  play.hears<words::World>("hash: 'a' west: -400 east: 400 south: -400 north: 400");
  CHECK(play.hears<words::Ready>("") ==
        "sends GameState map=2 map_version=1 player=1 tank_count=1 tanks=[1]\n"
        "sends UpdateAmmo direction=0 value=0 piece=0\n"
        "sends CreateTank code=16 value=0 piece=1 x=16 y=16\n"
        "sends GameStart direction=0 value=0 piece=0\n"
        "sends Destroy direction=0 value=0 piece=1\n");
  CHECK(play.hears<words::Unit>("id: 6 owner: 2 team: GREEN alive: true pose { x: 12.5 y: 12.5 yaw: 1.57 }") ==
        "sends CreateTank code=28 value=50 piece=2 x=16 y=15\n");
  CHECK(play.hears<words::World>("hash: 'b' west: -800 east: 800 south: -800 north: 800") ==
        "sends GameState map=2 map_version=1 player=1 tank_count=1 tanks=[2]\n"
        "sends UpdateAmmo direction=0 value=0 piece=0\n"
        "sends CreateTank code=28 value=50 piece=1 x=16 y=15\n"
        "sends CreateTank code=16 value=0 piece=2 x=16 y=15\n"
        "sends GameStart direction=0 value=0 piece=0\n"
        "sends Destroy direction=0 value=0 piece=2\n");
}

/// In Ogar, where the player 1 has a cell of mass 10 at 12.5, -12.5, and pellets lie about.
struct CellPlay : Play {
  explicit CellPlay(Settings settings = {{"name", "paul"}}) : Play(0, std::move(settings)) {
    stage.opens();
    waits(2 * kSecond);
    hears<words::Room>("game: 'ogar'");
    hears<words::World>("hash: 'o' kind: OPEN west: -400 east: 400 south: -400 north: 400");
    hears<words::Player>("id: 1 name: 'paul' team: ROGUE");
    hears<words::Ready>("");
    for (int i = 0; i < 50; ++i) pellet(100 + i, 26.5 + i);
    hears<words::Unit>("id: 5 owner: 1 kind: CELL team: ROGUE radius: 1.81 alive: true pose { x: 12.5 y: -12.5 }");
    greeting = hears<words::Owns>("player: 1 units: 5 active: 5");
  }
  std::string pellet(int id, double x) {
    return hears<words::Unit>("id: " + std::to_string(id) + " kind: PELLET alive: true pose { x: " + std::to_string(x) +
                              " y: -12.5 }");
  }
  std::string weighs(double radius) {
    return hears<words::Pose>("unit: 5 x: 12.5 y: -12.5 radius: " + std::to_string(radius));
  }
  std::string greeting;
};

std::size_t count(const std::string& play, std::string_view what) {
  std::size_t found = 0;
  for (std::size_t at = play.find(what); at != std::string::npos; at = play.find(what, at + 1)) ++found;
  return found;
}

TEST_CASE("the forty nearest pellets are shown as ammunition; an eaten one is replaced by the next") {
  CellPlay play;
  CHECK(count(play.greeting, "sends CreateAmmo value=1 ") == 40);
  CHECK(count(play.greeting, "sends GameStart") == 1);
  CHECK(play.waits(kSecond) == "");
  CHECK(play.hears<words::Gone>("unit: 100 by: 5") == "sends Destroy direction=0 value=0 piece=2\n");
  CHECK(play.waits(kSecond / 4) == "sends CreateAmmo value=1 piece=42 x=18 y=16\n");
  CHECK(play.pellet(200, 13) == "");
  const std::string hides = play.waits(kSecond / 4);  // it would be drawn on the tank
  CHECK(count(hides, "sends CreateAmmo") == 0);
  CHECK(count(hides, "sends Destroy") == 1);  // the former fortieth
  play.hears<words::Pose>("unit: 5 x: 30 y: -12.5 radius: 1.81");
  const std::string shows = play.waits(2 * kSecond);
  INFO(shows);
  CHECK(count(shows, " x=16 y=16\n") == 1);
}

TEST_CASE("a client that returns gets the GameState before any pellet") {
  CellPlay play({{"name", "paul"}, {"reconnect", "2"}});
  const std::string again = play.stage.returns();
  CHECK(again.starts_with("sends GameState"));
  CHECK(count(again, "sends GameState") == 1);
  CHECK(count(again, "sends CreateAmmo value=1 ") == 40);
}

TEST_CASE("a cell's mass is its health, and a tenth of it its ammunition") {
  CellPlay play;
  CHECK(count(play.greeting, "sends UpdateAmmo direction=0 value=1 piece=0\n") == 1);
  CHECK(count(play.greeting, "sends CreateTank code=16 value=10 piece=1 x=16 y=16\n") == 1);
  const std::string grown = play.weighs(5.7);  // mass 101
  CHECK(count(grown, "sends UpdateHealth direction=0 value=101 piece=1\n") == 1);
  CHECK(count(grown, "sends UpdateAmmo direction=0 value=10 piece=0\n") == 1);
  CHECK(count(play.weighs(50), "sends UpdateHealth direction=0 value=999 piece=1\n") == 1);
}

TEST_CASE("a refused or kicked client is disconnected") {
  Play play;
  play.stage.opens();
  CHECK(play.hears<words::Refused>("code: BANNED text: 'not you'") == "says Leave why: \"not you\"\ncloses: not you\n");
  Play kicked;
  kicked.start();
  CHECK(kicked.hears<words::Kicked>("text: 'enough'") == "says Leave why: \"enough\"\ncloses: enough\n");
  CHECK(kicked.poses(6, 0, 0) == "");
}

TEST_CASE("a client that lost its connection returns by its player number") {
  const Settings asking{{"name", "paul"}, {"reconnect", "2"}};
  Play play(0, asking);
  CHECK(play.stage.opens() == "");
  CHECK(play.acts(0, 0, 0, 3) == "says Resume player: 3\n");
  CHECK(play.acts(kDrive, kNorth, 1) == "loses Action: the game has not begun\n");
  CHECK(play.waits(10 * kSecond) == "");
  CHECK(play.hears<words::ClaimRefused>("") == "says Enter name: \"paul\" version: \"panic 2\"\n");

  Play silent(0, asking);
  silent.stage.opens();
  CHECK(silent.waits(2 * kSecond) == "says Enter name: \"paul\" version: \"panic 2\"\n");
}

TEST_CASE("a client whose seat is reserved gets everything again when it returns") {
  Play play(0, {{"name", "paul"}, {"reconnect", "2"}});
  CHECK_FALSE(play.stage.try_reserve_seat());
  play.start_awaited();
  const auto absence = play.stage.try_reserve_seat();
  REQUIRE(absence);
  CHECK(absence->number == 1);
  CHECK(play.stage.returns() == kGreeting);
  CHECK(play.acts(kDrive, kNorth, 1).starts_with("says Select"));

  Play unasked;
  unasked.start();
  CHECK_FALSE(unasked.stage.try_reserve_seat());
}

TEST_CASE("a client that returns before its tank respawns gets nothing until then") {
  Play play(0, {{"name", "paul"}, {"reconnect", "2"}});
  play.start_awaited();
  play.hears<words::Died>("player: 1 unit: 5 respawn_s: 3");
  CHECK(play.stage.returns() == "");
  const auto again = play.stage.try_reserve_seat();  // it still knows its number
  REQUIRE(again);
  CHECK(again->number == 1);
  CHECK(play.stage.returns() == "");
  CHECK(play.poses(6, 137.5, -12.5) == "");
  CHECK(play.hears<words::Health>("unit: 6 now: 30 max: 60") == "");
  CHECK(play.hears<words::Token>("id: 4 state: GROUND x: 12.5 y: 12.5") == "");
  CHECK(play.hears<words::Ammo>("player: 1 clip: 12") == "");
  CHECK(play.hears<words::Gone>("unit: 6") == "");
  CHECK(play.waits(3 * kSecond) == "says Spawn\n");
  CHECK(play.hears<words::Spawned>(Play::kSpawned).starts_with("sends GameState"));
  CHECK(play.stage.try_reserve_seat());
  play.hears<words::Kicked>("text: 'enough'");
  CHECK_FALSE(play.stage.try_reserve_seat());
}

TEST_CASE("a client that returns to a game that is over gets GameOver, and then the next round like everybody") {
  Play play(0, {{"name", "paul"}, {"reconnect", "2"}, {"reset", "yes"}});
  play.start_awaited();
  play.hears<words::Round>("state: OVER winner: 1");
  CHECK(play.stage.returns() == std::string(kGreeting) + "sends GameOver direction=0 value=1 piece=0\n");
  CHECK(play.hears<words::Round>("") == kGreeting);
}

TEST_CASE("a spectator of a room without a world gets its first world from the start, also one without a hash") {
  constexpr const char* kFirst = "kind: OPEN west: -800 east: 800 south: -800 north: 800";
  Play play(0, {{"name", "paul"}, {"watch", "yes"}});
  play.stage.opens();
  play.hears<words::Player>("id: 1 role: WATCH");
  CHECK(play.hears<words::Ready>("").starts_with("sends GameState "));
  CHECK(play.hears<words::World>(kFirst).starts_with("sends GameState "));
  CHECK_FALSE(play.hears<words::World>(kFirst).starts_with("sends GameState "));
}

TEST_CASE("a new world is a second GameState only with reset=yes") {
  constexpr const char* kNew = "hash: 'b' kind: OPEN west: -800 east: 800 south: -800 north: 800";
  Play play;
  play.start();
  CHECK(play.hears<words::World>(kNew) == "");
  CHECK(play.waits(kSecond) ==
        "sends Move direction=4 value=2 piece=2\n"  // tiles of 50 m
        "sends Move direction=2 value=0 piece=2\n");
  CHECK(play.acts(kDrive, kEast, 1).ends_with("says Step unit: 5 direction: EAST x: 75 y: -25\n"));
  Play resets(0, {{"name", "paul"}, {"reset", "yes"}});
  resets.start();
  const std::string again = resets.hears<words::World>(kNew);
  CHECK(again.starts_with("sends GameState map=2 map_version=1 player=1 tank_count=1 tanks=[1]\n"));
  CHECK(again.find("sends CreateTank code=28 value=50 piece=2 x=18 y=16\n") != std::string::npos);
  CHECK(again.ends_with("sends GameStart direction=0 value=0 piece=0\n"));
}

TEST_CASE("what a client cannot be sent is counted with the mapping's reason") {
  Play play;
  play.start();
  CHECK(play.hears<words::Said>("text: 'hello'") == "loses Said: the game has no chat\n");
  CHECK(play.hears<words::TeamScore>("") == "loses TeamScore: the game has no scores, only a winner\n");
}

TEST_CASE("each kind of fact has a handler, or is counted by a reason of the mapping") {
  testing::check_every_fact([](const core::Fact& fact) {
    Play fresh;
    fresh.start();
    return fresh.stage.hears(fact);
  });
}

TEST_CASE("a number is used again only after its piece was destroyed") {
  const auto unit = [](int id) {
    return "id: " + std::to_string(id) + " owner: 3 alive: true pose { x: 12.5 y: 87.5 yaw: 1.57 }";
  };
  Play play;
  play.start();
  for (int id = 10; id < 10 + 4094; ++id) {
    play.hears<words::Unit>(unit(id));
    play.stage.ages(kSecond);
  }
  play.stage.set_waiting(10'000);
  CHECK(play.hears<words::Gone>("unit: 10") == "");
  CHECK(play.hears<words::Unit>(unit(9000)) == "");
  play.stage.set_waiting(0);
  const std::string later = play.waits(5 * kSecond);
  CAPTURE(later);
  CHECK(later.find("sends Destroy direction=0 value=0 piece=3\n") != std::string::npos);
  const std::size_t created = later.find("value=50 piece=3 ");
  CHECK((created == std::string::npos || later.find("sends Destroy direction=0 value=0 piece=3\n") < created));
  CHECK(later.find("sends CreateTank") != std::string::npos);
  // From now on, the number is free.
  play.hears<words::Gone>("unit: 11");
  CHECK(play.hears<words::Unit>(unit(9001)).find(" piece=") != std::string::npos);
}

TEST_CASE("the end of the session closes the connection") {
  Play play;
  play.start();
  CHECK(play.stage.session_ends("the server is gone") == "closes: the server is gone\n");
}

}  // namespace
}  // namespace entente::panic::front_test
