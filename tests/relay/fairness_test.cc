// What an honest player waits for while others flood the same worker, in frames instead of milliseconds. The clock by
// which the worker shares its time counts steps: it advances only when somebody looks at it.
// Invariant (of the worker): an address waits for at most one turn of each other one, however many links that one has,
// and whatever they send. A server is a party of its own; in it, the addresses of its clients take turns.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "adapters/wire/frame_reader.h"
#include "tests/relay/enet_peers.h"
#include "tests/relay/in_shared_room.h"

namespace entente::testing::fairness_test {
namespace {

constexpr std::uint64_t kLooks = 8;  // at the clock, in one job
/// Frames of one turn of a party: those between two looks, for as long as a job lasts, and as many more at its edges.
constexpr std::size_t kTurn = (kLooks + 2) * wire::FrameReader::kAtOnce;
/// Turns that newcomers have after those of the players. A bridge's session is one until its player is in.
constexpr std::size_t kNewcomers = net::Schedule::kNewcomersTime / net::Schedule::kJobTime;
constexpr std::size_t kLinks = 20;    // of a flood
constexpr std::size_t kHonest = 512;  // frames
constexpr std::uint8_t kFlooding = 1, kPlaying = 2;

net::Schedule::Clock steps() {
  const auto now = std::make_shared<std::uint64_t>(0);
  return [now] { return *now += net::Schedule::kJobTime / kLooks; };
}

net::Address source(int number) { return *net::Address::parse("127.0.0." + std::to_string(number), 0); }

/// The frames that were served, in their order: 'f' of the flood, 'h' of the honest player. Written by the worker
/// alone.
struct Served {
  void add(std::uint8_t what) {
    order += what == kPlaying ? 'h' : 'f';
    ++(what == kPlaying ? honest : flooded);
  }
  /// The most frames of others that one of the honest player's waited for. REQUIRES: the worker has stopped.
  std::size_t longest_wait() const {
    std::size_t longest = 0, now = 0;
    const std::size_t end = order.rfind('h');
    for (std::size_t i = 0; i <= end; ++i) {
      now = order[i] == 'h' ? 0 : now + 1;
      longest = std::max(longest, now);
    }
    return longest;
  }
  std::string order;
  std::atomic<std::size_t> honest{0}, flooded{0}, entered{0};
};

/// Enters with the greeting, or with a frame without payload. Notes each other frame, and says nothing about it: the
/// room has no other work.
class NotingFront final : public core::Front {
 public:
  explicit NotingFront(Served& served) : served_(served) {}
  void receive(const Frames& frames, core::FrontOut& out) override {
    wire::each_frame(frames, wire::Way::kToServer, [&](const wire::Frame& frame) {
      if (frame.stage == wire::Stage::kGreeting) {
        out.send(Lane::kStream, as_bytes(kWelcome));
        enter(out);
      } else {
        frame.bytes.size() == 3 ? served_.add(frame.bytes[2]) : enter(out);
      }
      return true;
    });
  }
  void hear(const core::Fact&, core::FrontOut&) override {}

 private:
  void enter(core::FrontOut& out) {
    words::Enter enter;
    enter.set_name("toy");
    out.say(std::move(enter));
    ++served_.entered;
  }
  Served& served_;
};

/// The same for what a server sends.
class NotingBack final : public core::Back {
 public:
  explicit NotingBack(Served& served) : served_(served) {}
  void opened(const core::Peer&, core::BackOut&) override { ++served_.entered; }
  void receive(const Frames& frames, core::BackOut&) override {
    wire::each_frame(frames, wire::Way::kToClient, [&](const wire::Frame& frame) {
      if (frame.bytes.size() == 3) served_.add(frame.bytes[2]);
      return true;
    });
  }
  void hear(const core::Intent&, core::BackOut&) override {}

