#include "proxy/program/base/suggest.h"

#include <doctest/doctest.h>

#include <array>

namespace entente::suggest_test {

TEST_CASE("the nearest name is found for a typing error, and none for another word") {
  constexpr std::array<std::string_view, 4> kKnown = {"bzflag", "panic", "sessions", "sessions_per_address"};
  struct Case {
    std::string_view word, meant;
  };
  for (const Case& c :
       {Case{"bzflg", "bzflag"}, Case{"bzfalg", "bzflag"}, Case{"Panic", "panic"}, Case{"session", "sessions"},
        Case{"sessions_per_adress", "sessions_per_address"}, Case{"quake", ""}, Case{"", ""}, Case{"x", ""}}) {
    CAPTURE(c.word);
    CHECK(nearest(c.word, kKnown) == c.meant);
  }
}

TEST_CASE("words of any length are accepted") {
  constexpr std::array<std::string_view, 1> kKnown = {"panic"};
  CHECK(nearest(std::string(1 << 20, 'p'), kKnown).empty());
  CHECK(did_you_mean("panik", kKnown) == " (did you mean 'panic'?)");
  CHECK(did_you_mean("quake", kKnown).empty());
}

TEST_CASE("errors list the known or expected names and have a suggestion") {
  constexpr std::array<std::string_view, 3> kKnown = {"idle", "wander", "hunt"};
  CHECK(unknown_name("mood", "hnt", kKnown, " of bots") ==
        "unknown mood 'hnt' of bots (did you mean 'hunt'?); moods: idle, wander, hunt");
  CHECK(expected_one_of(kKnown, "hnt") == "expected idle, wander or hunt, got 'hnt' (did you mean 'hunt'?)");
  CHECK(expected_one_of(std::span(kKnown).first(1), "x") == "expected idle, got 'x'");
  CHECK(expected_integer(1, 64, "threads", "0") == "expected an integer from 1 to 64 threads, got 0");
  CHECK(expected_integer(1, 64, "", "'x'") == "expected an integer from 1 to 64, got 'x'");
}

}  // namespace entente::suggest_test
