// What the graphs of the operator page begin with: ten minutes of each route, and no more.
#include "proxy/program/operator/traffic_history.h"

#include <doctest/doctest.h>

#include "adapters/bzflag/bzflag.h"
#include "tests/relay/running.h"

namespace entente::traffic_history_test {
namespace {

std::size_t rows_of(const std::string& json) {
  std::size_t all = 0;
  for (std::size_t at = json.find("\"route\""); at != std::string::npos; at = json.find("\"route\"", at + 1)) ++all;
  return all;
}

TEST_CASE("each route has a sample every five seconds, of the last ten minutes only") {
  const testing::FakeServer fake(true);
  const testing::Running running(bzflag::game(), fake.address());
  std::vector<std::string> names = {"a", "b"};
  TrafficHistory history(running.server(), [&] {
    ListedRoutes all;
    for (const std::string& name : names) all.push_back({{0, name, "bzflag", "", {}}, {0}, false});
    return all;
  });
  CHECK(history.table(0).json() == "[]\n");
  history.sample(0);
  {
    const testing::Stream client = testing::Stream::to(running.address);
    client.send("BZFLAG\r\n\r\n");
    CHECK(testing::eventually([&] { return running.totals().current_sessions() == 1; }));
    history.sample(TrafficHistory::kEvery);
  }
  const std::string two = history.table(12'000).json();
  CHECK(rows_of(two) == 4);
  CHECK(two.starts_with(R"([{"route":"a","seconds_ago":12,"sessions":0,"refused":0,"to_server":0,"to_client":0})"));
  CHECK(two.find(R"({"route":"b","seconds_ago":7,"sessions":1,)") != std::string::npos);
  names = {"b"};
  Millis now = 0;
  for (std::size_t i = 0; i < 3 * TrafficHistory::kMost; ++i) history.sample(now += TrafficHistory::kEvery);
  const std::string full = history.table(now).json();
  CHECK(rows_of(full) == TrafficHistory::kMost);  // a route that is gone is forgotten
  CHECK(full.starts_with(R"([{"route":"b","seconds_ago":595,)"));
}

TEST_CASE("it samples by itself, and stops when it is destroyed") {
  const testing::FakeServer fake(true);
  const testing::Running running(bzflag::game(), fake.address());
  Housekeeping thread("housekeeping");
  TrafficHistory history(running.server(), [] { return ListedRoutes{{{0, "a", "bzflag", "", {}}, {0}, false}}; });
  history.start(thread);
  CHECK(testing::eventually([&] { return rows_of(history.table(steady_now()).json()) == 1; }));
}

}  // namespace
}  // namespace entente::traffic_history_test
