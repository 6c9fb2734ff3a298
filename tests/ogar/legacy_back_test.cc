// Our client of an Ogar server of a legacy version: how it reads the messages of OgarII and of MultiOgarII, whose
// meanings sometimes differ, and what it sends.
#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "adapters/ogar/ogar.h"
#include "adapters/ogar/translate/translators.h"
#include "adapters/ogar/wire/text.h"
#include "tests/ogar/spoken.h"
#include "tests/support/heap.h"
#include "tests/support/stage.h"

namespace entente::testing::legacy_back_test {
namespace {

using core::kMillisecond, core::kSecond, core::Micros;

constexpr Micros kTick = 40 * kMillisecond;

ogar::SetBorder border(const char* program = "OgarII 1.3.6", std::uint32_t mode = 0) {
  ogar::SetBorder border{-7071, -7071, 7071, 7071, ogar::WorldName{}};
  border.world->mode = mode;
  border.world->server.chars = program;
  return border;
}

ogar::Node node(std::uint32_t id, unsigned flags, std::int32_t x, std::uint16_t size, const char* name = "") {
  ogar::Node node;
  node.id = id;
  node.flags = static_cast<std::uint8_t>(flags);
  node.x = x;
  node.size = size;
  node.colour = {255, 16, 64};
  node.name.chars = name;
  return node;
}

ogar::UpdateNodes nodes(std::initializer_list<ogar::Node> nodes) {
  ogar::UpdateNodes update;
  update.nodes = nodes;
  return update;
}

struct Play {
  explicit Play(std::uint32_t number) : version(number) {}

  std::string receives(const ogar::Message& message) {
    return stage.receives(spoken(message, wire::Way::kToClient, legacy_dialect(version)));
  }
  std::string hears(core::Intent word) { return stage.hears(std::move(word)); }
  std::string waits(Micros how_long) { return stage.waits(how_long); }
  std::string enters() {
    words::Enter enter;
    enter.set_name("anna");
    return hears(enter);
  }
  /// In play, with cell 7 at 0 0.
  void plays() {
    stage.opens();
    enters();
    hears(words::Spawn());
    ogar::SetBorder first = border();
    ogar::set(first.world->server, "OgarII 1.3.6", version < 6);
    receives(first);
    waits(3 * kTick);
    receives(ogar::AddNode{7});
    ogar::Node own = node(7, version < 6 ? 0 : 10, 0, 64);
    ogar::set(own.name, "anna", version < 6);
    receives(nodes({own}));
    waits(kTick);
  }

