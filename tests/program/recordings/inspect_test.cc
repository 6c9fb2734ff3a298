// `entente inspect`: its output, its filters, and damaged files.
#include "proxy/program/recordings/inspect.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "proxy/core/word.h"
#include "proxy/program/conversion/convert.h"
#include "proxy/program/recordings/inspect_line.h"
#include "proxy/program/recordings/inspect_player.h"
#include "proxy/program/recordings/verify.h"
#include "proxy/trace/recover.h"
#include "tests/program/folder.h"
#include "tests/program/import/packets.h"
#include "tests/program/recorded.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace entente::inspect_test {
namespace {

struct Inspected {
  int exit = 0;
  std::string out, err;
};

Inspected inspected(const InspectOptions& options) {
  std::ostringstream out, err;
  const int exit = inspect(options, out, err);
  return {exit, out.str(), err.str()};
}

constexpr WallTime kSecond = 1'000'000'000;

/// Two connections of Panic with an action, two moves, an end within a message, and bytes that are not a message.
std::string two_links(const Folder& folder) {
  const auto path = folder.file("x.mcap");
  const auto to = recorder(path);
  to->opened(5 * kSecond, opening(1, "panic", "be-packed"));
  record(*to, 1, trace::TO_SERVER, "0001010200000001", 6 * kSecond);
  to->opened(6 * kSecond, opening(2, "panic", "le-padded"));
  record(*to, 2, trace::TO_CLIENT, "230127370100000001000000", 7 * kSecond + kSecond / 2);
  record(*to, 1, trace::TO_CLIENT, "23010000000100000001 2400", 8 * kSecond);
  to->closed(9 * kSecond, 1, "server left");
  record(*to, 2, trace::TO_CLIENT, "ff00", 10 * kSecond);
  REQUIRE(to->close(11 * kSecond).ok());
  return path;
}

constexpr const char* kAll =
    "      0.000   #1 --- 127.0.0.1:4001 panic be-packed\n"
    "      1.000   #1 c2s     Action player=1 action=1 direction=2 piece=1\n"
    "      1.000   #2 --- 127.0.0.1:4002 panic le-padded\n"
    "      2.500   #2 s2c     Move direction=1 padding=2737 value=1 piece=1\n"
    "      3.000   #1 s2c     Move direction=1 value=1 piece=1\n"
    "      4.000   #1 --- server ended it: server left\n"
    "      4.000   #1 --- 2 bytes s2c of an unfinished message\n"
    "      5.000   #2 s2c     ?? 2 bytes: unknown message type, field type, byte 0: ff00\n";

/// The lines of kAll whose numbers (from 0) are in `wanted`.
std::string lines(std::initializer_list<int> wanted) {
  std::istringstream all(kAll);
  std::string line, out;
  for (int i = 0; std::getline(all, line); ++i)
    if (std::find(wanted.begin(), wanted.end(), i) != wanted.end()) out += line + "\n";
  return out;
}

TEST_CASE("each message is a line with its time and its connection") {
  const Folder folder;
  const Inspected all = inspected({{two_links(folder), "", "", 0}});
  CHECK(all.exit == kOk);
  CHECK(all.out == kAll);
  CHECK(all.err == "");
}

TEST_CASE("filters select connections, messages, directions and times") {
  const Folder folder;
  InspectOptions options{{two_links(folder), "", "", 0}};
  const auto with = [&](auto&& change) {
    InspectOptions changed = options;
    change(changed);
    return inspected(changed).out;
  };
  CHECK(with([](auto& o) { o.connections = {"2"}; }) == lines({2, 3, 7}));
  CHECK(with([](auto& o) { o.connections = {"#2"}; }) == lines({2, 3, 7}));
  CHECK(with([](auto& o) { o.connections = {":4001"}; }) == lines({0, 1, 4, 5, 6}));
  CHECK(with([](auto& o) { o.messages = {"move"}; }) == lines({3, 4}));
  CHECK(with([](auto& o) { o.messages = {"Action", "GameStart"}; }) == lines({1}));
  CHECK(with([](auto& o) { o.way = "s2c", o.messages = {"Action", "Move"}; }) == lines({3, 4}));
  CHECK(with([](auto& o) { o.since = 1.5, o.until = 3; }) == lines({3, 4}));
  CHECK(with([](auto& o) { o.connections = {"9"}; }) == "");
  CHECK(with([](auto& o) { o.connections = {"4002"}; }) == lines({2, 3, 7}));
  CHECK(with([](auto& o) { o.connections = {"1", "4002"}; }) == kAll);
  CHECK(with([](auto& o) { o.connections = {"1"}; }) == lines({0, 1, 4, 5, 6}));  // a number: both names have a 1
}

TEST_CASE("if nothing matches, an error lists the connections") {
  const Folder folder;
  const InspectOptions options{{two_links(folder), "", "", 0}};
  const std::string there =
      "entente inspect: nothing matches among 2 connections (#1 127.0.0.1:4001, #2 127.0.0.1:4002) in 5.000 s\n";
  const auto nothing = [&](auto&& change) {
    InspectOptions changed = options;
    change(changed);
    const Inspected said = inspected(changed);
    CHECK(said.exit == kOk);
    CHECK(said.out == "");
    CHECK(said.err == there);
  };
  nothing([](auto& o) { o.connections = {"9"}; });
  nothing([](auto& o) { o.connections = {"somebody"}; });
  nothing([](auto& o) { o.messages = {"GameStart"}; });
  nothing([](auto& o) { o.since = 60; });
  nothing([](auto& o) { o.since = 0.1, o.until = 0.2; });

  std::string many;
  for (int i = 1; i <= 10; ++i)
    many += R"({"t_ms":1,"conn":"c)" + std::to_string(i) + R"(\n","dir":"c2s","hex":"00"})" + "\n";
  const Inspected crowd = inspected({{folder.write("many.jsonl", many), "panic", "be-packed", 0}, {"d"}});
  CHECK(
      crowd.err.ends_with("among 10 connections (#1 c1\\x0a, #2 c2\\x0a, #3 c3\\x0a, #4 c4\\x0a, #5 c5\\x0a, #6 "
                          "c6\\x0a, #7 c7\\x0a, #8 c8\\x0a, and 2 more) in 0.000 s\n"));

  const std::string foreign = folder.write("foreign.jsonl", R"({"t_ms":1,"conn":"Zoë","dir":"c2s","hex":"00"})");
  CHECK(inspected({{foreign, "panic", "be-packed", 0}, {"d"}}).err.find("(#1 Zoë)") != std::string::npos);

  REQUIRE(recorder(folder.file("nobody.mcap"))->close(2).ok());
  CHECK(inspected({{folder.file("nobody.mcap"), "", "", 0}}).err ==
        "entente inspect: nothing matches among 0 connections in 0.000 s\n");
}

TEST_CASE("bytes and JSON") {
  const Folder folder;
  InspectOptions options{{two_links(folder), "", "", 0}};
  options.messages = {"Action"};
  options.hex = true;
  CHECK(inspected(options).out ==
        "      1.000   #1 c2s     Action player=1 action=1 direction=2 piece=1\n"
        "                   0  0001 0102 0000 0001                      ........\n");
  options.json = true;
  CHECK(inspected(options).out ==
        R"({"t":1.000000,"connection":1,"name":"127.0.0.1:4001","way":"c2s","lane":"stream","message":"Action",)"
        R"("fields":{"player":1,"action":1,"direction":2,"piece":1},"hex":"0001010200000001"})"
        "\n");
}

/// A bridge's player link with a word and a world.
std::string bridged(const Folder& folder) {
  const auto path = folder.file("bridged.mcap");
  const auto to = recorder(path);
  to->opened(5 * kSecond, opening(1, "panic", "be-packed"));
  words::Fact fact;
  fact.mutable_pose()->set_unit(3);
  to->word(6 * kSecond, 1, trace::WordKind::kFact, as_bytes(fact.SerializeAsString()));
  trace::Geometry geometry;
  geometry.set_hash("9f3a");
  geometry.mutable_world()->set_columns(34);
  to->geometry(geometry);
  trace::Snapshot world;
  world.set_link(1);
  world.set_geometry("9f3a");
  for (std::uint32_t id = 1; id <= 2; ++id) world.add_facts()->mutable_player()->set_id(id);
  world.add_facts()->mutable_unit()->set_id(3);
  to->world(7 * kSecond, world);
  world.clear_geometry();
  to->world(8 * kSecond, world);
  to->closed(9 * kSecond, 1, "client left");
  REQUIRE(to->close(11 * kSecond).ok());
  return path;
}

TEST_CASE("a world is a line of numbers") {
  const Folder folder;
  InspectOptions options{{bridged(folder), "", "", 0}};
  CHECK(inspected(options).out ==
        "      0.000   #1 --- 127.0.0.1:4001 panic be-packed\n"
        "      1.000   #1 fact   pose { unit: 3 }\n"
        "      2.000   #1 world  2 players 1 units geometry 9f3a\n"
        "      3.000   #1 world  2 players 1 units no geometry\n"
        "      4.000   #1 --- client ended it: client left\n");
  options.json = true;
  options.since = 2;
  options.until = 2.5;
  CHECK(inspected(options).out == R"({"t":2.000000,"connection":1,"world":{"players":2,"units":1,"geometry":"9f3a"}})"
                                  "\n");
}

TEST_CASE("JSON has words in the form of schema/NATIVE.md") {
  const Folder folder;
  const auto path = folder.file("words.mcap");
  const auto to = recorder(path);
  to->opened(5 * kSecond, opening(1, "panic", "be-packed"));
  words::Fact fact;
  fact.set_at_us(1'200'000);
  fact.mutable_died()->set_respawn_s(5);
  fact.mutable_died()->set_why(words::BY_SHOT);
  to->word(6 * kSecond, 1, trace::WordKind::kFact, as_bytes(fact.SerializeAsString()));
  to->closed(9 * kSecond, 1, "client left");
  REQUIRE(to->close(11 * kSecond).ok());
  InspectOptions options{{path, "", "", 0}};
  options.since = 1;
  options.until = 1;
  options.json = true;
  CHECK(inspected(options).out ==
        R"({"t":1.000000,"connection":1,"fact":{"at_us":"1200000","died":{"why":"BY_SHOT","respawn_s":5}}})"
        "\n");
}

TEST_CASE("in JSON, the events of a connection are objects with a type") {
  const Folder folder;
  InspectOptions options{{two_links(folder), "", "", 0}};
  options.connections = {"1"};
  options.json = true;
  const std::string all = inspected(options).out;
  CHECK(all.starts_with(R"({"t":0.000000,"connection":1,"event":"opened","name":"127.0.0.1:4001","game":"panic",)"
                        R"("dialect":"be-packed"})"
                        "\n"));
  CHECK(all.ends_with(R"({"t":4.000000,"connection":1,"event":"closed","by":"server","reason":"server left"})"
                      "\n"
                      R"({"t":4.000000,"connection":1,"event":"unfinished","way":"s2c","bytes":2})"
                      "\n"));

  const auto path = folder.file("rest.mcap");
  const auto to = recorder(path);
  trace::Opened opened = opening(1, "panic", "be-packed");
  opened.set_continues(true);
  opened.set_before("first.mcap");
  to->opened(kSecond, opened);
  const Buffer bytes = from_hex("0001010200000001");
  trace::FrameView frame{1, trace::TO_SERVER, trace::STREAM, bytes};
  frame.missing = {3, 40};
  to->frame(2 * kSecond, frame);
  REQUIRE(to->close(3 * kSecond).ok());
  options.input.file = path;
  const std::string rest = inspected(options).out;
  CHECK(rest.starts_with(R"({"t":0.000000,"connection":1,"event":"opened","name":"127.0.0.1:4001","game":"panic",)"
                         R"("dialect":"be-packed","continues":true,"before":"first.mcap"})"
                         "\n"
                         R"({"t":1.000000,"connection":1,"event":"missing","way":"c2s","messages":3,"bytes":40})"
                         "\n"));
}

words::Fact player(std::uint32_t id, const char* name) {
  words::Fact fact;
  fact.mutable_player()->set_id(id);
  fact.mutable_player()->set_name(name);
  return fact;
}

words::Fact pose(std::uint32_t unit) {
  words::Fact fact;
  fact.mutable_pose()->set_unit(unit);
  return fact;
}

/// An arena's words: anna (1) with her unit 3, and Bob (2) with his unit 4. The words are a second apart.
std::string arena(const Folder& folder) {
  const auto path = folder.file("arena.mcap");
  const auto to = recorder(path);
  WallTime at = 5 * kSecond;
  to->opened(at, opening(1, "panic", "be-packed"));
  const auto tell = [&](const google::protobuf::MessageLite& word, trace::WordKind kind = trace::WordKind::kFact) {
    to->word(at += kSecond, 1, kind, as_bytes(word.SerializeAsString()));
  };
  words::Intent enter;
  enter.mutable_enter()->set_name("anna");
  tell(enter, trace::WordKind::kIntent);  // 1 s
  tell(player(1, "anna"));
  tell(player(2, "Bob"));
  words::Fact unit;
  unit.mutable_unit()->set_id(3);
  unit.mutable_unit()->set_owner(1);
  tell(unit);     // 4 s
  tell(pose(3));  // 5 s
  tell(pose(4));
  words::Fact owns;
  owns.mutable_owns()->set_player(2);
  owns.mutable_owns()->add_units(4);
  tell(owns);     // 7 s
  tell(pose(4));  // 8 s
  words::Fact died;
  died.mutable_died()->set_player(1);
  died.mutable_died()->set_unit(3);
  died.mutable_died()->set_killer(2);
  tell(died);  // 9 s
  words::Fact whisper;
  whisper.mutable_said()->set_scope(words::Say::ONE);
  whisper.mutable_said()->set_to(2);
  whisper.mutable_said()->set_text("well done");
  tell(whisper);  // 10 s
  words::Fact ready;
  ready.set_audience(words::PLAYER);
  ready.set_to(1);
  ready.mutable_ready();
  tell(ready);  // 11 s
  words::Intent claim;
  claim.set_by(2);
  claim.mutable_fire();
  tell(claim, trace::WordKind::kIntent);  // 12 s
  trace::Snapshot world;
  world.set_link(1);
  to->world(at += kSecond, world);  // 13 s
  record(*to, 1, trace::TO_SERVER, "0001010200000001", at += kSecond);
  words::Fact gone;
  gone.mutable_player_gone()->set_id(2);
  tell(gone);  // 15 s
  REQUIRE(to->close(at).ok());
  return path;
}

/// The seconds that begin the lines.
std::vector<int> seconds_of(const std::string& lines) {
  std::vector<int> all;
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);) all.push_back(std::stoi(line));
  return all;
}

