// A fleet of real processes: players of several games on two edges; the owner is killed; NATS is killed and restarted.
#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/fleet/store.h"
#include "tests/program/folder.h"
#include "tests/program/native_client.h"
#include "tests/support/nats_server.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"
#include "tests/support/repeated.h"

namespace entente::fleet::nodes_test {
namespace {

const std::string kJson = "native://127.0.0.1:0?dialect=json";

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// `entente run` as a node of the fleet.
class Node {
 public:
  Node(const Folder& folder, const NatsServer& nats, const std::string& name, const std::string& rest)
      : Node(folder, '"' + nats.url() + '"', name, rest) {}
  /// `servers`: in quotes, separated by commas.
  Node(const Folder& folder, const std::string& servers, const std::string& name, const std::string& rest)
      : process_(
            {entente::testing::entente_binary(), "run",
             folder.write(name + ".toml", "[fleet]\nnats = [" + servers + "]\nnode = \"" + name + "\"\n" + rest)}) {}

  /// The port of its next listener.
  int port() {
    const auto line = process_.line();
    REQUIRE_MESSAGE(line.has_value(), process_.err());
    return std::stoi(line->substr(line->rfind(':') + 1));
  }
  /// Waits until it owns the arena.
  void owns() { REQUIRE_MESSAGE(process_.err_has("this node owns the arena"), process_.err()); }
  Process& process() { return process_; }

 private:
  Process process_;
};

/// An arena that this node may own, with a listener.
std::string arena() {
  return "[[arena]]\nname = \"field\"\nfleet = true\nmode = \"teams\"\nside = 100\nrespawn_ms = 100\nlisten = [\"" +
         kJson + "\"]\n";
}
std::string routes(const std::vector<std::string>& urls) {
  std::string text;
  for (const std::string& url : urls) text += "[[route]]\nlisten = \"" + url + "\"\nto = \"fleet:field\"\n";
  return text;
}

std::unique_ptr<NativeClient> player(int port, const std::string& name, const std::string& team) {
  auto client = std::make_unique<NativeClient>(port);
  client->says(R"({"enter":{"name":")" + name + R"(","team":")" + team + "\"}}\n");
  CHECK(client->hears([&](const auto& fact) { return fact.has_player() && fact.player().name() == name; }));
  client->says("{\"spawn\":{}}\n");
  CHECK(client->hears([](const auto& fact) { return fact.has_spawned(); }));
  return client;
}

/// Repeats the text until the other receives it, because chat is dropped while there is no owner.
void talk(const NativeClient& from, NativeClient& to, const std::string& text) {
  std::optional<words::Fact> heard;
  for (int i = 0; i < 100 && !heard; ++i) {
    from.says(R"({"say":{"text":")" + text + "\"}}\n");
    heard = to.hears([&](const auto& fact) { return fact.has_said() && fact.said().text() == text; },
                     std::chrono::milliseconds(1'200));
    REQUIRE(!to.closed());
  }
  CHECK_MESSAGE(heard, text);
}

/// What a new client learns about a player.
struct Known {
  words::Player player;
  words::Score score;
  words::Unit unit;
};
Known look(int port, const std::string& name) {
  NativeClient looker(port);
  looker.says("{\"enter\":{\"name\":\"looker\",\"role\":\"WATCH\"}}\n");
  Known known;
  std::vector<words::Unit> units;
  std::vector<words::Score> scores;
  CHECK(looker.hears([&](const auto& fact) {
    if (fact.has_player() && fact.player().name() == name) known.player = fact.player();
    if (fact.has_unit()) units.push_back(fact.unit());
    if (fact.has_score()) scores.push_back(fact.score());
    return fact.has_player() && fact.player().name() == "looker";
  }));
  for (const words::Unit& unit : units)
    if (unit.owner() == known.player.id()) known.unit = unit;
  for (const words::Score& score : scores)
    if (score.player() == known.player.id()) known.score = score;
  return known;
}

TEST_CASE("players of five games join by two nodes, and are in one arena") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const Folder folder;
  Node owner(folder, nats, "owner", arena());
  owner.port();
  owner.owns();
  Node west(folder, nats, "west", routes({kJson, "panic://127.0.0.1:0", "ogar+ws://127.0.0.1:0"}));
  Node east(folder, nats, "east", routes({kJson, "bzflag://127.0.0.1:0", "bzdraft://127.0.0.1:0"}));
  const auto anna = player(west.port(), "anna", "RED");
  const auto ben = player(east.port(), "ben", "BLUE");
  talk(*anna, *ben, "hello from the west");
  talk(*ben, *anna, "hello from the east");
  const auto bot_plays = [](Node& node, const std::string& game) {
    const std::string url = game + "://127.0.0.1:" + std::to_string(node.port());
    const BotEnded bot = run_bot(url);
    CHECK_MESSAGE(has(bot.out, "bots 1 of 1 were let in"), game << ": " << bot.out << bot.err);
  };
  for (const char* game : {"panic", "ogar+ws"}) bot_plays(west, game);
  for (const char* game : {"bzflag", "bzdraft"}) bot_plays(east, game);
  for (Node* node : {&west, &east, &owner}) {
    node->process().signal(SIGTERM);
    CHECK(node->process().wait() == 0);
  }
}

TEST_CASE("kill -9 of the owner: clients stay connected; names, scores and places continue at another node") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const Folder folder;
  Node first(folder, nats, "first", arena());
  first.port();
  first.owns();
  Node second(folder, nats, "second", arena());
  Node edge(folder, nats, "edge", routes({kJson}));
  const int port = edge.port();
  const auto anna = player(second.port(), "anna", "RED");
  const auto ben = player(port, "ben", "BLUE");
  anna->says("{\"death_claim\":{\"why\":\"BY_ITSELF\"}}\n");
  CHECK(ben->hears([](const auto& fact) { return fact.has_score() && fact.score().losses() == 1; }));
  anna->says("{\"spawn\":{}}\n");
  CHECK(ben->hears([](const auto& fact) { return fact.has_spawned(); }));
  const Known before = look(port, "anna");
  CHECK(before.score.losses() == 1);
  CHECK(before.unit.alive());
  Store(nats).until(
      [](const core::SavedPlayer& start) { return start.name == "anna" && start.score.losses() == 1 && start.pose; },
      2);  // without the client that looked

