// The order of a loop's work: players first, addresses take turns, and a turn ends after a bounded time.
// The clock of these tests advances only while a job works.
#include "proxy/net/schedule.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "proxy/net/loop.h"
#include "tests/support/heap.h"

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
  Work& of(const std::shared_ptr<Party>& party) {
    set_party(party);
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
  add("uvwxyz", Priority::kNewcomer, Schedule::kNewcomersTime / kMillisecond / 2);
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

/// A peer that always has more to do: adds itself again each time.
struct Flood {
  Flood(Bench& bench, char name, const std::shared_ptr<Party>& party, int links, std::uint64_t milliseconds = 1) {
    for (int i = 0; i < links; ++i) {
      Work& one = *all.emplace_back(std::make_unique<Work>(bench, name, Priority::kPlayer, milliseconds));
      one.of(party).also = [&one] { one.wait(); };
      one.wait();
    }
  }
  std::vector<std::unique_ptr<Work>> all;
};

std::size_t times(const std::string& served, char name) {
  return static_cast<std::size_t>(std::count(served.begin(), served.end(), name));
}

TEST_CASE("parties take turns, however many links each of them has, and within a party its links take turns") {
  Bench bench;
  const auto many = std::make_shared<Party>(), one = std::make_shared<Party>();
  const Flood flood(bench, 'f', many, 100);
  Work a(bench, 'a');
  a.of(one).wait();
  bench.turn();
  CHECK(bench.served == "fafff|");
  Work b(bench, 'b'), c(bench, 'c');
  b.of(many).wait(), c.of(one).wait();
  bench.turn();
  CHECK(times(bench.served, 'c') == 1);
  for (int i = 0; i < 20; ++i) bench.turn();
  CHECK(times(bench.served, 'b') == 1);  // after the 100 links of its party
}

TEST_CASE("a party whose jobs take long gets no more time than the others") {
  Bench bench;
  const auto dear = std::make_shared<Party>(), cheap = std::make_shared<Party>();
  const Flood long_jobs(bench, 'l', dear, 3, 9), short_jobs(bench, 's', cheap, 3);
  for (int i = 0; i < 100; ++i) bench.turn();
  const std::size_t by_long = 9 * times(bench.served, 'l'), by_short = times(bench.served, 's');
  CHECK(by_long + by_short >= 100 * Schedule::kPlayersTime / kMillisecond);
  CHECK(by_long <= by_short + 18);
  CHECK(by_short <= by_long + 18);
}

TEST_CASE("a party that rests is forgiven what it used too much") {
  Bench bench;
  const auto once = std::make_shared<Party>(), other = std::make_shared<Party>();
  Work dear(bench, 'd', Priority::kPlayer, 50), cheap(bench, 'c');
  dear.of(once).wait();
  bench.turn();
  const Flood flood(bench, 'f', other, 1);
  SUBCASE("not at once") {
    cheap.of(once).wait();
    bench.turn();
    CHECK(times(bench.served, 'c') == 0);
  }
  SUBCASE("after as long as it used too much") {
    bench.nanos += 50 * kMillisecond;
    cheap.of(once).wait();
    bench.turn();
    CHECK(times(bench.served, 'c') == 1);
  }
}

TEST_CASE("a party that comes back often saves no time for a long turn") {
  Bench bench;
  const auto saver = std::make_shared<Party>(), other = std::make_shared<Party>();
  Work tiny(bench, 't', Priority::kPlayer, 0);
  tiny.of(saver);
  for (int i = 0; i < 100; ++i) {
    tiny.wait();
    bench.turn();
  }
  bench.served.clear();
  const Flood greedy(bench, 'g', saver, 20), flood(bench, 'f', other, 20);
  bench.turn();
  CHECK(bench.served == "gfgfg|");
}

TEST_CASE("the loop's own chores have a turn before each party") {
  Bench bench;
  std::vector<std::shared_ptr<Party>> parties;
  std::vector<std::unique_ptr<Flood>> floods;
  for (int i = 0; i < 16; ++i)
    floods.push_back(std::make_unique<Flood>(bench, 'f', parties.emplace_back(std::make_shared<Party>()), 5));
  Work chore(bench, 'c');
  chore.also = [&] { chore.wait(); };
  chore.wait();
  bench.turn();
  CHECK(bench.served == "cfcfcf|");
}

TEST_CASE("an honest party waits for at most one turn of each other one") {
  Bench bench;
  std::vector<std::unique_ptr<Flood>> floods;
  for (int i = 0; i < 16; ++i) floods.push_back(std::make_unique<Flood>(bench, 'f', std::make_shared<Party>(), 64));
  Work honest(bench, 'h');
  honest.of(std::make_shared<Party>()).wait();
  const std::uint64_t began = bench.nanos;
  while (honest.waits()) bench.turn();
  CHECK(bench.nanos - began <= 17 * Schedule::kJobTime + Schedule::kPlayersTime);
}

/// The part of a party that always has more to do on each of its links, and works for as long as a part may.
struct PartFlood {
  PartFlood(Bench& bench, const std::shared_ptr<Party>& part, int links) {
    for (int i = 0; i < links; ++i) {
      Work& one = *all.emplace_back(std::make_unique<Work>(bench, 'f', Priority::kPlayer, 0));
      one.of(part).also = [&one, &bench] {
        while (!bench.schedule.time_is_up()) bench.nanos += Schedule::kJobTime / 100;
        one.wait();
      };
      one.wait();
    }
  }
  std::vector<std::unique_ptr<Work>> all;
};

TEST_CASE("the parts of a party take turns within its turns, however many links each of them has") {
  Bench bench;
  const auto server = std::make_shared<Party>();
  const auto part = [&](int number) {
    return Party::part(server, *Address::parse("192.0.2." + std::to_string(number), 7));
  };
  CHECK(part(1) == part(1));
  CHECK(part(1) != part(2));
  const auto six = [&](const char* ip) { return Party::part(server, *Address::parse(ip, 7)); };
  CHECK(six("2001:db8::1") == six("2001:db8::ffff"));
  CHECK(six("2001:db8::1") != six("2001:db8:0:1::1"));
  const Flood other(bench, 'o', std::make_shared<Party>(), 3);
  std::vector<std::unique_ptr<PartFlood>> floods;
  std::size_t most_before = 1, most_others = 2;
  SUBCASE("one that floods") { floods.push_back(std::make_unique<PartFlood>(bench, part(2), 100)); }
  SUBCASE("sixteen") {
    for (int i = 0; i < 16; ++i) floods.push_back(std::make_unique<PartFlood>(bench, part(2 + i), 100));
    most_before = 16;
    most_others = 3;
  }
  Work honest(bench, 'h', Priority::kPlayer, 0);
  honest.of(part(1)).wait();
  while (honest.waits()) bench.turn();
  const std::string before = bench.served.substr(0, bench.served.find('h'));
  CHECK(times(before, 'f') <= most_before);
  CHECK(times(before, 'o') <= most_others);
  for (int i = 0; i < 50; ++i) bench.turn();
  const std::size_t by_parts = times(bench.served, 'f'), by_other = times(bench.served, 'o');
  CHECK(by_parts <= (by_other + 10) * Schedule::kPartsAtOnce);  // together they have one turn
  floods.clear();
  bench.turn();
}

TEST_CASE("a part may leave its party at any time, and is forgotten with its last job") {
  Bench bench;
  auto server = std::make_shared<Party>();
  const std::weak_ptr<Party> known = server;
  const Address client = *Address::parse("192.0.2.1:7");
  auto a = std::make_unique<Work>(bench, 'a', Priority::kPlayer, 0), b = std::make_unique<Work>(bench, 'b');
  a->of(Party::part(server, client)).wait();
  b->of(Party::part(server, client)).wait();
  server.reset();
  SUBCASE("while it works") {
    a->also = [&] { b.reset(), a.reset(); };
  }
  SUBCASE("while it waits") { b.reset(); }
  SUBCASE("for another party") { b->of(std::make_shared<Party>()); }
  SUBCASE("for another group") { b->set_priority(Priority::kNewcomer); }
  bench.turn();
  CHECK(bench.schedule.empty());
  a.reset(), b.reset();
  CHECK(known.expired());
}

TEST_CASE("a party keeps nothing of the parts that are gone") {
  const auto server = std::make_shared<Party>();
  const auto make_many = [&] {
    std::vector<std::shared_ptr<Party>> all;
    for (int i = 0; i < 1'000; ++i)
      all.push_back(
          Party::part(server, *Address::parse("10.0." + std::to_string(i / 250) + "." + std::to_string(i % 250), 7)));
  };
  const std::ptrdiff_t before = testing::bytes_here();
  make_many();
  CHECK(testing::bytes_here() - before < 50'000);  // the table keeps its buckets
}

TEST_CASE("a job knows when it has had its time; jobs may move to another party, and leave it, at any time") {
  Bench bench;
  const auto p = std::make_shared<Party>(), q = std::make_shared<Party>();
  auto a = std::make_unique<Work>(bench, 'a', Priority::kPlayer, 0), b = std::make_unique<Work>(bench, 'b');
  bool up_at_first = true, up_later = false;
  a->also = [&] {
    up_at_first = bench.schedule.time_is_up();
    bench.nanos += Schedule::kJobTime;
    up_later = bench.schedule.time_is_up();
    b.reset();
  };
  a->of(p).wait(), b->of(p).wait();
  b->of(q), b->of(p);
  bench.turn();
  CHECK(bench.served == "a|");
  CHECK_FALSE(up_at_first);
  CHECK(up_later);
  CHECK(bench.schedule.time_is_up());  // nothing is served
  a->wait();
  a->of(q);
  a.reset();
  CHECK(bench.schedule.empty());
  bench.turn();
  // A turn that ends in the middle of a party's share, after which the party's jobs are gone.
  auto c = std::make_unique<Work>(bench, 'c', Priority::kNewcomer, 0),
       d = std::make_unique<Work>(bench, 'd', Priority::kNewcomer, 0);
  Work chore(bench, 'x', Priority::kNewcomer, 4);
  chore.wait(), c->of(p).wait(), d->of(p).wait();
  bench.turn();
  CHECK(bench.served == "a||xc|");
  d.reset();
  CHECK(bench.schedule.empty());
  bench.turn();
  CHECK(bench.served == "a||xc||");
}

TEST_CASE("a job that waits and moves to another party is served there") {
  Bench bench;
  const auto p = std::make_shared<Party>(), q = std::make_shared<Party>();
  Work a(bench, 'a'), b(bench, 'b');
  a.of(p).wait(), b.of(p).wait();
  a.of(q);
  b.of(nullptr);
  bench.turn();
  std::sort(bench.served.begin(), bench.served.end());
  CHECK(bench.served == "ab|");
  CHECK(bench.schedule.empty());
}

TEST_CASE("an address is one party, as is an IPv6 /64; a server is another; a party is forgotten with its last link") {
  Parties parties;
  using Kind = Parties::Kind;
  const auto at = [](const char* text) { return *Address::parse(text); };
  {
    const auto first = parties.of(at("192.0.2.7:1"), Kind::kClient);
    CHECK(first == parties.of(at("192.0.2.7:2"), Kind::kClient));
    CHECK(first != parties.of(at("192.0.2.8:1"), Kind::kClient));
    CHECK(first != parties.of(at("192.0.2.7:1"), Kind::kServer));
    const auto six = parties.of(at("[2001:db8::1]:1"), Kind::kClient);
    CHECK(six == parties.of(at("[2001:db8::ffff]:1"), Kind::kClient));
    CHECK(six != parties.of(at("[2001:db8:0:1::1]:1"), Kind::kClient));
    CHECK(parties.known() == 2);
  }
  CHECK(parties.known() == 0);
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
