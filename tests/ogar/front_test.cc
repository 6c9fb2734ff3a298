// Our server for an Ogar client: the messages that the client receives, and the intents that come from its messages.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "adapters/ogar/ogar.h"
#include "adapters/ogar/wire/mapping.h"
#include "proxy/core/replay/beginning.h"
#include "proxy/core/replay/resync_phase.h"
#include "tests/games/every_fact.h"
#include "tests/ogar/spoken.h"
#include "tests/support/hex.h"
#include "tests/support/stage.h"

namespace entente::testing::front_test {
namespace {

using core::Id, core::kMillisecond, core::kSecond, core::Micros;
using words::Unit;

constexpr Micros kTick = 40 * kMillisecond;
constexpr double kMetre = 14142.0 / 800;

words::World open_world(double half = 400) {
  words::World world;
  world.set_hash("open " + std::to_string(half));
  world.set_west(-half);
  world.set_east(half);
  world.set_south(-half);
  world.set_north(half);
  return world;
}
words::Player player(Id id, const char* name) {
  words::Player player;
  player.set_id(id);
  player.set_name(name);
  player.set_team(words::ROGUE);
  return player;
}
words::Unit unit(Id id, Unit::Kind kind, double x, double y, double radius = 0, Id owner = 0) {
  words::Unit unit;
  unit.set_id(id);
  unit.set_kind(kind);
  unit.set_owner(owner);
  unit.set_radius(radius);
  unit.set_colour(0xff1040);
  unit.set_alive(true);
  unit.mutable_pose()->set_unit(id);
  unit.mutable_pose()->set_x(x);
  unit.mutable_pose()->set_y(y);
  return unit;
}
words::Pose pose(Id id, double x, double y, double vx = 0, double vy = 0) {
  words::Pose pose;
  pose.set_unit(id);
  pose.set_x(x);
  pose.set_y(y);
  pose.set_vx(vx);
  pose.set_vy(vy);
  return pose;
}
words::Owns owns(Id player, std::initializer_list<Id> units, Id active) {
  words::Owns owns;
  owns.set_player(player);
  for (const Id id : units) owns.add_units(id);
  owns.set_active(active);
  return owns;
}

struct Play {
  FrontStage stage{ogar::faces().front({}), ogar::game(), 0, wire::Way::kToClient};

  std::string opens() { return stage.opens(); }
  std::string receives(const Buffer& bytes) { return stage.receives(bytes); }
  std::string hears(core::Fact word) { return stage.hears(std::move(word)); }
  std::string waits(Micros how_long) { return stage.waits(how_long); }

  std::string wishes(const Wished& wished) { return receives(client_update(wished)); }
  /// After the greeting, in an open world.
  void greeted() {
    opens();
    receives(client_hello());
    hears(open_world());
    waits(0);
  }
  /// In play, with cell 50 at 0 0.
  void plays(double radius = 32 / kMetre) {
    greeted();
    wishes({0, 0, ogar::kSpawn, 0, "anna"});
    hears(player(1, "anna"));
    hears(unit(50, Unit::CELL, 0, 0, radius, 1));
    hears(owns(1, {50}, 50));
    waits(kTick);
  }
};

bool has(const std::string& all, const std::string& part) { return all.find(part) != std::string::npos; }
std::size_t count(const std::string& all, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = all.find(part, at)) != std::string::npos; ++at) ++found;
  return found;
}

/// The texts of the chat, each with a newline.
std::string texts_of(const std::string& all) {
  std::string texts;
  for (std::size_t at = 0; (at = all.find(" text=\"", at)) != std::string::npos;) {
    at += 7;
    texts += all.substr(at, all.find('"', at) - at) + "\n";
  }
  return texts;
}

TEST_CASE("ogar front: nothing is sent before the hello; then one picture has the border and all cells in view") {
  Play play;
  CHECK(play.opens() == "");
  play.hears(open_world());
  play.hears(unit(60, Unit::PELLET, 10, 10, 10 / kMetre));
  play.hears(unit(61, Unit::PELLET, 300, 10, 10 / kMetre));
  CHECK(play.waits(kSecond) == "");
  CHECK(play.receives(client_hello()) == "says WantWorld\n");
  CHECK(play.waits(0) ==
        "sends Update flags=134 border={left=-7071 right=7071 top=-7071 bottom=7071} server={mode=0 major=1 minor=3 "
        "patch=6} added=[{id=60 type=1 x=176.775 y=-176.775 size=10 colour=(255 16 64) flags=0}]\n");
}

TEST_CASE("ogar front: a server without a world yet shows the default map, so that a client may ask to play") {
  Play play;
  play.opens();
  play.receives(client_hello());
  CHECK(play.waits(kSecond - kTick) == "");
  const std::string guess = play.waits(2 * kTick);
  CHECK(has(guess, "loses World: it is not known yet; the client gets an open field\n"));
  CHECK(has(guess, "border={left=-7071"));
  CHECK(has(guess, "you see an open field"));
  play.hears(open_world(200));
  CHECK(has(play.waits(kTick), "flags=70 border={left=-3535.5"));  // clear, border, server info
  play.hears(open_world(200));
  CHECK(!has(play.waits(4 * kTick), "border"));
}

TEST_CASE("ogar front: a viewer that is too early for a broadcast is told when it begins, and may wait") {
  Play play;
  play.opens();
  play.receives(client_hello());
  play.waits(2 * kSecond);
  words::Refused early;
  early.set_text(core::begins_text(65 * kSecond));
  early.set_may_retry(true);
  CHECK(play.hears(early) == "");
  const std::string told = play.waits(kTick);
  CHECK(has(told, "you cannot join: the broadcast begins in 1:05; try again then"));
  CHECK(!has(told, "closes"));
  play.hears(open_world(200));
  CHECK(has(play.waits(kTick), "border={left=-3535.5"));
}

