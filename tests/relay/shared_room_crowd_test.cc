// A crowd that enters a shared room, or leaves it, at once: players are served first, no client is refused because it
// had to wait, and only clients that stay are told who left.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <vector>

#include "proxy/relay/sessions/shared_room.h"
#include "tests/relay/bridge/native_arena.h"
#include "tests/relay/in_shared_room.h"

namespace entente::testing::shared_room_crowd_test {
namespace {

using relay::Reason;
using relay::SharedRoom;

Stream come(const InSharedRoom& shared_room, const net::Address* from = nullptr) {
  Stream client = Stream::to(shared_room.at[0], from);
  client.send(kHello);
  CHECK(client.read_text(4) == kWelcome);
  return client;
}

/// Blocks the shared room's thread until it is destroyed. Everything that clients send meanwhile is there in the
/// thread's next turn.
class Standstill {
 public:
  explicit Standstill(InSharedRoom& shared_room) {
    std::promise<void> begun;
    shared_room.order([&begun, until = until_.get_future().share()] {
      begun.set_value();
      until.wait();
    });
    begun.get_future().wait();
  }
  ~Standstill() { until_.set_value(); }
  Standstill(const Standstill&) = delete;

 private:
  std::promise<void> until_;
};

/// Takes 1 ms to leave, and counts the chat lines that it receives.
class SlowToLeave final : public core::Front {
 public:
  explicit SlowToLeave(std::atomic<std::size_t>& told) : told_(told) {}
  void receive(const Frames&, core::FrontOut& out) override {
    out.send(Lane::kStream, as_bytes(kWelcome));
    out.say(words::Enter());
  }
  void hear(const core::Fact& fact, core::FrontOut&) override {
    if (core::as<words::Said>(fact) != nullptr) ++told_;
  }
  std::optional<core::Absence> try_reserve_seat(const core::FrontOut&) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return std::nullopt;
  }