TEST_CASE("texts of words are shown unchanged except for control characters") {
  const Folder folder;
  const std::string path = folder.file("said.mcap");
  const auto to = recorder(path);
  to->opened(1, opening(1, "native", "json"));
  words::Said said;
  said.set_text("h\u00e9llo \u2713 " + std::string(200, 'a') + "\x1b[2J\u009b");
  Buffer bytes;
  core::write(core::Fact(said), bytes);
  to->word(1, 1, trace::WordKind::kFact, bytes);
  REQUIRE(to->close(1).ok());
  const Inspected shown = inspected({{path, "", "", 0}});
  CHECK_MESSAGE(shown.out.find("\"h\u00e9llo \u2713 " + std::string(200, 'a')) != std::string::npos, shown.out);
  CHECK(shown.out.find('\x1b') == std::string::npos);
  CHECK(shown.out.find("\u009b") == std::string::npos);
}

TEST_CASE("words can be selected by kind, as Died or died, and by time") {
  const Folder folder;
  const InspectOptions options{{arena(folder), "", "", 0}};
  const auto shown = [&](auto&& change) {
    InspectOptions changed = options;
    change(changed);
    return seconds_of(inspected(changed).out);
  };
  CHECK(shown([](auto& o) { o.messages = {"Died"}; }) == std::vector{9});
  CHECK(shown([](auto& o) { o.messages = {"died", "Fire"}; }) == std::vector{9, 12});
  CHECK(shown([](auto& o) { o.messages = {"PlayerGone"}; }) == std::vector{15});
  CHECK(shown([](auto& o) { o.messages = {"player_gone"}; }) == std::vector{15});
  CHECK(shown([](auto& o) { o.messages = {"pose"}, o.since = 5.5, o.until = 6.5; }) == std::vector{6});
  CHECK(shown([](auto& o) { o.messages = {"world"}; }) == std::vector{13});
  CHECK(shown([](auto& o) { o.messages = {"Action"}; }) == std::vector{14});
  CHECK(shown([](auto& o) { o.messages = {"Pose", "Fire"}, o.way = "c2s"; }) == std::vector{12});
  InspectOptions wrong = options;
  wrong.messages = {"Diedd"};
  const Inspected refused = inspected(wrong);
  CHECK(refused.exit == kUsage);
  CHECK(refused.err.find("unknown message 'Diedd' (did you mean 'Died'?)") != std::string::npos);
}