 private:
  Served& served_;
};

Buffer many(const Buffer& one, std::size_t count) {
  Buffer all;
  for (std::size_t i = 0; i < count; ++i) append(all, one);
  return all;
}

/// A shared room with one honest player over TCP, and whoever floods it.
struct Yard {
  explicit Yard(const Limits& limits = no_limits())
      : room(
            limits, 1, nullptr, 0, nullptr, [this](std::size_t) { return std::make_unique<NotingFront>(served); },
            steps()) {
    honest = Stream::to(room.at[0], &home);
    honest.send(kHello);
    CHECK(honest.read_text(4) == kWelcome);
  }
  /// Blocks the worker while `flood` sends, then has it serve all, until the honest player's frames were served.
  std::size_t wait_during(const std::function<void()>& flood) { return wait_during(flood, honest); }
  /// `link`: on which the honest player's frames come. `flooded`: more frames of the flood must be served, too.
  std::size_t wait_during(const std::function<void()>& flood, const Stream& link, std::size_t flooded = 0) {
    std::promise<void> over;
    room.hold_up(over.get_future().share());
    flood();
    link.send(many(point(kPlaying), kHonest));
    over.set_value();
    CHECK(eventually([&] { return served.honest == kHonest && (flooded == 0 || served.flooded > flooded); }));
    room.stop();
    return served.longest_wait();
  }
  std::size_t flooded() const {
    return static_cast<std::size_t>(std::count(served.order.begin(), served.order.end(), 'f'));
  }

