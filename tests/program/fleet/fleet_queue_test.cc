// Players of two nodes who wait for a seat on the same server are in one queue.
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "adapters/native/codec.h"
#include "tests/program/fleet/fleet_process.h"
#include "tests/relay/native_lines.h"

namespace entente::fleet_queue_test {
namespace {

using testing::LateServer, testing::Lines, testing::Stream;

/// A node with a bridge to the server, and players who connect to it.
struct QueueNode {
  QueueNode(const NatsServer& nats, const std::string& name, const net::Address& server)
      : node(nats, name,
             "[[route]]\nlisten = 'native://127.0.0.1:0?dialect=protobuf'\nto = 'native://" + server.text() +
                 "?dialect=json'\nhold_s = 600\ncheck_s = 0\n") {}
  std::optional<Stream> enter(const std::string& name) const {
    words::Intent intent;
    intent.mutable_enter()->set_name(name);
    Buffer frame;
    native::Envelope().wrap(frame, [&](Buffer& into) { append(into, as_bytes(intent.SerializeAsString())); });
    Stream client = Stream::to(*net::Address::parse("127.0.0.1", static_cast<std::uint16_t>(node.port())));
    client.send(frame);
    return client;
  }
  bool waits(int players) const {
    return node.says({"--json", "routes"}, "\"waiting\":" + std::to_string(players) + ",");
  }
  const NodeProcess node;
};

/// A server with one seat. While it is taken, other players are refused as FULL.
class OneSeat {
 public:
  explicit OneSeat(const net::Address& at) : server_(at), thread_([this] { serve(); }) {}
  ~OneSeat() {
    ends_ = true;
    thread_.join();
  }
  /// The players who have had the seat; the last one has it now.
  std::vector<std::string> seated() {
    const std::lock_guard lock(mutex_);
    return seated_;
  }

 private:
  void serve() {
    std::optional<Lines> seat;
    while (!ends_) {
      while (seat && seat->stream().readable(0))
        if (seat->next().empty()) seat.reset();
      if (server_.is_wanted(20)) meet(Lines(server_.accept()), seat);
    }
  }
  void meet(Lines player, std::optional<Lines>& seat) {
    if (!player.stream().try_send(as_bytes(std::string_view("{\"you\":{\"player\":1}}\n")))) return;
    std::string enter;
    do enter = player.next();
    while (!enter.empty() && !has(enter, "\"enter\""));
    if (enter.empty()) return;
    if (seat) {
      constexpr std::string_view kFull = "{\"refused\":{\"code\":\"FULL\",\"text\":\"no seat\"}}\n";
      if (player.stream().try_send(as_bytes(kFull))) (void)player.all();
      return;
    }
    testing::let_in(player, "one", "dora");
    seat = std::move(player);
    const std::lock_guard lock(mutex_);
    for (const char* name : {"first", "second", "third", "fourth"})
      if (has(enter, std::string("\"") + name + "\"")) seated_.emplace_back(name);
  }

  const LateServer server_;
  std::atomic<bool> ends_{false};
  std::mutex mutex_;
  std::vector<std::string> seated_;
  std::thread thread_;
};

/// Players who arrive within 100 ms of each other may be admitted in either order, and a node learns with some delay
/// who waits at the other.
void let_time_pass() { std::this_thread::sleep_for(std::chrono::seconds(1)); }

TEST_CASE("players of two nodes who wait for the same server are admitted in the order of their arrival") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const net::Address at = testing::free_for_both();
  OneSeat server(at);
  const QueueNode a(nats, "a", at), b(nats, "b", at);
  REQUIRE(a.node.says({"--fleet", "nodes"}, "\nb\t"));
  std::vector<std::string> order = {"first"};
  const auto is_seated = [&] { return eventually([&] { return server.seated() == order; }); };
  auto player = a.enter("first");
  REQUIRE(is_seated());
  auto second = a.enter("second");
  REQUIRE(a.waits(1));
  let_time_pass();
  auto third = b.enter("third");
  REQUIRE(b.waits(1));
  let_time_pass();
  auto fourth = a.enter("fourth");
  REQUIRE(a.waits(2));
  for (auto* next : {&second, &third, &fourth}) {
    player = std::move(*next);  // the player in the seat leaves
    order.emplace_back(next == &second ? "second" : next == &third ? "third" : "fourth");
    CHECK(is_seated());
    CHECK(server.seated() == order);
  }
}

}  // namespace
}  // namespace entente::fleet_queue_test