TEST_CASE("words can be selected by player name or id, with those about its units and private messages to it") {
  const Folder folder;
  const InspectOptions options{{arena(folder), "", "", 0}};
  const auto shown = [&](std::vector<std::string> players, auto&& change) {
    InspectOptions changed = options;
    changed.players = std::move(players);
    change(changed);
    return seconds_of(inspected(changed).out);
  };
  const auto as_is = [](auto&) {};
  CHECK(shown({"anna"}, as_is) == std::vector{1, 2, 4, 5, 9, 11});
  CHECK(shown({"ANNA"}, as_is) == std::vector{1, 2, 4, 5, 9, 11});
  CHECK(shown({"1"}, as_is) == std::vector{2, 4, 5, 9, 11});  // the intent to enter has no id yet
  CHECK(shown({"bob"}, as_is) == std::vector{3, 7, 8, 9, 10, 12, 15});
  CHECK(shown({"2"}, as_is) == std::vector{3, 7, 8, 9, 10, 12, 15});
  CHECK(shown({"anna", "bob"}, [](auto& o) { o.messages = {"Pose"}; }) == std::vector{5, 8});
  CHECK(shown({"bob"}, [](auto& o) { o.messages = {"Died"}; }) == std::vector{9});
  CHECK(shown({"anna"}, [](auto& o) { o.messages = {"Action"}; }).empty());
  CHECK(shown({"bob"}, [](auto& o) { o.since = 9.5, o.until = 14; }) == std::vector{10, 12});
  InspectOptions nobody = options;
  nobody.players = {"ann"};
  CHECK(inspected(nobody).err ==
        "entente inspect: nothing matches among 1 connection (#1 127.0.0.1:4001) in 15.000 s; players: Bob, anna\n");
  nobody.input.file = two_links(folder);
  CHECK(inspected(nobody).err.find("the file has no words, so it does not tell players apart") != std::string::npos);
}