  const std::uint32_t version;
  BackStage stage{ogar::faces().back({legacy_dialect(version), {}}), ogar::game(), legacy_dialect(version),
                  wire::Way::kToServer};
};

bool has(const std::string& all, const std::string& part) { return all.find(part) != std::string::npos; }

TEST_CASE("ogar legacy back: the greeting has its version and a key of 0; the spawn follows once there is a border") {
  Play play(6);
  CHECK(play.stage.opens() ==
        "sends Hello opcode=254 version=6 trailing=<0 bytes>\nsends Key key=0 trailing=<0 bytes>\n");
  CHECK(play.enters() == "");
  CHECK(play.hears(words::Spawn()) == "");
  CHECK(play.waits(kSecond) == "");
  CHECK(play.receives(border()) == "");  // the next message may withdraw it
  const std::string spawns = play.waits(kTick);
  CHECK(spawns.starts_with("sends Mouse x=0 y=0 "));
  CHECK(has(spawns, "\nsends Join name=\"anna\" trailing=<0 bytes>\n"));
  CHECK(play.waits(2 * kTick).starts_with(
      "says World hash: \"ogar 400.000000 by 400.000000\" west: -400 east: 400 south: -400 north: 400 walled: true\n"
      "says Room game: \"ogar\" dialect: \"legacy6\" mode: \"free for all\"\n"
      "says Rule name: \"tick_s\" value: \"0.040000\"\n"
      "says Rule name: \"respawn\" value: \"0.000000\"\n"
      "says Player id: 1 name: \"anna\" team: ROGUE responding: true\n"
      "says Ready\n"));
}

TEST_CASE("ogar legacy back: own cells are known by their ids; new cells and changes are found by comparison") {
  for (const std::uint32_t version : {4U, 6U, 22U}) {
    Play play(version);
    play.plays();
    const auto named = [&](ogar::Node one, const char* name) {
      ogar::set(one.name, name, version < 6);
      return one;
    };
    const std::string told = play.receives(nodes({named(node(20, version < 6 ? 0 : 10, 300, 60), "b\u00e9n")}));
    CHECK(has(told, "says Player id: 102 name: \"b\\303\\251n\" team: ROGUE colour: 16715840"));
    CHECK(has(told, "says Unit id: 103 owner: 102 kind: CELL "));
    CHECK(play.receives(nodes({node(20, 0, 300, 60)})) == "");  // no change: a missing name means the same name
    CHECK(has(play.receives(nodes({node(20, 0, 310, 60)})), "says Pose unit: 103 x: 17.5"));
    ogar::UpdateNodes eaten;
    eaten.eaten.push_back({7, 20});
    eaten.removed.push_back(20);
    const std::string ate = play.receives(eaten);
    CHECK(has(ate, "says Died player: 102 unit: 103 killer: 1 why: BY_TOUCH"));
    CHECK(has(ate, "says Gone unit: 103 by: 101 why: BY_TOUCH\n"));
  }
}

TEST_CASE("ogar legacy back: a long name or skin is truncated to a player's limit") {
  for (const std::uint32_t version : {4U, 6U, 22U}) {
    Play play(version);
    play.plays();
    const auto named = [&](std::uint32_t id) {
      ogar::Node one = node(id, version < 6 ? 4 : 14, 300, 60);
      ogar::set(one.name, "ben" + std::to_string(id) + std::string(20'000, 'x'), version < 6);
      one.skin.chars = "%" + std::string(20'000, 's');
      return one;
    };
    std::size_t before = 0;
    for (std::uint32_t id = 20; id < 60; ++id) {
      if (id == 40) before = bytes_in_use();
      const std::string told = play.receives(nodes({named(id)}));
      CHECK(has(told, " name: \"ben" + std::to_string(id) + std::string(56, 'x') + "...\" "));
      CHECK(has(told, " skin: \"" + std::string(64, 's') + "\""));
      CHECK(play.receives(nodes({named(id)})) == "");  // no change
    }
    CHECK(bytes_in_use() < before + 100'000);
  }
}

TEST_CASE(
    "ogar legacy back: below version 11, a small nameless cell is a pellet; a mother cell is known by its colour") {
  for (const std::uint32_t version : {5U, 6U, 11U}) {
    Play play(version);
    play.plays();
    const unsigned told = version < 6 ? 0 : 2;
    ogar::Node pellet = node(30, version < 11 ? told : 0x82, 100, 10), mother = node(32, told | 1U, 200, 149);
    pellet.extra = 1;
    mother.colour = {0xce, 0x63, 0x63};
    const std::string seen =
        play.receives(nodes({pellet, node(31, told | 1U, 150, 100), mother, node(33, told | 32U, 250, 38)}));
    for (const char* kind : {"102 kind: PELLET", "103 kind: VIRUS", "104 kind: MOTHER", "105 kind: EJECTED"})
      CHECK(has(seen, std::string("says Unit id: ") + kind));
    CHECK(has(play.receives(nodes({node(34, told, 260, 20)})), version < 11 ? "kind: PELLET" : "kind: CELL"));
    CHECK(has(play.receives(nodes({node(35, told, 260, 32)})), "kind: CELL"));
  }
}

TEST_CASE("ogar legacy back: messages that mean something else on MultiOgarII") {
  Play play(14);
  play.stage.opens();
  play.enters();
  play.receives(ogar::ClearAll{});
  CHECK(play.receives(border("MultiOgarII 1.6.3", 3)) == "");
  CHECK_FALSE(has(play.waits(3 * kTick), "teams: true"));  // mode 3 is rainbow
  CHECK(has(play.receives(ogar::UpdatePosition{100, 0, 1}), "says View x: 5.6"));
  play.receives(ogar::AddNode{7});
  play.receives(nodes({node(7, 10, 0, 64, "anna")}));
  CHECK(play.receives(ogar::UpdatePosition{100, 0, 1}) == "");  // it is sent to players, too
  ogar::Node skinned = node(20, 14, 300, 60, "ben");
  skinned.skin.chars = "%dog";
  CHECK(has(play.receives(nodes({skinned})), "skin: \"dog\""));
  ogar::UpdateNodes taken;  // removed, but not eaten
  taken.eaten.push_back({0, 20});
  taken.removed.push_back(20);
  const std::string gone = play.receives(taken);
  CHECK(has(gone, "says Gone unit: "));
  CHECK_FALSE(has(gone, "Died"));
  ogar::RankedLeaderboard board;
  for (int i = 0; i < 10; ++i) ogar::set(board.rows.emplace_back().name, "b");
  board.rows[3].flags = 9;  // our row: its rank is 1, whatever our place is
  board.rows[3].rank = 1;
  const std::string ranked = play.receives(board);
  CHECK(has(ranked, "rows { place: 4 player: 1 name: \"anna\" me: true marked: true }"));
  board.rows[3].flags = 2;
  auto& below = board.rows.emplace_back();
  below.flags = 9;
  below.rank = 17;
  CHECK(has(play.receives(board), "rows { place: 17 player: 1 name: \"anna\" me: true marked: true }"));
  ogar::ServerStat stats;
  stats.json.chars =
      R"({"name":"here","mode":"FFA","uptime":9,"update":"4.000","playersTotal":8,"playersAlive":5,"playersSpect":1,"playersLimit":200})";
  CHECK(has(play.receives(stats), "mode: \"FFA\" most_players: 200 players: 5 watchers: 1 load: 0.1 uptime_s: 9"));
  stats.json.chars = "[]";
  CHECK_FALSE(has(play.receives(stats), "Room"));
  // JSON of 1 MiB would take a second.
  stats.json.chars = R"({"mode":"other","x":")" + std::string(4096, 'x') + R"("})";
  CHECK_FALSE(has(play.receives(stats), "Room"));
}

/// A life on MultiOgarII, from the answer to the spawn name on: coordinates are moved by `by`, and a border follows or
/// not.
std::string reborn(Play& play, std::int32_t by, std::uint32_t id, const ogar::SetBorder* border) {
  std::string heard = play.receives(ogar::ClearAll{});
  if (border != nullptr) heard += play.receives(*border);
  heard += play.receives(ogar::UpdatePosition{static_cast<float>(by), 0, 1});
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (border == nullptr) heard += play.receives(ogar::SetBorder{nan, nan, nan, nan, {}});
  heard += play.receives(ogar::AddNode{id});
  return heard + play.receives(nodes({node(id, 10, by, 64, "anna"), node(id + 1, 3, by + 500, 100)}));
}

TEST_CASE("ogar legacy back: the own row of a board is marked differently if it is the eleventh or a later one") {
  for (const std::size_t own : {std::size_t{10}, std::size_t{11}}) {
    ogar::RankedLeaderboard board;
    board.rows.resize(11);
    board.rows[own - 1].flags = ogar::kOwnRow;
    ogar::ServerTranslator translator(legacy_dialect(14));
    unsigned flags = 0;
    translator.hear(ogar::Message(board), [&](const ogar::Message& message) {
      const auto* const update = std::get_if<ogar::Update>(&message);
      REQUIRE(update != nullptr);
      flags = update->board.rows.at(own - 1).flags;
    });
    CHECK(flags == (own == 11 ? 1U : 3U));
  }
}

TEST_CASE("ogar legacy back: every scramble level of MultiOgarII lets a player spawn, again and again") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const int level : {0, 1, 2, 3}) {
    INFO("level ", level);
    Play play(6);
    play.stage.opens();
    play.enters();
    play.hears(words::Spawn());
    play.receives(ogar::ClearAll{});
    std::string first = play.receives(border("MultiOgarII 1.6.3"));
    first += play.receives(ogar::UpdatePosition{0, 0, 1});
    if (level == 2) first += play.receives(ogar::SetBorder{nan, nan, nan, nan, {}});
    first += play.receives(nodes({node(3, 3, 100, 100)}));
    CHECK(has(first, level == 2 ? "west: -800 east: 800 south: -800 north: 800\n"
                                : "west: -400 east: 400 south: -400 north: 400 walled: true\n"));
    CHECK(has(play.waits(kTick), "sends Join name=\"anna\""));
    for (std::uint32_t life = 0; life < 3; ++life) {
      const std::int32_t by = level == 0 ? 0 : static_cast<std::int32_t>(9000 * life) - 12'345;
      const double ran = level == 3 ? 3e6 * life + 50'000 : 0;
      const ogar::SetBorder told{by - 7071 - ran, -7071 - ran, by + 7071 + ran, 7071 + ran, {}};
      const std::uint32_t id = 10 + 10 * life;
      const std::string lives = reborn(play, by, id, level == 2 ? nullptr : &told);
      CHECK_FALSE(has(lives, "says World"));  // the client need not load another one
      CHECK(has(lives, "says Spawned unit: "));
      CHECK(has(lives, "x: 28."));  // the virus, 500 units from the origin
      CHECK(has(play.waits(kTick), "sends Mouse x=" + std::to_string(by)));
      ogar::UpdateNodes eaten;
      eaten.eaten.push_back({id + 1, id});
      eaten.removed.push_back(id);
      CHECK(has(play.receives(eaten), "says Died player: 1"));
      play.hears(words::Spawn());
      CHECK(has(play.waits(kSecond), "sends Join name=\"anna\""));
    }
  }
}

TEST_CASE("ogar legacy back: a server that tells no border hides its world, unless it tells the true one later") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const ogar::SetBorder none{nan, nan, nan, nan, {}};
  const std::string walled = "west: -400 east: 400 south: -400 north: 400 walled: true\n";
  Play play(6);
  play.stage.opens();
  play.enters();
  play.hears(words::Spawn());
  CHECK(play.receives(none) == "");
  CHECK_FALSE(has(play.waits(kSecond), "says World"));
  play.receives(border("MultiOgarII 1.6.3"));
  CHECK(has(play.waits(kSecond), walled));

  Play later(6);
  later.stage.opens();
  later.enters();
  later.hears(words::Spawn());
  later.receives(border("MultiOgarII 1.6.3"));
  later.receives(none);
  const std::string told = later.waits(kSecond);
  CHECK(has(told, "west: -800 east: 800 south: -800 north: 800\n"));
  CHECK_FALSE(has(told, walled));
}

TEST_CASE("ogar legacy back: a server that sends no border and no cell is asked to spawn all the same") {
  Play play(6);
  play.stage.opens();
  play.enters();
  play.hears(words::Spawn());
  CHECK_FALSE(has(play.waits(4 * kSecond), "sends Join"));  // OgarII takes it for a request to leave the queue
  const std::string late = play.waits(2 * kSecond);
  CHECK(has(late, "says World"));
  CHECK(has(late, "sends Join name=\"anna\""));
}

TEST_CASE("ogar legacy back: a server that is slow to accept the link has as long for its world") {
  Play play(6);
  play.waits(20 * kSecond);
  play.stage.opens();
  play.enters();
  play.hears(words::Spawn());
  CHECK_FALSE(has(play.waits(4 * kSecond), "sends Join"));
  CHECK(has(play.waits(2 * kSecond), "sends Join"));
}

TEST_CASE("ogar legacy back: a server that has taken its world away gets the same time for the next one") {
  Play play(6);
  play.plays();
  play.waits(20 * kSecond);
  play.receives(ogar::ClearAll{});
  play.hears(words::Spawn());
  CHECK_FALSE(has(play.waits(4 * kSecond), "sends Join"));
  CHECK(has(play.waits(2 * kSecond), "sends Join name=\"anna\""));
}

TEST_CASE("ogar legacy back: each split is a message, at most 16; lines of chat are short, one every 2.1 s") {
  Play play(5);
  play.plays();
  words::Split split;
  split.set_count(200);
  play.hears(split);
  const std::string sent = play.waits(kTick);
  std::size_t splits = 0;
  for (std::size_t at = 0; (at = sent.find("sends Split ", at)) != std::string::npos; ++at) ++splits;
  CHECK(splits == 16);
  words::Say say;
  say.set_text(std::string(300, 'x'));
  play.hears(say);
  play.hears(say);
  const auto lines = [&](Micros time) {
    const std::string all = play.waits(time);
    std::size_t count = 0, longest = 0;
    for (std::size_t at = 0; (at = all.find("sends Say ", at)) != std::string::npos; ++at) {
      ++count;
      longest = std::max(longest, all.find('\n', at) - at);
    }
    CHECK(longest < 160);  // 100 units
    if (count != 0) CHECK(has(all, "text=\"" + std::string(97, 'x') + "...\""));
    return count;
  };
  CHECK(lines(1200 * kMillisecond) == 1);
  CHECK(lines(1600 * kMillisecond) == 0);
  CHECK(lines(kSecond) == 1);
  CHECK(has(play.waits(5 * kSecond), "sends StatRequest "));
  Play in_utf8(6);
  in_utf8.plays();
  in_utf8.hears(say);
  CHECK(has(in_utf8.waits(2 * kSecond), "text=\"" + std::string(197, 'x') + "...\""));
}

TEST_CASE("ogar legacy back: Q and commands to minions are separate messages, sent with the mouse") {
  Play play(6);
  play.plays();
  words::Button down;
  down.set_down(true);
  play.hears(down);
  words::Eject eject;
  eject.set_minions(true);
  play.hears(eject);
  play.hears(words::Freeze());
  words::Split split;
  split.set_minions(true);
  play.hears(split);
  const std::string sent = play.waits(kTick);
  for (const char* message : {"Mouse", "MinionSplit", "QPress", "MinionEject", "MinionFreeze"})
    CHECK(has(sent, std::string("sends ") + message + " "));
  CHECK_FALSE(has(sent, "sends Eject "));
}

TEST_CASE("ogar legacy back: own cells are known as such, however many the player had before") {
  Play play(6);
  play.plays();
  constexpr std::uint32_t kFirst = 1000, kEnd = 1600;
  const auto is_own = [&](std::uint32_t id) {
    return has(play.receives(nodes({node(id, 10, 40, 64, "anna")})), " owner: 1 ");
  };
  SUBCASE("they were shown and are gone") {
    for (std::uint32_t id = kFirst; id < kEnd; ++id) {
      play.receives(ogar::AddNode{id});
      play.receives(nodes({node(id, 10, 40, 64, "anna")}));
      ogar::UpdateNodes gone;
      gone.removed = {id};
      play.receives(gone);
    }
  }
  SUBCASE("they died before they were shown") {
    for (std::uint32_t id = kFirst; id < kEnd; ++id) play.receives(ogar::AddNode{id});
  }
  play.receives(ogar::AddNode{kEnd});
  CHECK(is_own(kEnd));
  CHECK_FALSE(is_own(kEnd + 1));
  CHECK(has(play.receives(nodes({node(7, 0, 20, 64)})), "says Pose unit: 101 "));  // the one that it has all the time
}

TEST_CASE("ogar legacy back: in another world, the numbers of own cells may be those of others") {
  Play play(6);
  play.plays();
  play.receives(ogar::AddNode{9});
  play.receives(ogar::ClearAll{});
  play.receives(border());
  const std::string seen = play.receives(nodes({node(9, 10, 40, 64, "ben")}));
  CHECK(has(seen, "name: \"ben\""));
  CHECK_FALSE(has(seen, " owner: 1 "));
}

}  // namespace
}  // namespace entente::testing::legacy_back_test