TEST_CASE("ogar front: a spawn name enters and spawns, once a life") {
  Play play;
  play.greeted();
  CHECK(play.wishes({5, 5, ogar::kSpawn, 0, "<cat>anna"}) == "says Enter name: \"anna\" skin: \"cat\"\nsays Spawn\n");
  play.hears(player(1, "anna"));
  play.hears(unit(50, Unit::CELL, 0, 0, 32 / kMetre, 1));
  play.hears(owns(1, {50}, 50));
  CHECK(play.waits(kTick) ==
        "sends Update flags=128 added=[{id=50 type=0 x=0 y=0 size=32 colour=(255 16 64) flags=3 name=\"anna\"}]\n");
  CHECK(play.wishes({0, 0, ogar::kSpawn, 0, "anna"}) == "says Toward\n");
}

TEST_CASE("ogar front: the mouse is reported when it moves, each edge once, and Q when it is pressed and released") {
  Play play;
  CHECK(play.opens() == "");
  play.plays();
  CHECK(play.wishes({1768, -884}) == "says Toward x: 100.01414227124877 y: 50.007071135624386\n");
  CHECK(play.wishes({1768, -884}) == "");
  CHECK(play.wishes({1768, -884, 0, 2}) == "says Split count: 2\n");
  CHECK(play.wishes({1768, -884, ogar::kEject}) == "says Eject\n");
  CHECK(play.wishes({1768, -884, ogar::kQPress}) == "says Button down: true\n");
  CHECK(play.wishes({1768, -884, ogar::kQRelease}) == "says Button\n");
  CHECK(play.wishes({1768, -884, ogar::kQPress | ogar::kQRelease}) == "");
  CHECK(play.wishes({1768, -884, ogar::kMinionEject | ogar::kMinionFreeze}) ==
        "says Eject minions: true\nsays Freeze on: true\n");
}

TEST_CASE("ogar front: a cell is sent when it appears, changes and disappears, and with the cell that ate it") {
  Play play;
  play.plays();
  play.hears(unit(60, Unit::CELL, 5, 0, 20 / kMetre, 2));
  CHECK(has(play.waits(kTick), "added"));
  CHECK(play.waits(kTick) == "sends Update flags=32 board={type=1 rows=[{position=1 flags=3 name=\"anna\"}]}\n");
  play.hears(pose(60, 6, 0));
  CHECK(play.waits(kTick) == "sends Update flags=256 updated=[{id=60 flags=1 x=106.065 y=0}]\n");
  words::Gone gone;
  gone.set_unit(60);
  gone.set_by(50);
  play.hears(gone);
  CHECK(play.waits(kTick) == "sends Update flags=1536 eaten=[{killed=60 killer=50}] removed=[60]\n");
  play.hears(unit(61, Unit::PELLET, 5, 0, 10 / kMetre));
  play.waits(kTick);
  words::Hidden hidden;
  hidden.set_unit(61);
  play.hears(hidden);
  CHECK(play.waits(kTick) == "sends Update flags=1024 removed=[61]\n");
}

TEST_CASE("ogar front: a player's last cell is eaten by the cell that touched it, not by its killer's largest one") {
  Play play;
  play.plays();
  play.hears(player(2, "ben"));
  play.hears(player(3, "zoe"));
  play.hears(unit(60, Unit::CELL, 5, 0, 20 / kMetre, 2));
  play.hears(unit(61, Unit::CELL, 8, 0, 30 / kMetre, 2));
  play.hears(owns(2, {60, 61}, 61));
  play.hears(unit(70, Unit::CELL, 6, 0, 10 / kMetre, 3));
  play.waits(kTick);
  words::Died died;
  died.set_player(3);
  died.set_unit(70);
  died.set_killer(2);
  play.hears(died);
  words::Gone gone;
  gone.set_unit(70);
  gone.set_by(60);
  play.hears(gone);
  CHECK(has(play.waits(kTick), " eaten=[{killed=70 killer=60}] removed=[70]"));
}

/// The cell's x in metres, in the last line that has the cell.
std::optional<double> x_of(const std::string& all, const char* cell) {
  const auto at = all.rfind(cell);
  if (at == std::string::npos) return std::nullopt;
  return std::stod(all.substr(all.find(" x=", at) + 3)) / kMetre;
}

TEST_CASE(
    "ogar front: a tank that leaps from tile to tile is shown gliding, 25 times a second, at most two tiles behind") {
  for (const Micros pace : {60 * kMillisecond, 240 * kMillisecond, kSecond}) {
    const std::string shown_pace = "a tile every " + std::to_string(pace / kMillisecond) + " ms";
    INFO(shown_pace);
    Play play;
    play.plays();
    play.hears(player(2, "ben"));
    play.hears(unit(60, Unit::TANK, 0, 0, 0, 2));
    play.waits(kTick);
    double shown = 0, truth = 0, longest = 0, farthest = 0;
    std::size_t paintings = 0;
    for (Micros now = 0, next = 0; now < 4 * kSecond && truth < 375; now += 20 * kMillisecond) {
      if (now >= next) {
        play.hears(pose(60, truth += 25, 0));
        play.hears(pose(50, truth, 0));  // the viewer keeps it in view
        next += pace;
      }
      const auto x = x_of(play.waits(20 * kMillisecond), "{id=60 flags=1");
      if (!x) continue;
      longest = std::max(longest, *x - shown);
      farthest = std::max(farthest, truth - *x);
      CHECK(*x >= shown);
      shown = *x;
      ++paintings;
    }
    CHECK(paintings >= 20);
    CHECK(farthest <= 50);
    CHECK(longest <= std::max(2.0, 50.0 * static_cast<double>(kTick) / static_cast<double>(pace)) +
                         1);  // at most twice the tank's speed
  }
}

