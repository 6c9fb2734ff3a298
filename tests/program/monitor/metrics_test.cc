// The text of metrics.
#include "proxy/program/monitor/metrics.h"

#include <doctest/doctest.h>

#include <array>
#include <string>

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

}  // namespace
}  // namespace entente::metrics_test
