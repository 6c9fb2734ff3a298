// A route that drains: newcomers are refused by their game's protocol, sessions continue and are ended at the deadline.
// Also, whether the loops of the workers run.
#include <doctest/doctest.h>

#include "adapters/aos/aos.h"
#include "adapters/bzflag/bzflag.h"
#include "adapters/ogar/ogar.h"
#include "tests/relay/enet_peers.h"
#include "tests/relay/in_shared_room.h"
#include "tests/relay/toy.h"
#include "tests/relay/web_peers.h"

namespace entente::testing::drain_test {
namespace {

using relay::Reason, relay::AnnounceResult;

TEST_CASE("a draining relay refuses newcomers, and sessions continue until they are ended") {
  FakeServer fake;
  Running running(toy::game(), fake.address(), no_limits(), 2);
  Pair pair(running, fake);
  running.set_draining(true);
  for (int i = 0; i < 3; ++i) CHECK(as_text(Stream::to(running.address).read_all()) == kGoodbye);
  CHECK(running.ended(Reason::kDraining, 3));
  CHECK(running.totals().refused() == 3);
  pair.client.send(frame("still here"));
  CHECK(pair.server.read(frame("still here").size()) == frame("still here"));
  running.set_draining(false);
  const Pair other(running, fake);
  running.set_draining(true);
  CHECK(running.end_sessions("") == 2);
  CHECK(as_text(pair.client.read_all()) == kGoodbye);
  CHECK(as_text(other.client.read_all()) == kGoodbye);
  CHECK(running.ended(Reason::kDrained, 2));
  CHECK(running.totals().refused() == 3);
  CHECK(running.empty());
  CHECK(running.end_sessions("") == 0);
}

TEST_CASE("a newcomer of BZFlag reads the reason") {
  FakeServer fake;
  Running running(bzflag::game(), fake.address());
  running.set_draining(true);
  const std::string said(as_text(Stream::to(running.address).read_all()));
  CHECK(said == "REFUSED:" + std::string(relay::telling(Reason::kDraining).words) + '\0');
}

TEST_CASE("over ENet newcomers, and players whose sessions are ended, are told that the server goes down") {
  for (const EnetMode mode : {EnetMode::kPackets, EnetMode::kDatagrams}) {
    Scene scene(aos::game(), no_limits(), mode);
    scene.join(3);
    scene.running.set_draining(true);
    End late(scene.loop);
    REQUIRE(late.host.open({4, scene.settings.channels, scene.settings.range_coder, 8U << 20U}).ok());
    late.host.connect(scene.running.address, 1, 3);
    scene.until([&] { return late.heard("down 5"); });
    CHECK(scene.running.ended(Reason::kDraining));
    CHECK_FALSE(scene.client.heard("down 5"));
    CHECK(scene.running.end_sessions("") == 1);
    scene.until([&] { return scene.client.heard("down 5"); });
    CHECK(scene.running.ended(Reason::kDrained));
    late.host.close();
  }
}

TEST_CASE("routes on one listener drain separately; a newcomer gets 503") {
  FakeServer first, second;
  PathRoutes routes;
  relay::ProxyServer& server = routes.server;
  const relay::RouteOptions& options = routes.options;
  const std::size_t one = routes.add("/first", first), other = routes.add("/second", second);
  std::thread thread([&] { server.run(); });
  const auto meets = [&](const char* path, const FakeServer& fake) {
    WebClient client(options.listen, path);
    WebServer peer(fake);
    peer.upgrade();
    client.upgrade();
  };
  const auto refused = [&](const char* path) {
    WebClient client(options.listen, path);
    CHECK(client.answer().status == 503);
  };
  server.set_draining(one, true);
  CHECK(server.is_draining(one));
  CHECK_FALSE(server.is_draining(other));
  refused("/first");
  meets("/second", second);
  server.set_draining(other, true);
  refused("/first");
  refused("/second");
  server.set_draining(one, false);
  meets("/first", first);
  refused("/second");
  CHECK(eventually(
      [&] { return server.totals(one).by(Reason::kDraining) + server.totals(other).by(Reason::kDraining) == 4; }));
  server.stop();
  thread.join();
}

Stream seated(const InSharedRoom& shared_room, std::size_t listener) {
  Stream client = Stream::to(shared_room.at[listener]);
  client.send(kHello);
  CHECK(client.read_text(4) == kWelcome);
  client.send(said("here"));
  CHECK(client.read_text(6) == said("here"));
  return client;
}

TEST_CASE("a listener of a shared room drains, and those of the others stay") {
  InSharedRoom shared_room(no_limits(), 2);
  const Stream first = seated(shared_room, 0);
  const Stream second = seated(shared_room, 2);
  CHECK(first.read_text(6) == said("here"));
  shared_room.server().set_draining(0, true);
  (void)Stream::to(shared_room.at[0]).read_all();
  CHECK(shared_room.ended(Reason::kDraining));
  CHECK(shared_room.server().end_sessions(0, "enough") == 1);
  CHECK(shared_room.ended(Reason::kDrained));
  CHECK(as_text(first.read_all()).ends_with(kBye));
  CHECK(second.read_text(6) == said("gone"));
  second.send(said("here"));
  CHECK(second.read_text(6) == said("here"));
  CHECK(eventually([&] { return shared_room.now() == 1; }));
}

TEST_CASE("players in rooms get the operator's messages; a relay's bytes are the server's") {
  InSharedRoom shared_room(no_limits(), 2);
  const Stream first = seated(shared_room, 0);
  const Stream second = seated(shared_room, 2);
  CHECK(first.read_text(6) == said("here"));
  const Stream silent = Stream::to(shared_room.at[2]);
  REQUIRE(eventually([&] { return shared_room.now() == 3; }));
  const auto one = shared_room.server().announce(0, "hear!");
  REQUIRE(one.size() == 1);
  CHECK(one[0].told == AnnounceResult::kYes);
  CHECK(first.read_text(7) == said("hear!"));
  const auto others = shared_room.server().announce(2, "here!");
  REQUIRE(others.size() == 2);
  CHECK(others[0].told != others[1].told);
  for (const auto& other : others) CHECK((other.told == AnnounceResult::kYes || other.told == AnnounceResult::kNotIn));
  CHECK(second.read_text(7) == said("here!"));
  const auto sessions = shared_room.server().sessions();
  CHECK(shared_room.server().announce_to(sessions.front().info.link, "to you") == AnnounceResult::kYes);
  CHECK(first.read_text(8) == said("to you"));
  CHECK(shared_room.server().announce_to(1'000, "to nobody") == AnnounceResult::kNotIn);
  CHECK(shared_room.server().refer(sessions.front().info.link, "play at example.org"));
  CHECK(shared_room.ended(Reason::kReferred));
  CHECK_FALSE(shared_room.server().refer(1'000, "play at example.org"));
  CHECK(second.read_text(6) == said("gone"));

  FakeServer fake;
  Running relay(toy::game(), fake.address());
  Pair pair(relay, fake);
  const auto relayed = relay.say("hear!");
  REQUIRE(relayed.size() == 1);
  CHECK(relayed[0].told == AnnounceResult::kOff);
  pair.server.send(frame("the server"));
  CHECK(pair.client.read(frame("the server").size()) == frame("the server"));

  Bridging bridge(toy::stream(), toy::stream(), fake.address());
  BridgedPair bridged(bridge, fake);
  CHECK(eventually([&] { return bridge.say("hear!")[0].told == AnnounceResult::kYes; }));
  CHECK(bridged.client.read_text(7) == said("hear!"));
}

/// What a player is sent for this message.
Buffer announcement(const wire::Game& game, std::size_t dialect = 0, std::string_view text = "hear!") {
  const auto frames = game.announcement(dialect, text);
  REQUIRE(frames.size() == 1);
  return frames[0];
}

template <class Relay>
AnnounceResult told(Relay& relay) {
  const auto asked = relay.say("hear!");
  REQUIRE(asked.size() == 1);
  return asked[0].told;
}

TEST_CASE("a relay that may announce does so between two frames of the server, once the player has joined") {
  FakeServer fake;
  Running relay(bzflag::game(), fake.address(), no_limits(), 1, 0, nullptr, {}, EnetMode::kPackets, false, nullptr, {},
                true);
  const Stream client = Stream::to(relay.address);
  client.send("BZFLAG\r\n\r\n");
  const Stream server = fake.accept();
  CHECK(server.read_text(10) == "BZFLAG\r\n\r\n");
  server.send("BZFS0221\x05");
  CHECK(client.read_text(9) == "BZFS0221\x05");
  CHECK(told(relay) == AnnounceResult::kNotIn);
  const Buffer accept = from_hex("00006163"), time = from_hex("0004746f00000001");
  server.send(accept);
  CHECK(client.read(accept.size()) == accept);
  const Buffer said = announcement(bzflag::game());
  server.send(Bytes(time).first(5));
  CHECK(told(relay) == AnnounceResult::kYes);
  CHECK(client.read(said.size()) == said);
  server.send(Bytes(time).subspan(5));
  CHECK(client.read(time.size()) == time);
  CHECK(eventually([&] { return relay.tapped.record(1).to_client.size() == 9 + 4 + said.size() + 8; }));
  const Buffer why = announcement(bzflag::game(), 0, "kicked: be nice");
  CHECK(relay.kick(1, "be nice"));
  CHECK(client.read(why.size()) == why);
}

TEST_CASE("a relay of WebSockets that may announce does so in the client's dialect") {
  FakeServer fake;
  Running relay(ogar::game(), fake.address(), no_limits(), 1, 0, nullptr, {}, EnetMode::kPackets, false, nullptr, {},
                true);
  WebPair pair(relay, fake);
  CHECK(told(relay) == AnnounceResult::kNotIn);
  const Buffer hello = from_hex("fe06000000");
  pair.client.send(net::Opcode::kBinary, hello);
  CHECK(pair.server.next() == "b:fe06000000");
  CHECK(told(relay) == AnnounceResult::kYes);
  CHECK(pair.client.next() == "b:" + to_hex(announcement(ogar::game(), *ogar::game().named_by_client(hello))));
  pair.server.send("20000000");
  CHECK(pair.client.next() == "b:20000000");
}

TEST_CASE("a relay over ENet that may announce does so to players, not to clients that load the map") {
  Scene scene(aos::game(), no_limits(), EnetMode::kPackets, nullptr, false, nullptr, true);
  scene.join(3);
  CHECK(told(scene.running) == AnnounceResult::kNotIn);
  scene.client.say(0, "0901000002000000006f6f6f616200", EnetDelivery::kReliable);
  scene.until([&] { return scene.server.heard("0/1 0901000002000000"); });
  CHECK(told(scene.running) == AnnounceResult::kYes);
  scene.until([&] { return scene.client.heard("0/1 1123026865617221"); });

  Scene untouched(aos::game(), no_limits(), EnetMode::kDatagrams, nullptr, false, nullptr, true);
  untouched.join(3);
  CHECK(told(untouched.running) == AnnounceResult::kCannot);
}

TEST_CASE("an announcement of several lines to a client over ENet that acknowledges nothing leaves its session alone") {
  Limits limits = no_limits();
  limits.high_water = 1'100;
  Scene scene(aos::game(), limits, EnetMode::kPackets, nullptr, false, nullptr, true);
  scene.join(3);
  scene.client.say(0, "0901000002000000006f6f6f616200", EnetDelivery::kReliable);
  scene.until([&] { return scene.server.heard("0/1 0901000002000000"); });
  scene.client.host.close();
  // As much waits as may wait: less than a line of the announcement would be too much.
  Buffer chunk(8193, 1);
  chunk[0] = 19;
  for (int i = 0; i < 1024; ++i)
    REQUIRE(scene.server.host.send(*scene.server.peer, 0, EnetPacket(chunk, EnetDelivery::kReliable)));
  scene.until([&] { return scene.server.peer == nullptr || scene.server.peer->waiting() == 0; });
  const auto asked = scene.running.say(std::string(200, 'a'));
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].told == AnnounceResult::kSlow);
  CHECK(scene.running.totals().current_sessions() == 1);
}

TEST_CASE("a server is alive while its loops run, and not while one is blocked") {
  InSharedRoom shared_room(no_limits(), 3);
  constexpr Millis kShort = 400;  // several ticks
  const auto& server = shared_room.server();
  CHECK(eventually([&] { return server.is_alive(kShort); }));
  std::promise<void> over;
  shared_room.hold_up(over.get_future().share());
  CHECK(eventually([&] { return !server.is_alive(kShort); }));
  over.set_value();
  CHECK(eventually([&] { return server.is_alive(kShort); }));
  shared_room.stop();
  CHECK(server.stopping());
  CHECK(server.is_alive(0));  // no loop is blocked
}

}  // namespace
}  // namespace entente::testing::drain_test