TEST_CASE("in a file that continues another, players are known from the world") {
  const Folder folder;
  const auto path = folder.file("rest.mcap");
  const auto to = recorder(path);
  to->opened(kSecond, opening(1, "panic", "be-packed"));
  trace::Snapshot world;
  world.set_link(1);
  *world.add_facts() = player(1, "anna");
  world.add_facts()->mutable_unit()->set_id(3);
  world.mutable_facts(1)->mutable_unit()->set_owner(1);
  to->world(kSecond, world);
  for (const std::uint32_t unit : {3U, 4U})
    to->word(unit * kSecond, 1, trace::WordKind::kFact, as_bytes(pose(unit).SerializeAsString()));
  REQUIRE(to->close(5 * kSecond).ok());
  InspectOptions options{{path, "", "", 0}};
  options.players = {"anna"};
  CHECK(seconds_of(inspected(options).out) == std::vector{2});
}

TEST_CASE("only output to a terminal is coloured, and colours change nothing else") {
  const Folder folder;
  for (const std::string& path : {two_links(folder), bridged(folder)}) {
    InspectOptions options{{path, "", "", 0}};
    const std::string plain = inspected(options).out;
    options.colours = true;
    std::string colourful = inspected(options).out;
    CHECK(colourful.find("\x1b[") != std::string::npos);
    for (auto at = colourful.find('\x1b'); at != std::string::npos; at = colourful.find('\x1b'))
      colourful.erase(at, colourful.find('m', at) + 1 - at);
    CHECK(colourful == plain);
    CHECK(run({testing::entente_binary(), "inspect", path}).out == plain);  // a pipe
  }
}

