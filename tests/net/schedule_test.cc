// The order of a loop's work: players first, each group in order of arrival, and a turn ends after a bounded time.
// The clock of these tests advances only while a job works.
#include "proxy/net/schedule.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "proxy/net/loop.h"

namespace entente::net::schedule_test {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;

struct Bench {
  Schedule schedule{[this] { return nanos; }};
  std::uint64_t nanos = 0;
  std::string served;

  void turn(Millis now = 0) {
    schedule.serve(Priority::kPlayer, now);
    schedule.serve(Priority::kNewcomer, now);
    served += '|';
  }
};

/// Works for that many milliseconds, and logs its name.
class Work final : public Job {
 public:
  Work(Bench& bench, char name, Priority priority = Priority::kPlayer, std::uint64_t milliseconds = 1)
      : bench_(bench), name_(name), takes_(milliseconds * kMillisecond) {
    set_priority(priority);
  }
  Work& wait(Millis now = 0) {
    bench_.schedule.add(*this, now);
    return *this;
  }
  std::function<void()> also = [] {};

 private:
  void run() override {
    bench_.served += name_;
    bench_.nanos += takes_;
    const auto last = also;  // a copy, because `also` may destroy this
    last();
  }
  Bench& bench_;
  const char name_;
  const std::uint64_t takes_;
};

TEST_CASE("players are served before newcomers, each group in order of arrival, and each job once") {
  Bench bench;
  Work x(bench, 'x', Priority::kNewcomer), y(bench, 'y', Priority::kNewcomer), a(bench, 'a'), b(bench, 'b');
  for (Work* one : {&x, &a, &y, &b, &a, &x}) one->wait();
  bench.turn();
  bench.turn();
  CHECK(bench.served == "abxy||");
  CHECK(bench.schedule.empty());
}

TEST_CASE("a turn ends when a group's time is over; what is left comes first in the next turn, but after new players") {
  Bench bench;
  std::vector<std::unique_ptr<Work>> all;
  const auto add = [&](const char* names, Priority priority, std::uint64_t each) {
    for (; *names; ++names) all.push_back(std::make_unique<Work>(bench, *names, priority, each)), all.back()->wait();
  };
  add("abcdefgh", Priority::kPlayer, Schedule::kPlayersTime / kMillisecond / 5);
  add("uvwxyz", Priority::kNewcomer, Schedule::kNewcomersTime / kMillisecond / 2 + 1);
  bench.turn();
  CHECK(bench.served == "abcdeuv|");
  add("i", Priority::kPlayer, 1);
  bench.turn();
  CHECK(bench.served == "abcdeuv|fghiwx|");
  add("j", Priority::kPlayer, 1);
  bench.turn();
  CHECK(bench.served == "abcdeuv|fghiwx|jyz|");
  CHECK(bench.schedule.empty());
}

TEST_CASE("however long a job takes, each turn serves at least one job of each group") {
  Bench bench;
  Work a(bench, 'a', Priority::kPlayer, 900), b(bench, 'b', Priority::kPlayer, 900);
  Work x(bench, 'x', Priority::kNewcomer, 900), y(bench, 'y', Priority::kNewcomer, 900);
  for (Work* one : {&a, &b, &x, &y}) one->wait();
  bench.turn();
  bench.turn();
  CHECK(bench.served == "ax|by|");
}

TEST_CASE("a job may wait again, change its group, and be destroyed while it waits or works") {
  Bench bench;
  Work a(bench, 'a');
  int times = 0;
  a.also = [&] {
    if (++times < 3) a.wait();
  };
  auto b = std::make_unique<Work>(bench, 'b'), c = std::make_unique<Work>(bench, 'c');
  Work x(bench, 'x', Priority::kNewcomer), y(bench, 'y', Priority::kNewcomer);
  b->also = [&] { b.reset(); };
  for (Work* one : {&x, &a, b.get(), c.get(), &y}) one->wait();
  c.reset();
  y.set_priority(Priority::kPlayer);
  bench.turn();
  CHECK(bench.served == "abyaax|");
  CHECK(bench.schedule.empty());
}

TEST_CASE("a job knows how long it has waited, including the present wait") {
  Bench bench;
  Work a(bench, 'a', Priority::kPlayer, 900), x(bench, 'x');
  a.wait(1000);
  x.wait(1000);
  bench.turn(1000);
  CHECK(a.queued_millis() == 0);
  CHECK(x.waits());
  bench.turn(1900);
  CHECK_FALSE(x.waits());
  CHECK(x.queued_millis() == 900);
  x.wait(2000);
  a.wait(2100);
  CHECK(x.queued_millis() == 1000);
}

/// Works as long as newcomers may in one turn, so that a turn serves one of them.
struct Newcomer final : Job {
  explicit Newcomer(Loop& its) : loop(its) { set_priority(Priority::kNewcomer); }
  void run() override {
    const std::uint64_t until = loop.nanos() + Schedule::kNewcomersTime;
    while (loop.nanos() < until) continue;
    served = true;
  }
  Loop& loop;
  bool served = false;
};

struct Player final : Job {
  void run() override { ++turns; }
  int turns = 0;
};

/// Keeps a loop alive that the test runs turn by turn.
struct Alive final : Ticker::User {
  explicit Alive(Loop& loop) : ticker(loop, *this, 1) {}
  void tick(Millis) override {}
  Ticker ticker;
};

TEST_CASE(
    "on a loop a player has its turn beside each newcomer of a crowd, and the loop does not sleep before all are "
    "served") {
  Loop loop;
  const Alive alive(loop);
  std::vector<std::unique_ptr<Newcomer>> crowd;
  for (int i = 0; i < 20; ++i) loop.serve(*crowd.emplace_back(std::make_unique<Newcomer>(loop)));
  const auto served = [&] {
    return std::count_if(crowd.begin(), crowd.end(), [](const auto& one) { return one->served; });
  };
  Player player;
  for (int turn = 1; turn <= 20; ++turn) {
    loop.serve(player);
    uv_run(loop.raw(), UV_RUN_ONCE);
    CHECK(player.turns == turn);
    CHECK(served() == turn);
    CHECK(loop.is_behind() == (turn < 20));
  }
}

}  // namespace
}  // namespace entente::net::schedule_test
