// A playhead: where it is at any time, and that it passes no fact that was not taken.
#include "proxy/core/replay/playhead.h"

#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "tests/support/memory_facts.h"

namespace entente::testing::playhead_test {

using namespace core;

namespace {

/// A recording with facts at these times.
std::unique_ptr<MemoryFacts> facts_at(std::initializer_list<Micros> times) {
  std::vector<Fact> facts;
  for (const Micros at : times) facts.emplace_back(words::Notice()).at = at;
  return std::make_unique<MemoryFacts>(std::move(facts));
}

/// It has begun at 0.
Playhead running(std::initializer_list<Micros> times, double speed = 1) {
  Playhead head(facts_at(times), 0, speed, false);
  head.begin(0);
  return head;
}

}  // namespace

TEST_CASE("a playhead that is stopped while a fact is due stands before that fact, which is told when it goes on") {
  Playhead head = running({kSecond, 5 * kSecond});
  head.pause(true, 3 * kSecond);
  CHECK(head.at() == kSecond - 1);
  WorldState world;
  REQUIRE(head.read_world(world).ok());
  CHECK(head.facts().next_at() == kSecond);
  head.pause(false, 3 * kSecond);
  CHECK(head.position(3 * kSecond + 1) == kSecond);
}

TEST_CASE("a playhead that is stopped after all facts that were due stands where it is") {
  Playhead head = running({kSecond, 5 * kSecond});
  (void)head.facts().next();
  head.pause(true, 3 * kSecond);
  CHECK(head.at() == 3 * kSecond);
}

TEST_CASE("a playhead does not go back to a fact that is due from before where it was put, nor before the beginning") {
  Playhead head = running({kSecond, 9 * kSecond});
  head.put(4 * kSecond, 0);
  head.catch_up(kSecond);
  CHECK(head.at() == 4 * kSecond);
  Playhead first = running({0, 9 * kSecond});
  first.catch_up(kSecond);
  CHECK(first.at() == 0);
}

TEST_CASE("a playhead moves with time at its speed, once it has begun and while it is not paused, up to the end") {
  Playhead head(facts_at({10 * kSecond}), 0, 2, false);
  CHECK_FALSE(head.runs());
  CHECK(head.scale() == 0);
  CHECK(head.position(5 * kSecond) == 0);
  head.begin(kSecond);
  CHECK(head.runs());
  CHECK(head.scale() == 2);
  CHECK(head.position(0) == 0);
  CHECK(head.position(2 * kSecond) == 2 * kSecond);
  head.set_speed(0.5, 2 * kSecond);
  CHECK(head.position(4 * kSecond) == 3 * kSecond);
  CHECK(head.position(kSecond) == 2 * kSecond);  // not before it was there
  head.pause(true, 4 * kSecond);
  CHECK_FALSE(head.runs());
  CHECK(head.scale() == 0);
  CHECK(head.speed() == 0.5);
  CHECK(head.position(100 * kSecond) == 3 * kSecond);
  head.pause(false, 10 * kSecond);
  CHECK(head.position(12 * kSecond) == 4 * kSecond);
  CHECK(head.position(100 * kSecond) == 10 * kSecond);
}

TEST_CASE("a playhead has reached a place when it says so, and not before") {
  for (const double speed : {0.1, 0.3, 1.0, 3.0, 7.0}) {
    CAPTURE(speed);
    Playhead head = running({10 * kSecond}, speed);
    head.put(2 * kSecond, kSecond);
    for (const Micros place : {2 * kSecond + 1, 2 * kSecond + 7, 3 * kSecond, 9 * kSecond}) {
      CAPTURE(place);
      CHECK(head.position(head.when(place)) >= place);
      CHECK(head.position(head.when(place) - 1) < place);
    }
    CHECK(head.when(2 * kSecond) == kSecond);
    CHECK(head.when(kSecond) == kSecond);  // it has passed it already
  }
}

TEST_CASE("a playhead is put between the earliest place and the end") {
  Playhead head(facts_at({10 * kSecond}), 2 * kSecond, 1, true);
  CHECK(head.at() == 2 * kSecond);
  for (const auto& [wanted, got] :
       {std::pair<Micros, Micros>{0, 2 * kSecond}, {5 * kSecond, 5 * kSecond}, {11 * kSecond, 10 * kSecond}}) {
    CHECK(head.clamped(wanted) == got);
    head.put(wanted, 0);
    CHECK(head.at() == got);
  }
  Playhead late(facts_at({kSecond}), 2 * kSecond, 1, true);  // nothing follows the earliest place
  CHECK(late.clamped(0) == 2 * kSecond);
}

}  // namespace entente::testing::playhead_test
