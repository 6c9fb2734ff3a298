// A crowd that comes into a hall, or leaves it, at once: who plays goes first, nobody is turned away for waiting, and
// what is told of it is no more than somebody hears.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <vector>

#include "proxy/relay/hall.h"
#include "tests/relay/in_hall.h"

namespace entente::testing::hall_crowd_test {
namespace {

using relay::Hall;
using relay::Reason;

Stream come(const InHall& hall, const net::Address* from = nullptr) {
  Stream client = Stream::to(hall.at[0], from);
  client.send(kHello);
  CHECK(client.read_text(4) == kWelcome);
  return client;
}

/// Keeps the hall's thread busy until it ends: what clients do meanwhile is all there in its next turn.
class Standstill {
 public:
  explicit Standstill(InHall& hall) {
    std::promise<void> begun;
    hall.order([&begun, until = until_.get_future().share()] {
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

TEST_CASE("who plays is heard between bounded portions of a crowd that enters") {
  constexpr std::size_t kCrowd = 300;
  std::vector<std::size_t> work;  // of each portion, at least: two facts for each who is in by then
  std::size_t in = 0;
  std::atomic<bool> over = false;
  const Stream* anna = nullptr;
  InHall hall(no_limits(), 1, nullptr, 0, [&](const core::Intent& intent) {
    if (core::as<words::Enter>(intent) != nullptr) {
      if (!work.empty()) work.back() += 2 * ++in;
      over = in == kCrowd;
    } else if (const auto* say = core::as<words::Say>(intent); say != nullptr && say->text() == "on" && anna && !over) {
      work.push_back(0);
      anna->send(said("on"));  // there before the loop looks for events again
    }
  });
  const Stream player = come(hall);
  player.send(said("here"));
  CHECK(player.read_text(6) == said("here"));
  hall.asks = true;  // clients enter by what they say after their greeting
  std::vector<Stream> crowd;
  for (std::size_t i = 0; i < kCrowd; ++i) crowd.push_back(come(hall));
  {
    const Standstill all_at_once(hall);
    anna = &player;
    for (const Stream& client : crowd) client.send(said("x"));
    player.send(said("on"));
  }
  CHECK(eventually([&] { return over.load(); }));
  hall.stop();
  CHECK(in == kCrowd);
  CHECK(work.size() >= 4);
  // A turn has two ends, after its timers and after its events.
  CHECK(*std::max_element(work.begin(), work.end()) <= 2 * (Hall::kTurnWork + 2 * (kCrowd + 1)));
}

TEST_CASE("those who leave together are told only to who stays") {
  constexpr std::size_t kCrowd = 200;
  InHall hall;
  const Stream stays = come(hall);
  std::vector<Stream> crowd;
  for (std::size_t i = 0; i < kCrowd; ++i) crowd.push_back(come(hall));
  const std::uint64_t before = hall.told();
  {
    const Standstill all_at_once(hall);
    crowd.clear();
  }
  std::string gone;
  for (std::size_t i = 0; i < kCrowd; ++i) gone += said("gone");
  CHECK(stays.read_text(gone.size()) == gone);
  CHECK(hall.told() - before <= 2 * kCrowd);
}

TEST_CASE("who enters faster than an address may waits, is not turned away, and holds no other address up") {
  std::atomic<std::size_t> entered = 0;
  Limits limits = no_limits();
  limits.enters_per_second = 10;
  limits.enters_burst = 3;
  limits.greet_ms = 200;
  InHall hall(limits, 1, nullptr, 0, [&](const core::Intent& intent) {
    if (core::as<words::Enter>(intent) != nullptr) ++entered;
  });
  const auto began = std::chrono::steady_clock::now();
  std::vector<Stream> crowd;
  for (std::size_t i = 0; i < 10; ++i) crowd.push_back(come(hall));
  const net::Address elsewhere = *net::Address::parse("127.0.0.2", 0);
  const Stream other = come(hall, &elsewhere);
  other.send(said("hello"));
  CHECK(other.read_text(7) == said("hello"));
  CHECK(eventually([&] { return entered == 11; }));
  CHECK(std::chrono::steady_clock::now() - began >= std::chrono::milliseconds(600));
  CHECK(hall.total(Reason::kGreetTimeout) == 0);
  crowd.back().send(said("in"));
  CHECK(other.read_text(4) == said("in"));
}

TEST_CASE("who waits to enter and hangs up is not waited for") {
  Limits limits = no_limits();
  limits.enters_per_second = 1;
  limits.enters_burst = 1;
  InHall hall(limits);
  const Stream in = come(hall);
  { const Stream waits = come(hall); }
  in.send(said("hello"));
  CHECK(in.read_text(7) == said("hello"));
  hall.stop();  // ends all, also who waits
  CHECK(hall.empty());
}

}  // namespace
}  // namespace entente::testing::hall_crowd_test
