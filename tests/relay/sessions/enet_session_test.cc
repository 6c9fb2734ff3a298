// A relay's session over ENet whose time the test sets: what waits, who leaves when, and what the other side is told.
#include "proxy/relay/sessions/enet_session.h"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/relay/enet_yard.h"
#include "tests/relay/route/one_route.h"
#include "tests/relay/sessions/quiet_owner.h"
#include "tests/relay/toy.h"
#include "tests/support/no_files_left.h"

namespace entente::testing::enet_session_test {
namespace {

using relay::Reason;

constexpr std::uint32_t kIdleMs = 60'000, kLingerMs = 3'000, kConnectMs = 4'000;

Limits timed() {
  Limits limits = no_limits();
  limits.idle_ms = kIdleMs;
  limits.linger_ms = kLingerMs;
  limits.connect_ms = kConnectMs;
  return limits;
}

/// A listener that passes a client's packets to the session.
struct Door final : EnetHost::User {
  explicit Door(net::Loop& loop) : host(loop, *this) {}
  void connected(EnetPeer& who, std::uint32_t its_data) override {
    peer = &who;
    data = its_data;
  }
  void received(EnetPeer& who, std::uint8_t channel, EnetPacket packet) override {
    if (auto* user = static_cast<relay::EnetPeerUser*>(who.owner)) user->peer_said(channel, std::move(packet));
  }
  void disconnected(EnetPeer& who, std::uint32_t its_data) override {
    if (auto* user = static_cast<relay::EnetPeerUser*>(who.owner)) user->peer_left(its_data, who.timed_out());
    peer = nullptr;
  }
  EnetHost host;
  EnetPeer* peer = nullptr;
  std::uint32_t data = 0;
};

/// A client has connected to the listener, and a session begins.
struct Seat : Yard {
  explicit Seat(const Limits& limits = timed(), std::uint32_t data = kBig,
                net::Schedule::Clock nanos = net::Loop::clock(), std::uint32_t hold_ms = 0, bool starved = false)
      : Yard(std::move(nanos)), other_server(loop), door(loop) {
    there = serve();
    std::vector servers{there};
    if (hold_ms != 0) servers.push_back(serve_elsewhere());
    route.emplace(loop, with(options_of(toy::packets()), limits, hold_ms), servers, &tapped.sink(0));
    owner.only = &*route->here;
    const auto listening = door.host.listen(loopback(), {4, 1, false, kMostPackets});
    REQUIRE(listening.ok());
    knock(*listening, data);
    until([&] { return client.ups > 0 && door.peer != nullptr; });
    relay::AcceptedClient newcomer;
    newcomer.link = 1;
    newcomer.client = door.peer->address();
    newcomer.limits = limits;
    newcomer.choose_server(route->route.upstreams, loop.now());
    newcomer.enet = {&door.host, door.peer, door.data};
    relay::Session::Owner& its_owner = owner;
    began = loop.now();
    session = std::make_unique<relay::EnetSession>(*route->here, its_owner, newcomer);
    const auto limit = starved ? std::make_unique<NoFilesLeft>() : nullptr;
    session->start({});
  }
  ~Seat() override {
    session.reset();
    door.host.close();
    other_server.host.close();
  }
  static relay::RouteOptions with(relay::RouteOptions options, const Limits& limits, std::uint32_t hold_ms) {
    options.limits = limits;
    options.upstream.hold_ms = hold_ms;
    return options;
  }
  net::Address serve_elsewhere() {
    const auto bound = other_server.host.listen(loopback(), {4, 2, false, kMostPackets});
    REQUIRE(bound.ok());
    return *bound;
  }
  void open() {
    until([&] { return server.peer != nullptr; });
    until([&] { return route->server().sessions_opened() == 1; });
  }
  const relay::Counters& counters() const { return route->here->counters; }
  /// What this side heard after the first line.
  std::vector<std::string> after_up(const End& side) const {
    return {side.log.begin() + std::min<std::ptrdiff_t>(1, static_cast<std::ptrdiff_t>(side.log.size())),
            side.log.end()};
  }

