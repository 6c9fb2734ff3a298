// `entente ctl upgrade` of a node that owns an arena of the fleet: for a while the node is two processes.
#include <memory>
#include <string>
#include <vector>

#include "tests/program/fleet/fleet_process.h"
#include "tests/program/native_client.h"
#include "tests/relay/peers.h"

namespace entente::fleet_upgrade_test {
namespace {

std::unique_ptr<NativeClient> enter(int port, const std::string& name) {
  auto client = std::make_unique<NativeClient>(port);
  client->says(R"({"enter":{"name":")" + name + "\"}}\n");
  CHECK(client->hears([&](const auto& fact) { return fact.has_player() && fact.player().name() == name; }));
  client->says("{\"spawn\":{}}\n");
  CHECK(client->hears([](const auto& fact) { return fact.has_spawned(); }));
  return client;
}

/// `from` repeats the text until `to` receives it: chat is dropped while the arena has no owner.
void talk(const NativeClient& from, NativeClient& to, const std::string& text) {
  std::optional<words::Fact> heard;
  for (int i = 0; i < 100 && !heard && !to.closed(); ++i) {
    from.says(R"({"say":{"text":")" + text + "\"}}\n");
    heard = to.hears([&](const auto& fact) { return fact.has_said() && fact.said().text() == text; },
                     std::chrono::milliseconds(1'200));
  }
  CHECK_MESSAGE(heard, text);
}

TEST_CASE(
    "upgrade of an owner: players of both its processes and of other nodes play on, also when the old process ends") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const int port = testing::free_for_both().port();
  const Folder folder;
  const std::string config = folder.write(
      "home.toml", "[control]\nsocket = '" + folder.file("c.sock") + "'\n[fleet]\nnats = ['" + nats.url() +
                       "']\nnode = 'home'\n[[arena]]\nname = 'field'\nfleet = true\nrespawn_ms = 100\nlisten = "
                       "['native://127.0.0.1:" +
                       std::to_string(port) + "?dialect=json']\n");
  Process home({testing::entente_binary(), "run", config});
  REQUIRE_MESSAGE(home.line(), home.err());
  REQUIRE_MESSAGE(home.err_has("this node owns the arena"), home.err());
  Process far({testing::entente_binary(), "run",
               folder.write("far.toml", "[fleet]\nnats = ['" + nats.url() +
                                            "']\nnode = 'far'\n[[route]]\nlisten = "
                                            "'native://127.0.0.1:0?dialect=json'\nto = 'fleet:field'\n")});
  const auto line = far.line();
  REQUIRE_MESSAGE(line, far.err());
  const int far_port = std::stoi(line->substr(line->rfind(':') + 1));
  auto anna = enter(port, "anna");
  const auto ben = enter(far_port, "ben");
  ben->says("{\"death_claim\":{\"why\":\"BY_ITSELF\"}}\n");
  CHECK(anna->hears([](const auto& fact) { return fact.has_score() && fact.score().losses() == 1; }));

  const Ended upgraded = run({testing::entente_binary(), "ctl", "--socket", folder.file("c.sock"), "upgrade"});
  REQUIRE_MESSAGE(upgraded.code == 0, upgraded.err);
  const Young young{std::stoi(upgraded.out.substr(std::string("process ").size()))};
  REQUIRE_MESSAGE(home.err_has(" has taken over; "), home.err());  // may be logged after `ctl` has ended
  const auto carl = enter(port, "carl");
  talk(*carl, *anna, "from the new process to the old one");
  talk(*anna, *carl, "from the old process to the new one");
  talk(*carl, *ben, "from the new process to another node");
  talk(*ben, *carl, "from another node to the new process");
  CHECK_FALSE(has(home.err(), "hands over"));
  CHECK_FALSE(has(home.err(), "no longer owns"));

  anna.reset();                                                       // the last player of the old process
  REQUIRE_MESSAGE(home.err_has("hands over the arena"), home.err());  // both processes write to this log
  REQUIRE_MESSAGE(home.err_has("and goes on with 2 players"), home.err());
  talk(*carl, *ben, "without the old process");
  talk(*ben, *carl, "still here");
  NativeClient looker(far_port);
  looker.says("{\"enter\":{\"name\":\"looker\",\"role\":\"WATCH\"}}\n");
  CHECK(looker.hears([](const auto& fact) { return fact.has_score() && fact.score().losses() == 1; }));
  CHECK_FALSE(ben->closed());
  CHECK_FALSE(carl->closed());
}

TEST_CASE("what the fleet has lifted stays lifted after an upgrade, also if the new process reads an older file") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const NodeProcess node(nats, "home");
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"ban", "10.0.0.1"}, {"unban", "10.0.0.1"}, {"deny", "10.1.0.0/16"}, {"unlist", "10.1.0.0/16"}})
    REQUIRE(node.ctl(words).code == 0);
  const std::string before = content_of(node.config()), bans = node.folder().file("bans");
  std::string config = before;
  config.replace(config.find(bans), bans.size(),
                 node.folder().write("old", "10.0.0.1 forever\n10.0.0.2 forever\n10.1.0.0/16 denied\n"));
  node.folder().write("node.toml", config);
  const Ended upgraded = node.ctl({"upgrade"});
  REQUIRE_MESSAGE(upgraded.code == 0, upgraded.err);
  const Young young{std::stoi(upgraded.out.substr(std::string("process ").size()))};
  CHECK(node.says({"bans"}, "10.0.0.2\t"));
  CHECK(node.says({"bans"}, "10.0.0.1\t", false));
  CHECK(node.says({"access"}, "10.1.0.0/16", false));
  CHECK(eventually([&] { return content_of(node.folder().file("old")) == "10.0.0.2 forever\n"; }));
}

}  // namespace
}  // namespace entente::fleet_upgrade_test
