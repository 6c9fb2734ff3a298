// The time that a check of a server takes: the server's delay counts, ours does not.
#include "proxy/relay/probes/check.h"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>

#include "adapters/bzflag/bzflag.h"
#include "adapters/ogar/ogar.h"
#include "proxy/net/loop.h"
#include "proxy/relay/route/listener.h"
#include "tests/relay/peers.h"
#include "tests/relay/silent_events.h"

namespace entente::testing::check_test {
namespace {

using relay::Check;

/// Works for longer than a turn of the loop may take.
struct Slow final : net::Job {
  Slow() = default;
  void run() override {
    const auto over = std::chrono::steady_clock::now() + std::chrono::milliseconds(30);
    while (std::chrono::steady_clock::now() < over) continue;
    done = true;
  }
  bool done = false;
};

/// A route to one server, on a loop that the test runs.
struct Scene final : Check::User {
  explicit Scene(const wire::Game& game)
      : listener(0, game, relay::EnetMode::kPackets),
        route(options(game), events),
        worker_route(lead(route, listener), loop, nullptr) {
    std::vector<std::unique_ptr<relay::Upstream>> all;
    const net::Address at = fake.address();
    all.push_back(std::make_unique<relay::Upstream>(0, relay::UpstreamOptions{at.ip_text(), at.port()}, at.text(),
                                                    std::vector{at}));
    route.upstreams.open(std::move(all), {});
    check = relay::make_check(worker_route, route.upstreams.at(0), *this);
    REQUIRE(check != nullptr);
    slow.set_priority(net::Priority::kNewcomer);
    slow.set_party(loop.client_party(*net::Address::parse("192.0.2.1", 1)));
  }
  ~Scene() override {
    check->close();
    check.reset();
    loop.run();
  }
  static std::shared_ptr<const relay::RouteOptions> options(const wire::Game& game) {
    auto made = std::make_shared<relay::RouteOptions>();
    made->game = &game;
    return made;
  }
  static relay::Route& lead(relay::Route& route, relay::Listener& from) {
    route.listener = &from;
    return route;
  }
  void checked(const Check::Result& its) override { result = its; }
  void turn(int times) {
    for (int i = 0; i < times; ++i) uv_run(loop.raw(), UV_RUN_NOWAIT);
  }
  /// Begins a check. Returns when the server has the connection, which waits for a turn if `late`.
  Stream begin(std::uint32_t detect_ms, bool late) {
    result.reset();
    slow.done = false;
    Limits limits;
    limits.detect_ms = detect_ms;
    turn(1);
    began = loop.now();
    check->start(limits);
    Stream server = fake.accept();
    if (late) loop.serve(slow);
    turn(5);
    CHECK(slow.done == late);
    return server;
  }
  /// Whether the check has ended, so many milliseconds after it began.
  bool has_ended(Millis after) {
    check->tick(began + after);
    turn(1);
    return result.has_value();
  }

  FakeServer fake;
  net::Loop loop;
  SilentEvents events;
  relay::Listener listener;
  relay::Route route;
  relay::WorkerRoute worker_route;
  std::unique_ptr<Check> check;
  Slow slow;
  Millis began = 0;
  std::optional<Check::Result> result;
};

constexpr Millis kLong = 1'000'000;

TEST_CASE("without a limit of time, a check whose data waited for us does not end") {
  for (const wire::Game* const game : {&bzflag::game(), &ogar::game()}) {
    CAPTURE(game->name());
    Scene scene(*game);
    const Stream server = scene.begin(0, /*late=*/true);
    CHECK_FALSE(scene.has_ended(1));
    CHECK_FALSE(scene.has_ended(kLong));
  }
}

TEST_CASE("a check takes the time that it may, however long earlier ones waited for us") {
  Scene scene(bzflag::game());
  {
    const Stream server = scene.begin(10'000, /*late=*/true);
    CHECK_FALSE(scene.has_ended(10'020));
    CHECK(scene.has_ended(kLong));
  }
  const Stream server = scene.begin(10'000, /*late=*/false);
  CHECK_FALSE(scene.has_ended(10'000));
  CHECK(scene.has_ended(10'001));
}

}  // namespace
}  // namespace entente::testing::check_test