  first.process().signal(SIGKILL);
  second.owns();
  CHECK(has(second.process().err(), "and goes on with 2 players"));
  talk(*anna, *ben, "still here");
  talk(*ben, *anna, "here too");
  const Known after = look(port, "anna");
  CHECK(after.player.id() == before.player.id());
  CHECK(after.player.team() == words::RED);
  CHECK(after.score.losses() == 1);
  CHECK(after.unit.id() == before.unit.id());
  CHECK(after.unit.alive());
  CHECK(after.unit.pose().x() == doctest::Approx(before.unit.pose().x()));
  CHECK(after.unit.pose().y() == doctest::Approx(before.unit.pose().y()));
}

TEST_CASE("the owner dies and NATS loses its data: the next owner continues from what it received") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const Folder folder;
  Node first(folder, nats, "first", arena());
  first.port();
  first.owns();
  Node second(folder, nats, "second", arena());
  const auto anna = player(second.port(), "anna", "RED");
  anna->says("{\"death_claim\":{\"why\":\"BY_ITSELF\"}}\n");
  const auto has_died = [](const core::SavedPlayer& start) {
    return start.name == "anna" && start.score.losses() == 1;
  };
  Store store(nats);
  store.until(has_died);
  first.process().signal(SIGKILL);
  first.process().wait();
  store.lose();
  second.owns();
  CHECK(has(second.process().err(), "and goes on with 1 player"));
  store.until(has_died);
}

