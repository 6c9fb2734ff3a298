// A slow worker: bytes of newcomers have arrived, but wait for their turn. Their greeting time does not run meanwhile,
// and players are served first.
#include <doctest/doctest.h>

#include <atomic>
#include <future>
#include <vector>

#include "tests/relay/in_shared_room.h"

namespace entente::testing::greeting_time_test {
namespace {

constexpr std::size_t kCrowd = 20;
constexpr auto kHearing = std::chrono::milliseconds(100);  // for each greeting of the crowd, so that all take 2 s
constexpr std::uint32_t kGreetMs = 1000;

/// Its world is ready at once. Sends "ready" to its server, and then "heard" for each line of chat.
class Echoing final : public core::Back {
  void opened(const core::Peer&, core::BackOut& out) override {
    out.say(words::Ready());
    out.send(Lane::kStream, as_bytes("ready"));
  }
  void receive(const Frames&, core::BackOut&) override {}
  void hear(const core::Intent& intent, core::BackOut& out) override {
    if (core::as<words::Say>(intent) != nullptr) out.send(Lane::kStream, as_bytes("heard"));
  }
};

/// Takes long to process a greeting, and processes none before `awake`.
class Slow final : public core::Front {
 public:
  Slow(std::shared_future<void> awake, std::atomic<std::size_t>& greeted)
      : awake_(std::move(awake)), greeted_(greeted) {}
  void receive(const Frames&, core::FrontOut& out) override {
    awake_.wait();
    std::this_thread::sleep_for(kHearing);
    ++greeted_;
    out.send(Lane::kStream, as_bytes(kWelcome));
    out.say(words::Enter());
  }
  void hear(const core::Fact&, core::FrontOut&) override {}

 private:
  const std::shared_future<void> awake_;
  std::atomic<std::size_t>& greeted_;
};

/// One worker serves all routes. The greetings of the slow bridge's clients keep it busy, the first one until wake().
class SlowWorker {
  Heard heard_;
  Tapped tapped_;

 public:
  SlowWorker() {
    relay::SharedRoomOptions arena;
    arena.name = "a test";
    arena.game = &toy::stream();
    arena.back = [] { return std::make_unique<Herald>(); };
    arena.chat.every = 0;
    const std::size_t shared_room = server.add_shared_room(arena);

    auto slow = toy_bridge(toy::stream(), toy::stream());
    slow.front = [this, awake = asleep_->get_future().share()](std::size_t) {
      return std::make_unique<Slow>(awake, greeted);
    };
    auto guests = toy_bridge(toy::stream(), toy::stream());
    guests.shared_room = shared_room;
    auto quick = toy_bridge(toy::stream(), toy::stream());
    quick.back = [](std::size_t) { return std::make_unique<Echoing>(); };
    slow_bridge = add(toy::stream(), any, std::move(slow), &tapped_);
    bridge = add(toy::stream(), bridge_server, std::move(quick), &tapped_);
    room = add(toy::stream(), any, std::move(guests), nullptr);
    tcp_relay = add(toy::stream(), tcp_server, std::nullopt, &tapped_);
    web_relay = add(toy::messages(), web_server, std::nullopt, &tapped_);
    thread_ = std::thread([this] { server.run(); });
  }
  ~SlowWorker() {
    wake();
    server.stop();
    thread_.join();
  }
  void wake() { asleep_.reset(); }
  std::vector<Stream> crowd() const {
    std::vector<Stream> all;
    for (std::size_t i = 0; i < kCrowd; ++i) all.push_back(Stream::to(routes[slow_bridge]));
    return all;
  }
  /// Waits for that many clients. One of a WebSocket is no session before its request.
  bool has(std::size_t clients) const {
    return eventually([&] { return server.sessions().size() + server.totals(web_relay).http_connections == clients; });
  }

  FakeServer any, bridge_server, tcp_server, web_server;
  relay::ProxyServer server{1, heard_};
  std::vector<net::Address> routes;
  std::size_t slow_bridge = 0, bridge = 0, room = 0, tcp_relay = 0, web_relay = 0;  // indexes into `routes`
  std::atomic<std::size_t> greeted = 0;                                             // clients of the crowd

 private:
  std::size_t add(const wire::Game& game, const FakeServer& to, std::optional<relay::BridgeOptions> bridged,
                  relay::Tap* tap) {
    relay::RouteOptions options;
    options.game = &game;
    options.listen = loopback();
    options.servers[0].host = to.address().ip_text();
    options.servers[0].port = to.port();
    options.servers[0].dialect = 0;
    options.limits = no_limits();
    options.limits.greet_ms = kGreetMs;
    options.limits.linger_ms = 100;
    options.bridge = std::move(bridged);
    options.tap = tap;
    const auto added = server.add(options);
    REQUIRE(added.ok());
    routes.push_back(added->address);
    return added->route;
  }

  std::optional<std::promise<void>> asleep_{std::in_place};
  std::thread thread_;
};

TEST_CASE("a newcomer's greeting time does not run while its bytes wait for a slow worker") {
  SlowWorker worker;
  const std::vector<Stream> crowd = worker.crowd();
  const Stream guest = Stream::to(worker.routes[worker.room]), by_tcp = Stream::to(worker.routes[worker.tcp_relay]),
               by_web = Stream::to(worker.routes[worker.web_relay]);
  CHECK(worker.has(kCrowd + 3));
  for (const Stream& client : crowd) client.send(kHello);
  guest.send(kHello);
  by_tcp.send(kHello);
  Buffer request;
  net::write_upgrade_request({"relay.example", "/", net::make_upgrade_key(), {}}, request);
  by_web.send(request);
  worker.wake();

  CHECK(guest.read_text(4) == kWelcome);
  CHECK(worker.tcp_server.accept().read_text(4) == kHello);
  CHECK(WebServer(worker.web_server).request.target == "/");
  for (const Stream& client : crowd) CHECK(client.read_text(4) == kWelcome);
  for (std::size_t route = 0; route < worker.routes.size(); ++route)
    CHECK(worker.server.totals(route).by(relay::Reason::kGreetTimeout) == 0);
}

TEST_CASE("a player's chat crosses a bridge before the greetings of a crowd are processed") {
  SlowWorker worker;
  const Stream player = Stream::to(worker.routes[worker.bridge]);
  player.send(kHello);
  CHECK(player.read_text(4) == kWelcome);
  const Stream server = worker.bridge_server.accept();
  CHECK(server.read_text(5) == "ready");
  const std::vector<Stream> crowd = worker.crowd();
  CHECK(worker.has(kCrowd + 1));
  for (const Stream& client : crowd) client.send(kHello);
  player.send(said("on"));
  worker.wake();
  CHECK(server.read_text(5) == "heard");
  CHECK(worker.greeted < kCrowd);
}

}  // namespace
}  // namespace entente::testing::greeting_time_test
