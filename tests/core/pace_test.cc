// How often something may be sent.
#include "proxy/core/pace.h"

#include <doctest/doctest.h>

namespace entente::core::pace_test {
namespace {

TEST_CASE("a burst passes at once, then one an interval, and never more than the rate over a long time") {
  Pace pace(kSecond / 10, 3);
  CHECK(pace.next() == 0);
  for (int i = 0; i < 3; ++i) CHECK(pace.take(5 * kSecond));
  CHECK_FALSE(pace.take(5 * kSecond));
  CHECK(pace.next() == 5 * kSecond + kSecond / 10);
  CHECK_FALSE(pace.take(pace.next() - 1));
  CHECK(pace.take(pace.next()));

  Pace steady(kSecond / 10, 3);
  int sent = 0;
  for (Micros now = 0; now < 10 * kSecond; now += kMillisecond) sent += steady.take(now) ? 1 : 0;
  CHECK(sent == 100 + 2);
  steady.start_again();
  CHECK(steady.take(0));
}

TEST_CASE("what is sent regardless of the rate is paid for before anything else is sent") {
  Pace pace(kSecond, 1);
  pace.owe(10 * kSecond, 3);
  CHECK(pace.next() == 13 * kSecond);
  pace.owe(11 * kSecond, 2);
  CHECK_FALSE(pace.take(15 * kSecond - 1));
  CHECK(pace.take(15 * kSecond));
}

}  // namespace
}  // namespace entente::core::pace_test
