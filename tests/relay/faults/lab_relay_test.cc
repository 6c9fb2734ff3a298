// Relays with a lab: over TCP, UDP, WebSocket and ENet, with real sockets.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "adapters/aos/aos.h"
#include "proxy/relay/faults/lab_dice.h"
#include "tests/relay/enet_peers.h"
#include "tests/relay/toy.h"
#include "tests/relay/web_peers.h"

namespace entente::testing::lab_relay_test {
namespace {

using relay::LabFault, relay::LabPlan, relay::Reason;
using wire::Way;

std::shared_ptr<const LabPlan> plan(std::string_view text) {
  auto made = LabPlan::parse(text, nullptr);
  REQUIRE_MESSAGE(made.ok(), (made.ok() ? "" : made.error().text));
  return std::make_shared<const LabPlan>(std::move(*made));
}

std::uint64_t count(const Running& running, Way way, LabFault fault) { return running.totals().lab.at(way, fault); }

/// A relay of the toy game with a lab, and one session.
struct Labbed {
  explicit Labbed(std::string_view lab, bool with_udp = false, Limits limits = no_limits())
      : fake(with_udp), running(with_udp ? toy::game() : toy::stream(), fake.address(), limits) {
    running.server().set_lab(0, plan(lab));
  }
  FakeServer fake;
  Running running;
};

TEST_CASE("lab: what passes over TCP is late, sliced and stalled, and complete") {
  for (const char* lab : {"delay=5ms+-5ms; seed=3", "slice=1-2000", "loss=0.2%, delay=1ms", "stall=1%:20ms",
                          "rate=8Mbit", "to_client: slice=500, delay=3ms, rate=20Mbit, loss=0.1%, stall=0.2%:10ms"}) {
    CAPTURE(lab);
    Labbed it(lab);
    const Pair pair(it.running, it.fake);
    const Buffer up = frames(20'000, 1), down = frames(60'000, 2);
    pair.client.send(up);
    pair.server.send(down);
    CHECK(pair.server.read(up.size()) == up);
    CHECK(pair.client.read(down.size()) == down);
    pair.client.send(frame("last"));
    pair.client.finish();  // the end follows what waits
    CHECK(pair.server.read_all() == frame("last"));
    pair.server.send(frame("bye"));
    pair.server.finish();
    CHECK(pair.client.read_all() == frame("bye"));
    CHECK(it.running.ended(Reason::kClientLeft));
    const auto record = it.running.tapped.record(1);
    CHECK(record.to_server.size() == 4 + up.size() + frame("last").size());
    CHECK(record.to_client.size() == 4 + down.size() + frame("bye").size());
  }
}

TEST_CASE("lab: what a client has sent of a message before it stopped sending is passed on, too") {
  Labbed it("to_server: delay=60ms");
  const Pair pair(it.running, it.fake);
  Buffer all = frame("whole");
  append(all, Bytes(frame("half")).first(3));
  pair.client.send(all);
  pair.client.finish();
  CHECK(pair.server.read_all() == all);
}

TEST_CASE("lab: a delayed message does not come early, and a relay without a lab has no counts") {
  Labbed it("to_server: delay=60ms");
  const Pair pair(it.running, it.fake);
  const auto began = std::chrono::steady_clock::now();
  pair.client.send(frame("late"));
  CHECK(pair.server.read(6) == frame("late"));
  CHECK(std::chrono::steady_clock::now() - began >= std::chrono::milliseconds(59));
  CHECK(count(it.running, Way::kToServer, LabFault::kDelay) == 2);  // the greeting, too
  CHECK(count(it.running, Way::kToClient, LabFault::kDelay) == 0);
  const auto reports = it.running.sessions();
  REQUIRE(reports.size() == 1);
  REQUIRE(reports[0].lab);
  CHECK(reports[0].lab->number == 1);
  CHECK(reports[0].lab->counts.at(Way::kToServer, LabFault::kDelay) == 2);

  FakeServer fake;
  Running plain(toy::stream(), fake.address());
  const Pair other(plain, fake);
  CHECK_FALSE(plain.sessions().at(0).lab);
}

TEST_CASE("lab: it is put on and taken off while a session is open, and the session goes on") {
  FakeServer fake;
  Running running(toy::stream(), fake.address());
  const Pair pair(running, fake);
  const Buffer up = frames(5'000, 3);
  const auto pass = [&] {
    pair.client.send(up);
    CHECK(pair.server.read(up.size()) == up);
  };
  pass();
  running.server().set_lab(0, plan("slice=3-50; to_server: delay=2ms"));
  CHECK(eventually([&] { return running.sessions().at(0).lab.has_value(); }));
  pass();
  CHECK(count(running, Way::kToServer, LabFault::kSlice) > 10);
  running.server().set_lab(0, nullptr);
  CHECK(running.server().lab(0) == nullptr);
  const std::uint64_t slices = count(running, Way::kToServer, LabFault::kSlice);
  pair.client.send(frame("a"));
  CHECK(pair.server.read(3) == frame("a"));
  pass();
  CHECK(count(running, Way::kToServer, LabFault::kSlice) == slices);
}

TEST_CASE("lab: a reset reaches both peers, and is counted") {
  Labbed it("to_server: reset=100%");
  const Stream client = Stream::to(it.running.address);
  client.send(kHello);
  const Stream server = it.fake.accept();
  CHECK(server.read_all().empty());
  CHECK(client.read_all().empty());
  int error = 0;
  CHECK(::recv(client.fd(), &error, 1, MSG_DONTWAIT) <= 0);
  CHECK(it.running.ended(Reason::kLabReset));
  CHECK(count(it.running, Way::kToServer, LabFault::kReset) == 1);
  CHECK(it.running.empty());
}

TEST_CASE("lab: the recording has what waited when a connection was reset, and what reset it") {
  FakeServer fake;
  Running running(toy::stream(), fake.address());
  const Pair pair(running, fake);
  const auto follow = [&](std::string_view text, std::uint64_t delayed) {
    running.server().set_lab(0, plan(text));
    CHECK(eventually([&] { return running.sessions().at(0).lab.has_value(); }));
    pair.client.send(frame("up"));
    CHECK(eventually([&] { return count(running, Way::kToServer, LabFault::kDelay) == delayed; }));
  };
  follow("delay=30s", 1);
  pair.server.send(frame("down"));
  CHECK(eventually([&] { return count(running, Way::kToClient, LabFault::kDelay) == 1; }));
  follow("to_server: delay=30s; to_client: reset=100%", 2);
  pair.server.send(frame("last"));
  CHECK(running.ended(Reason::kLabReset));
  CHECK(running.empty());
  auto kept = running.tapped.record(1).kept;
  std::sort(kept.begin(), kept.end());
  std::vector<Buffer> expected{frame("down"), frame("last"), frame("up"), frame("up")};
  std::sort(expected.begin(), expected.end());
  CHECK(kept == expected);
}

TEST_CASE("lab: the operator is told that a reset cut an announcement short") {
  FakeServer fake;
  Running running(toy::stream(), fake.address(), no_limits(), 1, 0, nullptr, {}, EnetMode::kPackets, false, nullptr, {},
                  true);
  const Pair pair(running, fake);
  running.server().set_lab(0, plan("to_client: reset=100%"));
  CHECK(eventually([&] { return running.sessions().at(0).lab.has_value(); }));
  const auto asked = running.say("we stop in an hour");  // three messages of the toy game
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].told == relay::AnnounceResult::kSlow);
  CHECK(running.ended(Reason::kLabReset));
}

TEST_CASE("lab: without a low_water, who is not read is read again when nothing waits any more") {
  Limits limits = no_limits();
  limits.high_water = 2'000;
  limits.low_water = 0;
  Labbed it("to_client: rate=20Mbit", false, limits);
  const Pair pair(it.running, it.fake);
  const Buffer much = frames(300'000, 9);
  pair.server.send(much);
  CHECK(pair.client.read(much.size()) == much);
}

TEST_CASE("lab: who sends faster than the lab passes on is not read; the session ends with all of it passed on") {
  Limits limits = no_limits();
  limits.high_water = 20'000;
  limits.low_water = 5'000;
  Labbed it("to_client: rate=40kbit", false, limits);
  Pair pair(it.running, it.fake);
  const Buffer much = frames(4'000'000, 9);
  std::size_t sent = 0;
  // Until the kernel takes no more, because nobody reads.
  CHECK(eventually([&] {
    const std::size_t now = pair.server.try_send(Bytes(much).subspan(sent));
    sent += now;
    return now == 0 && it.running.sessions().at(0).bytes > 5'000;
  }));
  const std::uint64_t read = it.running.sessions().at(0).bytes;
  CHECK(read < 20'000 + 200'000);  // and one read
  CHECK(sent > 1'000'000);
  it.running.kick(1, "enough");
  const Buffer all = pair.client.read_all();
  REQUIRE(all.size() > 5'000);
  CHECK(std::equal(all.begin(), all.begin() + 5'000, much.begin()));
}

TEST_CASE("lab: of datagrams, exactly those are lost and doubled that the seed says") {
  for (int run = 0; run < 2; ++run) {
    Labbed it("loss=10%, dup=5%; seed=42", true);
    const Datagrams far = it.fake.take_datagrams();
    const Pair pair(it.running, it.fake);
    const Datagrams near(pair.client.here());
    const relay::LabDice dice(42, 1, Way::kToServer, wire::Lane::kDatagram);
    std::uint64_t unit = 0, lost = 0;
    for (int i = 0; i < 300; ++i) {
      const Buffer datagram = frame("number " + std::to_string(i));
      near.send(it.running.address, datagram);
      ++unit;
      if (dice.hits(100'000, unit, LabFault::kLoss)) {
        ++lost;
        CHECK(eventually([&] { return count(it.running, Way::kToServer, LabFault::kLoss) == lost; }));
        continue;
      }
      CHECK(far.receive().bytes == datagram);
      if (dice.hits(50'000, unit, LabFault::kDup)) CHECK(far.receive().bytes == datagram);
    }
    CHECK_FALSE(far.has_some(0));
    const std::uint64_t doubled = count(it.running, Way::kToServer, LabFault::kDup);
    CHECK(eventually([&] { return it.running.totals().to_server.datagrams == 300 - lost + doubled; }));
    CHECK(count(it.running, Way::kToServer, LabFault::kLoss) > 15);
    CHECK(count(it.running, Way::kToServer, LabFault::kDup) > 5);
  }
}

TEST_CASE("lab: a datagram that is reordered comes after the next one") {
  Labbed it("to_client: reorder=100%", true);
  const Datagrams far = it.fake.take_datagrams();
  const Pair pair(it.running, it.fake);
  const Datagrams near(pair.client.here());
  near.send(it.running.address, frame("link"));
  const net::Address from = far.receive().from;
  for (const char* one : {"1", "2"}) far.send(from, frame(one));
  CHECK(near.receive().bytes == frame("2"));
  CHECK(near.receive().bytes == frame("1"));
}

TEST_CASE("lab: messages of a WebSocket are late and in order, and the close frame follows them") {
  FakeServer fake;
  Running running(ogar::game(), fake.address());
  running.server().set_lab(0, plan("delay=30ms+-30ms, loss=5%, stall=5%:20ms"));
  WebPair pair(running, fake);
  for (int i = 0; i < 20; ++i) pair.client.send("fe0600000" + std::to_string(i % 10));
  pair.client.send(net::CloseFrame{1000, "bye"});
  for (int i = 0; i < 20; ++i) CHECK(pair.server.next() == "b:fe0600000" + std::to_string(i % 10));
  CHECK(pair.server.next() == "close:1000 bye");
  pair.server.send("12");
  pair.server.send(net::CloseFrame{1000, "bye"});
  CHECK(pair.client.next() == "b:12");
  CHECK(pair.client.next() == "close:1000 bye");
  CHECK(count(running, Way::kToServer, LabFault::kDelay) == 20);
}

TEST_CASE("lab: a close frame that waits is passed on if the session ends first") {
  Limits limits = no_limits();
  limits.linger_ms = 200;
  FakeServer fake;
  Running running(ogar::game(), fake.address(), limits);
  running.server().set_lab(0, plan("to_client: delay=30s"));
  {
    WebPair pair(running, fake);
    pair.server.send_raw(from_hex("820112 880b0fa1 67616d65206f766572"));  // a message and a close frame, in one read
    CHECK(eventually([&] { return count(running, Way::kToClient, LabFault::kDelay) == 1; }));
    SUBCASE("its server's link breaks") {
      pair.server.stream().reset();
      CHECK(pair.client.next() == "b:12");
      CHECK(pair.client.next() == "close:4001 game over");
      CHECK(running.ended(Reason::kServerLeft));
    }
    SUBCASE("its client has closed, too, and linger_ms is over") {
      pair.client.send(net::CloseFrame{1000, "bye"});
      CHECK(pair.server.next() == "close:1000 bye");
      CHECK(pair.client.next() == "b:12");
      CHECK(pair.client.next() == "close:4001 game over");
      CHECK(running.ended(Reason::kClientLeft));
    }
  }
  CHECK(running.empty());
}

TEST_CASE("lab: a server that closed its TCP connection before it reset it has left") {
  FakeServer fake;
  Running running(toy::stream(), fake.address());
  Pair pair(running, fake);
  running.server().set_lab(0, plan("to_client: delay=30s"));
  CHECK(eventually([&] { return running.sessions().at(0).lab.has_value(); }));
  pair.server.send(frame("last"));
  pair.server.finish();
  CHECK(eventually([&] { return count(running, Way::kToClient, LabFault::kDelay) == 1; }));
  for (int turn = 0; turn < 3; ++turn) (void)running.sessions();  // its end was read, too
  pair.server.reset();
  // What cannot be sent to it shows that.
  CHECK(eventually([&] {
    (void)pair.client.try_send(frame("hi"));
    return running.totals().by(Reason::kServerLeft) == 1;
  }));
  CHECK(pair.client.read(6) == frame("last"));
}

TEST_CASE("lab: of a message that is dropped, no part is passed on, however late its rest comes") {
  FakeServer fake;
  Running plain(toy::stream(), fake.address());
  const Pair other(plain, fake);
  auto drop = LabPlan::parse("drop Texts", [](std::string_view name) -> Outcome<std::vector<std::string>> {
    return std::vector{std::string(name)};
  });
  REQUIRE(drop.ok());
  Running running(toy::stream(), fake.address());
  const Pair pair(running, fake);
  running.server().set_lab(0, std::make_shared<const LabPlan>(std::move(*drop)));
  CHECK(eventually([&] { return running.sessions().at(0).lab.has_value(); }));
  const Buffer text = frame("dropped"), next = frame("next", 7);
  const Bytes half = Bytes(text).first(4), rest = Bytes(text).subspan(4);
  for (const Pair* one : {&pair, &other}) one->server.send(half);
  CHECK(same(other.client.read(half.size()), half));  // after some time, it is passed on alone
  pair.server.send(rest);
  pair.server.send(next);
  CHECK(pair.client.read(next.size()) == next);
  CHECK(count(running, Way::kToClient, LabFault::kDrop) == 1);
}

TEST_CASE("lab: a WebSocket is reset") {
  FakeServer fake;
  Running running(ogar::game(), fake.address());
  running.server().set_lab(0, plan("to_client: reset=100%"));
  WebPair pair(running, fake);
  pair.client.send("fe06000000");
  CHECK(pair.server.next() == "b:fe06000000");
  pair.server.send("12");
  CHECK(pair.client.next() == "end");
  CHECK(pair.server.next() == "end");
  CHECK(running.ended(Reason::kLabReset));
  CHECK(running.empty());
}

TEST_CASE("lab: above ENet, even a reliable packet is lost, comes twice or is overtaken") {
  Scene scene(aos::game());
  scene.running.server().set_lab(0, plan("to_server: loss=50%; to_client: dup=100%; seed=5"));
  scene.join(3);
  for (int i = 0; i < 40; ++i) scene.client.say(0, i % 2 == 0 ? "030001" : "030002", EnetDelivery::kReliable);
  scene.server.say(0, "030101", EnetDelivery::kReliable);
  scene.until([&] { return scene.client.log.size() == 3; });
  CHECK(scene.client.log.back() == "0/1 030101");
  const relay::LabDice dice(5, 1, Way::kToServer, wire::Lane::kStream);
  std::size_t lost = 0;
  for (std::uint64_t unit = 1; unit <= 40; ++unit) lost += dice.hits(500'000, unit, LabFault::kLoss) ? 1 : 0;
  scene.until([&] { return scene.server.log.size() == 1 + 40 - lost; });
  CHECK(count(scene.running, Way::kToServer, LabFault::kLoss) == lost);
  CHECK(count(scene.running, Way::kToClient, LabFault::kDup) == 1);
}

TEST_CASE("lab: below ENet, datagrams are lost, late and doubled, and ENet makes up for it") {
  Scene scene(aos::game(), no_limits(), EnetMode::kDatagrams);
  scene.running.server().set_lab(0, plan("loss=20%, dup=20%, reorder=20%, delay=5ms+-5ms; seed=8"));
  scene.join(3);
  for (int i = 0; i < 40; ++i) {
    const std::string tool = "0300" + std::string(i < 16 ? "0" : i < 32 ? "1" : "2") + "0123456789abcdef"[i % 16];
    scene.client.say(0, tool, EnetDelivery::kReliable);
  }
  scene.until([&] { return scene.server.log.size() == 41; });
  for (int i = 0; i < 40; ++i) {
    const std::string tool = "0300" + std::string(i < 16 ? "0" : i < 32 ? "1" : "2") + "0123456789abcdef"[i % 16];
    CHECK(scene.server.log[static_cast<std::size_t>(i) + 1] == "0/1 " + tool);
  }
  CHECK(count(scene.running, Way::kToClient, LabFault::kDelay) > 0);
}

TEST_CASE("lab: below ENet, it begins and ends while a session is open") {
  Scene scene(aos::game(), no_limits(), EnetMode::kDatagrams);
  scene.join(3);
  scene.running.server().set_lab(0, plan("to_server: loss=100%"));
  scene.client.say(0, "0901000002000000006f6f6f616200", EnetDelivery::kReliable);
  scene.until([&] { return count(scene.running, Way::kToServer, LabFault::kLoss) > 0; });
  CHECK(scene.server.log.size() == 1);
  scene.running.server().set_lab(0, nullptr);
  scene.until([&] { return scene.server.heard("0/1 0901000002000000"); });  // ENet sends it again
}

}  // namespace
}  // namespace entente::testing::lab_relay_test