  const net::Address home = source(1);
  Served served;
  InSharedRoom room;
  Stream honest;
};

std::vector<Stream> join(const net::Address& to, std::size_t links, std::size_t addresses) {
  std::vector<Stream> all;
  for (std::size_t i = 0; i < links; ++i) {
    const net::Address from = source(static_cast<int>(2 + i % addresses));
    all.push_back(Stream::to(to, &from));
    all.back().send(kHello);
    CHECK(all.back().read_text(4) == kWelcome);
  }
  return all;
}

TEST_CASE("a flood over TCP: an honest player waits for one turn of its address, or of each of its addresses") {
  Yard yard;
  std::size_t addresses = 1;
  SUBCASE("from one address") {}
  SUBCASE("from 16 addresses") { addresses = 16; }
  const std::vector<Stream> links = join(yard.room.at[0], kLinks, addresses);
  const Buffer flood = many(point(kFlooding), 20'000);
  const std::size_t wait = yard.wait_during(
      [&] {
        for (const Stream& one : links) CHECK(one.try_send(flood) > 4096);
      },
      yard.honest, 2 * kTurn);
  CHECK(wait <= addresses * kTurn + kTurn);
  CHECK(yard.flooded() > 2 * kTurn);
}

/// A WebSocket from that address, whose handshake is over.
struct WebFlood {
  WebFlood(const net::Address& to, const net::Address& from)
      : peer(net::WebSocket::Role::kClient, Stream::to(to, &from)) {
    Buffer request;
    const std::string key = net::make_upgrade_key();
    net::write_upgrade_request({"relay.example", "/", key, {}}, request);
    peer.send_raw(request);
    CHECK(net::objection_to_upgrade(peer.read_head(net::HttpReader::Of::kResponse), key) == nullptr);
    peer.send(net::Opcode::kBinary, frame(""));
  }
  WebPeer peer;
};

TEST_CASE("a flood over WebSocket: an honest player waits for one turn of its address") {
  Yard yard;
  std::vector<std::unique_ptr<WebFlood>> links;
  for (std::size_t i = 0; i < kLinks; ++i) links.push_back(std::make_unique<WebFlood>(yard.room.at[1], source(2)));
  CHECK(eventually([&] { return yard.served.entered == kLinks + 1; }));
  Buffer flood, one{0x82, 0x80 | 3, 0, 0, 0, 0};
  append(one, point(kFlooding));
  flood = many(one, 5'000);
  const std::size_t wait = yard.wait_during(
      [&] {
        for (const auto& link : links) CHECK(link->peer.stream().try_send(flood) > 4096);
      },
      yard.honest, 2 * kTurn);
  CHECK(wait <= 2 * kTurn);
  CHECK(yard.flooded() > 2 * kTurn);
}

TEST_CASE("a flood over ENet, by one host that serves all its peers: an honest player waits for one turn") {
  Yard yard;
  Turning turning;
  const wire::EnetSettings settings = toy::packets().enet();
  std::vector<std::unique_ptr<End>> crowd;
  for (std::size_t i = 0; i < kLinks; ++i) {
    End& one = *crowd.emplace_back(std::make_unique<End>(turning.loop));
    net::EnetOptions options{1, settings.channels, settings.range_coder, 8U << 20U};
    options.source = {source(2), false};
    REQUIRE(one.host.open(options).ok());
    one.peer = one.host.connect(yard.room.at[3], 1, 70);
    turning.until([&] { return one.ups == 1; });
    REQUIRE(one.host.send(*one.peer, 0, EnetPacket(frame(""), EnetDelivery::kReliable)));
  }
  turning.until([&] { return yard.served.entered == kLinks + 1; });
  const std::size_t wait = yard.wait_during([&] {
    for (const auto& one : crowd)
      for (int i = 0; i < 500; ++i)
        REQUIRE(one->host.send(*one->peer, 0, EnetPacket(point(kFlooding), EnetDelivery::kUnsequenced)));
    for (int i = 0; i < 5; ++i) uv_run(turning.loop.raw(), UV_RUN_NOWAIT);
  });
  CHECK(wait <= 2 * kTurn);
  CHECK(yard.flooded() >= kLooks);  // it looks at the clock after each packet
  for (const auto& one : crowd) one->host.close();
}

/// A datagram with that many frames of the flood.
constexpr std::size_t kInDatagram = 40;
Buffer flooding_datagram(std::size_t frames) { return many(point(kFlooding), frames); }

TEST_CASE("a flood by UDP: an honest player waits for one turn of the socket and one of the flood's address") {
  Yard yard;
  const std::vector<Stream> links = join(yard.room.at[2], kLinks, 1);
  std::vector<Datagrams> sockets;
  for (const Stream& one : links) sockets.emplace_back(one.here());
  const std::size_t wait = yard.wait_during([&] {
    for (int i = 0; i < 10; ++i)  // as many as the socket keeps
      for (const Datagrams& one : sockets) one.send(yard.room.at[2], flooding_datagram(kInDatagram));
  });
  CHECK(wait <= 2 * (kLooks + 2) * kInDatagram + kTurn);
  CHECK(yard.flooded() > 3 * (kLooks + 2) * kInDatagram);
}

TEST_CASE("the messages in a datagram count against the rate of its client") {
  Limits limits = no_limits();
  limits.datagrams_per_second = 100;
  Yard yard(limits);
  const std::vector<Stream> links = join(yard.room.at[2], 2, 1);
  const Datagrams loud(links[0].here()), calm(links[1].here());
  loud.send(yard.room.at[2], flooding_datagram(300));
  loud.send(yard.room.at[2], flooding_datagram(1));
  CHECK(eventually([&] { return yard.room.server().totals(2).by(relay::Drop::kTooFast) == 1; }));
  for (int i = 0; i < 50; ++i) calm.send(yard.room.at[2], point(kPlaying));
  CHECK(eventually([&] { return yard.served.honest == 50; }));
  yard.room.stop();
  CHECK(yard.flooded() == 300);
}

/// A bridge on the same worker, with as many sessions as a flood has links, each from another address, or all from one.
struct Bridged {
  Bridged(Yard& its_yard, const Limits& limits, std::size_t addresses = kLinks) : yard(its_yard) {
    relay::RouteOptions options;
    options.game = &toy::stream();
    options.servers[0].host = fake.address().ip_text();
    options.servers[0].port = fake.port();
    options.servers[0].dialect = 0;
    options.listen = loopback();
    options.limits = limits;
    options.bridge = toy_bridge(toy::stream(), toy::stream());
    options.bridge->back = [this](std::size_t) { return std::make_unique<NotingBack>(yard.served); };
    const auto listening = yard.room.server().add(options);
    REQUIRE(listening.ok());
    route = listening->route;
    at = listening->address;
    for (std::size_t i = 0; i < kLinks; ++i) servers.push_back(enter(source(static_cast<int>(2 + i % addresses))));
    CHECK(eventually([&] { return yard.served.entered == kLinks + 1; }));
  }
  /// Returns the server's end of a new session.
  Stream enter(const net::Address& from) {
    clients.push_back(Stream::to(at, &from));
    clients.back().send(kHello);
    CHECK(clients.back().read_text(4) == kWelcome);
    Stream server = fake.accept();
    server.send(kWelcome);
    return server;
  }
  void flood() const {
    const Buffer all = many(point(kFlooding), 20'000);
    for (const Stream& one : servers) CHECK(one.try_send(all) > 4096);
  }

  Yard& yard;
  const FakeServer fake;
  std::size_t route = 0;
  net::Address at;
  std::vector<Stream> clients, servers;
};

TEST_CASE("a server that floods its sessions: a player of another route waits for its turns as a newcomer") {
  Yard yard;
  const Bridged bridged(yard, no_limits());
  const std::size_t wait = yard.wait_during([&] { bridged.flood(); }, yard.honest, 2 * kTurn);
  CHECK(wait <= (kNewcomers + 1) * kTurn);
  CHECK(yard.flooded() > 2 * kTurn);
}

TEST_CASE(
    "clients who make their server talk all the time: another player of the server waits for one turn of their "
    "address") {
  Yard yard;
  Bridged bridged(yard, no_limits(), 1);
  const Stream calm = bridged.enter(source(200));
  CHECK(eventually([&] { return yard.served.entered == kLinks + 2; }));
  const std::size_t wait = yard.wait_during([&] { bridged.flood(); }, calm, 2 * kTurn);
  CHECK(wait <= 2 * kTurn);
  CHECK(yard.flooded() > 2 * kTurn);
}

TEST_CASE("all sessions of a server share its rate: above it the server is read no more") {
  Limits limits = no_limits();
  limits.server_messages_per_second = 100;
  Yard yard;
  const Bridged bridged(yard, limits);
  bridged.flood();
  CHECK(eventually([&] { return yard.room.server().totals(bridged.route).throttled > 0; }));
  yard.honest.send(many(point(kPlaying), 50));
  CHECK(eventually([&] { return yard.served.honest == 50; }));
  yard.room.stop();
  CHECK(yard.flooded() <= 200 + 100 * (kPatience / 1000) + kLinks * wire::FrameReader::kAtOnce);
  CHECK(yard.room.heard.told("exceeds limits.server_messages_per_second") >= 1);
}

TEST_CASE("a server above its rate because of one address: players of other addresses still hear it") {
  Limits limits = no_limits();
  limits.server_messages_per_second = 64 * 50;
  Yard yard(limits);
  Bridged bridged(yard, limits, 1);
  const Stream calm = bridged.enter(source(200));
  CHECK(eventually([&] { return yard.served.entered == kLinks + 2; }));
  bridged.flood();
  CHECK(eventually([&] { return yard.room.server().totals(bridged.route).throttled >= kLinks; }));
  calm.send(many(point(kPlaying), 80));  // more than its part in one second, but not more than the burst
  CHECK(eventually([&] { return yard.served.honest == 80; }));
  yard.room.stop();
  CHECK(yard.flooded() < kLinks * 20'000);  // the flood is not over
}

TEST_CASE("all clients of an address share its rate: above it they are read no more, and others are not concerned") {
  Limits limits = no_limits();
  limits.address_messages_per_second = 100;
  Yard yard(limits);
  const std::vector<Stream> links = join(yard.room.at[0], kLinks, 1);
  const std::size_t began = kLinks;  // each greeting is a message
  const Buffer flood = many(point(kFlooding), 20'000);
  std::promise<void> over;
  yard.room.hold_up(over.get_future().share());
  for (const Stream& one : links) CHECK(one.try_send(flood) > 4096);
  over.set_value();
  CHECK(eventually([&] { return yard.room.server().totals(0).throttled > 0; }));
  yard.honest.send(many(point(kPlaying), 50));
  CHECK(eventually([&] { return yard.served.honest == 50; }));
  yard.room.stop();
  // The burst, what a second or a few refill, and what each link had begun to serve when the address went above.
  CHECK(yard.flooded() + began <= 200 + 100 * (kPatience / 1000) + kLinks * wire::FrameReader::kAtOnce);
  CHECK(yard.room.heard.told("clients of 127.0.0.2 exceed") >= 1);
}

}  // namespace
}  // namespace entente::testing::fairness_test
