// [limits] of players whose arena is another node's, or this node's own.
#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tests/program/fleet/fleet_process.h"
#include "tests/program/native_client.h"

namespace entente::fleet_limits_test {
namespace {

TEST_CASE("a reload of [limits] holds for those who come to an arena of the fleet from then on") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const std::string slow = "enters_per_second = 1\nenters_burst = 1\n";
  NodeProcess node(nats, "a", "[limits]\n" + slow);
  REQUIRE_MESSAGE(node.process().err_has("this node owns the arena"), node.process().err());
  std::string config = content_of(node.config());
  REQUIRE(has(config, slow));
  config.replace(config.find(slow), slow.size(), "enters_per_second = 0\n");
  node.folder().write("node.toml", config);
  const Ended reloaded = node.ctl({"reload"});
  CHECK_MESSAGE(reloaded.code == 0, reloaded.err);
  std::vector<std::unique_ptr<NativeClient>> clients;
  for (int i = 0; i < 60; ++i) {
    clients.push_back(std::make_unique<NativeClient>(node.port()));
    clients.back()->says(R"({"enter":{"name":"player )" + std::to_string(i) + "\"}}\n");
  }
  // By the limits before, it would be a minute.
  const auto is_in = [](const words::Fact& fact) { return fact.has_player() && fact.player().name() == "player 59"; };
  CHECK(clients.back()->hears(is_in, std::chrono::milliseconds(30'000)));
  clients.clear();
  node.stop();
}

}  // namespace
}  // namespace entente::fleet_limits_test
