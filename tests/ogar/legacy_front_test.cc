// Our server for an Ogar client of a legacy version: how each group of versions receives the same facts, and what its
// messages mean. tests/ogar/dialects_test.cc checks the contents; this file checks the wire.
#include <doctest/doctest.h>

#include <vector>

#include "adapters/ogar/ogar.h"
#include "adapters/ogar/translate/translators.h"
#include "adapters/ogar/wire/text.h"
#include "tests/ogar/spoken.h"
#include "tests/support/stage.h"

namespace entente::testing::legacy_front_test {
namespace {

using core::Id, core::kMillisecond, core::kSecond, core::Micros;
using words::Unit;

constexpr Micros kTick = 40 * kMillisecond;
constexpr double kMetre = 14142.0 / 800;

struct Play {
  explicit Play(std::uint32_t number) : version(number) {}

  std::string wishes(const ogar::Message& message) {
    return stage.receives(spoken(message, wire::Way::kToServer, legacy_dialect(version)));
  }
  std::string hears(core::Fact word) { return stage.hears(std::move(word)); }
  std::string waits(Micros how_long) { return stage.waits(how_long); }

  void opens() {
    stage.opens();
    ogar::Hello hello;
    hello.opcode = 0xFE;
    hello.version = version;
    wishes(hello);
  }
  void greeted() {
    opens();
    wishes(ogar::Key{});
    words::World world;
    world.set_hash("open");
    world.set_west(-400);
    world.set_east(400);
    world.set_south(-400);
    world.set_north(400);
    hears(world);
    waits(0);
  }
  /// In play, with cell 50 at 10 -20, in Ogar's units.
  void plays() {
    greeted();
    ogar::Join join;
    ogar::set(join.name, "anna", version < 6);
    wishes(join);
    words::Player me;
    me.set_id(1);
    me.set_name("anna");
    hears(me);
    words::Owns owns;
    owns.set_player(1);
    owns.add_units(50);
    owns.set_active(50);
    hears(unit(50, Unit::CELL, 10, -20, 32, 1));
    hears(owns);
  }
  static words::Unit unit(Id id, Unit::Kind kind, double x, double y, double size, Id owner = 0) {
    words::Unit unit;
    unit.set_id(id);
    unit.set_kind(kind);
    unit.set_owner(owner);
    unit.set_radius(size / kMetre);
    unit.set_colour(0xff1040);
    unit.set_alive(true);
    unit.mutable_pose()->set_unit(id);
    unit.mutable_pose()->set_x(x / kMetre);
    unit.mutable_pose()->set_y(-y / kMetre);
    return unit;
  }