TEST_CASE("SIGTERM of the owner: another node takes over at once, and only the players of the stopped node leave") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const Folder folder;
  Node first(folder, nats, "first", arena());
  const int own = first.port();
  first.owns();
  Node second(folder, nats, "second", arena());
  Node edge(folder, nats, "edge", routes({kJson}));
  const auto anna = player(second.port(), "anna", "RED");
  const int port = edge.port();
  const auto ben = player(port, "ben", "BLUE");
  const auto carl = player(own, "carl", "RED");
  std::map<std::uint32_t, std::string> names;
  std::vector<std::string> gone;
  const auto note = [&](const words::Fact& fact) {
    if (fact.has_player()) names[fact.player().id()] = fact.player().name();
    if (fact.has_player_gone()) gone.push_back(names[fact.player_gone().id()]);
  };
  CHECK(ben->hears([&](const auto& fact) { return note(fact), fact.has_player() && fact.player().name() == "carl"; }));
  anna->says("{\"death_claim\":{\"why\":\"BY_ITSELF\"}}\n");
  CHECK(ben->hears([&](const auto& fact) { return fact.has_score() && fact.score().losses() == 1; }));

  const auto began = std::chrono::steady_clock::now();
  first.process().signal(SIGTERM);
  {
    const entente::testing::Repeated speaker([&] { anna->says("{\"say\":{\"text\":\"still here\"}}\n"); });
    CHECK(ben->hears([&](const auto& fact) { return note(fact), fact.has_said() && !gone.empty(); }));
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  MESSAGE("players hear each other again after " << took.count() << " s");
  CHECK(first.process().wait() == 0);
  CHECK(has(first.process().err(), "hands over the arena"));
  second.owns();
  CHECK(has(second.process().err(), "and goes on with 2 players"));
  talk(*ben, *anna, "here too");
  anna->says("{\"say\":{\"text\":\"the end\"}}\n");
  CHECK(ben->hears([&](const auto& fact) { return note(fact), fact.has_said() && fact.said().text() == "the end"; }));
  CHECK(gone == std::vector<std::string>{"carl"});
  CHECK(look(port, "anna").score.losses() == 1);
}

TEST_CASE("kill -9 of an edge disconnects its clients; through another edge they continue under their names") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const Folder folder;
  Node owner(folder, nats, "owner", arena());
  const int own = owner.port();
  owner.owns();
  Node edge(folder, nats, "edge", routes({kJson}));
  const auto anna = player(own, "anna", "RED");
  auto ben = player(edge.port(), "ben", "BLUE");
  ben->says("{\"death_claim\":{\"why\":\"BY_ITSELF\"}}\n");
  CHECK(anna->hears([](const auto& fact) { return fact.has_score() && fact.score().losses() == 1; }));
  edge.process().signal(SIGKILL);
  CHECK(!ben->hears([](const auto&) { return false; }));
  CHECK(ben->closed());
  ben = player(own, "ben", "BLUE");  // at once
  talk(*ben, *anna, "back again");
  CHECK(look(own, "ben").score.losses() == 1);
  CHECK(look(own, "anna").player.name() == "anna");
}

TEST_CASE("NATS is killed and restarted: clients stay connected, and the arena continues") {
  if (NatsServer::is_missing()) return;
  NatsServer nats;
  const Folder folder;
  Node owner(folder, nats, "owner", arena());
  const int own = owner.port();
  owner.owns();
  Node edge(folder, nats, "edge", routes({kJson}));
  const auto anna = player(own, "anna", "RED");
  const auto ben = player(edge.port(), "ben", "BLUE");
  anna->says("{\"death_claim\":{\"why\":\"BY_ITSELF\"}}\n");
  CHECK(ben->hears([](const auto& fact) { return fact.has_score() && fact.score().losses() == 1; }));
  Store(nats).until([](const core::SavedPlayer& start) { return start.name == "anna" && start.score.losses() == 1; });
  nats.kill();
  REQUIRE(owner.process().err_has("not connected to NATS"));
  REQUIRE(owner.process().err_has("no longer owns the arena"));  // so that there are never two owners
  nats.start();
  talk(*anna, *ben, "still here");
  talk(*ben, *anna, "here too");
  CHECK(look(own, "anna").score.losses() == 1);
}