constexpr const char* kAction = "      1.000   #1 c2s     Action player=1 action=1 direction=2 piece=1";

TEST_CASE("a recording that is being written can be followed until its end") {
  const Folder folder;
  const auto path = folder.file("live.mcap");
  const auto to = recorder(path);
  Process follows({testing::entente_binary(), "inspect", path + ".part", "--follow"});
  WallTime at = 5 * kSecond;
  to->opened(at, opening(1, "panic", "be-packed"));
  to->tick(at += kSecond);
  CHECK(follows.line() == "      0.000   #1 --- 127.0.0.1:4001 panic be-packed");
  record(*to, 1, trace::TO_SERVER, "0001010200000001", at);
  to->tick(at += kSecond);
  CHECK(follows.line() == kAction);
  to->closed(at, 1, "server left");
  REQUIRE(to->close(at).ok());
  CHECK(follows.line() == "      2.000   #1 --- server ended it: server left");
  CHECK(follows.wait() == 0);
  CHECK(follows.out() == "");
  CHECK(follows.err() == "");
}

TEST_CASE("following ends with a signal, at --until, or when the file is removed") {
  const Folder folder;
  const auto path = folder.file("live.mcap");
  const auto to = recorder(path);
  to->opened(5 * kSecond, opening(1, "panic", "be-packed"));
  record(*to, 1, trace::TO_SERVER, "0001010200000001", 6 * kSecond);
  to->tick(7 * kSecond);
  const auto follow = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {testing::entente_binary(), "inspect", path + ".part", "-f", "-m", "Action", "-c", "1"});
    return more;
  };
  Process interrupted(follow({}));
  CHECK(interrupted.line() == kAction);
  interrupted.signal(SIGINT);
  CHECK(interrupted.wait() == 0);
  CHECK(interrupted.err() == "");

  Process until(follow({"--until", "1.5"})), left(follow({}));
  CHECK(until.line() == kAction);
  CHECK(left.line() == kAction);
  record(*to, 1, trace::TO_SERVER, "0001010200000001", 8 * kSecond);
  to->tick(9 * kSecond);
  CHECK(until.wait() == 0);
  CHECK(left.line());
  std::filesystem::remove(path + ".part");
  CHECK(left.wait() == 1);
  CHECK(left.err().find("live.mcap.part was removed") != std::string::npos);
}

TEST_CASE("only a recording can be followed, and damage makes the command fail") {
  const Folder folder;
  InspectOptions options{{trace_file("panic/master-bad-split-5-3.jsonl"), "", "", 0}};
  options.follow = true;
  CHECK(inspected(options).exit == kFailed);
  CHECK(inspected(options).err.find("only a recording can be followed") != std::string::npos);
  options.input.file = two_links(folder);
  CHECK(inspected(options).out == kAll);  // it is complete
  std::fstream file(options.input.file, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(std::filesystem::file_size(options.input.file) / 2));
  file.put('\x7f');
  file.close();
  CHECK(inspected(options).exit == kFailed);
}

TEST_CASE("fields are JSON numbers, texts and lists, quoted only once") {
  InspectOptions options{{trace_file("bzflag/bzfs2426-bzadmin-chat.pcap"), "", "", 0}};
  options.json = true;
  const std::string bzflag = inspected(options).out;
  CHECK(bzflag.find(R"("fields":{"from":253,"to":0,"kind":0,"text":"welcome to the test")") != std::string::npos);
  CHECK(bzflag.find("\\\"") == std::string::npos);
  CHECK(bzflag.find(R"("pos":[)") != std::string::npos);
}

TEST_CASE("a client that reconnects from the same port is another connection, also after the conversion") {
  const Folder folder;
  const FileOptions from{.file = folder.write("x.pcap", second_try().text()), .game = "aos"};
  const std::string at = "      0.000   #", name = " --- 10.0.0.1:1000/udp aos ";
  const std::string start = " s2c reliable/0 MapStart size=1572864 crc32=67305985 name=\"a\"\n",
                    cached = " c2s reliable/0 MapCached cached=1\n";
  CHECK(inspected({from}).out == at + "1" + name + "0.75\n" + at + "1 --- server ended it, code 3\n" + at + "2" + name +
                                     "0.75\n" + at + "2 --- the client names 0.76\n" + at + "2" + start + at + "2" +
                                     cached);
  std::ostringstream out, err;
  REQUIRE(convert({from, folder.file("x.mcap")}, out, err) == kOk);
  CHECK(inspected({{folder.file("x.mcap")}}).out ==
        at + "1" + name + "0.75\n" + at + "1 --- server ended it: server left\n" + at + "2" + name + "0.76\n" + at +
            "2" + start + at + "2" + cached + at + "2 --- ended\n");
}

