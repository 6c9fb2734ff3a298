// What an operator can see of sessions and do to them, from another thread, with any number of workers.
#include <doctest/doctest.h>

#include "adapters/aos/aos.h"
#include "tests/relay/bridging.h"
#include "tests/relay/enet_peers.h"

namespace entente::testing::inquiry_test {
namespace {

using relay::Reason;

/// The open sessions, once there are `count` of them.
std::vector<relay::SessionReport> sessions(const Serving& serving, std::size_t count) {
  std::vector<relay::SessionReport> all;
  CHECK(eventually([&] {
    all = serving.sessions();
    return all.size() == count;
  }));
  return all;
}

TEST_CASE("the list has the sessions of all workers, with their addresses and byte counts") {
  for (const std::size_t workers : std::initializer_list<std::size_t>{1, 3}) {
    CAPTURE(workers);
    FakeServer fake;
    Running running(toy::game(), fake.address(), no_limits(), workers);
    CHECK(sessions(running, 0).empty());
    std::vector<std::unique_ptr<Pair>> pairs;
    for (int i = 0; i < 4; ++i) pairs.push_back(std::make_unique<Pair>(running, fake));
    pairs[2]->client.send(frame("hello"));
    CHECK(pairs[2]->server.read(frame("hello").size()) == frame("hello"));
    const auto all = sessions(running, 4);
    for (std::size_t i = 0; i < all.size(); ++i) {
      CHECK(all[i].info.link == i + 1);
      CHECK(all[i].info.client == pairs[i]->client.here());
      CHECK(all[i].info.server == fake.address());
      CHECK(all[i].bytes == kHello.size() + kWelcome.size() + (i == 2 ? frame("hello").size() : 0));
    }
  }
}

TEST_CASE("a kicked client gets its game's goodbye, the others play on, and the kick is counted") {
  FakeServer fake;
  Running running(toy::game(), fake.address(), no_limits(), 2);
  Pair first(running, fake), second(running, fake);
  const auto all = sessions(running, 2);
  CHECK(running.kick(all[0].info.link, "no reason"));
  CHECK(as_text(first.client.read_all()) == kGoodbye);
  CHECK(running.ended(Reason::kKicked));
  CHECK(sessions(running, 1)[0].info.link == all[1].info.link);
  second.client.send(frame("still here"));
  CHECK(second.server.read(frame("still here").size()) == frame("still here"));
  CHECK_FALSE(running.kick(all[0].info.link, "again"));
  CHECK_FALSE(running.kick(4711, ""));
}

TEST_CASE("a session that only waits for its client to close is not listed and cannot be kicked") {
  Limits limits = no_limits();
  limits.linger_ms = kPatience;
  FakeServer fake;
  Running running(toy::game(), fake.address(), limits);
  Pair first(running, fake), second(running, fake);
  const auto all = sessions(running, 2);
  CHECK(running.kick(all[0].info.link, ""));
  CHECK(as_text(first.client.read_all()) == kGoodbye);
  CHECK(running.totals().current_sessions() == 2);
  REQUIRE(running.sessions().size() == 1);
  CHECK(running.sessions()[0].info.link == all[1].info.link);
  CHECK_FALSE(running.kick(all[0].info.link, ""));
  CHECK(running.say("hear!").size() == 1);
}

TEST_CASE("a kicked player of a bridge gets its game's goodbye") {
  FakeServer fake;
  Bridging running(toy::stream(), toy::stream(), fake.address());
  BridgedPair pair(running, fake);
  const auto all = sessions(running, 1);
  CHECK(all[0].info.client == pair.client.here());
  CHECK(running.kick(all[0].info.link, "no cheating"));
  CHECK(as_text(pair.client.read_all()) == kGoodbye);
  CHECK(running.ended(Reason::kKicked));
}

TEST_CASE("a client that is kicked over ENet gets its game's number for a kick, in both modes") {
  for (const EnetMode mode : {EnetMode::kPackets, EnetMode::kDatagrams}) {
    Scene scene(aos::game(), no_limits(), mode);
    scene.join(3);
    std::vector<relay::SessionReport> all;
    scene.until([&] { return (all = scene.running.sessions()).size() == 1; });
    REQUIRE(all.size() == 1);
    CHECK(scene.running.kick(all[0].info.link, ""));
    scene.until([&] { return scene.client.heard("down 10"); });
    CHECK(scene.running.ended(Reason::kKicked));
  }
}

TEST_CASE("after the end the list of sessions is empty, and a kick finds no session") {
  FakeServer fake;
  Running running(toy::game(), fake.address());
  Pair pair(running, fake);
  running.stop();
  CHECK(running.sessions().empty());
  CHECK_FALSE(running.kick(1, ""));
}

}  // namespace
}  // namespace entente::testing::inquiry_test