  const std::uint32_t version;
  FrontStage stage{ogar::faces().front({legacy_dialect(version), {}}), ogar::game(), legacy_dialect(version),
                   wire::Way::kToClient};
};

words::World smaller_world() {
  words::World world;
  world.set_hash("smaller");
  world.set_west(-100);
  world.set_east(100);
  world.set_south(-100);
  world.set_north(100);
  return world;
}

bool has(const std::string& all, const std::string& part) { return all.find(part) != std::string::npos; }

TEST_CASE("ogar legacy front: more removed cells than a message can count come in several") {
  constexpr std::uint32_t kCells = 70'000;
  for (const std::uint32_t version : {5U, 6U, 22U}) {
    CAPTURE(version);
    ogar::ClientTranslator translator(legacy_dialect(version));
    std::vector<ogar::UpdateNodes> told;
    const auto take = [&](const ogar::Message& message) {
      if (const auto* nodes = std::get_if<ogar::UpdateNodes>(&message)) told.push_back(*nodes);
    };
    ogar::Update added, removed;
    added.flags = static_cast<std::uint16_t>(ogar::kBorder | ogar::kAdded);
    removed.flags = static_cast<std::uint16_t>(ogar::kAdded | ogar::kEaten | ogar::kRemoved);
    for (std::uint32_t id = 1; id <= kCells; ++id) {
      added.added.emplace_back().id = id;
      removed.removed.push_back(id);
    }
    removed.added.emplace_back().id = kCells + 1;
    removed.eaten.push_back({1, 2});
    translator.say(ogar::Message(added), take);
    told.clear();
    translator.say(ogar::Message(removed), take);
    REQUIRE(told.size() == (version < 6 ? 1 : 2));
    std::size_t nodes = 0, eaten = 0;
    std::vector<std::uint32_t> all;
    for (const ogar::UpdateNodes& one : told) {
      CHECK_FALSE(one.removed.empty());
      CHECK((version < 6 || one.removed.size() <= 65'535));
      nodes += one.nodes.size();
      eaten += one.eaten.size();
      all.insert(all.end(), one.removed.begin(), one.removed.end());
    }
    CHECK(nodes == 1);
    CHECK(eaten == 1);
    CHECK(all == removed.removed);
  }
}

TEST_CASE("ogar legacy front: nothing is sent before the key; then the border, and a picture at each tick") {
  Play play(6);
  play.opens();
  CHECK(play.wishes(ogar::Spectate{}) == "");  // ignored before the key, as by servers
  CHECK(play.waits(2 * kSecond) == "");
  CHECK(play.wishes(ogar::Key{}) == "says WantWorld\n");
  CHECK(play.wishes(ogar::Key{}) == "");
  words::World world;
  world.set_hash("open");
  world.set_west(-400);
  world.set_east(400);
  world.set_south(-200);
  world.set_north(200);
  play.hears(world);
  CHECK(play.waits(0) ==
        "sends SetBorder left=-7071 top=-3535.5 right=7071 bottom=3535.5 world={mode=0 server=\"OgarII 1.3.6\"}\n"
        "sends UpdateNodes eaten=[] nodes=[] removed=[]\n");
  CHECK(play.waits(kTick) == "sends UpdateNodes eaten=[] nodes=[] removed=[]\n");
}

TEST_CASE("ogar legacy front: the id of an own cell comes before the cell, in each version's form") {
  const std::pair<std::uint32_t, const char*> told[] = {
      {4, "nodes=[{id=50 x=10 y=-20 size=32 colour=(255 16 64) flags=0 name=\"anna\"}]"},
      {5, "nodes=[{id=50 x=10 y=-20 size=32 colour=(255 16 64) flags=0 name=\"anna\"}]"},
      {6, "nodes=[{id=50 x=10 y=-20 size=32 flags=10 colour=(255 16 64) name=\"anna\"}]"},
      {10, "nodes=[{id=50 x=10 y=-20 size=32 flags=10 colour=(255 16 64) name=\"anna\"}]"},
      {22, "nodes=[{id=50 x=10 y=-20 size=32 flags=10 colour=(255 16 64) name=\"anna\"}]"}};
  for (const auto& [version, line] : told) {
    Play play(version);
    play.plays();
    CHECK(play.waits(kTick) ==
          "sends AddNode id=50\nsends UpdateNodes eaten=[] " + std::string(line) + " removed=[]\n");
  }
}

TEST_CASE("ogar legacy front: viruses and ejected mass have their flags; pellets have one from version 11 on") {
  for (const std::uint32_t version : {6U, 11U}) {
    Play play(version);
    play.plays();
    play.waits(kTick);
    play.hears(Play::unit(60, Unit::PELLET, 30, 0, 10));
    play.hears(Play::unit(61, Unit::VIRUS, 40, 0, 100));
    play.hears(Play::unit(62, Unit::MOTHER, 50, 0, 149));
    play.hears(Play::unit(63, Unit::EJECTED, 60, 0, 38));
    const std::string seen = play.waits(kTick);
    CHECK(has(seen, version < 11 ? "{id=60 x=30 y=0 size=10 flags=2 colour=(255 16 64)}"
                                 : "{id=60 x=30 y=0 size=10 flags=130 extra=1 colour=(255 16 64)}"));
    CHECK(has(seen, "{id=61 x=40 y=0 size=100 flags=3 "));
    CHECK(has(seen, "{id=62 x=50 y=0 size=149 flags=3 "));
    CHECK(has(seen, "{id=63 x=60 y=0 size=38 flags=34 "));
    words::Gone gone;
    gone.set_unit(60);
    gone.set_by(50);
    play.hears(gone);
    words::Pose pose = Play::unit(61, Unit::VIRUS, 45, 0, 100).pose();
    pose.set_radius(100 / kMetre);
    play.hears(pose);
    CHECK(has(
        play.waits(kTick),
        "sends UpdateNodes eaten=[{killer=50 killed=60}] nodes=[{id=61 x=45 y=0 size=100 flags=1}] removed=[60]\n"));
  }
}

TEST_CASE(
    "ogar legacy front: the own row has a mark, a cell or no name; a place below ten is sent from version 11 on") {
  words::Board best, below;
  for (const bool mine : {false, true}) {
    auto& row = *best.add_rows();
    row.set_place(mine ? 2 : 1);
    row.set_name(mine ? "anna" : "ben");
    row.set_me(mine);
  }
  for (std::uint32_t place = 1; place <= 11; ++place) {
    auto& row = *below.add_rows();
    row.set_place(place < 11 ? place : 17);
    row.set_name(place < 11 ? "b" : "anna");
    row.set_me(place == 11);
  }
  const auto board = [](std::uint32_t version, const words::Board& word) {
    Play play(version);
    play.plays();
    play.waits(kTick);
    play.hears(word);
    const std::string all = play.waits(4 * kTick);
    const auto from = all.find("Leaderboard ");
    return all.substr(from, all.find('\n', from) - from);
  };
  CHECK(board(5, best) == "Leaderboard rows=[{mark=0 name=\"ben\"} {mark=50 name=\"anna\"}]");
  CHECK(board(6, best) == "Leaderboard rows=[{mark=0 name=\"ben\"} {mark=1 name=\"anna\"}]");
  CHECK(board(7, best) == "Leaderboard rows=[{mark=0 name=\"ben\"} {mark=50 name=\"anna\"}]");
  CHECK(board(11, best) == "Leaderboard rows=[{flags=2 name=\"ben\"} {flags=8}]");
  CHECK(board(14, best) == "Leaderboard rows=[{flags=2 name=\"ben\"} {flags=8}]");
  CHECK_FALSE(has(board(6, below), "anna"));
  CHECK(has(board(14, below), " {flags=9 rank=17}]"));
}

TEST_CASE("ogar legacy front: slices of the pie have colours from version 21 on") {
  words::Board pie;
  for (const float slice : {0.5F, 0.25F, 0.25F}) pie.add_slices(slice);
  for (const std::uint32_t version : {6U, 21U}) {
    Play play(version);
    play.plays();
    play.waits(kTick);
    play.hears(pie);
    CHECK(has(play.waits(4 * kTick),
              version < 21
                  ? "sends TeamLeaderboard slices=[{weight=0.5} {weight=0.25} {weight=0.25}]\n"
                  : "sends TeamLeaderboard slices=[{weight=0.5 colour=(255 0 0)} {weight=0.25 colour=(0 255 0)} "
                    "{weight=0.25 colour=(0 0 255)}]\n"));
  }
}

TEST_CASE(
    "ogar legacy front: a new world clears the old one; versions below 6 first receive the removal of all cells") {
  for (const std::uint32_t version : {5U, 6U}) {
    Play play(version);
    play.plays();
    play.waits(kTick);
    play.hears(smaller_world());
    const std::string seen = play.waits(kTick);
    const std::string first = version < 6 ? "sends UpdateNodes eaten=[] nodes=[] removed=[50]\n" : "";
    CHECK(has(seen, first + "sends ClearAll\nsends SetBorder left=-1767.75 "));
    CHECK(has(seen, "sends AddNode id=50\n"));
    CHECK(seen.starts_with(version < 6 ? "sends UpdateNodes" : "sends ClearAll"));
  }
}

TEST_CASE("ogar legacy front: in a new world the own row of the board has the player's new cell") {
  for (const std::uint32_t version : {5U, 7U}) {
    CAPTURE(version);
    Play play(version);
    play.plays();
    play.waits(kTick);
    play.hears(smaller_world());
    words::Gone gone;
    gone.set_unit(50);
    play.hears(gone);
    play.hears(Play::unit(51, words::Unit::CELL, 10, -20, 32, 1));
    words::Owns owns;
    owns.set_player(1);
    owns.add_units(51);
    owns.set_active(51);
    play.hears(owns);
    CHECK(has(play.waits(kTick), "sends AddNode id=51\n"));
    words::Board board;
    board.add_rows()->set_place(1);
    board.mutable_rows(0)->set_name("anna");
    board.mutable_rows(0)->set_me(true);
    play.hears(board);
    CHECK(has(play.waits(4 * kTick), "Leaderboard rows=[{mark=51 name=\"anna\"}]"));
  }
}

TEST_CASE("ogar legacy front: the own row of the board has a cell that the player still has") {
  for (const std::uint32_t version : {5U, 7U}) {
    CAPTURE(version);
    Play play(version);
    play.plays();
    play.waits(kTick);
    words::Gone gone;
    gone.set_unit(50);
    play.hears(gone);
    CHECK(has(play.waits(kTick), "removed=[50]"));
    words::Owns owns;
    owns.set_player(1);
    owns.add_units(51);
    owns.set_active(51);
    play.hears(Play::unit(51, words::Unit::CELL, 10, -20, 32, 1));
    play.hears(owns);
    CHECK(has(play.waits(kTick), "sends AddNode id=51\n"));
    words::Board board;
    board.add_rows()->set_name("ben");
    board.add_rows()->set_name("anna");
    board.mutable_rows(1)->set_me(true);
    play.hears(board);
    CHECK(has(play.waits(4 * kTick), "Leaderboard rows=[{mark=0 name=\"ben\"} {mark=51 name=\"anna\"}]"));
  }
}

TEST_CASE(
    "ogar legacy front: the board is sent again when the cell of its own row is gone, and the player has others") {
  for (const std::uint32_t version : {5U, 6U, 7U, 11U}) {
    CAPTURE(version);
    const bool by_cell = version == 5 || version == 7;
    Play play(version);
    play.plays();
    play.waits(kTick);
    words::Board board;
    board.add_rows()->set_name("ben");
    board.add_rows()->set_name("anna");
    board.mutable_rows(1)->set_me(true);
    play.hears(board);
    CHECK(has(play.waits(4 * kTick), "Leaderboard rows=["));
    words::Owns owns;
    owns.set_player(1);
    owns.add_units(51);
    owns.set_active(51);
    words::Gone gone;
    gone.set_unit(50);
    play.hears(gone);
    CHECK_FALSE(has(play.waits(kTick), "Leaderboard"));  // the player is dead
    play.hears(Play::unit(51, words::Unit::CELL, 10, -20, 32, 1));
    play.hears(owns);
    const std::string seen = play.waits(kTick);
    CHECK(has(seen, "sends AddNode id=51\n"));
    CHECK(has(seen, "sends Leaderboard rows=[{mark=0 name=\"ben\"} {mark=51 name=\"anna\"}]\n") == by_cell);
    CHECK_FALSE(has(play.waits(kSecond), "Leaderboard"));
  }
}

TEST_CASE(
    "ogar legacy front: the mouse is read in all three widths; a second press of Q without a release counts as both") {
  Play play(6);
  play.plays();
  play.waits(kTick);
  ogar::Mouse mouse;
  mouse.x = 1768;
  mouse.y = -884;
  CHECK(has(play.wishes(mouse), "says Toward x: 100.01"));
  mouse.form = 1;
  mouse.x = 884;
  CHECK(has(play.wishes(mouse), "says Toward x: 50.00"));
  mouse.form = 2;
  mouse.precise_x = 1768;
  mouse.precise_y = -884;
  CHECK(has(play.wishes(mouse), "says Toward x: 100.01"));
  CHECK(play.wishes(ogar::QPress{}) == "says Button down: true\n");
  CHECK(play.wishes(ogar::QPress{}) == "says Button\nsays Button down: true\n");
  CHECK(play.wishes(ogar::QRelease{}) == "says Button\n");
  CHECK(play.wishes(ogar::Split{}) == "says Split count: 1\n");
  CHECK(play.wishes(ogar::MinionSplit{}) == "says Split count: 1 minions: true\n");
  CHECK(play.wishes(ogar::MinionEject{}) == "says Eject minions: true\n");
  CHECK(play.wishes(ogar::MinionFreeze{}) == "says Freeze on: true\n");
  CHECK(play.wishes(ogar::MinionCollect{}) == "loses MinionCollect: no server acts on it\n");
}

TEST_CASE("ogar legacy front: requested statistics are sent with the next picture, up to version 5 in 16-bit units") {
  for (const std::uint32_t version : {5U, 6U}) {
    Play play(version);
    words::Room room;
    room.set_name("a \"room\"\\");
    room.set_players(3);
    play.plays();
    play.hears(room);
    play.waits(kTick);
    CHECK(play.wishes(ogar::StatRequest{}) == "");
    const std::string seen = play.waits(kTick);
    CHECK(has(seen, "sends ServerStat json="));
    CHECK(has(seen, "\\\"playersAlive\\\":3,"));
    CHECK_FALSE(has(play.waits(kTick), "ServerStat"));
  }
}

}  // namespace
}  // namespace entente::testing::legacy_front_test
