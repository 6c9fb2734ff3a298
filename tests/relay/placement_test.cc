// Which worker gets a session, a client of an ENet listener, or a shared room.
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <deque>
#include <future>
#include <vector>

#include "adapters/aos/aos.h"
#include "tests/relay/enet_peers.h"
#include "tests/relay/in_shared_room.h"
#include "tests/relay/toy.h"
#include "tests/relay/web_peers.h"

namespace entente::testing::placement_test {
namespace {

using relay::Reason;

/// Records on which worker each session opens, and which worker's sink was requested last.
class Placed final : public relay::Tap {
 public:
  relay::TapSink& sink(std::size_t worker) override {
    last_asked = worker;
    return sinks_.at(worker);
  }
  /// Waits until that many sessions have opened.
  std::vector<std::size_t> workers(std::size_t count) {
    CHECK(eventually([&] { return all().size() >= count; }));
    return all();
  }

  std::size_t last_asked = 99;

 private:
  struct Sink final : relay::TapSink {
    Sink(Placed& its, std::size_t its_worker) : placed(its), worker(its_worker) {}
    void opened(const relay::LinkInfo&, WallTime) override {
      const std::lock_guard lock(placed.mutex_);
      placed.workers_.push_back(worker);
    }
    void bytes(relay::LinkId, wire::Way, wire::Lane, Bytes, WallTime) override {}
    void closed(relay::LinkId, std::string_view, WallTime) override {}
    Placed& placed;
    const std::size_t worker;
  };
  std::vector<std::size_t> all() {
    const std::lock_guard lock(mutex_);
    return workers_;
  }

  std::array<Sink, 2> sinks_{Sink(*this, 0), Sink(*this, 1)};
  std::mutex mutex_;
  std::vector<std::size_t> workers_;  // one for each session, in the order in which they opened
};

TEST_CASE("a newcomer gets the worker with the fewest sessions") {
  FakeServer fake;
  Placed placed;
  Running running(toy::game(), fake.address(), no_limits(), 2, 0, &placed);
  std::deque<std::optional<Pair>> pairs;
  for (std::size_t i = 1; i <= 4; ++i) {
    pairs.emplace_back(std::in_place, running, fake);
    (void)placed.workers(i);
  }
  const auto first = placed.workers(4);
  CHECK(std::count(first.begin(), first.end(), 0U) == 2);
  for (std::size_t i = 0; i < 4; ++i)
    if (first[i] == first[0]) pairs[i].reset();
  CHECK(eventually([&] { return running.totals().current_sessions() == 2; }));
  for (std::size_t i = 5; i <= 6; ++i) {
    pairs.emplace_back(std::in_place, running, fake);
    CHECK(placed.workers(i).back() == first[0]);
  }
}

TEST_CASE("a session over WebSocket counts for its worker until it is over, and no longer") {
  FakeServer fake;
  Placed placed;
  Running running(toy::messages(), fake.address(), no_limits(), 2, 0, &placed);
  std::deque<std::optional<WebPair>> pairs;
  const auto join = [&] {
    pairs.emplace_back(std::in_place, running, fake);
    pairs.back()->client.send("01");
    return placed.workers(pairs.size()).back();
  };
  for (int i = 0; i < 3; ++i) {
    join();
    pairs.back().reset();
    CHECK(running.empty());
  }
  const std::size_t first = join(), second = join();
  CHECK(first != second);
  pairs[3].reset();
  CHECK(eventually([&] { return running.totals().current_sessions() == 1; }));
  CHECK(join() == first);
}

/// A bridge of two workers. The second player's session blocks its worker, the second one, until `over` is ready.
struct HalfBlocked : Serving {
  HalfBlocked(const net::Address& server, const Limits& limits, relay::Bans& bans) : Serving(2) {
    relay::RouteOptions options;
    options.game = &toy::stream();
    options.servers[0].dialect = 0;
    options.listen = loopback();
    options.bans = &bans;
    options.bridge = toy_bridge(toy::stream(), toy::stream());
    options.bridge->front = [this, made = options.bridge->front](std::size_t dialect) {
      if (++seated == 2) over.get_future().wait();
      return made(dialect);
    };
    serve(std::move(options), server, limits, nullptr);
  }
  Stream join() const {
    Stream client = Stream::to(address);
    client.send(kHello);
    return client;
  }

