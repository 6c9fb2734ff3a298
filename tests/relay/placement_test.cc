// Which worker gets a session: the one with the fewest. What lives on one worker as a whole is spread, too.
#include <doctest/doctest.h>

#include <array>
#include <deque>

#include "adapters/aos/aos.h"
#include "tests/relay/in_shared_room.h"
#include "tests/relay/toy.h"

namespace entente::testing::placement_test {
namespace {

/// Notes on which worker each session opens, and whose sink was asked for last.
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
    void opened(const relay::SessionInfo&, WallTime) override {
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
  std::vector<std::size_t> workers_;  // of the sessions, in the order in which they opened
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
  CHECK(eventually([&] { return running.totals().now() == 2; }));
  for (std::size_t i = 5; i <= 6; ++i) {
    pairs.emplace_back(std::in_place, running, fake);
    CHECK(placed.workers(i).back() == first[0]);
  }
}

TEST_CASE("a shared room gets a worker that has no ENet listener") {
  Placed placed;
  Heard heard;
  relay::Server server(2, heard);
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