 private:
  std::atomic<std::size_t>& told_;
};

TEST_CASE("while a crowd enters, a player is served after each bounded portion of it") {
  constexpr std::size_t kCrowd = 300;
  std::vector<std::size_t> work;  // a lower bound for each portion: two facts for each client that is in by then
  std::size_t in = 0;
  std::atomic<bool> over = false;
  const Stream* anna = nullptr;
  InSharedRoom shared_room(no_limits(), 1, nullptr, 0, [&](const core::Intent& intent) {
    if (core::as<words::Enter>(intent) != nullptr) {
      if (!work.empty()) work.back() += 2 * ++in;
      over = in == kCrowd;
    } else if (const auto* say = core::as<words::Say>(intent); say != nullptr && say->text() == "on" && anna && !over) {
      work.push_back(0);
      anna->send(said("on"));  // arrives before the loop polls for events again
    }
  });
  const Stream player = come(shared_room);
  player.send(said("here"));
  CHECK(player.read_text(6) == said("here"));
  shared_room.asks = true;  // clients enter by the first message after their greeting
  std::vector<Stream> crowd;
  for (std::size_t i = 0; i < kCrowd; ++i) crowd.push_back(come(shared_room));
  {
    const Standstill all_at_once(shared_room);
    anna = &player;
    for (const Stream& client : crowd) client.send(said("x"));
    player.send(said("on"));
  }
  CHECK(eventually([&] { return over.load(); }));
  shared_room.stop();
  CHECK(in == kCrowd);
  CHECK(work.size() >= 4);
  // The end of a turn is handled twice: after its timers and after its events.
  CHECK(*std::max_element(work.begin(), work.end()) <= 2 * (SharedRoom::kTurnWork + 2 * (kCrowd + 1)));
}

TEST_CASE("a client that sends much at once is served in portions, in turn with others") {
  std::string much;
  std::size_t lines = 0;
  for (; much.size() < std::size_t{16} * 1024; ++lines) much += said("much");
  std::vector<core::Id> spoken;  // the speaker of each line
  std::atomic<std::size_t> heard = 0;
  InSharedRoom shared_room(no_limits(), 1, nullptr, 0, [&](const core::Intent& intent) {
    if (core::as<words::Say>(intent) == nullptr) return;
    spoken.push_back(intent.by);
    ++heard;
  });
  const Stream anna = come(shared_room), ben = come(shared_room);
  {
    const Standstill all_at_once(shared_room);
    anna.send(much);
    ben.send(much);
  }
  CHECK(eventually([&] { return heard == 2 * lines; }));
  shared_room.stop();
  std::size_t turns = 1;
  for (std::size_t i = 1; i < spoken.size(); ++i) turns += spoken[i] != spoken[i - 1];
  CHECK(turns >= 6);
}

TEST_CASE("when many clients leave at once, only those that stay are told") {
  constexpr std::size_t kCrowd = 200;
  InSharedRoom shared_room;
  const Stream stays = come(shared_room);
  std::vector<Stream> crowd;
  for (std::size_t i = 0; i < kCrowd; ++i) crowd.push_back(come(shared_room));
  const std::uint64_t before = shared_room.told();
  {
    const Standstill all_at_once(shared_room);
    crowd.clear();
  }
  std::string gone;
  for (std::size_t i = 0; i < kCrowd; ++i) gone += said("gone");
  CHECK(stays.read_text(gone.size()) == gone);
  CHECK(shared_room.told() - before <= 2 * kCrowd);
}

TEST_CASE("clients that leave in several turns, because the worker is behind, are not told of each other") {
  // At 1 ms each, they take longer than a turn, and much less than the time for which departures are collected.
  constexpr std::size_t kCrowd = 40;
  std::atomic<std::size_t> told = 0;
  InSharedRoom shared_room(no_limits(), 1, nullptr, 0, nullptr,
                           [&](std::size_t) { return std::make_unique<SlowToLeave>(told); });
  const auto leave = [&] {  // repeated, because it may take too long on a busy machine
    told = 0;
    std::vector<Stream> crowd;
    for (std::size_t i = 0; i < kCrowd; ++i) crowd.push_back(come(shared_room));
    {
      const Standstill all_at_once(shared_room);
      crowd.clear();
    }
    return shared_room.empty() && told == 0;
  };
  CHECK(eventually(leave));
}

TEST_CASE("clients over the rate of their address wait to enter, are not refused, and delay no other address") {
  std::atomic<std::size_t> entered = 0;
  Limits limits = no_limits();
  limits.enters_per_second = 10;
  limits.enters_burst = 3;
  limits.greet_ms = 200;
  InSharedRoom shared_room(limits, 1, nullptr, 0, [&](const core::Intent& intent) {
    if (core::as<words::Enter>(intent) != nullptr) ++entered;
  });
  const auto began = std::chrono::steady_clock::now();
  std::vector<Stream> crowd;
  for (std::size_t i = 0; i < 10; ++i) crowd.push_back(come(shared_room));
  const net::Address elsewhere = *net::Address::parse("127.0.0.2", 0);
  const Stream other = come(shared_room, &elsewhere);
  other.send(said("hello"));
  CHECK(other.read_text(7) == said("hello"));
  CHECK(eventually([&] { return entered == 11; }));
  CHECK(std::chrono::steady_clock::now() - began >= std::chrono::milliseconds(600));
  CHECK(shared_room.total(Reason::kGreetTimeout) == 0);
  crowd.back().send(said("in"));
  CHECK(other.read_text(4) == said("in"));
}

TEST_CASE("a client that had to wait long for its seat has all of greet_ms to greet") {
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t kCrowd = 15;
  std::atomic<std::size_t> seats = 0;
  Limits limits = no_limits();
  limits.greet_ms = 1'000;
  InSharedRoom shared_room(limits, 1, nullptr, 0, nullptr, [&](std::size_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ++seats;
    return toy::make_front(toy::stream());
  });
  std::vector<Stream> crowd;
  {
    const Standstill all_at_once(shared_room);
    for (std::size_t i = 0; i < kCrowd; ++i) {
      crowd.push_back(Stream::to(shared_room.at[0]));
      crowd.back().send(kHello);
    }
    crowd.push_back(Stream::to(shared_room.at[0]));
  }
  CHECK(eventually([&] { return seats == kCrowd + 1; }));
  const auto seated = Clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // it is looked for late clients meanwhile
  if (crowd.back().try_send(as_bytes(kHello)) == 0 || Clock::now() - seated > std::chrono::milliseconds(700)) return;
  CHECK(crowd.back().read_text(4) == kWelcome);
}

TEST_CASE("a client that hangs up while it waits to enter delays nothing") {
  Limits limits = no_limits();
  limits.enters_per_second = 1;
  limits.enters_burst = 1;
  InSharedRoom shared_room(limits);
  const Stream in = come(shared_room);
  { const Stream waits = come(shared_room); }
  in.send(said("hello"));
  CHECK(in.read_text(7) == said("hello"));
  shared_room.stop();  // ends all sessions, including those that wait
  CHECK(shared_room.empty());
}

/// An arena into which one player of an address may enter each second.
class SlowGate {
 public:
  SlowGate() {
    Limits limits = no_limits();
    limits.enters_per_second = 1;
    limits.enters_burst = 1;
    const std::size_t room = server_.add_shared_room(native_arena("the arena 'lobby'", 8));
    const auto listening =
        server_.add(arena_listener("the arena 'lobby'", room, native::game(), kNativeFront, kJson, limits));
    REQUIRE(listening.ok());
    address_ = listening->address;
    thread_ = std::thread([this] { server_.run(); });
  }
  ~SlowGate() {
    server_.stop();
    thread_.join();
  }
  SlowGate(const SlowGate&) = delete;