  std::atomic<int> seated = 0;
  std::promise<void> over;
};

TEST_CASE("a newcomer whose address is banned on the way to its worker is turned away there") {
  FakeServer fake(true);
  Limits limits = no_limits();
  limits.sessions = 4;
  relay::Bans bans;
  HalfBlocked running(fake.address(), limits, bans);
  std::vector<Stream> clients;
  for (int i = 1; i <= 2; ++i) {
    clients.push_back(running.join());
    CHECK(eventually([&] { return running.seated == i; }));
  }
  clients.push_back(running.join());
  CHECK(eventually([&] { return running.seated == 3; }));
  const Stream late = running.join();
  (void)Stream::to(running.address).read_all();  // it is refused, so `late` is on its way to the blocked worker
  CHECK(running.ended(Reason::kTooMany));
  bans.add({*net::Network::parse("127.0.0.1"), relay::Ban::kForGood, "no", false});
  running.over.set_value();
  CHECK(as_text(late.read_all()).ends_with(kGoodbye));
  CHECK(running.ended(Reason::kBanned));
  CHECK(running.sessions().size() == 3);
}

TEST_CASE("the clients of one ENet listener are distributed among the workers, and all are served") {
  Turning loop;
  const wire::Game& game = aos::game();
  const wire::EnetSettings settings = game.enet();
  const net::EnetDelivery reliable = net::EnetDelivery::kReliable;
  End server(loop.loop);
  const auto bound = server.host.listen(loopback(), {8, settings.channels, settings.range_coder, 8U << 20U});
  REQUIRE(bound.ok());
  Placed placed;
  Running running(game, *bound, no_limits(), 2, 0, &placed);
  std::deque<End> clients;
  std::vector<net::EnetPeer*> there;  // the server's sides of the clients
  for (std::size_t i = 0; i < 4; ++i) {
    End& client = clients.emplace_back(loop.loop);
    REQUIRE(client.host.open({1, settings.channels, settings.range_coder, 8U << 20U}).ok());
    server.peer = nullptr;
    client.peer = client.host.connect(running.address, 1, 3);
    loop.until([&] { return client.ups == 1 && server.peer != nullptr; });
    there.push_back(server.peer);
  }
  const auto workers = placed.workers(4);
  CHECK(std::count(workers.begin(), workers.end(), 0U) == 2);
  for (std::size_t i = 0; i < 4; ++i) {
    End& client = clients[i];
    client.say(0, "0901000002000000006f6f6f616200", reliable);
    for (std::uint8_t map = 0; map < 100; ++map)
      CHECK(server.host.send(*there[i], 0, net::EnetPacket(Buffer(8'000, 19), reliable)));
    CHECK(server.host.send(*there[i], 0, net::EnetPacket(from_hex("1200001800"), reliable)));
    loop.until([&] { return client.heard("0/1 1200001800"); });
    CHECK(client.bytes == 800'005);
  }
  loop.until([&] { return server.bytes == 4 * 15; });

  for (std::size_t i = 0; i < 2; ++i) {  // two sessions end by the client, two by the server
    clients[i].host.disconnect(*clients[i].peer, 7);
    server.host.disconnect(*there[3 - i], 10);
  }
  for (std::size_t i = 0; i < 2; ++i)
    loop.until([&] { return server.heard("down 7") && clients[3 - i].heard("down 10"); });
  CHECK(running.empty());
  End& late = clients.emplace_back(loop.loop);
  REQUIRE(late.host.open({4, settings.channels, settings.range_coder, 8U << 20U}).ok());
  late.peer = late.host.connect(running.address, 1, 3);
  late.host.connect(running.address, 1, 3);
  loop.until([&] { return late.ups == 2 && running.totals().current_sessions() == 2; });
  std::thread stopping([&] { running.stop(); });
  loop.until(
      [&] { return std::count(late.log.begin(), late.log.end(), late.log.back()) == 2 && late.peer == nullptr; });
  stopping.join();
  for (End& client : clients) client.host.close();
  server.host.close();
}

TEST_CASE("a shared room gets a worker that has no ENet listener") {
  Placed placed;
  Heard heard;
  relay::ProxyServer server(2, heard);
  relay::RouteOptions options;
  options.game = &aos::game();
  options.listen = loopback();
  options.servers[0] = {.host = "127.0.0.1", .port = 9, .dialect = 0};
  REQUIRE(server.add(options).ok());  // on the first worker
  relay::SharedRoomOptions room;
  room.name = "a test";
  room.game = &toy::stream();
  room.back = [] { return std::make_unique<Herald>(); };
  room.tap = &placed;
  (void)server.add_shared_room(room);
  CHECK(placed.last_asked == 1);
}

}  // namespace
}  // namespace entente::testing::placement_test