TEST_CASE("convert and recover keep words and worlds") {
  const Folder folder;
  const auto path = bridged(folder);
  const std::string all = inspected({{path, "", "", 0}}).out;
  std::ostringstream out, err;
  REQUIRE(convert({{path, "", "", 0}, folder.file("again.mcap")}, out, err) == kOk);
  CHECK(inspected({{folder.file("again.mcap"), "", "", 0}}).out == all);
  REQUIRE(trace::recover(path, folder.file("recovered.mcap")).ok());
  CHECK(inspected({{folder.file("recovered.mcap"), "", "", 0}}).out == all);
}

TEST_CASE("hostile names and bytes cannot control a terminal or break a line or JSON") {
  const Folder folder;
  const auto path =
      folder.write("x.jsonl", "{\"t_ms\":1,\"conn\":\"a\\u001b[2J\\n\\\"b\",\"dir\":\"c2s\",\"hex\":\"00\"}");
  InspectOptions options{{path, "panic", "be-packed", 0}};
  CHECK(inspected(options).out ==
        "      0.000   #1 --- a\\x1b[2J\\x0a\\\"b panic be-packed\n"
        "      0.000   #1 --- 1 bytes c2s of an unfinished message\n");
  options.json = true;
  CHECK(inspected(options).out.starts_with(
      R"({"t":0.000000,"connection":1,"event":"opened","name":"a\u001b[2J\u000a\"b","game":"panic",)"
      R"("dialect":"be-packed"})"));
}

TEST_CASE("a recording that was cut off is shown up to the damage, which is reported") {
  const Folder folder;
  const auto path = two_links(folder);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 9);
  const Inspected cut = inspected({{path, "", "", 0}});
  CHECK(cut.exit == kFailed);
  CHECK(cut.out == kAll);
  CHECK(cut.err.find("`entente recover` saves the readable part") != std::string::npos);
}

TEST_CASE("an unknown message name is a usage error with the nearest name") {
  const Inspected wrong = inspected({{trace_file("panic/master-bad-split-5-3.jsonl")}, {}, "", {"Actoin"}});
  CHECK(wrong.exit == kUsage);
  CHECK(wrong.err.find("did you mean 'Action'?") != std::string::npos);
}

TEST_CASE("--until before --since is a usage error") {
  InspectOptions options{{trace_file("panic/master-bad-split-5-3.jsonl")}};
  options.since = 20;
  options.until = 10;
  const Inspected wrong = inspected(options);
  CHECK(wrong.exit == kUsage);
  CHECK(wrong.err == "entente inspect: --until must not be before --since\n");
}

TEST_CASE("real captures show every message by name") {
  const Inspected bzflag = inspected({{trace_file("bzflag/bzfs2426-bzadmin-chat.pcap"), "", "", 0}});
  CHECK(bzflag.exit == kOk);
  CHECK(bzflag.out.find("?? ") == std::string::npos);
  CHECK(bzflag.out.find("MsgMessage from=253 to=0 kind=0 text=\"welcome to the test\"") != std::string::npos);
}

/// A link of BZFlag whose first message each way is not recorded, and one message each way behind it.
std::string without_greetings(const Folder& folder) {
  const auto path = folder.file("late.mcap");
  const auto to = recorder(path);
  to->opened(kSecond, opening(1, "bzflag", "2.4"));
  const Buffer exit = from_hex("00006578"), killed = from_hex("00086b6c0102000100054742");
  trace::FrameView frame{1, trace::TO_CLIENT, trace::STREAM, killed};
  frame.missing = {1, 9};
  to->frame(2 * kSecond, frame);
  frame = {1, trace::TO_SERVER, trace::STREAM, exit};
  frame.missing = {1, 10};
  to->frame(3 * kSecond, frame);
  REQUIRE(to->close(4 * kSecond).ok());
  return path;
}

TEST_CASE("a message behind others that are not recorded is not taken for a greeting") {
  const Folder folder;
  const std::string path = without_greetings(folder);
  const std::string all = inspected({{path, "", "", 0}}).out;
  CHECK(all.find("2.000   #1 --- 1 messages c2s of 10 bytes are not recorded\n") != std::string::npos);
  CHECK(all.find("1.000   #1 s2c     MsgKilled ") != std::string::npos);
  CHECK(all.find("2.000   #1 c2s     MsgExit") != std::string::npos);
  CHECK(all.find("??") == std::string::npos);
  std::ostringstream out, err;
  (void)verify({{path, "", "", 0}, true}, out, err);
  CHECK(out.str().find("frames=2 exact=2 ") != std::string::npos);
}

TEST_CASE("bytes that do not decode are shown if their connection, direction and time are wanted") {
  const Folder folder;
  InspectOptions options{{two_links(folder), "", "", 0}};
  const auto shows = [&](auto&& change) {
    InspectOptions changed = options;
    change(changed);
    return inspected(changed).out.find("2 bytes: unknown message type, field type, byte 0") != std::string::npos;
  };
  CHECK(shows([](auto& o) { o.way = "s2c"; }));
  CHECK_FALSE(shows([](auto& o) { o.way = "c2s"; }));
  CHECK_FALSE(shows([](auto& o) { o.messages = {"Move"}; }));
  CHECK_FALSE(shows([](auto& o) { o.until = 4.5; }));
  options.json = true;
  CHECK(inspected(options).out.ends_with(
      R"("way":"s2c","lane":"stream","undecoded":"unknown message type, field type, byte 0"})"
      "\n"));
}