TEST_CASE("ogar front: while a replay resynchronises, no event is shown as chat, and no unit glides") {
  Play play;
  play.greeted();
  play.hears(player(2, "ben"));
  for (const Id id : {60U, 61U}) play.hears(unit(id, Unit::TANK, 0, 0, 0, 2));
  play.waits(kTick);
  words::Round over;
  over.set_state(words::Round::OVER);
  over.set_winner(2);
  play.hears(core::resync_clock(5 * kSecond));
  play.hears(over);
  play.hears(pose(60, 20, 0));
  play.hears(unit(61, Unit::TANK, 0, 20, 0, 2));
  words::Clock runs;
  runs.set_speed(1);
  play.hears(runs);
  const std::string moved = play.waits(kTick);
  CHECK(texts_of(moved) == "");
  CHECK(has(moved, "{id=60 flags=1 x=353.55 y=0}"));
  CHECK(has(moved, "{id=61 flags=1 x=0 y=-353.55}"));
  play.hears(over);
  play.hears(pose(60, 0, 0));
  const std::string seen = play.waits(kTick);
  CHECK(texts_of(seen) == "the round is over: ben has won\n");
  CHECK(!has(seen, "{id=60 flags=1 x=0 y=0}"));
}

TEST_CASE("ogar front: of three tanks, the active one is the client's own cell, and Q selects the next") {
  Play play;
  play.greeted();
  play.hears(player(1, "anna"));
  for (const Id id : {50U, 51U, 52U}) play.hears(unit(id, Unit::TANK, 10.0 * id, 0, 0, 1));
  play.hears(owns(1, {50, 51, 52}, 51));
  CHECK(play.waits(kTick) ==
        "sends Update flags=128 added=[{id=50 type=0 x=8838.75 y=0 size=60 colour=(255 16 64) flags=2 name=\"anna\"} "
        "{id=51 type=0 x=9015.525 y=0 size=60 colour=(255 16 64) flags=3 name=\"anna\"} {id=52 type=0 x=9192.3 y=0 "
        "size=60 colour=(255 16 64) flags=2 name=\"anna\"}]\n");
  CHECK(play.wishes({8838, 0, ogar::kQPress}) == "says Toward x: 499.95757318625374\nsays Select unit: 52\n");
  play.hears(owns(1, {50, 51, 52}, 52));
  CHECK(play.waits(kTick) ==
        "sends Update flags=1152 added=[{id=4294967295 type=0 x=9015.525 y=0 size=60 colour=(255 16 64) flags=2 "
        "name=\"anna\"} "
        "{id=4294967294 type=0 x=9192.3 y=0 size=60 colour=(255 16 64) flags=3 name=\"anna\"}] removed=[51 52]\n");
  CHECK(play.wishes({8838, 0, ogar::kQRelease}) == "");
  words::Hidden hidden;
  hidden.set_unit(50);
  play.hears(hidden);
  CHECK(play.wishes({8838, 0, ogar::kQPress}) == "says Select unit: 51\n");
}

TEST_CASE("ogar front: a client that loses its active tank is dead until it spawns again") {
  Play play;
  play.greeted();
  play.wishes({0, 0, ogar::kSpawn, 0, "anna"});
  play.hears(player(1, "anna"));
  for (const Id id : {50U, 51U, 52U}) play.hears(unit(id, Unit::TANK, id - 50.0, 0, 0, 1));
  play.hears(owns(1, {50, 51, 52}, 50));
  CHECK(count(play.waits(kTick), "flags=3") == 1);
  words::Died died;
  died.set_player(1);
  died.set_unit(50);
  play.hears(died);
  play.hears(owns(1, {51, 52}, 51));
  CHECK(has(play.waits(kTick), "removed=[50]"));
  CHECK(play.wishes({0, 0, ogar::kSpawn, 0, "anna"}) == "says Spawn\n");
  words::Spawned spawned;
  spawned.set_unit(52);
  play.hears(spawned);
  CHECK(!has(play.waits(kSecond), "added"));
  spawned.set_unit(51);
  play.hears(spawned);
  CHECK(has(play.waits(kTick),
            "{id=4294967295 type=0 x=0 y=0 size=60 colour=(255 16 64) flags=3 name=\"anna\"}] removed=[51]"));
  died.set_unit(52);
  play.hears(died);
  play.waits(kTick);
  CHECK(!has(play.wishes({0, 0, ogar::kSpawn, 0, "anna"}), "says Spawn"));  // it plays on
}

TEST_CASE("ogar front: a shot is a flying piece of mass; a ray is one that flies for 0.3 seconds") {
  Play play;
  play.plays();
  words::Shot shot;
  shot.set_shooter(2);
  shot.set_shot(1);
  shot.set_vx(100);
  shot.set_life(0.1);
  play.hears(shot);
  CHECK(play.waits(kTick) ==
        "sends Update flags=128 added=[{id=4294967295 type=3 x=70.71 y=0 size=20 colour=(140 140 140) flags=0}]\n");
  CHECK(
      play.waits(kTick) ==
      "sends Update flags=288 board={type=1 rows=[{position=1 flags=3 name=\"anna\"}]} updated=[{id=4294967295 flags=1 "
      "x=141.42 y=0}]\n");
  CHECK(play.waits(2 * kTick) == "sends Update flags=1024 removed=[4294967295]\n");
  shot.set_kind(words::RAY);
  shot.set_vx(1);
  shot.set_range(30);
  play.hears(shot);
  const std::string all = play.waits(kSecond);
  CHECK(count(all, "added") == 1);
  CHECK(count(all, "updated") == 6);
  CHECK(count(all, "removed") == 1);
  CHECK(play.stage.new_id() == 101);  // the room's first id: shots took none of them
}

TEST_CASE("ogar front: a wave is a ring of small pieces of mass that grows, and then is gone") {
  Play play;
  play.plays();
  words::Shot wave;
  wave.set_shooter(2);
  wave.set_shot(1);
  wave.set_kind(words::WAVE);
  wave.set_life(0.3);
  wave.set_radius(6);
  wave.set_range(30);
  play.hears(wave);
  const std::string first = play.waits(kTick);
  CHECK(count(first, "{id=") == 16);
  CHECK(count(first, "size=20") == 16);
  const std::string rest = play.waits(kSecond);
  CHECK(rest.find("removed=[") != std::string::npos);
  CHECK(count(rest, "updated=[") > 3);
}

