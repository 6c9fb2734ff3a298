// When the time of a lockstep arena advances, and what takes effect then.
#include "proxy/core/arena/lockstep.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "proxy/core/drops.h"

namespace entente::core::lockstep_test {
namespace {

constexpr Micros kTick = 40 * kMillisecond;
constexpr Id kAnna = 3, kBob = 7, kCarl = 8;

Intent step(Id by, double seconds) {
  words::Playback wish;
  wish.set_by_s(seconds);
  Intent intent{std::move(wish)};
  intent.by = by;
  intent.number = 9;
  return intent;
}

Intent line(Id by, const std::string& text) {
  words::Say say;
  say.set_text(text);
  Intent intent{std::move(say)};
  intent.by = by;
  return intent;
}

/// What was dropped since the last call, if it was by this line, such as "Say 2 ".
std::string dropped(Lockstep& lockstep, const MappingLine& line) {
  std::string all;
  const Ledger drops = lockstep.take_drops();
  for (const Ledger::Entry& one : drops.entries())
    all += one.line == &line ? one.what() + " " + std::to_string(one.times) + " " : "another line ";
  return all;
}

/// Two players who have entered.
struct Pair {
  Pair() {
    lockstep.entered(kAnna, true);
    lockstep.entered(kBob, true);
  }
  bool hears(Intent intent) { return lockstep.collects(intent); }
  /// What takes effect, such as "3:hello 7:hi ".
  std::string begins(Micros now) {
    std::string all;
    for (const auto& of_one : lockstep.begin(now))
      for (const Intent& intent : of_one) all += std::to_string(intent.by) + ":" + as<words::Say>(intent)->text() + " ";
    return all;
  }
  Lockstep lockstep{kTick};
};

TEST_CASE("time advances when all have asked, and no further than the first of them") {
  Pair pair;
  CHECK_FALSE(pair.lockstep.may_advance(0));
  CHECK(pair.hears(step(kBob, 0.2)));
  CHECK_FALSE(pair.lockstep.may_advance(0));
  CHECK(pair.hears(step(kAnna, 0.08)));
  REQUIRE(pair.lockstep.may_advance(0));
  CHECK(pair.begins(0) == "");
  CHECK(pair.lockstep.until() == 2 * kTick);
  const auto due = pair.lockstep.take_due(2 * kTick);
  REQUIRE(due.size() == 1);
  CHECK(due[0].player == kAnna);
  CHECK(due[0].number == 9);
  CHECK_FALSE(pair.lockstep.may_advance(0));
  CHECK(pair.hears(step(kAnna, 10)));
  REQUIRE(pair.lockstep.may_advance(0));
  pair.begins(2 * kTick);
  CHECK(pair.lockstep.until() == 5 * kTick);
}

TEST_CASE("intents take effect when time advances, in the order of players, each up to its step") {
  Pair pair;
  for (Intent& intent : std::array{line(kBob, "b1"), step(kBob, 1), line(kBob, "b2"), line(kAnna, "a1"),
                                   line(kAnna, "a2"), step(kAnna, 0.04), line(kAnna, "a3"), step(kAnna, 0.04)})
    CHECK(pair.lockstep.collects(intent));
  REQUIRE(pair.lockstep.may_advance(0));
  CHECK(pair.begins(0) == "3:a1 3:a2 7:b1 ");
  CHECK(pair.lockstep.take_due(kTick).size() == 1);
  REQUIRE(pair.lockstep.may_advance(0));
  CHECK(pair.begins(kTick) == "3:a3 ");  // bob's step is under way
}

TEST_CASE("what enters and leaves is not collected, and whoever leaves is not waited for") {
  Pair pair;
  CHECK_FALSE(pair.hears(Intent(words::Enter())));
  Intent strange = line(99, "who am I?");
  CHECK_FALSE(pair.lockstep.collects(strange));
  CHECK(pair.hears(step(kAnna, 1)));
  Intent leave{words::Leave()};
  leave.by = kBob;
  CHECK_FALSE(pair.lockstep.collects(leave));
  CHECK(pair.lockstep.may_advance(0));
}

TEST_CASE("what follows an Enter at once is collected") {
  Lockstep lockstep(kTick);
  Intent enter{words::Enter()};
  enter.by = kAnna;
  CHECK_FALSE(lockstep.collects(enter));
  Intent spawn{words::Spawn()};
  spawn.by = kAnna;
  CHECK(lockstep.collects(spawn));
}

TEST_CASE("spectators may ask for steps, but nobody waits for them") {
  Pair pair;
  Intent enter{words::Enter()};
  enter.by = kCarl;
  CHECK_FALSE(pair.hears(enter));
  CHECK(pair.hears(step(kCarl, 0.04)));  // before it is in
  pair.lockstep.entered(kCarl, false);
  for (Micros now = 0; now < 4 * kTick; now += kTick) {
    CHECK(pair.hears(step(kAnna, 0.04)));
    CHECK(pair.hears(step(kBob, 0.04)));
    REQUIRE(pair.lockstep.may_advance(0));
    pair.begins(now);
    CHECK(pair.lockstep.take_due(now + kTick).size() == (now == 0 || now == 2 * kTick ? 3 : 2));
    if (now == kTick) CHECK(pair.hears(step(kCarl, 0.04)));
  }
  CHECK(pair.hears(step(kCarl, 0.04)));
  CHECK_FALSE(pair.lockstep.may_advance(0));  // anna and bob are waited for
}

TEST_CASE("who begins to play is waited for, and who begins to watch is not") {
  Pair pair;
  pair.lockstep.entered(kCarl, false);
  pair.lockstep.entered(kCarl, true);
  CHECK(pair.hears(step(kAnna, 1)));
  CHECK(pair.hears(step(kBob, 1)));
  CHECK_FALSE(pair.lockstep.may_advance(0));
  pair.lockstep.entered(kCarl, false);
  CHECK(pair.lockstep.may_advance(0));
}

TEST_CASE("nobody waits for a silent player for longer than the patience; it is waited for again once it asks") {
  Pair pair;
  CHECK(pair.hears(step(kAnna, 0.04)));
  CHECK_FALSE(pair.lockstep.may_advance(1000));
  CHECK(pair.lockstep.next_look() == 1000 + Lockstep::kPatience);
  CHECK_FALSE(pair.lockstep.may_advance(999 + Lockstep::kPatience));
  REQUIRE(pair.lockstep.may_advance(1000 + Lockstep::kPatience));
  CHECK(pair.lockstep.take_late() == std::vector<Id>{kBob});
  CHECK(pair.lockstep.take_late().empty());
  CHECK(pair.hears(line(kBob, "slow")));
  CHECK(pair.begins(0) == "7:slow ");
  pair.lockstep.take_due(kTick);
  CHECK(pair.hears(step(kAnna, 0.04)));
  CHECK(pair.lockstep.may_advance(0));
  CHECK(pair.hears(step(kBob, 0.04)));
  pair.begins(kTick);
  pair.lockstep.take_due(2 * kTick);
  CHECK(pair.hears(step(kAnna, 0.04)));
  CHECK_FALSE(pair.lockstep.may_advance(0));
}

TEST_CASE("a player who is late again is waited for as long as the first time") {
  Pair pair;
  CHECK(pair.hears(step(kAnna, 0.04)));
  CHECK_FALSE(pair.lockstep.may_advance(1'000));
  CHECK(pair.hears(step(kBob, 0.04)));
  REQUIRE(pair.lockstep.may_advance(2'000));
  CHECK(pair.lockstep.next_look() == Lockstep::kNever);
  pair.begins(0);
  CHECK(pair.lockstep.take_due(kTick).size() == 2);
  const Millis later = 1'000 + 2 * Lockstep::kPatience;
  CHECK(pair.hears(step(kAnna, 0.04)));
  CHECK_FALSE(pair.lockstep.may_advance(later));
  CHECK(pair.lockstep.next_look() == later + Lockstep::kPatience);
  CHECK(pair.lockstep.take_late().empty());
}

TEST_CASE(
    "of those who have not asked, only whoever was waited for is late: no spectator, and nobody whose step lasts") {
  Pair pair;
  pair.lockstep.entered(kCarl, false);
  CHECK(pair.hears(step(kAnna, 10)));
  CHECK(pair.hears(step(kBob, 0.04)));
  REQUIRE(pair.lockstep.may_advance(0));
  pair.begins(0);
  REQUIRE(pair.lockstep.take_due(kTick).size() == 1);
  CHECK_FALSE(pair.lockstep.may_advance(0));  // bob is waited for
  REQUIRE(pair.lockstep.may_advance(Lockstep::kPatience));
  CHECK(pair.lockstep.take_late() == std::vector<Id>{kBob});
}

TEST_CASE("a player who was given up is waited for once it asks, not because the server names it again") {
  Pair pair;
  CHECK(pair.hears(step(kAnna, 0.04)));
  CHECK_FALSE(pair.lockstep.may_advance(0));
  REQUIRE(pair.lockstep.may_advance(Lockstep::kPatience));
  pair.begins(0);
  pair.lockstep.take_due(kTick);
  pair.lockstep.entered(kBob, true);
  CHECK(pair.hears(step(kAnna, 0.04)));
  CHECK(pair.lockstep.may_advance(Lockstep::kPatience));
}

TEST_CASE("a player who comes back to its seat does so at once, whatever time does") {
  Pair pair;
  words::Resume resume;
  Intent intent{resume};
  intent.by = kAnna;
  CHECK_FALSE(pair.lockstep.collects(intent));
}

TEST_CASE("a step is a whole number of ticks; what is no step is an intent like others") {
  for (const auto& [seconds, ticks] : {std::pair{0.001, 1}, {0.04, 1}, {0.059, 1}, {0.061, 2}, {3600.0, 90'000}}) {
    Lockstep lockstep(kTick);
    lockstep.entered(kAnna, true);
    Intent intent = step(kAnna, seconds);
    CHECK(lockstep.collects(intent));
    REQUIRE(lockstep.may_advance(0));
    CHECK(lockstep.begin(0).empty());
    CHECK(lockstep.until() == static_cast<Micros>(ticks) * kTick);
  }
  for (const double seconds : {0.0, -1.0, 3601.0, 1e300, std::nan(""), HUGE_VAL}) {
    Lockstep lockstep(kTick);
    lockstep.entered(kAnna, true);
    Intent intent = step(kAnna, seconds);
    CHECK(lockstep.collects(intent));
    CHECK_FALSE(lockstep.may_advance(0));
  }
}

TEST_CASE("what it keeps of a player is bounded") {
  Pair pair;
  int kept = 0;
  for (; !pair.lockstep.is_full(kAnna); ++kept) REQUIRE(pair.hears(line(kAnna, std::string(1000, 'x'))));
  CHECK(kept > 200);
  CHECK(kept < 260);
  CHECK(dropped(pair.lockstep, drops::kCollectedTooMany) == "");
  CHECK(pair.hears(step(kAnna, 1)));
  CHECK(dropped(pair.lockstep, drops::kCollectedTooMany) == "Playback 1 ");
  CHECK(pair.hears(step(kBob, 1)));
  CHECK_FALSE(pair.lockstep.may_advance(0));
  CHECK_FALSE(pair.lockstep.is_full(kBob));
  CHECK_FALSE(pair.lockstep.is_full(99));
  pair.lockstep.left(kAnna);
  CHECK(pair.lockstep.may_advance(0));
}

TEST_CASE("what was collected of those who leave is counted as dropped, but not what has taken effect") {
  Pair pair;
  for (Intent& intent : std::array{line(kAnna, "a1"), step(kAnna, 1), line(kAnna, "a2"), line(kAnna, "a3"),
                                   step(kAnna, 1), step(kBob, 1), line(kBob, "b1")})
    CHECK(pair.hears(std::move(intent)));
  REQUIRE(pair.lockstep.may_advance(0));
  CHECK(pair.begins(0) == "3:a1 ");
  CHECK(dropped(pair.lockstep, drops::kLeftBeforeStep) == "");
  pair.lockstep.left(99);
  pair.lockstep.left(kAnna);
  CHECK(dropped(pair.lockstep, drops::kLeftBeforeStep) == "Say 2 Playback 1 ");
  pair.lockstep.all_left();
  CHECK(dropped(pair.lockstep, drops::kLeftBeforeStep) == "Say 1 ");
  pair.lockstep.all_left();
  CHECK(dropped(pair.lockstep, drops::kLeftBeforeStep) == "");
}

TEST_CASE("what has taken effect no longer counts as kept") {
  Pair pair;
  for (Micros second = 0; second < 3; ++second) {
    for (int i = 0; i < 150; ++i) REQUIRE(pair.hears(line(kAnna, std::string(1000, 'x'))));
    CHECK_FALSE(pair.lockstep.is_full(kAnna));
    CHECK(pair.hears(step(kAnna, 1)));
    CHECK(pair.hears(step(kBob, 1)));
    REQUIRE(pair.lockstep.may_advance(0));
    pair.begins(second * kSecond);
    CHECK(pair.lockstep.take_due((second + 1) * kSecond).size() == 2);
  }
}

TEST_CASE("if those who had asked leave, time does not advance") {
  Pair pair;
  CHECK(pair.hears(step(kAnna, 1)));
  CHECK(pair.hears(step(kBob, 1)));
  REQUIRE(pair.lockstep.may_advance(0));
  pair.begins(0);
  pair.lockstep.left(kAnna);
  pair.lockstep.left(kBob);
  CHECK(pair.lockstep.until() == Lockstep::kNever);
  CHECK(pair.lockstep.take_due(kSecond).empty());
  CHECK_FALSE(pair.lockstep.may_advance(0));
}

}  // namespace
}  // namespace entente::core::lockstep_test