TEST_CASE("of many bytes that do not decode the first 32 are shown") {
  const Folder folder;
  const auto shown = [&](std::size_t bytes) {
    const auto path = folder.file(std::to_string(bytes) + ".mcap");
    const auto to = recorder(path);
    to->opened(kSecond, opening(1, "panic", "be-packed"));
    record(*to, 1, trace::TO_CLIENT, std::string(2 * bytes, 'f'), kSecond);
    REQUIRE(to->close(kSecond).ok());
    return inspected({{path, "", "", 0}}).out;
  };
  CHECK(shown(32).ends_with(": " + std::string(64, 'f') + "\n"));
  CHECK(shown(33).ends_with(": " + std::string(64, 'f') + "…\n"));
}

TEST_CASE("words and worlds of a connection that is not wanted are not shown") {
  const Folder folder;
  const auto path = folder.file("two.mcap");
  const auto to = recorder(path);
  for (std::uint32_t link = 1; link <= 2; ++link) {
    to->opened(kSecond, opening(link, "panic", "be-packed"));
    trace::Snapshot world;
    world.set_link(link);
    to->world(2 * kSecond, world);
    to->word(3 * kSecond, link, trace::WordKind::kFact, as_bytes(pose(link).SerializeAsString()));
  }
  REQUIRE(to->close(4 * kSecond).ok());
  InspectOptions options{{path, "", "", 0}};
  options.connections = {"2"};
  options.json = true;
  const auto shown = inspected(options).out;
  CHECK(std::count(shown.begin(), shown.end(), '\n') == 3);
  CHECK(
      shown.ends_with("\n"
                      R"({"t":2.000000,"connection":2,"fact":{"pose":{"unit":2}}})"
                      "\n"));
  CHECK(shown.find(R"("connection":1)") == std::string::npos);
  options.connections.clear();
  const std::string all = inspected(options).out;
  for (const char* line : {R"({"t":2.000000,"connection":1,"fact":{"pose":{"unit":1}}})",
                           R"({"t":2.000000,"connection":2,"fact":{"pose":{"unit":2}}})"})
    CHECK(all.find("\n" + std::string(line) + "\n") != std::string::npos);
}

TEST_CASE("with --messages, only those notes are told that tell of a loss") {
  const Folder folder;
  const auto path = folder.file("noted.mcap");
  const auto to = recorder(path);
  to->opened(kSecond, opening(1, "panic", "be-packed"));
  to->note(kSecond, 1, "all is well");
  to->note(kSecond, 1, "the disk was slow", 70);
  record(*to, 1, trace::TO_SERVER, "0001010200000001", 2 * kSecond);
  REQUIRE(to->close(3 * kSecond).ok());
  InspectOptions options{{path, "", "", 0}};
  const std::string all = inspected(options).err;
  CHECK(all.find("all is well") != std::string::npos);
  CHECK(all.find("the disk was slow") != std::string::npos);
  options.messages = {"Action"};
  const std::string some = inspected(options).err;
  CHECK(some.find("all is well") == std::string::npos);
  CHECK(some.find("the disk was slow") != std::string::npos);
}

TEST_CASE("what a recording says that it lacks is told, also with --messages") {
  const Folder folder;
  const auto lacks = [&](const std::map<std::string, std::string>& values) {
    const auto path = folder.file("lacks.mcap");
    std::filesystem::remove(path);
    auto to = trace::Recorder::open(path, {.metadata = {{trace::kNotRecorded, {values.begin(), values.end()}}}});
    REQUIRE(to.ok());
    (*to)->opened(kSecond, opening(1, "panic", "be-packed"));
    REQUIRE((*to)->close(kSecond).ok());
    InspectOptions options{{path, "", "", 0}};
    const std::string all = inspected(options).err;
    options.messages = {"Action"};
    const std::string some = inspected(options).err;
    CHECK(some.starts_with(all));
    return all;
  };
  CHECK(lacks({{"frames", "3"}, {"bytes", "70"}}).find("the recording lacks bytes=70 frames=3") != std::string::npos);
  CHECK(lacks({{"frames", "3"}}).find("the recording lacks frames=3") != std::string::npos);
}

TEST_CASE("a connection that began before the file says so, and in which file") {
  const Folder folder;
  const auto path = folder.file("rest.mcap");
  const auto to = recorder(path);
  trace::Opened opened = opening(1, "panic", "be-packed");
  opened.set_continues(true);
  to->opened(kSecond, opened);
  opened.set_link(2);
  opened.set_before("first.mcap");
  to->opened(kSecond, opened);
  REQUIRE(to->close(kSecond).ok());
  const std::string all = inspected({{path, "", "", 0}}).out;
  CHECK(all ==
        "      0.000   #1 --- 127.0.0.1:4001 panic be-packed, began before this file\n"
        "      0.000   #2 --- 127.0.0.1:4001 panic be-packed, began before this file, in first.mcap\n");
}

