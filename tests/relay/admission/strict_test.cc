// A strict route: a client's messages reach its server only if they decode.
#include <doctest/doctest.h>

#include "adapters/aos/aos.h"
#include "adapters/ogar/ogar.h"
#include "tests/relay/enet_peers.h"
#include "tests/relay/toy.h"
#include "tests/relay/web_peers.h"

namespace entente::testing::strict_test {
namespace {

using relay::Drop, relay::Reason;

const Buffer kGood = from_hex("0508 0000000000"), kUnknown = from_hex("0163 00");  // of the toy game

TEST_CASE("strict: a broken packet of Ace of Spades does not reach the server, and its client is kicked") {
  for (const bool strict : {true, false}) {
    CAPTURE(strict);
    Scene scene(aos::game(), no_limits(), EnetMode::kPackets, nullptr, strict);
    scene.join(3);
    scene.client.say(0, "030001", EnetDelivery::kReliable);
    scene.client.say(0, "2801", EnetDelivery::kReliable);  // unknown id: servers ignore it
    scene.client.say(0, "03000100", EnetDelivery::kReliable);
    scene.until([&] { return strict ? scene.client.heard("down 10") : scene.server.heard("0/1 03000100"); });
    scene.until([&] { return scene.server.heard("0/1 030001") && scene.server.heard("0/1 2801"); });
    CHECK(scene.server.heard("0/1 03000100") == !strict);
    if (!strict) continue;
    CHECK(scene.running.heard.line("bad frame: "));
    CHECK(scene.running.totals().by(Reason::kBadFrame) == 1);
    scene.until([&] { return scene.server.peer == nullptr; });
    scene.client.peer = nullptr;
    scene.join(3);  // it may connect again
  }
}

TEST_CASE("strict: of a stream, everything before the bad frame passes, and nothing after it") {
  FakeServer fake(true);
  Running running(toy::game(), fake.address(), no_limits(), 1, 0, nullptr, {}, EnetMode::kPackets, true);
  Pair pair(running, fake);
  Buffer said = kGood;
  append(said, kUnknown);
  append(said, kGood);
  pair.client.send(said);
  CHECK(as_text(pair.client.read_all()) == kGoodbye);
  CHECK(pair.server.read_all() == kGood);
  CHECK(running.heard.line("bad frame: unknown message"));
  CHECK(running.heard.line(" at " + std::to_string(4 + kGood.size())));
}

TEST_CASE("strict: a frame that its client leaves incomplete is not passed on") {
  FakeServer fake(true);
  Running running(toy::game(), fake.address(), no_limits(), 1, 0, nullptr, {}, EnetMode::kPackets, true);
  Pair pair(running, fake);
  pair.client.send(Bytes(kGood).first(4));
  pair.client.close();
  CHECK(pair.server.read_all().empty());
}

TEST_CASE("strict: a datagram that does not decode is dropped, and the session goes on") {
  FakeServer fake(true);
  Running running(toy::game(), fake.address(), no_limits(), 1, 0, nullptr, {}, EnetMode::kPackets, true);
  const Datagrams far = fake.take_datagrams();
  Pair pair(running, fake);
  const Datagrams near(pair.client.here());
  const Buffer good = from_hex("0204 0000");
  Buffer both = good;
  append(both, kUnknown);
  near.send(running.address, both);
  CHECK(running.dropped(Drop::kBadFrame));
  near.send(running.address, good);
  CHECK(far.receive().bytes == good);
}

TEST_CASE("strict: a WebSocket message that does not decode closes the connection") {
  FakeServer fake;
  Running running(ogar::game(), fake.address(), no_limits(), 1, 0, nullptr, {}, EnetMode::kPackets, true);
  WebPair pair(running, fake);
  pair.client.send("0103000000");
  CHECK(pair.server.next() == "b:0103000000");
  pair.client.send("ff");
  CHECK(pair.client.next_but_messages().starts_with("close:1002 "));
  CHECK(running.ended(Reason::kBadFrame));
}

}  // namespace
}  // namespace entente::testing::strict_test
