// Which lines of rules are logged.
#include "proxy/program/rules/line_limiter.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "proxy/program/bounds.h"
#include "tests/support/heap.h"

namespace entente::line_limiter_test {
namespace {

using Lines = std::optional<std::uint64_t>;

TEST_CASE("a player who is reported a thousand times hides neither others nor what rules log") {
  LineLimiter limiter(1'000);
  unsigned logged = 0;
  for (int i = 0; i < 1'000; ++i) logged += limiter.take("192.0.2.1", LineLimiter::kOfPlayer, 1'000).has_value();
  CHECK(logged == LineLimiter::kOfPlayer.at_once);
  CHECK(limiter.take("192.0.2.2", LineLimiter::kOfPlayer, 1'000) == Lines(0));
  CHECK(limiter.take("route public", LineLimiter::kOfRules, 1'000) == Lines(0));
  CHECK(limiter.take("192.0.2.1", LineLimiter::kOfPlayer, 2'000) == Lines(990));
  CHECK(limiter.take("192.0.2.1", LineLimiter::kOfPlayer, 2'000) == Lines());
  CHECK(limiter.take("192.0.2.1", LineLimiter::kOfPlayer, 3'000) == Lines(1));
}

TEST_CASE("rules that log without end leave lines to reports, and all together have a limit") {
  LineLimiter limiter(0);
  unsigned logged = 0;
  for (int i = 0; i < 1'000; ++i) logged += limiter.take("route public", LineLimiter::kOfRules, 0).has_value();
  CHECK(logged == LineLimiter::kOfRules.at_once);
  for (int i = 0; i < 1'000; ++i) logged += limiter.take(std::to_string(i), LineLimiter::kOfPlayer, 0).has_value();
  CHECK(logged == LineLimiter::kOfAll.at_once);
  CHECK(limiter.take("999", LineLimiter::kOfPlayer, 1'000) == Lines(950));  // all who were not logged
}

TEST_CASE("whoever is reported, little is kept, and those who were forgotten are counted") {
  const Bound* const bound = find_bound("rule_lines");
  REQUIRE(bound != nullptr);
  LineLimiter limiter(0);
  const std::size_t before = testing::bytes_in_use();
  std::uint64_t logged = 0, told = 0;
  for (Millis i = 0; i < 100'000; ++i)
    if (const Lines lines = limiter.take("2001:db8:1234:5678::" + std::to_string(i), LineLimiter::kOfPlayer, i / 10)) {
      ++logged;
      told += *lines;
    }
  CHECK(testing::bytes_in_use() - before <= bound->bytes);
  CHECK(logged > 200);
  CHECK(limiter.take("new", LineLimiter::kOfPlayer, 1'000'000).has_value());
  CHECK(told > 90'000);
}

}  // namespace
}  // namespace entente::line_limiter_test
