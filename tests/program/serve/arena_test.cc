// `entente arena`: people and bots play in one arena, bots fill free seats, and it stops cleanly.
#include <doctest/doctest.h>

#include <csignal>

#include "tests/program/folder.h"
#include "tests/program/native_client.h"
#include "tests/program/recorded.h"
#include "tests/support/listening.h"
#include "tests/support/paths.h"
#include "tests/support/pattern.h"
#include "tests/support/process.h"

namespace entente::arena_test {

namespace {

const std::string kEntente = testing::entente_binary();

Ended says(std::vector<std::string> words) {
  words.insert(words.begin(), {kEntente, "arena"});
  return run(words);
}

constexpr WallTime kStart = 1'700'000'000'000'000'000;

template <class Word>
void say(trace::Recorder& to, const Word& word, core::Micros at) {
  core::Fact fact(word);
  fact.at = at;
  Buffer bytes;
  core::write(fact, bytes);
  to.word(kStart + at * 1000, 1, trace::WordKind::kFact, bytes);
}

bool dead_or_hurt(const words::Fact& fact) { return fact.has_died() || fact.has_health(); }

}  // namespace

TEST_CASE("a native client is let in, also if no URL names its dialect") {
  Process arena({kEntente, "arena", "--listen", "native://127.0.0.1:0"});
  const std::string at = "native://127.0.0.1:" + std::to_string(testing::listening_port(arena, "native protobuf"));
  const BotEnded bot = run_bot(at);
  CHECK_MESSAGE((bot.out + bot.err).find("bots 1 of 1 were let in") != std::string::npos, bot.err);
}

TEST_CASE("people and bots play in one arena, which ends by a signal and reports who played") {
  const Folder folder;
  const std::string record = folder.file("arena.mcap");
  Process arena({kEntente, "arena", "--listen", "native://127.0.0.1:0?dialect=json", "--listen", "panic://127.0.0.1:0",
                 "--bots", "3", "--side", "100", "--name", "yard", "--record", record});
  const int port = testing::listening_port(arena, "native json");
  testing::listening_port(arena, "panic be-packed");
  {
    NativeClient anna(port);
    anna.says("{\"enter\":{\"name\":\"anna\"}}\n");
    const auto room = anna.hears([](const auto& fact) { return fact.has_room(); });
    REQUIRE(room.has_value());
    CHECK(room->room().name() == "yard");
    CHECK(room->room().game() == "arena");
    const auto own = anna.hears([](const auto& fact) { return fact.has_player() && fact.player().name() == "anna"; });
    REQUIRE(own.has_value());
    const auto gone = anna.hears([](const auto& fact) { return fact.has_player_gone(); });
    CHECK(gone.has_value());  // a bot makes room for anna
    anna.says("{\"spawn\":{}}\n");
    const auto spawned = anna.hears([](const auto& fact) { return fact.has_spawned(); });
    CHECK(spawned.has_value());
    CHECK(anna.hears(dead_or_hurt).has_value());
    anna.says("{\"say\":{\"text\":\"well met\"}}\n");
    CHECK(anna.hears([](const auto& fact) { return fact.has_said() && fact.said().text() == "well met"; }).has_value());
    arena.signal(SIGTERM);
    CHECK(anna.hears([](const auto& fact) { return fact.has_kicked(); }).has_value());
  }
  CHECK(arena.wait() == 0);
  for (const char* line : {R"(served native json 127\.0\.0\.1:\d+ sessions=1 refused=0 .*\n)",
                           R"(played bot players=3 present=\d kills=\d+ deaths=\d+ names=bot-1,bot-2,bot-3\n)",
                           R"(played native json players=1 present=\d kills=0 deaths=\d+ names=anna\n)"})
    CHECK_MESSAGE(testing::contains_match(arena.out(), line), line);
  // One recording, so only one listener reports it.
  CHECK(testing::all_matches(arena.out(), R"( recorded=\d+ unrecorded=0[ \n])").size() == 1);
  const Ended verified = run({kEntente, "verify", record});
  CHECK_MESSAGE(verified.code == 0, verified.out, verified.err);
  CHECK(verified.err == "");  // the recorder's notes are not problems
  const std::string converted = folder.file("converted.mcap");
  CHECK(run({kEntente, "convert", record, "--to", converted}).code == 0);
  const Ended inspected = run({kEntente, "inspect", converted});
  CHECK(inspected.out.starts_with("      0.000   #1 --- link 1 native protobuf\n"));  // an arena has no address
  CHECK(inspected.err.starts_with("link 1: the arena 'yard': a room with seed "));
  Process replays({kEntente, "replay", record, "--listen", "native://127.0.0.1:0?dialect=json", "--speed", "16"});
  NativeClient watcher(testing::listening_port(replays, "native json"));
  watcher.says("{\"enter\":{\"name\":\"ben\"}}\n");
  CHECK(
      watcher.hears([](const auto& fact) { return fact.has_said() && fact.said().text() == "well met"; }).has_value());
}

TEST_CASE("the arenas of a configuration are served at the same time") {
  const Folder folder;
  const std::string one = "[[arena]]\nname = \"";
  const std::string two = "\"\nbots = 1\nbehaviour = \"idle\"\nlisten = [\"native://127.0.0.1:0?dialect=json\"]\n";
  const std::string file = folder.write("a.toml", one + "east" + two + one + "west" + two);
  CHECK(run({kEntente, "check", file}).out == file + ": ok, 2 arenas\n");
  Process runs({kEntente, "run", file});
  const int east = testing::listening_port(runs, "native json"), west = testing::listening_port(runs, "native json");
  for (const auto& [port, name] : {std::pair(east, "east"), std::pair(west, "west")}) {
    NativeClient client(port);
    client.says("{\"want_world\":{}}\n");
    const auto room = client.hears([](const auto& fact) { return fact.has_room(); });
    REQUIRE(room.has_value());
    CHECK(room->room().name() == name);
    CHECK(client.hears([](const auto& fact) { return fact.has_player() && fact.player().name() == "bot-1"; })
              .has_value());
  }
  runs.signal(SIGINT);
  CHECK(runs.wait() == 0);
}

TEST_CASE("an arena continues a recording from any time; bots replace its players at their places") {
  const Folder folder;
  const std::string path = folder.file("before.mcap");
  {
    auto to = recorder(path);
    to->opened(kStart, opening(1, "bzflag", "2.4"));
    words::Player player;
    player.set_id(1);
    player.set_name("carla");
    words::Unit unit;
    unit.set_id(2);
    unit.set_owner(1);
    unit.set_alive(true);
    words::Owns owns;
    owns.set_player(1);
    owns.add_units(2);
    owns.set_active(2);
    words::World world;
    world.set_name("before");
    world.set_west(-70), world.set_east(70), world.set_south(-70), world.set_north(70);
    world.set_kind(words::World::VOXELS);
    world.set_voxels("of Ace of Spades");
    words::Solid& wall = *world.add_solids();
    wall.set_x(50), wall.set_y(50), wall.set_z(30), wall.set_half_x(2), wall.set_half_y(2), wall.set_height(9);
    for (const core::Fact& fact : {core::Fact(world), core::Fact(player), core::Fact(unit), core::Fact(owns)})
      say(*to, fact, 0);
    for (int i = 1; i <= 20; ++i) {
      words::Pose pose;
      pose.set_unit(2);
      pose.set_x(i);
      pose.set_z(30);
      say(*to, pose, static_cast<core::Micros>(i) * 100'000);
    }
    REQUIRE(to->close(kStart + 3'000'000'000).ok());
  }
  const Ended late = run({kEntente, "arena", "--listen", "native://127.0.0.1:0", "--from", path, "--at", "9:00"});
  CHECK(late.code == 1);
  CHECK_MESSAGE(late.err.find("at 9:00 is after the end of " + path + ", which is 0:0") != std::string::npos, late.err);
  Process arena({kEntente, "arena", "--listen", "native://127.0.0.1:0?dialect=json", "--from", path, "--at", "1.25",
                 "--behaviour", "idle", "--bots", "2"});
  NativeClient anna(testing::listening_port(arena, "native json"));
  anna.says("{\"want_world\":{}}\n");
  const auto world = anna.hears([](const auto& fact) { return fact.has_world(); });
  REQUIRE(world.has_value());
  CHECK(world->world().name() == "before");
  CHECK(world->world().kind() == words::World::SOLIDS);
  REQUIRE(world->world().solids_size() == 1);
  CHECK(world->world().solids(0).z() == 0);
  CHECK(world->world().solids(0).height() == 9);
  CHECK(world->world().voxels().empty());
  for (const char* name : {"carla", "bot-2"})
    CHECK(anna.hears([&](const auto& fact) { return fact.has_player() && fact.player().name() == name; }).has_value());
  const auto at = [](const words::Fact& fact) {
    const words::Pose& pose = fact.has_unit() ? fact.unit().pose() : fact.spawned().pose();
    return (fact.has_unit() || fact.has_spawned()) && pose.x() == 12 && pose.y() == 0 && pose.z() == 0;
  };
  CHECK(anna.hears(at).has_value());
  arena.signal(SIGTERM);
  CHECK(arena.wait() == 0);
  const Ended nothing = says({"--listen", "native://127.0.0.1:0", "--from", folder.file("none")});
  CHECK(nothing.code == 1);
}

TEST_CASE("an error about a wrong option says what is expected") {
  const std::string listen = "--listen", native = "native://127.0.0.1:0";
  struct Case {
    std::vector<std::string> words;
    std::string said;
  };
  for (const Case& c : std::vector<Case>{
           {{}, "entente arena: --listen is required"},
           {{listen, "quake://h"}, "entente arena: --listen 'quake://h': unknown game 'quake'"},
           {{listen, "native://127.0.0.1:0?strict=yes"}, "'strict' is for relays"},
           {{listen, native, "--bots", "64"}, "entente arena: --bots must be less than seats"},
           {{listen, native, "--mode", "chess"}, "--mode: expected free_for_all, teams or flags, got 'chess'"},
           {{listen, native, "--at", "soon"}, "--at"},
           {{listen, native, "--side", "5"}, "--side: expected an integer from 80 to 800 metres, got '5'"},
           {{listen, native, "--reload-ms", "2.5"}, " milliseconds, got '2.5'"}}) {
    const Ended ended = says(c.words);
    CHECK(ended.code == 2);
    CHECK_MESSAGE(ended.err.find(c.said) != std::string::npos, ended.err);
  }
}

TEST_CASE("every rule of an arena is an option, with the help text of its configuration key") {
  const std::string help = says({"--help"}).out;
  for (const char* flag : {"--bots", "--behaviour", "--mode", "--side", "--ball-damage", "--score-limit", "--ricochet"})
    CHECK_MESSAGE(help.find(flag) != std::string::npos, flag);
  CHECK(help.find("Damage of a ball that hits (0 to 1000 points, default: 50)") != std::string::npos);
}

}  // namespace entente::arena_test