TEST_CASE("ogar front: of very many waves, some are shown") {
  Play play;
  play.plays();
  for (std::uint32_t number = 1; number <= 4'000; ++number) {
    words::Shot wave;
    wave.set_shooter(2);
    wave.set_shot(number);
    wave.set_kind(words::WAVE);
    wave.set_life(30);
    wave.set_radius(1 + number / 1000.0);
    wave.set_range(30);
    play.hears(wave);
  }
  const std::string shown = play.waits(kTick);
  CHECK(count(shown, "{id=") > 4'000);
  CHECK(count(shown, "{id=") <= 4'200);
  CHECK(count(shown, "loses Shot: more than a client is shown at once\n") == 1);
}

TEST_CASE("ogar front: a world whose server gives it no hash is shown once, with the walls that are built in it") {
  Play play;
  play.opens();
  words::World world = open_world();
  world.clear_hash();
  world.set_kind(words::World::TILES);
  world.set_columns(32);
  world.set_rows(32);
  std::string tiles(32 * 32, '\3');
  tiles[15 * 32 + 15] = '\0';
  world.set_tiles(tiles);
  play.hears(world);
  play.receives(client_hello());
  CHECK(count(play.waits(0), " type=1 ") == 8);
  for (int i = 0; i < 3; ++i) {
    const std::string again = play.waits(kTick);
    CHECK_FALSE(has(again, "added=["));
    CHECK_FALSE(has(again, "removed=["));
  }
  words::WorldEdit edit;
  edit.mutable_edit()->set_op(words::Edit::BUILD);
  edit.mutable_edit()->set_x(12.5);
  edit.mutable_edit()->set_y(12.5);
  play.hears(edit);
  const std::string built = play.waits(kTick);
  CHECK(count(built, " type=1 ") == 8);
  CHECK_FALSE(has(built, "removed=["));
  for (int i = 0; i < 3; ++i) {
    const std::string again = play.waits(kTick);
    CHECK_FALSE(has(again, "added=["));
    CHECK_FALSE(has(again, "removed=["));
  }
}

TEST_CASE("ogar front: of the shapes in view, 1024 are shown, and the rest is counted once") {
  const std::string full = "more than a client can show\n";
  Play play;
  play.plays();
  words::World world = open_world(100);
  world.set_kind(words::World::TILES);
  world.set_columns(100);
  world.set_rows(100);
  world.set_tiles(std::string(100 * 100, static_cast<char>(words::UNITS_PASS)));
  play.hears(world);
  const std::string shown = play.waits(kTick);
  CHECK(count(shown, " type=1 ") == 1024);
  CHECK(count(shown, full) == 1);
  CHECK_FALSE(has(play.waits(kSecond), full));
}

TEST_CASE("ogar front: walls, water and leaves are small posts, and none looks deadly") {
  Play play;
  play.opens();
  words::World world = open_world();
  world.set_kind(words::World::TILES);
  world.set_columns(32);
  world.set_rows(32);
  std::string tiles(32 * 32, '\3');
  tiles[15 * 32 + 15] = '\0';
  tiles[15 * 32 + 16] = '\1';
  tiles[16 * 32 + 15] = '\2';
  world.set_tiles(tiles);
  play.hears(world);
  play.receives(client_hello());
  const std::string sent = play.waits(0);
  CHECK(count(sent, " type=1 ") == 8 + 8 + 1);
  CHECK(count(sent, " size=40 ") == 8 + 8 + 1);
  CHECK(count(sent, "colour=(120 120 130)") == 8);
  CHECK(count(sent, "colour=(165 195 225)") == 8);
  CHECK(has(sent, " type=1 x=-220.96875 y=220.96875 size=40 colour=(175 210 175)"));
  play.hears(unit(30, Unit::BRICK, 20, 20));
  const std::string brick = play.waits(kTick);
  CHECK(has(brick, "added=[{id=30 type=1 "));
  CHECK(has(brick, " size=40 "));
}

/// The numbers after each `name` in what was sent.
std::vector<double> numbers(const std::string& sent, const std::string& name) {
  std::vector<double> found;
  for (std::size_t at = 0; (at = sent.find(name, at)) != std::string::npos;)
    found.push_back(std::stod(sent.substr(at += name.size())));
  return found;
}

TEST_CASE("ogar front: a box is shown as a row of posts along the inside of its edge, each smaller than a player") {
  Play play;
  play.opens();
  words::World world = open_world();
  world.set_kind(words::World::SOLIDS);
  words::Solid& box = *world.add_solids();
  box.set_x(50);
  box.set_half_x(15);
  box.set_half_y(10);
  box.set_height(9);
  const auto shown = [&](Play& one) {
    one.hears(world);
    one.receives(client_hello());
    return one.waits(0);
  };
  const std::string sent = shown(play);
  const auto x = numbers(sent, "type=1 x="), y = numbers(sent, " y="), size = numbers(sent, " size=");
  REQUIRE(x.size() >= 15);
  REQUIRE(x.size() == y.size());
  std::array<int, 4> sides{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    CHECK(size[i] == 40);
    const double east = x[i] / kMetre - 50, north = -y[i] / kMetre, radius = size[i] / kMetre;
    CHECK(std::abs(east) + radius <= 15.1);
    CHECK(std::abs(north) + radius <= 10.1);
    sides[0] += std::abs(east - 15 + radius) < 0.1;
    sides[1] += std::abs(east + 15 - radius) < 0.1;
    sides[2] += std::abs(north - 10 + radius) < 0.1;
    sides[3] += std::abs(north + 10 - radius) < 0.1;
  }
  for (const int posts : sides) CHECK(posts >= 4);

  box.set_half_x(0.5);  // thin boxes have thin posts, and long ones less than one post a metre
  box.set_half_y(300);
  Play thin;
  thin.opens();
  const std::string line = shown(thin);
  for (const double one : numbers(line, " size=")) CHECK(one == 9);
  CHECK(count(line, "type=1") <= 64);
  CHECK(count(line, "type=1") > 10);
  box.set_half_x(0);
  Play none;
  none.opens();
  CHECK(count(shown(none), "type=1") == 0);
}

TEST_CASE("ogar front: a player without a team has its own colour, also in shots and chat; others have their team's") {
  Play play;
  words::Room room;
  room.set_game("bzflag");
  play.hears(room);
  play.plays();
  const auto colour_of = [&](Id id, words::Team team) {
    words::Player one = player(id, "ben");
    one.set_team(team);
    play.hears(one);
    Unit tank = unit(100 + id, Unit::TANK, 10, 0, 0, id);
    tank.set_colour(0);
    tank.set_team(team);
    play.hears(tank);
    const std::string seen = play.waits(kTick);
    const std::size_t at = seen.find("colour=");
    REQUIRE(at != std::string::npos);
    return seen.substr(at, seen.find(')', at) - at + 1);
  };
  const std::string grey = "colour=(140 140 140)";
  std::vector<std::string> colours;
  for (Id id = 2; id < 12; ++id) colours.push_back(colour_of(id, words::ROGUE));
  for (std::size_t i = 0; i < colours.size(); ++i) {
    CHECK(colours[i] != grey);
    for (std::size_t j = 0; j < i; ++j) CHECK(colours[i] != colours[j]);
  }
  const std::string red = "colour=(255 51 51)";
  CHECK(colour_of(20, words::RED) == red);
  words::Shot shot;
  shot.set_shooter(3);
  shot.set_vx(100);
  shot.set_life(1);
  play.hears(shot);
  CHECK(has(play.waits(kTick), colours[1]));
  words::Said said;
  said.set_from(3);
  said.set_text("hi");
  play.hears(said);
  CHECK(has(play.waits(kTick), colours[1] + " by_server=0 text=\"hi\""));
  words::Player mason = player(20, "ben");
  mason.set_team(words::RED);
  mason.set_colour(0x707070);  // the colour of the blocks that the player builds
  play.hears(mason);
  said.set_from(20);
  play.hears(said);
  CHECK(has(play.waits(kTick), red + " by_server=0 text=\"hi\""));
  room.set_teams(true);  // players without a team are paler than those of a team
  play.hears(room);
  said.set_from(3);
  play.hears(said);
  CHECK(has(play.waits(kTick), "colour=(230 138 219) by_server=0 text=\"hi\""));
}

TEST_CASE("ogar front: each win makes the cell of a tank's player larger, so that the client's score grows") {
  Play play;
  play.greeted();
  play.wishes({0, 0, ogar::kSpawn, 0, "anna"});
  play.hears(player(1, "anna"));
  play.hears(unit(50, Unit::TANK, 0, 0, 4.32, 1));
  play.hears(owns(1, {50}, 50));
  CHECK(has(play.waits(kTick), " size=76 "));
  int shown = 76 * 76 / 100;
  for (unsigned wins = 1; wins <= 60; ++wins) {
    words::Score score;
    score.set_player(1);
    score.set_wins(wins);
    play.hears(score);
    const auto sizes = numbers(play.waits(kTick), " size=");
    REQUIRE(sizes.size() == 1);
    const int now = static_cast<int>(sizes[0] * sizes[0] / 100);  // as Cigar2 computes it
    CHECK(now > shown);
    shown = now;
  }
  words::Score score;
  score.set_player(1);
  score.set_wins(100'000);
  play.hears(score);
  CHECK_FALSE(has(play.waits(kTick), " size="));
}

TEST_CASE("ogar front: static cells appear and disappear with the view, and are sent once") {
  Play play;
  words::World world = open_world();
  world.set_kind(words::World::TILES);
  world.set_columns(32);
  world.set_rows(32);
  std::string tiles(32 * 32, '\3');
  tiles[16 * 32 + 20] = '\0';  // its middle at 112.5 -12.5
  world.set_tiles(tiles);
  play.opens();
  play.hears(world);
  play.receives(client_hello());
  play.wishes({0, 0, ogar::kSpectate});
  const auto looks_at = [&](double x) {
    words::View view;
    view.set_x(x);
    view.set_width(1920 / kMetre);
    play.hears(core::Fact(1, view));
    return play.waits(kTick);
  };
  CHECK_FALSE(has(looks_at(0), "added"));
  CHECK_FALSE(has(looks_at(20), "added"));
  CHECK(has(looks_at(30), "added=[{id=4294967295 type=1 x="));
  for (double x = 31; x < 60; ++x) CHECK_FALSE(has(looks_at(x), "4294967295"));
  words::WorldEdit edit;
  edit.mutable_edit()->set_op(words::Edit::BUILD);
  edit.mutable_edit()->set_x(62.5);
  edit.mutable_edit()->set_y(12.5);
  play.hears(edit);
  const std::string built = looks_at(60);
  CHECK(has(built, "added=[{id=4294967287 type=1 x="));
  CHECK_FALSE(has(built, "removed"));
  CHECK_FALSE(has(built, "4294967295"));
  const std::string back = looks_at(0);
  CHECK(has(back, "removed=["));
  CHECK(has(back, "4294967295"));
  CHECK_FALSE(has(back, "4294967287"));  // 62.5 is near enough
}

TEST_CASE("ogar front: a cell has the latest colour and name of its unit or its player") {
  Play play;
  play.greeted();
  play.hears(player(2, "ben"));
  Unit bens = unit(60, Unit::CELL, 10, 0, 100 / kMetre, 2);
  play.hears(bens);
  CHECK(has(play.waits(kTick), "name=\"ben\""));
  play.hears(player(2, "carl"));
  CHECK(has(play.waits(kTick), "updated=[{id=60 flags=8 name=\"carl\"}]"));
  bens.set_colour(0x00ff00);
  bens.set_name("dora");
  play.hears(bens);
  CHECK(has(play.waits(kTick), "updated=[{id=60 flags=12 colour=(0 255 0) name=\"dora\"}]"));
  words::UnitChanged changed;
  changed.set_unit(60);
  changed.set_radius(200 / kMetre);
  changed.set_skin("cat");
  play.hears(changed);
  CHECK(has(play.waits(kTick), "updated=[{id=60 flags=18 size=200 skin=\"cat\"}]"));
  words::Gone gone;  // and another unit with the same id, before the next picture
  gone.set_unit(60);
  play.hears(gone);
  bens.set_name("emil");
  play.hears(bens);
  CHECK(has(play.waits(kTick), "name=\"emil\""));
}

TEST_CASE("ogar front: a slow client receives fewer pictures, and the newest one as soon as it can") {
  Play play;
  play.plays();
  play.stage.set_waiting(1 << 20);
  for (int i = 1; i <= 10; ++i) {
    play.hears(pose(50, i, 0));
    CHECK(play.waits(kTick) == "");
  }
  play.stage.set_waiting(0);
  CHECK(play.waits(kTick) == "sends Update flags=256 updated=[{id=50 flags=1 x=176.775 y=0}]\n");
}

TEST_CASE("ogar front: a spectator receives its camera position, and roams to its mouse") {
  Play play;
  play.greeted();
  play.hears(player(2, "ben"));
  play.hears(unit(60, Unit::CELL, 100, 0, 100 / kMetre, 2));
  play.hears(owns(2, {60}, 60));
  CHECK(play.wishes({0, 0, ogar::kSpectate}) == "says Enter role: WATCH\nsays Watch mode: LEADER\n");
  CHECK(has(play.waits(kTick), "camera={x=1767.75 y=0 "));
  CHECK(play.wishes({0, 0, ogar::kQPress}) == "says Watch mode: ROAM\n");
  CHECK(has(play.waits(kTick), "camera={x=1735.75 y=0 scale=0.4"));
  words::View view;
  view.set_x(-10);
  view.set_width(1920 / kMetre);
  play.hears(core::Fact(1, view));
  CHECK(has(play.waits(kTick), "camera={x=-176.775 y=0 scale=1}"));
  CHECK(play.wishes({0, 0, ogar::kSpawn, 0, "anna"}) ==
        "says Toward\nsays Watch\nsays Change name: \"anna\"\nsays Spawn\n");
}

TEST_CASE("ogar front: a viewer of a replay looks at the player it follows, not at the leader, until it roams") {
  Play play;
  play.greeted();
  for (const Id id : {2U, 3U}) {
    play.hears(player(id, id == 2 ? "ben" : "cleo"));
    play.hears(unit(id + 60, Unit::CELL, id == 2 ? 100 : -100, 0, 100 / kMetre, id));
    play.hears(owns(id, {id + 60}, id + 60));
  }
  words::Score score;
  score.set_player(2);
  score.set_wins(1);
  play.hears(score);
  const std::string ben = "camera={x=1767.75 y=0 ", cleo = "camera={x=-1767.75 y=0 ";
  play.wishes({0, 0, ogar::kSpectate});
  CHECK(has(play.waits(kTick), ben));
  words::Clock clock;
  play.hears(core::Fact(clock));  // to all, as at each pause and seek
  clock.set_follow(3);
  play.hears(core::Fact(1, clock));
  CHECK(has(play.waits(kTick), cleo));
  play.hears(core::Fact(words::Clock()));
  CHECK(has(play.waits(kTick), cleo));

  words::Died died;
  died.set_player(3);
  died.set_unit(63);
  play.hears(died);
  play.hears(pose(62, 120, 0));
  CHECK(has(play.waits(kTick), cleo));  // where the player died
  play.hears(unit(63, Unit::CELL, -100, 0, 100 / kMetre, 3));

  CHECK(play.wishes({0, 0, ogar::kQPress}) == "says Watch mode: ROAM\n");
  CHECK(has(play.waits(kTick), "camera={x=-1735.75 y=0 scale=0.4"));
  play.hears(core::Fact(1, clock));  // the same player, after a seek
  CHECK(has(play.waits(kTick), "camera={x=-1703.75 y=0 scale=0.4"));
  clock.set_follow(2);
  play.hears(core::Fact(1, clock));
  CHECK(has(play.waits(kTick), "camera={x=2121.3 y=0 "));
  clock.set_follow(3);
  play.hears(core::Fact(1, clock));
  CHECK(has(play.waits(kTick), cleo));
  words::PlayerGone gone;
  gone.set_id(3);
  play.hears(gone);
  CHECK(has(play.waits(kTick), "camera={x=2121.3 y=0 "));
}

TEST_CASE("ogar front: a client that has entered may change name and skin; only changes are reported") {
  Play play;
  play.greeted();
  CHECK(play.wishes({0, 0, ogar::kSpectate}) == "says Enter role: WATCH\nsays Watch mode: LEADER\n");
  CHECK(play.wishes({0, 0, ogar::kSpawn, 0, "<cat>"}) == "says Watch\nsays Change skin: \"cat\"\nsays Spawn\n");
  CHECK(play.wishes({0, 0, ogar::kSpawn, 0, "<cat>"}) == "says Spawn\n");
  CHECK(play.wishes({0, 0, ogar::kSpawn, 0, "<cat>anna"}) == "says Change name: \"anna\"\nsays Spawn\n");
  CHECK(play.wishes({0, 0, ogar::kSpawn, 0, "<dog>ben"}) == "says Change name: \"ben\" skin: \"dog\"\nsays Spawn\n");
}

TEST_CASE("ogar front: a client that may only watch sees the leader, even if it asked to play") {
  Play play;
  play.greeted();
  play.hears(player(2, "ben"));
  play.hears(unit(60, Unit::CELL, 100, 0, 100 / kMetre, 2));
  play.hears(owns(2, {60}, 60));
  play.wishes({0, 0, ogar::kSpawn, 0, "anna"});
  CHECK_FALSE(has(play.waits(kTick), "camera"));
  words::Player me = player(1, "anna");
  me.set_role(words::WATCH);
  play.hears(me);
  CHECK(has(play.waits(kTick), "camera={x=1767.75 y=0 "));
  play.wishes({0, 0, ogar::kSpawn, 0, "anna"});
  CHECK_FALSE(has(play.waits(kTick), "camera"));
  words::ClaimRefused refused;
  refused.set_why("only to be watched");
  play.hears(core::Fact(1, refused));
  const std::string seen = play.waits(kTick);
  CHECK(has(seen, "camera={x=1767.75 y=0 "));
  CHECK(has(seen, "only to be watched"));
}

TEST_CASE("ogar front: of games with long-range guns, a client receives more than Ogar's window shows") {
  for (const char* game : {"ogar", "panic"}) {
    Play play;
    words::Room room;
    room.set_game(game);
    play.hears(room);
    play.plays();
    play.hears(unit(60, Unit::TANK, 180, 130, 0, 2));
    CHECK(has(play.waits(kTick), "added=[{id=60 ") == (std::string(game) == "panic"));
    words::Shot shot;  // on Ogar, shots are cells anyway
    shot.set_shooter(2);
    shot.set_vx(100);
    shot.set_life(1);
    play.hears(shot);
    CHECK(has(play.waits(kTick), "type=3") == (std::string(game) == "panic"));
  }
}

TEST_CASE("ogar front: a token on the ground is shown as a pellet, at any distance") {
  Play play;
  play.plays();
  words::Token flag;
  flag.set_id(70);
  flag.set_state(words::Token::GROUND);
  flag.set_x(300);
  play.hears(flag);
  CHECK(has(play.waits(kTick), "added=[{id=4294967295 type=1 x=5303.25 y=0 size=20 colour=(140 140 140) flags=0}]"));
  words::TokenTaken taken;
  *taken.mutable_token() = flag;
  taken.mutable_token()->set_state(words::Token::CARRIED);
  play.hears(taken);
  CHECK(has(play.waits(kTick), "removed=[4294967295]"));
}

TEST_CASE("ogar front: the board is the server's; without one, players are sorted by wins") {
  Play play;
  play.plays();
  play.hears(player(2, "ben"));
  words::Score score;
  score.set_player(2);
  score.set_wins(3);
  play.hears(score);
  CHECK(play.waits(4 * kTick) ==
        "sends Update flags=32 board={type=1 rows=[{position=1 flags=0 name=\"ben\"} {position=2 flags=3 "
        "name=\"anna\"}]}\n");
  words::Board board;
  board.add_rows()->set_name("zoe");
  board.mutable_rows(0)->set_place(1);
  play.hears(board);
  CHECK(play.waits(4 * kTick) == "sends Update flags=32 board={type=1 rows=[{position=1 flags=0 name=\"zoe\"}]}\n");
  CHECK(play.waits(kSecond) == "");
}

TEST_CASE("ogar front: of a server's board, a client gets the first hundred rows, slices and lines") {
  Play play;
  play.plays();
  words::Board board;
  for (int i = 0; i < 70'000; ++i) {
    board.add_rows()->set_name("zoe");
    board.add_slices(0.5);
    board.add_lines("line");
  }
  for (const char* part : {"\"line\"", " 0.5", "{position="}) {
    play.hears(board);
    const std::string shown = play.waits(4 * kTick);
    CAPTURE(part);
    CHECK(count(shown, part) >= 99);
    CHECK(count(shown, part) <= 100);
    board.lines_size() > 0 ? board.clear_lines() : board.clear_slices();
  }
}

TEST_CASE("ogar front: in a game with teams, the board shows each team's share of the wins now and then") {
  Play play;
  play.plays();
  words::Room room;
  room.set_game("bzflag");
  room.set_teams(true);
  play.hears(room);
  for (const auto& [team, wins] : {std::pair(words::RED, 1U), {words::GREEN, 3U}}) {
    words::TeamScore score;
    score.set_team(team);
    score.set_wins(wins);
    play.hears(score);
  }
  const std::string shown = play.waits(12 * kSecond);
  CHECK(count(shown, "board={type=2 slices=[0.25 0.75 0]}") == 2);
  CHECK(!has(play.waits(4 * kSecond), "board={type=2 "));  // the players are listed for three quarters of the time
  for (const auto team : {words::RED, words::GREEN}) {     // without wins, the teams' shares are equal
    words::TeamScore score;
    score.set_team(team);
    play.hears(score);
  }
  CHECK(has(play.waits(6 * kSecond), "board={type=2 slices=[0.5 0.5 0]}"));
  CHECK(count(shown, "board={type=1 rows=[{position=1 flags=3 name=\"anna\"}]}") == 2);  // no rows for teams
}

TEST_CASE("ogar front: chat and notices are shown as lines of chat") {
  Play play;
  play.plays();
  play.hears(player(2, "ben"));
  words::Said said;
  said.set_from(2);
  said.set_text("hi");
  play.hears(said);
  words::Notice notice;
  notice.set_text("rain");
  play.hears(notice);
  CHECK(play.waits(kTick) ==
        "sends Update flags=16 chat=[{name=\"ben\" colour=(153 230 46) by_server=0 text=\"hi\"} {name=\"Server\" "
        "colour=(63 63 192) by_server=1 text=\"rain\"}]\n");
  CHECK(play.wishes({0, 0, ogar::kSay, 0, "", {" hello ", "  ", "/help"}}) ==
        "says Toward\nsays Say text: \"hello\"\nsays Say kind: COMMAND text: \"/help\"\n");
}

TEST_CASE("ogar front: a tank's player is told its keys once, and each kill that it takes part in") {
  Play play;
  play.greeted();
  play.wishes({0, 0, ogar::kSpawn, 0, "anna"});
  play.hears(player(1, "anna"));
  play.hears(player(2, "ben"));
  play.hears(player(3, "cleo"));
  play.hears(unit(50, Unit::TANK, 0, 0, 4.32, 1));
  play.hears(unit(60, Unit::TANK, 50, 0, 4.32, 2));
  play.hears(unit(70, Unit::TANK, 90, 0, 4.32, 3));
  play.hears(owns(1, {50}, 50));
  play.waits(kTick);
  const auto lines = [&](core::Fact word) {
    play.hears(std::move(word));
    return texts_of(play.waits(kTick));
  };
  const auto spawned_word = [](Id unit) {
    words::Spawned spawned;
    spawned.set_unit(unit);
    return spawned;
  };
  const auto died_word = [](Id player, Id unit, Id killer, double respawn_s = 0) {
    words::Died died;
    died.set_player(player);
    died.set_unit(unit);
    died.set_killer(killer);
    died.set_respawn_s(respawn_s);
    return died;
  };
  CHECK(lines(spawned_word(60)) == "");
  CHECK(lines(spawned_word(50)) == "your tank drives to the mouse; Space shoots\n");
  CHECK(lines(died_word(1, 50, 2)) == "ben has killed you\n");
  CHECK(lines(spawned_word(50)) == "");
  CHECK(lines(died_word(2, 60, 1)) == "you have killed ben\n");
  CHECK(lines(died_word(3, 70, 2)) == "");
  CHECK(lines(died_word(1, 50, 1)) == "you are dead\n");
  CHECK(lines(died_word(1, 50, 2, 2.5)) == "ben has killed you; 3 s until you may play\n");
  CHECK(lines(died_word(1, 50, 2, std::nan(""))) == "ben has killed you\n");
  CHECK(lines(died_word(1, 50, 2, 1e300)) == "ben has killed you\n");
  CHECK(lines(died_word(3, 99, 1)) == "");  // a unit that it does not know
}

TEST_CASE("ogar front: a cell's player is told neither keys nor deaths") {
  Play play;
  play.plays();
  words::Spawned spawned;
  spawned.set_unit(50);
  play.hears(spawned);
  words::Died died;
  died.set_player(1);
  died.set_unit(50);
  play.hears(died);
  CHECK(texts_of(play.waits(kTick)) == "");
}

TEST_CASE("ogar front: a ping is answered at once, and then with the room's counts") {
  Play play;
  play.greeted();
  words::Room room;
  room.set_name("ours");
  room.set_players(3);
  play.hears(room);
  CHECK(play.receives(from_hex("02")) == "sends Pong\n");
  CHECK(has(play.waits(kTick), "playing=3"));
}

TEST_CASE("ogar front: the counts are those of the room; without them, players are counted") {
  Play play;
  play.plays();
  words::Player watcher = player(2, "ben");
  watcher.set_role(words::WATCH);
  play.hears(watcher);
  play.hears(player(3, "cleo"));
  const Buffer ping = spoken(ogar::Ping{}, wire::Way::kToServer);
  play.receives(ping);
  CHECK(has(play.waits(kSecond), "external=3 internal=0 playing=2 spectating=1"));
  words::Room room;
  room.set_players(7);
  play.hears(room);
  play.receives(ping);
  CHECK(has(play.waits(kSecond), "external=7 internal=0 playing=7 spectating=0"));
}

TEST_CASE("ogar front: a session ends with a reason, and with the game's close code") {
  Play play, other, silent;
  play.greeted();
  words::Kicked kicked;
  kicked.set_text("too bold");
  CHECK(has(play.hears(kicked), "closes: too bold 1003"));
  other.greeted();
  const std::string last = other.stage.session_ends("the server is gone");
  CHECK(has(last, "by_server=1 text=\"the server is gone\""));
  CHECK(last.ends_with("closes: the server is gone 1001\n"));
  Play flooded;
  flooded.plays();
  words::Said said;
  said.set_text("spam");
  for (int i = 0; i < 200; ++i) flooded.hears(said);
  const std::string goodbye = flooded.hears(kicked);
  CHECK(count(goodbye, "text=\"spam\"") == 99);
  CHECK(has(goodbye, "text=\"you were kicked: too bold\"}]"));
  silent.greeted();
  CHECK(has(silent.waits(60 * kSecond), "closes: nothing received for a minute 1003"));
}

TEST_CASE("ogar front: messages for which OgarII closes the connection are refused") {
  const auto fails = [](const Buffer& first, const Buffer& second) {
    Play play;
    play.opens();
    const std::string first_said = play.receives(first);
    const std::string said = second.empty() ? first_said : play.receives(second);
    const auto at = said.find("fails: ");
    return at == std::string::npos ? said : said.substr(at);
  };
  const Buffer hello = client_hello();
  Play told;
  told.opens();
  told.receives(hello);
  CHECK(told.receives(hello).find("forbid: unknown message in code") != std::string::npos);
  CHECK(fails(from_hex("FE06000000"), {}) == "fails: value out of range opcode 1\n");
  CHECK(fails(from_hex("0102000000"), {}) == "fails: value out of range version 5\n");
  CHECK(fails(from_hex("0103"), {}) == "fails: message too short version 1\n");
  CHECK(fails(hello, hello) == "fails: unknown message code 0\n");
  CHECK(fails(hello, Buffer(513, 3)) == "cannot be cut: message too large \n");
  CHECK(fails(hello, from_hex("0300")) == "fails: message too short x 1\n");
}

TEST_CASE("ogar front: facts that a client cannot show are counted") {
  Play play;
  CHECK(play.hears(words::Ammo()) == "loses Ammo: cells have no ammunition\n");
}

TEST_CASE("ogar front: each kind of fact waits for the next picture, or is counted by a reason of the mapping") {
  for_each_fact([](const core::Fact& fact) {
    const std::string word = core::name_of(fact);
    Play play;
    play.plays();
    const std::string said = play.hears(fact);
    if (const MappingLine* line = line_against(ogar::mapping(), word))
      CHECK(said == "loses " + word + ": " + line->reason + "\n");
    else if (word != "Kicked" && word != "Refused")
      CHECK_MESSAGE(said == "", word);
    CHECK(play.stage.closed() == (word == "Kicked" || word == "Refused"));
  });
}

}  // namespace
}  // namespace entente::testing::front_test
