// Lines and tokens: one line of a kind a second, whatever comes; a bucket gives its rate, in the long run exactly.
#include "proxy/relay/pace.h"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include "proxy/relay/bucket.h"

namespace entente::relay {
namespace {

TEST_CASE("one line of each kind a second, and what was left unsaid is told with the next") {
  Pace pace;
  const Line bad = line_of(Reason::kBadFrame), idle = line_of(Reason::kIdle);
  CHECK(pace.may_say(bad, 5000) == 0);
  for (int i = 0; i < 10; ++i) CHECK(!pace.may_say(bad, 5999));
  CHECK(pace.may_say(idle, 5999) == 0);
  CHECK(pace.may_say(bad, 6000) == 10);
  CHECK(!pace.may_say(bad, 6001));
  CHECK(pace.may_say(bad, 60'000) == 1);
}

TEST_CASE("of many workers at once, one speaks, and none is lost count of") {
  Pace pace;
  std::atomic<std::uint64_t> said{0}, told_unsaid{0};
  std::vector<std::thread> workers;
  for (int i = 0; i < 4; ++i)
    workers.emplace_back([&] {
      for (Millis now = 0; now < 20'000; ++now)
        if (const auto unsaid = pace.may_say(Line::kOpened, now)) {
          said += 1;
          told_unsaid += *unsaid;
        }
    });
  for (auto& one : workers) one.join();
  const auto last = pace.may_say(Line::kOpened, 100'000);
  REQUIRE(last);
  CHECK(said >= 1);
  CHECK(said <= 20 * 4);
  CHECK(said + told_unsaid + *last == 80'000);
}

TEST_CASE("a bucket: the burst at once, then the rate") {
  Bucket bucket(100, 5, 1000);
  for (int i = 0; i < 5; ++i) CHECK(bucket.take_one(1000));
  CHECK(!bucket.take_one(1000));
  CHECK(!bucket.take_one(1009));
  CHECK(bucket.take_one(1010));
  int given = 0;
  for (Millis now = 1011; now <= 11'010; ++now) given += bucket.take_one(now);
  CHECK(given == 1000);
}

TEST_CASE("a bucket in debt pays back before it is ready") {
  Bucket bucket(1000, 1000, 0);
  CHECK(bucket.take(1000, 0));
  CHECK(!bucket.take(500, 0));
  CHECK(!bucket.ready(500));
  CHECK(bucket.ready(501));
}

TEST_CASE("rate 0 is no limit, and neither a clock that steps back nor a year of sleep does harm") {
  Bucket none(0, 0, 0);
  CHECK(none.take(1u << 30, 0));
  CHECK(none.ready(0));
  Bucket bucket(4'000'000'000u, 8'000'000'000u, 10'000);
  CHECK(bucket.take(8'000'000'000u, 9'000));
  CHECK(!bucket.ready(9'000));
  CHECK(bucket.take(8'000'000'000u, Millis{1} << 40));
  CHECK(!bucket.take(1, Millis{1} << 40));
}

}  // namespace
}  // namespace entente::relay
