// Differences between sessions of one server: clocks of two machines, and events that only one session has.
#include "proxy/program/playback/agreement.h"

#include <doctest/doctest.h>

#include <ctime>

namespace entente::agreement_test {
namespace {

using core::Micros, core::kMillisecond, core::kSecond;

constexpr WallTime kStart = 1'700'000'000'000'000'000;

/// A session of 100 s with a kill about every ten seconds. Its clock is `ahead_ms` ahead. Its ids start at `first_id`.
RecordedSessionInfo session(std::uint32_t link, int ahead_ms = 0, core::Id first_id = 1) {
  RecordedSessionInfo one;
  one.link = link;
  one.dialect = "bzflag 2.4";
  one.server = "192.0.2.1:5154";
  one.began = kStart + static_cast<WallTime>(std::int64_t{ahead_ms} * 1'000'000);
  one.ready = 0;
  one.last = 100 * kSecond - link * kMillisecond;  // the first is the longest
  one.players = {{first_id, "anna"}, {first_id + 1, "bob"}};
  for (core::Id i = 1; i < 10; ++i)
    one.moments.push_back(
        {i * 10 * kSecond + i * i * kSecond / 7, words::Timeline::KILL, first_id + i % 2, first_id + (i + 1) % 2});
  return one;
}

std::vector<std::string> compared(std::vector<RecordedSessionInfo>& sessions) { return compare_sessions(sessions); }

}  // namespace

TEST_CASE("sessions with the same events have no differences") {
  std::vector<RecordedSessionInfo> alike{session(1), session(2, 100, 7)};
  CHECK(compared(alike).empty());
  CHECK(alike[1].clock_ahead_us == 0);
  std::vector<RecordedSessionInfo> alone{session(1)}, none;
  CHECK(compared(alone).empty());
  CHECK(compared(none).empty());
}

TEST_CASE("kills by players without a name are not compared") {
  std::vector<RecordedSessionInfo> nameless{session(1), session(2, 3'100)};
  for (RecordedSessionInfo& one : nameless) one.players.clear();
  CHECK(compared(nameless).empty());
  CHECK(nameless[1].clock_ahead_us == 0);
}

TEST_CASE("the clock of another machine is corrected by the kills that both sessions have") {
  for (const int ahead : {3'100, -3'100, 400'000, -400'000}) {
    CAPTURE(ahead);
    std::vector<RecordedSessionInfo> both{session(1), session(2, ahead, 7)};
    const auto told = compared(both);
    REQUIRE(told.size() == 1);
    const std::string size = std::abs(ahead) == 3'100 ? "3.1" : "400.0";
    CHECK(told[0] == "the clock of link 2 was " + size + " s " + (ahead > 0 ? "ahead of" : "behind") +
                         " that of link 1: it is set right");
    CHECK(both[1].wall_us(0) == kStart / 1000);
    CHECK(both[0].wall_us(0) == kStart / 1000);
    CHECK(both[1].began == session(2, ahead).began);  // the times in the file are as they were
  }
  // With too few events, or another server, clocks cannot be compared.
  std::vector<RecordedSessionInfo> few{session(1), session(2, 3'100)};
  few[1].moments.resize(2);
  (void)compared(few);
  CHECK(few[1].clock_ahead_us == 0);
  std::vector<RecordedSessionInfo> elsewhere{session(1), session(2, 3'100)};
  elsewhere[1].server = "192.0.2.2:5154";
  CHECK(compared(elsewhere).empty());
}

TEST_CASE("an event that only one session has is reported with the time and the link") {
  std::vector<RecordedSessionInfo> both{session(1), session(2, 0, 7)};
  both[1].moments.erase(both[1].moments.begin() + 3);
  both[1].moments.push_back({55 * kSecond, words::Timeline::CAPTURE, 8, 0});
  const auto told = compared(both);
  REQUIRE(told.size() == 1);
  CHECK(told[0] ==
        "links 1 and 2 disagree about 2 of 9 kills and captures: at 0:42 only link 1 tells: bob killed anna; "
        "at 0:55 only link 2 tells: bob captured a flag");
  // If units can be out of sight, different sessions have different events.
  both[1].hides = true;
  CHECK(compared(both).empty());
  // An event before one of the sessions began is not a difference.
  std::vector<RecordedSessionInfo> late{session(1), session(2, 0, 7)};
  late[1].ready = 35 * kSecond;
  late[1].moments.erase(late[1].moments.begin(), late[1].moments.begin() + 3);
  CHECK(compared(late).empty());
}

TEST_CASE("two sessions with 50,000 like events each, far apart, are compared quickly") {
  constexpr core::Id kDeaths = 50'000;
  std::vector<RecordedSessionInfo> both{session(1), session(2)};
  for (RecordedSessionInfo& one : both) {
    const Micros from = one.link == 1 ? 10 * kSecond : 720 * kSecond;
    one.last = 800 * kSecond - one.link;
    one.moments.clear();
    for (core::Id i = 0; i < kDeaths; ++i)
      one.moments.push_back({from + i * kMillisecond, words::Timeline::KILL, 1, 2});
  }
  const std::clock_t began = std::clock();  // CPU time: other programs may be running
  const auto told = compared(both);
  CHECK(std::clock() - began < 10 * CLOCKS_PER_SEC);
  CHECK(both[1].clock_ahead_us == 0);
  REQUIRE(told.size() == 1);
  CHECK_MESSAGE(told[0].starts_with("links 1 and 2 disagree about 100000 of 50000 kills and captures: "), told[0]);
}

TEST_CASE("many differences are counted, not listed") {
  std::vector<RecordedSessionInfo> many{session(1)};
  for (std::uint32_t link = 2; link <= 30; ++link) {
    many.push_back(session(link));
    many.back().moments.erase(many.back().moments.begin() + 2, many.back().moments.end() - 2);
  }
  const auto told = compared(many);
  REQUIRE(told.size() == 11);
  CHECK(told[0].find("disagree about 5 of 9 ") != std::string::npos);
  CHECK(told[0].ends_with("; and 2 more"));
  CHECK(told[10] == "and 19 more differences between sessions");
}

}  // namespace entente::agreement_test