TEST_CASE("one of three NATS servers is killed: clients stay connected, and the arena continues") {
  if (NatsServer::is_missing()) return;
  const auto in_cluster = [](const std::string& name, const std::string& routes) {
    return std::make_unique<NatsServer>(std::vector<std::string>{"--name", name, "--cluster_name", "c", "--cluster",
                                                                 "nats://127.0.0.1:-1", "--routes", routes});
  };
  std::vector<std::unique_ptr<NatsServer>> nats;
  nats.push_back(in_cluster("a", "nats://127.0.0.1:9"));  // nothing listens there, but it needs a route
  for (const char* name : {"b", "c"}) nats.push_back(in_cluster(name, nats.front()->cluster_url()));
  std::string servers;
  for (const auto& one : nats) servers += '"' + one->url() + "\", ";
  const Folder folder;
  Node owner(folder, servers, "owner", "replicas = 3\n" + arena());
  const int own = owner.port();
  owner.owns();
  Node edge(folder, servers, "edge", "replicas = 3\n" + routes({kJson}));
  const auto anna = player(own, "anna", "RED");
  const auto ben = player(edge.port(), "ben", "BLUE");
  anna->says("{\"death_claim\":{\"why\":\"BY_ITSELF\"}}\n");
  CHECK(ben->hears([](const auto& fact) { return fact.has_score() && fact.score().losses() == 1; }));
  Store(*nats.front()).until([](const core::SavedPlayer& start) {
    return start.name == "anna" && start.score.losses() == 1;
  });
  nats[1]->kill();
  talk(*anna, *ben, "still here");
  talk(*ben, *anna, "here too");
  CHECK(look(own, "anna").score.losses() == 1);
}

TEST_CASE("a node whose arena cannot be opened any more leaves it to another") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const Folder folder;
  const std::string from = folder.file("from.rec");
  std::filesystem::copy_file(entente::testing::source_dir() + "/tests/traces/bzflag/bzfs2426-ctf.rec", from);
  Node first(folder, nats, "first", arena());
  first.port();
  first.owns();
  Node lame(folder, nats, "lame",
            "[[arena]]\nname = \"field\"\nfleet = true\nfrom = \"" + from + "\"\nlisten = [\"" + kJson + "\"]\n");
  lame.port();  // the file was there when it started
  std::filesystem::remove(from);
  first.process().signal(SIGTERM);
  CHECK(first.process().wait() == 0);
  REQUIRE_MESSAGE(lame.process().err_has("cannot open the arena 'field': "), lame.process().err());
  CHECK(lame.process().err_has("this node leaves it to others"));
  Node good(folder, nats, "good", arena());
  good.owns();
}

TEST_CASE("a node whose arena's recording cannot be played does not start") {
  const Folder folder;
  const std::string from = folder.write("from.mcap", "no recording");
  Process lame({entente::testing::entente_binary(), "run",
                folder.write("lame.toml",
                             "[fleet]\nnats = [\"nats://127.0.0.1:1\"]\n[[arena]]\nname = \"field\"\n"
                             "fleet = true\nfrom = \"" +
                                 from + "\"\nlisten = [\"" + kJson + "\"]\n")});
  CHECK(lame.wait() == 1);
  CHECK_MESSAGE(has(lame.err(), ":6:8: arena[0].from: "), lame.err());
  CHECK_MESSAGE(has(lame.err(), from), lame.err());
}

}  // namespace
}  // namespace entente::fleet::nodes_test
