// How long a ban lasts, as the words of the server that banned say.
#include "proxy/relay/admission/ban_time.h"

#include <doctest/doctest.h>

namespace entente::relay::ban_time_test {
namespace {

constexpr std::uint32_t kHour = 3'600, kDay = 24 * kHour, kYear = 365 * kDay;

TEST_CASE("ban time: the parts of a time are added up, in any of the units") {
  CHECK(time_of_ban("go away (9 mins, 55 secs remaining)") == 595U);
  CHECK(time_of_ban("(1 week, 1 day, 1 hour, 1 min, 1 sec remaining)") == 8 * kDay + kHour + 61);
  CHECK(time_of_ban("(2 days remaining)") == 2 * kDay);
}

TEST_CASE("ban time: the last time in the words counts, whatever the reason contains") {
  CHECK(time_of_ban("he said (1 hour remaining) (2 hours remaining)") == 2 * kHour);
  CHECK(time_of_ban("(bad) language (3 secs remaining) (sorry)") == 3U);
}

TEST_CASE("ban time: it is at least a second and at most a year") {
  CHECK(time_of_ban("(0 secs remaining)") == 1U);
  CHECK(time_of_ban("( remaining)") == 1U);
  CHECK(time_of_ban("(366 days remaining)") == kYear);
  CHECK(time_of_ban("(364 days, 25 hours remaining)") == kYear);
  CHECK(time_of_ban("(18446744073709551615 weeks, 18446744073709551615 secs remaining)") == kYear);
  CHECK(time_of_ban("(30500568904944 weeks remaining)") == kYear);  // more than 64 bits of seconds
}

TEST_CASE("ban time: words that name no time, or one that cannot be read, name none") {
  for (const char* words :
       {"", "go away", "(9 mins)", "9 mins remaining)", "(9 fortnights remaining)", "(mins remaining)",
        "(9mins remaining)", "(9 remaining)", "(-1 days remaining)", "(99999999999999999999 secs remaining)"}) {
    CAPTURE(words);
    CHECK_FALSE(time_of_ban(words));
  }
}

}  // namespace
}  // namespace entente::relay::ban_time_test
