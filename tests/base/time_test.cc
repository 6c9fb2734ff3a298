#include "proxy/base/time.h"

#include <doctest/doctest.h>

#include <ctime>

namespace entente::time_test {

TEST_CASE("wall time is nanoseconds since the epoch") {
  const auto seconds = static_cast<WallTime>(std::time(nullptr));
  const WallTime now = wall_now();
  CHECK(now / 1'000'000'000 >= seconds);
  CHECK(now / 1'000'000'000 <= seconds + 5);
}

TEST_CASE("the steady clock never goes back") {
  Millis last = steady_now();
  for (int i = 0; i < 1000; ++i) {
    const Millis now = steady_now();
    REQUIRE(now >= last);
    last = now;
  }
}

}  // namespace entente::time_test