  Tapped tapped;
  End other_server;  // if the route holds its players
  Door door;
  net::Address there;
  std::optional<OneRoute> route;
  QuietOwner owner;
  Millis began = 0;
  std::unique_ptr<relay::Session> session;
};

TEST_CASE("enet session: the server sees the client's connect data, and packets pass with their channel and kind") {
  Seat seat;
  seat.open();
  CHECK(seat.server.log == std::vector<std::string>{"up 70 channels 1"});
  seat.say(seat.client, frame("a"));
  seat.until([&] { return seat.server.log.size() == 2; });
  CHECK(seat.server.log[1] == "0/1 " + to_hex(frame("a")));
  seat.say(seat.server, frame("b"), EnetDelivery::kUnsequenced);
  seat.until([&] { return seat.client.log.size() == 2; });
  CHECK(seat.client.log[1] == "0/2 " + to_hex(frame("b")));
  CHECK(seat.counters().begun.read() == 1);
  CHECK(seat.counters().to_server.frames.read() == 1);
  CHECK(seat.counters().to_server.bytes.read() == 3);
  CHECK(seat.counters().to_server.datagrams.read() == 0);
  CHECK(seat.counters().to_client.datagrams.read() == 1);
  CHECK(seat.counters().to_client.datagram_bytes.read() == 3);
  CHECK(seat.counters().to_client.frames.read() == 0);
  CHECK(seat.session->report().bytes == 6);
  CHECK(seat.session->report().info.server == seat.there);
}

TEST_CASE(
    "enet session: a client of a dialect that is not the server's is turned away, and the server gets no connect") {
  for (const std::uint32_t data : {kBig + 1, std::uint32_t{5}}) {
    CAPTURE(data);
    Seat seat(timed(), data);
    const Reason why = data == 5 ? Reason::kClientDialect : Reason::kDialectMismatch;
    CHECK(seat.route->ended(why) == 1);
    CHECK(seat.owner.times_done == 1);
    seat.until([&] { return seat.client.peer == nullptr; });
    CHECK(seat.server.log.empty());
  }
}

TEST_CASE("enet session: the data of a disconnect reaches the other side") {
  for (const bool by_client : {true, false}) {
    CAPTURE(by_client);
    Seat seat;
    seat.open();
    End &first = by_client ? seat.client : seat.server, &second = by_client ? seat.server : seat.client;
    first.host.disconnect(*first.peer, 41);
    seat.until([&] { return second.peer == nullptr; });
    CHECK(second.log.back() == "down 41");
    CHECK(seat.route->ended(by_client ? Reason::kClientLeft : Reason::kServerLeft) == 1);
    seat.until([&] { return seat.owner.times_done == 1; });
  }
}

TEST_CASE("enet session: a client above its rate waits, also to leave: what it sent passes first") {
  Limits limits = timed();
  limits.messages_per_second = 5;  // 10 at once
  Seat seat(limits);
  seat.open();
  for (int i = 0; i < 14; ++i) seat.say(seat.client, frame(std::string(1, static_cast<char>('a' + i))));
  seat.until([&] { return seat.counters().throttled.read() >= 1; });
  seat.client.host.disconnect(*seat.client.peer, 9);
  seat.until([&] { return seat.client.peer == nullptr && seat.door.peer == nullptr; });
  CHECK_FALSE(seat.session->has_ended());
  seat.say(seat.server, frame("to nobody"));
  for (int times = 1; !seat.session->has_ended() && times < 20; ++times) {
    seat.session->tick(seat.loop.now() + static_cast<Millis>(times) * 300);
    for (int i = 0; i < 10; ++i) uv_run(seat.loop.raw(), UV_RUN_NOWAIT);
  }
  seat.until([&] { return seat.server.peer == nullptr; });
  CHECK(seat.server.log.size() == 16);
  CHECK(seat.server.log[14] == "0/1 " + to_hex(frame("n")));
  CHECK(seat.server.log.back() == "down 9");
  CHECK(seat.route->ended(Reason::kClientLeft) == 1);
}

TEST_CASE("enet session: a client that has left is waited for no longer than linger_ms") {
  Limits limits = timed();
  limits.messages_per_second = 1;
  Seat seat(limits);
  seat.open();
  for (int i = 0; i < 10; ++i) seat.say(seat.client, frame("x"));
  seat.until([&] { return seat.counters().throttled.read() >= 1; });
  const Millis before = seat.loop.now();
  seat.client.host.disconnect(*seat.client.peer, 0);
  seat.until([&] { return seat.door.peer == nullptr; });
  CHECK_FALSE(seat.session->has_ended());
  seat.session->tick(before + 10);
  CHECK_FALSE(seat.session->has_ended());
  seat.session->tick(seat.loop.now() + kLingerMs + 1);
  CHECK(seat.session->has_ended());
  CHECK(seat.route->ended(Reason::kClientLeft) == 1);
}

TEST_CASE("enet session: all that waited for the server passes, although each turn has time for one packet only") {
  // Each look at this clock finds that a job has had its time.
  const auto nanos = std::make_shared<std::uint64_t>(0);
  Seat seat(timed(), kBig, [nanos] { return *nanos += net::Schedule::kJobTime; });
  auto* const user = static_cast<relay::EnetPeerUser*>(seat.door.peer->owner);
  std::vector<std::string> expected{"up 70 channels 1"};
  for (const char* const text : {"a", "b", "c", "d", "e"}) {
    user->peer_said(0, EnetPacket(frame(text), EnetDelivery::kReliable));
    expected.push_back("0/1 " + to_hex(frame(text)));
  }
  CHECK(seat.counters().to_server.frames.read() == 0);
  seat.open();
  seat.until([&] { return seat.server.log.size() == expected.size(); });
  CHECK(seat.server.log == expected);
}

TEST_CASE("enet session: it is idle once no packet has passed for idle_ms, either way") {
  for (const bool by_client : {true, false}) {
    CAPTURE(by_client);
    Seat seat;
    seat.open();
    const Millis before = seat.loop.now();
    seat.until([&] { return seat.loop.now() >= before + 20; });
    End &from = by_client ? seat.client : seat.server, &to = by_client ? seat.server : seat.client;
    seat.say(from, frame("x"));
    seat.until([&] { return to.log.size() == 2; });
    seat.session->tick(before + kIdleMs + 10);
    CHECK_FALSE(seat.session->has_ended());
    seat.session->tick(seat.loop.now() + kIdleMs + 1);
    CHECK(seat.route->ended(Reason::kIdle) == 1);
  }
}

TEST_CASE("enet session: a server that does not answer within connect_ms ends it, and the client is told") {
  Limits limits = timed();
  Seat seat(limits);
  seat.server.host.close();
  seat.session->tick(seat.began + kConnectMs);
  CHECK_FALSE(seat.session->has_ended());
  seat.session->tick(seat.loop.now() + kConnectMs + 1);
  CHECK(seat.session->has_ended());
  CHECK(seat.route->ended(Reason::kServerTimeout) == 1);
  CHECK(seat.owner.times_done == 1);
  seat.until([&] { return seat.client.peer == nullptr; });
  CHECK(seat.client.log.back().starts_with("down 3"));  // a number of the game
}

TEST_CASE(
    "enet session: a client waits for a seat for hold_s since the first server was full, not since the last one") {
  constexpr std::uint32_t kHoldMs = 20;
  Seat seat(timed(), kBig, net::Loop::clock(), kHoldMs);
  const auto turn_away = [](End& by) {
    by.host.disconnect(*by.peer, toy::packets().enet_parting(wire::Parting::kFull));
  };
  seat.until([&] { return seat.server.peer != nullptr || seat.other_server.peer != nullptr; });
  End& first = seat.server.peer != nullptr ? seat.server : seat.other_server;
  End& second = &first == &seat.server ? seat.other_server : seat.server;
  turn_away(first);
  seat.until([&] { return second.peer != nullptr; });
  CHECK_FALSE(seat.session->has_ended());
  const Millis then = seat.loop.now();
  seat.until([&] { return seat.loop.now() > then + kHoldMs; });
  turn_away(second);
  seat.until([&] { return seat.session->has_ended() || seat.route->route.upstreams.waiting() != 0; });
  CHECK(seat.session->has_ended());
  CHECK(seat.route->route.upstreams.waiting() == 0);
  seat.until([&] { return seat.client.peer == nullptr; });
}

TEST_CASE("enet session: at its end both sides are told, once, and its owner when the server has heard it") {
  Seat seat;
  seat.open();
  seat.session->send_away(Reason::kKicked, "");
  seat.session->send_away(Reason::kBannedNow, "");
  CHECK(seat.route->ended(Reason::kKicked) == 1);
  CHECK(seat.route->ended(Reason::kBannedNow) == 0);
  seat.until([&] { return seat.client.peer == nullptr && seat.server.peer == nullptr; });
  CHECK(seat.client.log.back() != seat.server.log.back());
  seat.until([&] { return seat.owner.times_done == 1; });
  seat.session->tick(seat.loop.now() + 2 * kLingerMs);
  CHECK(seat.owner.times_done == 1);
  CHECK(seat.tapped.record(1).closed == relay::text(Reason::kKicked));
}

TEST_CASE("enet session: a server that does not acknowledge the end is given up after linger_ms") {
  Seat seat;
  seat.open();
  seat.server.host.close();
  const Millis before = seat.loop.now();
  seat.session->send_away(Reason::kKicked, "");
  CHECK(seat.owner.times_done == 0);
  seat.session->tick(before + kLingerMs - 1);
  CHECK(seat.owner.times_done == 0);
  seat.session->tick(seat.loop.now() + kLingerMs + 100);
  CHECK(seat.owner.times_done == 1);
}

TEST_CASE("enet session: after its end nothing that its peers send passes") {
  Seat seat;
  seat.open();
  seat.session->send_away(Reason::kKicked, "");
  const std::uint64_t frames = seat.counters().to_client.frames.read();
  if (seat.server.peer != nullptr) seat.say(seat.server, frame("late"));
  if (seat.client.peer != nullptr) seat.say(seat.client, frame("late"));
  seat.until([&] { return seat.client.peer == nullptr && seat.server.peer == nullptr; });
  CHECK(seat.counters().to_client.frames.read() == frames);
  CHECK(seat.counters().to_server.frames.read() == 0);
}

TEST_CASE("enet session: what the other side said before it left is followed by nothing but the disconnect") {
  Seat seat;
  seat.open();
  seat.say(seat.client, frame("a"));
  seat.say(seat.server, frame("b"));
  seat.until([&] { return seat.server.log.size() == 2 && seat.client.log.size() == 2; });
  seat.server.host.disconnect(*seat.server.peer, 41);
  seat.until([&] { return seat.client.peer == nullptr; });
  CHECK(seat.client.log.size() == 3);  // a server that leaves says goodbye itself
  CHECK(seat.client.log.back() == "down 41");
}

TEST_CASE("enet session: a client that is sent away gets its game's last words before the disconnect") {
  Seat seat;
  seat.open();
  seat.session->send_away(Reason::kKicked, "");
  seat.until([&] { return seat.client.peer == nullptr; });
  REQUIRE(seat.client.log.size() == 3);
  CHECK(seat.client.log[1] == "0/1 0009");
  CHECK(seat.client.log[2] == "down " + std::to_string(toy::packets().enet_parting(wire::Parting::kKicked)));
  seat.until([&] { return seat.server.peer == nullptr; });
  CHECK(seat.server.log.back() == "down " + std::to_string(toy::packets().enet_parting(wire::Parting::kLeft)));
}

TEST_CASE("enet session: each frame of a packet counts against the client's rate") {
  Limits limits = timed();
  limits.messages_per_second = 5;  // 10 at once
  Seat seat(limits);
  seat.open();
  Buffer ten, many;
  for (int i = 0; i < 10; ++i) append(ten, frame("x"));
  for (int i = 0; i < 60; ++i) append(many, frame("x"));
  seat.say(seat.client, ten);
  seat.until([&] { return seat.server.log.size() == 2; });
  CHECK(seat.counters().throttled.read() == 0);
  seat.say(seat.client, many);
  seat.until([&] { return seat.server.log.size() == 3; });
  CHECK(seat.counters().throttled.read() == 1);
  CHECK(seat.route->heard.told("exceeds limits.messages_per_second") == 1);
}

TEST_CASE(
    "enet session: a packet may be as large as a frame, and a larger one is refused, although its frames are whole") {
  for (const bool larger : {false, true}) {
    CAPTURE(larger);
    Seat seat;
    seat.open();
    Buffer packet = frame(std::string(100, 'x'));
    append(packet, frame(std::string(toy::packets().largest_frame() - packet.size() - 2 + (larger ? 1 : 0), 'y')));
    seat.say(seat.client, packet);
    if (larger) {
      seat.until([&] { return seat.route->ended(Reason::kBadFrame) == 1; });
      CHECK(seat.route->heard.told("oversize frame") == 1);
      continue;
    }
    seat.until([&] { return seat.server.log.size() == 2; });
    CHECK(seat.server.bytes == packet.size());
  }
}

TEST_CASE("enet session: if a server sends more than may wait above its rate, it is the server that broke the rules") {
  Limits limits = timed();
  limits.server_messages_per_second = 1;
  limits.high_water = limits.low_water = 10'000;  // each packet counts with some bytes beside its own
  Seat seat(limits);
  seat.open();
  for (int i = 0; i < 20; ++i) seat.say(seat.server, frame("x"));
  seat.until([&] { return seat.counters().throttled.read() >= 1; });
  CHECK_FALSE(seat.session->has_ended());
  seat.until([&] {
    if (seat.server.peer != nullptr) seat.say(seat.server, frame(std::string(150, 'x')));
    return seat.session->has_ended();
  });
  CHECK(seat.route->ended(Reason::kServerProtocolError) == 1);
}

TEST_CASE("enet session: a server that has left is waited for no longer than linger_ms") {
  Limits limits = timed();
  limits.server_messages_per_second = 1;
  Seat seat(limits);
  seat.open();
  for (int i = 0; i < 10; ++i) seat.say(seat.server, frame("x"));
  seat.until([&] { return seat.counters().throttled.read() >= 1; });
  const Millis before = seat.loop.now();
  seat.server.host.disconnect(*seat.server.peer, 9);
  seat.until([&] { return seat.server.peer == nullptr; });
  CHECK_FALSE(seat.session->has_ended());
  seat.say(seat.client, frame("to nobody"));
  seat.until([&] { return seat.client.peer->waiting() == 0; });
  CHECK(seat.counters().to_server.frames.read() == 0);
  seat.session->tick(before + 10);
  CHECK_FALSE(seat.session->has_ended());
  seat.session->tick(seat.loop.now() + kLingerMs + 1);
  CHECK(seat.route->ended(Reason::kServerLeft) == 1);
  seat.until([&] { return seat.client.peer == nullptr; });
  CHECK(seat.client.log.back() == "down 9");
}

TEST_CASE("enet session: what waits because of a client counts for its address, in either direction, until the end") {
  for (const bool from_client : {true, false}) {
    CAPTURE(from_client);
    Limits limits = timed();
    if (from_client) limits.messages_per_second = 1;
    Seat seat(limits);
    seat.open();
    const net::Address client = seat.session->info().client;
    const Buffer large = frame(std::string(190, 'x'));
    if (from_client) {
      for (int i = 0; i < 100; ++i) seat.say(seat.client, large);
      seat.until([&] { return seat.counters().throttled.read() >= 1; });
      seat.until([&] { return seat.client.peer->waiting() == 0; });
    } else {
      seat.client.host.close();
      for (int i = 0; i < 100; ++i) seat.say(seat.server, large);
      seat.until([&] { return seat.counters().to_client.frames.read() == 100; });
    }
    CHECK(seat.route->address_bytes.of(client) == 0);  // it is looked at once in a tick
    seat.session->tick(seat.loop.now());
    CHECK(seat.route->address_bytes.of(client) >=
          90 * large.size() / relay::AddressBytes::kStep * relay::AddressBytes::kStep);
    seat.session->stop();
    seat.session.reset();
    CHECK(seat.route->address_bytes.of(client) == 0);
  }
}

TEST_CASE("enet session: a client of another dialect is logged with what helps") {
  Seat seat(timed(), kBig + 1);
  CHECK(seat.route->heard.told("a client of toy little connected to the listener for big") == 1);
}

TEST_CASE("enet session: what a client says while it waits for a seat goes to the server that has one") {
  Seat seat(timed(), kBig, net::Loop::clock(), 600'000);
  seat.until([&] { return seat.server.peer != nullptr || seat.other_server.peer != nullptr; });
  End& first = seat.server.peer != nullptr ? seat.server : seat.other_server;
  End& second = &first == &seat.server ? seat.other_server : seat.server;
  seat.until([&] { return seat.route->server(&first == &seat.server ? 0 : 1).sessions_opened() == 1; });
  first.host.disconnect(*first.peer, toy::packets().enet_parting(wire::Parting::kFull));
  seat.until([&] { return first.peer == nullptr && seat.route->heard.told("waits for a seat") == 1; });
  static_cast<relay::EnetPeerUser*>(seat.door.peer->owner)
      ->peer_said(0, EnetPacket(frame("early"), EnetDelivery::kReliable));
  CHECK_FALSE(seat.session->has_ended());
  seat.until([&] { return second.heard("0/1 " + to_hex(frame("early"))); });
  CHECK_FALSE(first.heard("0/1 " + to_hex(frame("early"))));
  CHECK(seat.session->report().info.server == second.host.local_address());
}

TEST_CASE("enet session: once something has passed, a server that says that it is full has left") {
  Seat seat(timed(), kBig, net::Loop::clock(), 600'000);
  seat.until([&] { return seat.server.peer != nullptr || seat.other_server.peer != nullptr; });
  End& there = seat.server.peer != nullptr ? seat.server : seat.other_server;
  seat.say(there, frame("welcome"));
  seat.until([&] { return seat.client.log.size() == 2; });
  there.host.disconnect(*there.peer, toy::packets().enet_parting(wire::Parting::kFull));
  seat.until([&] { return seat.client.peer == nullptr; });
  CHECK(seat.route->ended(Reason::kServerLeft) == 1);
  CHECK(seat.client.log.back() == "down " + std::to_string(toy::packets().enet_parting(wire::Parting::kFull)));
}

TEST_CASE("enet session: packets that wait in a lab reach both sides before they are told of the end") {
  auto plan = relay::LabPlan::parse("delay=50s", nullptr);
  REQUIRE(plan.ok());
  Seat seat;
  seat.route->here->lab = {std::make_shared<const relay::LabPlan>(std::move(*plan)), seat.loop.now()};
  seat.open();
  seat.say(seat.client, frame("up"));
  seat.say(seat.server, frame("down"));
  seat.until([&] { return seat.session->report().lab->counts.at(wire::Way::kToServer, relay::LabFault::kDelay) == 1; });
  seat.until([&] { return seat.session->report().lab->counts.at(wire::Way::kToClient, relay::LabFault::kDelay) == 1; });
  CHECK(seat.server.log.size() == 1);
  seat.session->stop();
  seat.until([&] { return seat.client.peer == nullptr && seat.server.peer == nullptr; });
  CHECK(seat.server.heard("0/1 " + to_hex(frame("up"))));
  CHECK(seat.client.heard("0/1 " + to_hex(frame("down"))));
}

TEST_CASE("enet session: if no descriptor is left for the way to the server, that is the reason, as over TCP") {
  Seat seat(timed(), kBig, net::Loop::clock(), 0, true);
  CHECK(seat.session->has_ended());
  CHECK(seat.route->ended(Reason::kOutOfDescriptors) == 1);
  CHECK(seat.route->heard.line("cannot open a UDP socket towards " + seat.there.text() +
                               ": Too many open files; raise the limit of open files (ulimit -n)"));
  CHECK(seat.route->heard.told("cannot reach server") == 0);
}

}  // namespace
}  // namespace entente::testing::enet_session_test