TEST_CASE("a long text of a word is cut") {
  const Folder folder;
  const auto path = folder.file("long.mcap");
  const auto to = recorder(path);
  to->opened(1, opening(1, "native", "json"));
  words::Fact said;
  said.mutable_said()->set_text(std::string(5'000, 'a'));
  to->word(1, 1, trace::WordKind::kFact, as_bytes(said.SerializeAsString()));
  REQUIRE(to->close(1).ok());
  const std::string shown = inspected({{path, "", "", 0}}).out;
  CHECK(shown.find(std::string(500, 'a')) != std::string::npos);
  CHECK(shown.find(std::string(600, 'a')) == std::string::npos);
}

TEST_CASE("wanted players: a number is an id if it is not 0; other players are known by name only") {
  constexpr ConnectionId kLink = 1;
  const auto said_by = [](core::Id id) {
    words::Fact fact;
    fact.mutable_said()->set_from(id);
    return fact;
  };
  const std::vector<std::string> names{"0", "7up", "7 ", "9"};
  WantedPlayers wanted(names);
  CHECK_FALSE(wanted.concerns(kLink, said_by(0)));
  CHECK_FALSE(wanted.concerns(kLink, said_by(7)));
  CHECK(wanted.concerns(kLink, said_by(9)));
  CHECK(wanted.concerns(kLink, player(5, "7UP")));
  CHECK(wanted.concerns(kLink, said_by(5)));
  CHECK_FALSE(wanted.concerns(kLink + 1, said_by(5)));  // another room
  CHECK(wanted.concerns(kLink + 1, said_by(9)));
}

TEST_CASE("wanted players: who asks to enter by a name is known from then on, until the player is gone") {
  constexpr ConnectionId kLink = 1;
  const std::vector<std::string> names{"anna", "8"};
  WantedPlayers wanted(names);
  words::Intent enter, fire;
  enter.mutable_enter()->set_name("Anna");
  CHECK(wanted.concerns(kLink, enter));  // has no id yet
  fire.mutable_fire();
  CHECK_FALSE(wanted.concerns(kLink, fire));
  enter.set_by(3);
  CHECK(wanted.concerns(kLink, enter));
  fire.set_by(3);
  CHECK(wanted.concerns(kLink, fire));
  words::Fact gone, unit_gone;
  gone.mutable_player_gone()->set_id(3);
  CHECK(wanted.concerns(kLink, gone));
  CHECK_FALSE(wanted.concerns(kLink, gone));
  CHECK_FALSE(wanted.concerns(kLink, fire));
  gone.mutable_player_gone()->set_id(8);
  unit_gone.mutable_gone()->set_unit(8);
  for (int i = 0; i < 2; ++i) {  // ids that were asked for stay
    CHECK(wanted.concerns(kLink, gone));
    CHECK(wanted.concerns(kLink, unit_gone));
  }
  CHECK(wanted.concerns(kLink, player(4, "anna")));
  words::Fact owns;
  owns.mutable_owns()->set_player(4);
  owns.mutable_owns()->add_units(40);
  CHECK(wanted.concerns(kLink, owns));
  CHECK(wanted.concerns(kLink, pose(40)));
  unit_gone.mutable_gone()->set_unit(40);
  CHECK(wanted.concerns(kLink, unit_gone));
  CHECK_FALSE(wanted.concerns(kLink, pose(40)));
  wanted.gone(kLink);
  CHECK_FALSE(wanted.concerns(kLink, player(4, "Ben")));  // the ids of a link that is gone mean nothing
}

TEST_CASE("wanted players: at most 100,000 ids are kept of a connection, and eight names of all") {
  constexpr ConnectionId kLink = 1;
  const std::vector<std::string> names{"anna"};
  WantedPlayers wanted(names);
  words::Fact owns, unit;
  for (core::Id id = 1; id <= 9; ++id) (void)wanted.concerns(kLink, player(id, ("p" + std::to_string(id)).c_str()));
  CHECK(wanted.names().size() == WantedPlayers::kMostNames);
  (void)wanted.concerns(kLink, player(10, "anna"));
  unit.mutable_unit()->set_owner(10);
  unit.mutable_unit()->set_id(20);
  (void)wanted.concerns(kLink, unit);
  CHECK(wanted.concerns(kLink, pose(20)));
  owns.mutable_owns()->set_player(10);
  for (core::Id id = 100; id < 100'100; ++id) owns.mutable_owns()->add_units(id);
  (void)wanted.concerns(kLink, owns);
  unit.mutable_unit()->set_id(30);
  CHECK(wanted.concerns(kLink, unit));  // its owner is known
  CHECK_FALSE(wanted.concerns(kLink, pose(30)));
}

TEST_CASE("an event's numbers are members of its object") {
  EventText event("closed", "ended, code -3");
  event.with("code", std::int64_t{-3}).with("bytes", std::uint64_t{7}).with("raw", true);
  CHECK(event.members == R"(,"code":-3,"bytes":7,"raw":true)");
}

}  // namespace
}  // namespace entente::inspect_test
