// A loop: deferred work runs at the end of the turn, letters arrive, handles close, nothing is left open.
#include "proxy/net/loop.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "proxy/net/mailbox.h"

namespace entente::net::loop_test {
namespace {

struct Flag final : Later {
  void at_turn_end() override { ++times; }
  int times = 0;
};

/// Ticks that many times, acts at each tick, then ends.
struct Ticks final : Ticker::User {
  Ticks(Loop& loop, int times, std::function<void()> work) : left(times), each(std::move(work)) {
    ticker.emplace(loop, *this, 1);
  }
  void tick(Millis) override {
    each();
    if (--left == 0) ticker.reset();
  }
  int left;
  std::function<void()> each;
  std::optional<Ticker> ticker;
};

TEST_CASE("an alarm fires once, not early, at once if its time has passed; the last time set counts") {
  Loop loop;
  struct Sleeper final : Alarm::User {
    explicit Sleeper(Loop& l) : loop(l) { alarm.emplace(loop, *this); }
    void rang() override {
      rings.push_back(loop.nanos());
      if (rings.size() == 1)
        alarm->set(wanted = loop.nanos() + 3'400'000);
      else
        alarm.reset();
    }
    Loop& loop;
    std::optional<Alarm> alarm;
    std::vector<std::uint64_t> rings;
    std::uint64_t wanted = 0;
  } sleeper(loop);
  sleeper.alarm->set(loop.nanos() + 3'600'000'000'000);
  sleeper.alarm->set(1);  // long past
  loop.run();
  REQUIRE(sleeper.rings.size() == 2);
  CHECK(sleeper.rings[1] >= sleeper.wanted);
}

TEST_CASE("work that a timer defers does not wait for an event") {
  Loop loop;
  Flag flag;
  std::vector<int> seen;
  Ticks ticks(loop, 3, [&] {
    seen.push_back(flag.times);
    loop.later(flag);
  });
  loop.run();
  CHECK(seen == std::vector<int>{0, 1, 2});
  CHECK(flag.times == 3);
}

TEST_CASE("work deferred at the end of a turn runs in the same turn, and can be canceled") {
  Loop loop;
  Flag never, second;
  struct First final : Later {
    First(Loop& l, Flag& o) : loop(l), other(o) {}
    void at_turn_end() override { loop.later(other); }
    Loop& loop;
    Flag& other;
  } first(loop, second);
  Ticks ticks(loop, 1, [&] {
    loop.later(never);
    loop.later(first);
    loop.cancel_later(never);
  });
  loop.run();
  CHECK(never.times == 0);
  CHECK(second.times == 1);
}

TEST_CASE("work that other work of the same turn's end cancels is not done") {
  Loop loop;
  Flag never, last;
  struct Cancels final : Later {
    Cancels(Loop& l, Flag& o) : loop(l), other(o) {}
    void at_turn_end() override { loop.cancel_later(other); }
    Loop& loop;
    Flag& other;
  } first(loop, never);
  Ticks ticks(loop, 1, [&] {
    loop.later(first);
    loop.later(never);
    loop.later(last);
  });
  loop.run();
  CHECK(never.times == 0);
  CHECK(last.times == 1);
}

/// Counts the rings of an alarm. `on_ring` may do more.
struct Bell final : Alarm::User {
  explicit Bell(Loop& loop) : alarm(loop, *this) {}
  void rang() override { ++rings, on_ring(); }
  Alarm alarm;
  int rings = 0;
  std::function<void()> on_ring = [] {};
};

TEST_CASE("who asks again at the end of a turn is called at the end of the next one, if it does not cancel that") {
  struct Again final : Later {
    Again(Loop& l, bool c) : loop(l), cancels(c) {}
    void at_turn_end() override {
      ++times;
      loop.later(*this);
      if (cancels || times == 5) loop.cancel_later(*this);
    }
    Loop& loop;
    const bool cancels;
    int times = 0;
  };
  Loop loop;
  Again again(loop, false), gives_up(loop, true);
  loop.later(again);
  loop.later(gives_up);
  std::vector<int> seen;
  for (int i = 0; i < 3; ++i) {
    uv_run(loop.raw(), UV_RUN_NOWAIT);
    seen.push_back(again.times);
  }
  CHECK(seen == std::vector<int>{2, 3, 4});  // what was asked for before the first turn is done before its events, too
  loop.run();
  CHECK(again.times == 5);
  CHECK(gives_up.times == 1);
}

TEST_CASE("an alarm that is cleared does not ring, also if it was due, and may be set again") {
  Loop loop;
  Bell first(loop), second(loop), later(loop);
  first.on_ring = [&] {
    second.alarm.clear();
    later.alarm.clear();
  };
  first.alarm.set(1);
  second.alarm.set(1);
  later.alarm.set(loop.nanos() + 3'600'000'000'000);
  loop.run();  // ends because nothing is set any more
  CHECK(first.rings == 1);
  CHECK(second.rings == 0);
  CHECK(later.rings == 0);
  second.alarm.set(1);
  loop.run();
  CHECK(second.rings == 1);
}

TEST_CASE("an alarm may be set to any time, also to 0, and rings") {
  Loop loop;
  Bell bell(loop);
  bell.alarm.set(0);
  loop.run();
  CHECK(bell.rings == 1);
  bell.alarm.set(~std::uint64_t{0});  // the far future
  bell.alarm.set(0);
  loop.run();
  CHECK(bell.rings == 2);
}

TEST_CASE("an alarm that is due rings, however often it is set anew before it is served") {
  std::uint64_t nanos = 0;
  Loop loop([&] { return nanos; });
  Bell bell(loop);
  bell.alarm.set_priority(Priority::kNewcomer);
  // Sets the alarm in each turn.
  struct Again final : Job {
    Again(Loop& l, Bell& b, std::uint64_t& n) : loop(l), bell(b), nanos(n) {}
    void run() override {
      nanos += Schedule::kPlayersTime;
      if (bell.rings != 0 || ++times == 50) return;
      bell.alarm.set(loop.now() * 1'000'000);
      loop.serve(*this);
    }
    Loop& loop;
    Bell& bell;
    std::uint64_t& nanos;
    int times = 0;
  } again(loop, bell, nanos);
  loop.serve(again);
  loop.run();
  CHECK(bell.rings == 1);
  CHECK(again.times < 50);
}

TEST_CASE("a turn serves players before newcomers") {
  struct Named final : Job {
    Named(std::vector<int>& to, int its_number, Priority its_priority) : order(to), number(its_number) {
      set_priority(its_priority);
    }
    void run() override { order.push_back(number); }
    std::vector<int>& order;
    const int number;
  };
  std::vector<int> order;
  Named newcomer(order, 1, Priority::kNewcomer), player(order, 2, Priority::kPlayer);
  Loop loop;
  Ticks ticks(loop, 1, [&] {
    loop.serve(newcomer);
    loop.serve(player);
  });
  loop.run();
  CHECK(order == std::vector<int>{2, 1});
}

TEST_CASE("one in sixteen turns with work is timed") {
  struct Watch final : TurnWatch {
    void turn_took(std::uint64_t nanos) override { took.push_back(nanos); }
    std::vector<std::uint64_t> took;
  } watch;
  struct Slow final : Job {
    void run() override { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }
  } slow;
  Loop loop;
  loop.watch_turns(watch);
  Ticks ticks(loop, 2 * Loop::kTimed, [&] { loop.serve(slow); });
  loop.run();
  REQUIRE(watch.took.size() >= 2);
  CHECK(*std::max_element(watch.took.begin(), watch.took.end()) >= 1'000'000);
}

TEST_CASE("turns without work are not timed") {
  struct Watch final : TurnWatch {
    void turn_took(std::uint64_t) override { ++timed; }
    int timed = 0;
  } watch;
  Loop loop;
  loop.watch_turns(watch);
  Flag flag;
  Ticks ticks(loop, 3 * Loop::kTimed, [&] { loop.later(flag); });
  loop.run();
  CHECK(flag.times == 3 * Loop::kTimed);
  CHECK(watch.timed == 0);
}

/// Sums letters until all have come.
struct Sum {
  Sum(Loop& loop, int all) : left(all), mailbox(loop, *this) {}
  void mail() {
    std::vector<int> letters;
    mailbox.take(letters);
    for (const int one : letters) total += one;
    left -= static_cast<int>(letters.size());
    if (left == 0) mailbox.close();
  }
  int left;
  long total = 0;
  Mailbox<int, Sum> mailbox;
};

TEST_CASE("letters from many threads all arrive, and a closed mailbox accepts none") {
  Loop loop;
  Sum sum(loop, 4000);
  std::vector<std::thread> writers;
  for (int i = 0; i < 4; ++i)
    writers.emplace_back([&] {
      for (int n = 1; n <= 1000; ++n) CHECK(sum.mailbox.post(n));
    });
  loop.run();
  for (auto& one : writers) one.join();
  CHECK(sum.total == 4 * 500500);
  CHECK(!sum.mailbox.post(1));
  sum.mailbox.wake();  // harmless
}

TEST_CASE("a mailbox that is closed when it is empty loses no letter") {
  Loop loop;
  Sum sum(loop, 2);
  CHECK(sum.mailbox.post(3));
  CHECK_FALSE(sum.mailbox.close_if_empty());
  CHECK(sum.mailbox.post(4));
  loop.run();
  CHECK(sum.total == 7);
  Sum other(loop, 1);
  CHECK(other.mailbox.close_if_empty());
  CHECK_FALSE(other.mailbox.post(1));
  loop.run();
}

/// Keeps letters in the order in which they came.
struct Box {
  explicit Box(Loop& loop) : mailbox(loop, *this) {}
  void mail() {
    ++calls;
    std::vector<std::shared_ptr<int>> letters;
    mailbox.take(letters);
    for (const auto& one : letters) came.push_back(*one);
    if (calls >= wanted) mailbox.close();
  }
  int calls = 0, wanted = 1;
  std::vector<int> came;
  Mailbox<std::shared_ptr<int>, Box> mailbox;
};

TEST_CASE("letters come in the order in which they were posted; a call without letters can be asked for") {
  Loop loop;
  Box box(loop);
  box.wanted = 2;
  for (const int number : {1, 2, 3}) CHECK(box.mailbox.post(std::make_shared<int>(number)));
  while (box.calls == 0) uv_run(loop.raw(), UV_RUN_NOWAIT);
  CHECK(box.came == std::vector<int>{1, 2, 3});
  box.mailbox.wake();
  loop.run();
  CHECK(box.calls == 2);
  CHECK(box.came.size() == 3);
}

TEST_CASE("a mailbox that is closed destroys the letters in it, and those that come later") {
  Loop loop;
  Box box(loop);
  const auto letter = std::make_shared<int>(1);
  CHECK(box.mailbox.post(letter));
  CHECK(letter.use_count() == 2);
  box.mailbox.close();
  CHECK(letter.use_count() == 1);
  CHECK_FALSE(box.mailbox.post(letter));
  CHECK(letter.use_count() == 1);
  loop.run();
  CHECK(box.came.empty());
}

TEST_CASE("a loop that never ran closes its handles") {
  Loop loop;
  Ticks ticks(loop, 1, [] {});
  CHECK(ticks.ticker);
}

}  // namespace
}  // namespace entente::net::loop_test
