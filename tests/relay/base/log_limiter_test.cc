// The log limiter: ten lines of a kind at once, then one a second, and every event is counted. The token bucket: in the
// long run it gives exactly its rate.
#include "proxy/relay/base/log_limiter.h"

#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "proxy/relay/admission/bucket.h"

namespace entente::relay::log_limiter_test {
namespace {

/// Collects the lines of a LogLimiter, as "what+more".
struct Said {
  LogLimiter::Say operator()(std::string what) {
    return [this, what = std::move(what)](std::uint64_t more) { lines.push_back(what + "+" + std::to_string(more)); };
  }
  std::vector<std::string> take() { return std::exchange(lines, {}); }
  std::vector<std::string> lines;
};

using Lines = std::vector<std::string>;

/// Logs all but one of the lines that may be logged at once, at `now`.
void say_a_burst(LogLimiter& log_limiter, LogKind kind, std::string_view what, Millis now) {
  for (Millis i = 0; i + 1 < LogLimiter::kAtOnce; ++i) CHECK(log_limiter.say(kind, what, now, [](std::uint64_t) {}));
}

constexpr LogKind kBad = kind_of(Reason::kBadFrame);

TEST_CASE("banned clients are logged once a minute") {
  LogLimiter log_limiter;
  Said said;
  constexpr LogKind kBanned = kind_of(Reason::kBanned);
  CHECK(log_limiter.say(kBanned, "", 5'000, said("a")));
  for (Millis at = 6'000; at < 65'000; at += 1'000) {
    CHECK_FALSE(log_limiter.say(kBanned, "", at, said("b")));
    log_limiter.say_kept(at);
  }
  CHECK(said.take() == Lines{"a+0"});
  log_limiter.say_kept(65'000);
  CHECK(said.take() == Lines{"b+58"});
}

TEST_CASE("after a pause, ten lines of a kind are logged at once, in order") {
  LogLimiter log_limiter;
  Said said;
  Lines wanted;
  for (Millis i = 0; i < LogLimiter::kAtOnce; ++i) {
    CHECK(log_limiter.say(kBad, "", 5000, said(std::to_string(i))));
    wanted.push_back(std::to_string(i) + "+0");
  }
  CHECK_FALSE(log_limiter.say(kBad, "", 5000, said("later")));
  CHECK(said.take() == wanted);
  log_limiter.say_kept(6000);
  CHECK(said.take() == Lines{"later+0"});
  for (Millis i = 0; i < LogLimiter::kAtOnce; ++i) CHECK(log_limiter.say(kBad, "", 16'000, said("again")));
  CHECK_FALSE(log_limiter.say(kBad, "", 16'000, said("no more")));
}

TEST_CASE("then one line of each kind is logged a second: the latest, with the number of the others") {
  LogLimiter log_limiter;
  Said said;
  say_a_burst(log_limiter, kBad, "", 5000);
  CHECK(log_limiter.say(kBad, "", 5000, said("a")));
  for (int i = 0; i < 10; ++i) CHECK_FALSE(log_limiter.say(kBad, "", 5999, said("b" + std::to_string(i))));
  CHECK(log_limiter.say(kind_of(Reason::kIdle), "", 5999, said("idle")));
  CHECK(said.take() == Lines{"a+0", "idle+0"});

  SUBCASE("with the next event") {
    CHECK(log_limiter.say(kBad, "", 6000, said("c")));
    CHECK(said.take() == Lines{"c+10"});
    CHECK_FALSE(log_limiter.say(kBad, "", 6001, said("d")));
    log_limiter.say_kept(6999);
    CHECK(said.take().empty());
    log_limiter.say_kept(7000);
    CHECK(said.take() == Lines{"d+0"});
  }
  SUBCASE("and not again after that") {
    CHECK(log_limiter.say(kBad, "", 6000, said("c")));
    log_limiter.say_kept(60'000);
    log_limiter.say_rest();
    CHECK(said.take() == Lines{"c+10"});
  }
  SUBCASE("without another event, as soon as it is allowed") {
    log_limiter.say_kept(5999);
    CHECK(said.take().empty());
    log_limiter.say_kept(6040);
    CHECK(said.take() == Lines{"b9+9"});
    log_limiter.say_kept(60'000);
    CHECK(said.take().empty());
  }
  SUBCASE("a line that is logged a little late does not delay the next one") {
    log_limiter.say_kept(6040);
    CHECK_FALSE(log_limiter.say(kBad, "", 6999, said("c")));
    CHECK(log_limiter.say(kBad, "", 7000, said("d")));
    CHECK(said.take() == Lines{"b9+9", "d+1"});
  }
  SUBCASE("at the end, at once") {
    log_limiter.say_rest();
    CHECK(said.take() == Lines{"b9+9"});
    log_limiter.say_rest();
    CHECK(said.take().empty());
  }
}

TEST_CASE("lines of one reason with different faults are limited separately") {
  LogLimiter log_limiter;
  Said said;
  say_a_burst(log_limiter, kBad, "frame too large", 5000);
  CHECK(log_limiter.say(kBad, "frame too large", 5000, said("large")));
  CHECK(log_limiter.say(kBad, "wrong greeting", 5000, said("greeting")));
  CHECK_FALSE(log_limiter.say(kBad, std::string_view("frame too large!").substr(0, 15), 5001, said("larger")));
  log_limiter.say_rest();
  CHECK(said.take() == Lines{"large+0", "greeting+0", "larger+0"});
}

TEST_CASE("one call can count several events") {
  LogLimiter log_limiter;
  Said said;
  say_a_burst(log_limiter, LogKind::kDropped, "too fast", 5000);
  CHECK(log_limiter.say(LogKind::kDropped, "too fast", 5000, said("a"), 300));
  CHECK_FALSE(log_limiter.say(LogKind::kDropped, "too fast", 5100, said("b"), 20));
  CHECK_FALSE(log_limiter.say(LogKind::kDropped, "too fast", 5200, said("c"), 3));
  log_limiter.say_kept(6000);
  CHECK(said.take() == Lines{"a+299", "c+22"});
}

TEST_CASE("many workers share one limit, and every event is counted") {
  LogLimiter log_limiter;
  std::atomic<std::uint64_t> said{0}, counted{0};
  const LogLimiter::Say tell = [&](std::uint64_t more) {
    said += 1;
    counted += more;
  };
  std::vector<std::thread> workers;
  for (int i = 0; i < 4; ++i)
    workers.emplace_back([&] {
      for (Millis now = 0; now < 20'000; ++now) {
        log_limiter.say(LogKind::kOpened, "", now, tell);
        if (now % 100 == 0) log_limiter.say_kept(now);
      }
    });
  for (auto& one : workers) one.join();
  log_limiter.say_rest();
  CHECK(said >= 1);
  CHECK(said <= LogLimiter::kAtOnce + 20 * 4 + 1);
  CHECK(said + counted == 80'000);
}

TEST_CASE("a bucket gives its burst at once, then its rate") {
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
  CHECK(bucket.charge(1000, 0));
  CHECK(!bucket.charge(500, 0));
  CHECK(!bucket.ready(500));
  CHECK(bucket.ready(501));
}

TEST_CASE("a bucket that gets its first limit is full; changing the limit keeps what was used") {
  Bucket bucket(0, 0, 1000);
  bucket.adapt(100, 200, 1000);
  CHECK(bucket.charge(200, 1000));
  CHECK(!bucket.charge(1, 1000));
  bucket.adapt(1000, 2000, 1000);
  CHECK(!bucket.charge(1, 1000));
}

TEST_CASE("rate 0 means no limit, and a bucket survives a clock that steps back or far ahead") {
  Bucket none(0, 0, 0);
  CHECK(none.charge(1u << 30, 0));
  CHECK(none.ready(0));
  Bucket bucket(4'000'000'000u, 8'000'000'000u, 10'000);
  CHECK(bucket.charge(8'000'000'000u, 9'000));
  CHECK(!bucket.ready(9'000));
  CHECK(bucket.charge(8'000'000'000u, Millis{1} << 40));
  CHECK(!bucket.charge(1, Millis{1} << 40));
}

}  // namespace
}  // namespace entente::relay::log_limiter_test
