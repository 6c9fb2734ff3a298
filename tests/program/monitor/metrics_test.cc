// The text of metrics.
#include "proxy/program/monitor/metrics.h"

#include <doctest/doctest.h>
#include <sched.h>

#include <array>
#include <string>
#include <thread>

#include "proxy/relay/base/reason.h"
#include "tests/program/source_tree.h"
#include "tests/support/paths.h"

namespace entente::metrics_test {
namespace {

TEST_CASE(
    "a histogram counts everything, also what is longer than its last bound, and adds up what has the same labels") {
  Metrics metrics;
  constexpr std::array<Millis, 2> kBounds{100, 1'000};
  constexpr std::array<std::uint64_t, 3> kCounts{1, 2, 4};
  const auto has = [&](const std::string& line) {
    return metrics.text().find("\nentente_length_seconds" + line + "\n") != std::string::npos;
  };
  metrics.durations("length_seconds", "Length", {{"route", "a"}}, kBounds, kCounts, 12'500, 1'000);
  CHECK(has(R"(_bucket{route="a",le="0.1"} 1)"));
  CHECK(has(R"(_bucket{route="a",le="1"} 3)"));
  CHECK(has(R"(_bucket{route="a",le="+Inf"} 7)"));
  CHECK(has(R"(_count{route="a"} 7)"));
  CHECK(has(R"(_sum{route="a"} 12.5)"));
  metrics.durations("length_seconds", "Length", {{"route", "a"}}, kBounds, kCounts, 500, 1'000);
  CHECK(has(R"(_bucket{route="a",le="1"} 6)"));
  CHECK(has(R"(_count{route="a"} 14)"));
  CHECK(has(R"(_sum{route="a"} 13)"));
}

TEST_CASE("the processors that the process may use are fewer than those of the machine, if it was limited to some") {
  Metrics metrics;
  bool limited = false;
  std::thread alone([&] {
    cpu_set_t all{}, one{};
    if (::sched_getaffinity(0, sizeof all, &all) != 0) return;
    std::size_t first = 0;
    while (!CPU_ISSET(first, &all)) ++first;
    CPU_SET(first, &one);
    limited = ::sched_setaffinity(0, sizeof one, &one) == 0;
    metrics.add_threads();
  });
  alone.join();
  REQUIRE(limited);
  CHECK(metrics.text().find("\nentente_cores 1\n") != std::string::npos);
}

TEST_CASE("the dashboard counts all ends of sessions but the ordinary ones as refused or failed") {
  const std::string dashboard =
      layout_test::text_of(layout_test::fs::path(testing::source_dir()) / "deploy/grafana.json");
  std::string ordinary;
  for (std::size_t i = 0; i < static_cast<std::size_t>(relay::Reason::kTooMany); ++i)
    ordinary += (i != 0 ? "|" : "") + std::string(relay::text(static_cast<relay::Reason>(i)));
  CHECK_MESSAGE(dashboard.find("reason!~\\\"" + ordinary + "\\\"") != std::string::npos, ordinary);
}

}  // namespace
}  // namespace entente::metrics_test