  /// A client that sends these lines at once, and is in.
  Lines enter(const std::string& lines) const {
    Lines client(Stream::to(address_));
    client.say(lines);
    client.until("\"owns\"");
    return client;
  }
  std::uint64_t sessions() const { return server_.totals(0).current_sessions(); }

 private:
  Heard heard_;
  relay::ProxyServer server_{1, heard_};
  net::Address address_;
  std::thread thread_;
};

const std::string kEnter = R"({"enter":{"name":"a"}})", kLeave = R"({"leave":{}})";

TEST_CASE("a client that asks to enter again and again in one read waits in one place of the queue") {
  const SlowGate gate;
  std::string lines = kEnter;
  for (int i = 0; i < 8; ++i) lines += "\n" + kLeave + "\n" + kEnter;
  { const Lines client = gate.enter(lines); }
  CHECK(eventually([&] { return gate.sessions() == 0; }));
  Lines next = gate.enter(kEnter);  // would wait for 8 s
  next.say(R"({"say":{"text":"hello"}})");
  next.until("hello");
}

TEST_CASE("a client that enters again is not read until it is its turn") {
  constexpr int kLines = 200;  // more than the room keeps for a player who waits
  const SlowGate gate;
  Lines client = gate.enter(kEnter + "\n" + kEnter);
  for (int i = 0; i < kLines; ++i) client.say(R"({"say":{"text":"line )" + std::to_string(i) + "\"}}");
  for (int i = 0; i < kLines; ++i) client.until("\"line " + std::to_string(i) + "\"");
}

TEST_CASE("a client that waits to enter again may leave") {
  const SlowGate gate;
  std::string lines = kEnter;
  for (int i = 0; i < 8; ++i) lines += "\n" + kEnter;  // it waits for 8 s
  { const Lines client = gate.enter(lines); }
  CHECK(eventually([&] { return gate.sessions() == 0; }));
  gate.enter(kEnter);
}

}  // namespace
}  // namespace entente::testing::shared_room_crowd_test
