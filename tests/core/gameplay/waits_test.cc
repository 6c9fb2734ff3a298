// What fronts wait for: the world, the next look at all tanks, and a sign of life for a client that waits, too.
#include <doctest/doctest.h>

#include "proxy/core/gameplay/world_wait.h"
#include "proxy/core/tank/scan_timer.h"
#include "tests/core/deaf_out.h"

namespace entente::core::waits_test {
namespace {

struct Wakes final : testing::DeafFrontOut {
  void wake(Micros at) override { asked = at; }
  void count_drop(const MappingLine& line, const char*) override { lost = &line; }

  Micros asked = 0;
  const MappingLine* lost = nullptr;
};

TEST_CASE(
    "a client that waits gets a sign after twelve seconds, then every five, and begins anew when it waits again") {
  Wakes out;
  WaitSigns signs;
  const auto due = [&](bool waits, Micros second) {
    out.time = second * kSecond;
    return signs.due(waits, out);
  };
  CHECK_FALSE(due(true, 100));
  CHECK(out.asked == 112 * kSecond);
  CHECK_FALSE(due(true, 111));
  CHECK(due(true, 112));
  CHECK(out.asked == 117 * kSecond);
  CHECK_FALSE(due(true, 116));
  CHECK(due(true, 117));
  CHECK_FALSE(due(false, 118));
  CHECK_FALSE(due(true, 122));
  CHECK(out.asked == 134 * kSecond);
}

TEST_CASE("a client that asks for a world waits a minute after its last part") {
  Wakes out;
  out.time = 100 * kSecond;
  WorldWait wait;
  CHECK(wait.look(true, out) == WorldWait::Answer::kKnown);
  CHECK(wait.look(false, out) == WorldWait::Answer::kNotYet);
  Fact part{words::WorldProgress()};
  part.at = 130 * kSecond;
  wait.hear(part);
  out.time = 110 * kSecond - 1;
  CHECK_FALSE(wait.is_long(out.time));
  CHECK(wait.look(false, out) == WorldWait::Answer::kNotYet);
  CHECK(out.asked == 110 * kSecond);
  out.time = 110 * kSecond;
  CHECK(wait.is_long(out.time));
  CHECK(wait.look(false, out) == WorldWait::Answer::kNotYet);
  CHECK(out.asked == 190 * kSecond);
  out.time = 190 * kSecond - 1;
  CHECK(wait.look(false, out) == WorldWait::Answer::kNotYet);
  out.time = 190 * kSecond;
  CHECK(wait.look(false, out) == WorldWait::Answer::kNever);
  CHECK(wait.why() == kNoWorldText);
  CHECK(out.lost == nullptr);
}

TEST_CASE("a client whose server waits for more players sees an open field after ten seconds, which is counted") {
  Wakes out;
  out.time = 100 * kSecond;
  WorldWait wait;
  CHECK(wait.look(false, out) == WorldWait::Answer::kNotYet);
  wait.hear(Fact(words::Waiting()));
  out.time = 110 * kSecond - 1;
  CHECK(wait.look(false, out) == WorldWait::Answer::kNotYet);
  CHECK(out.asked == 110 * kSecond);
  CHECK(out.lost == nullptr);
  out.time = 110 * kSecond;
  CHECK(wait.look(false, out) == WorldWait::Answer::kGuess);
  CHECK(out.lost == &drops::kWorldLate);
}

TEST_CASE("a front looks through its tanks at once, then at the earliest time that was asked for, and once") {
  Wakes out;
  out.time = 100 * kSecond;
  ScanTimer scan;
  CHECK(scan.is_due(out));
  CHECK_FALSE(scan.is_due(out));
  CHECK(out.asked == 0);  // nobody has asked for another look
  scan.schedule(120 * kSecond);
  scan.schedule(110 * kSecond);
  scan.schedule(130 * kSecond);
  CHECK_FALSE(scan.is_due(out));
  CHECK(out.asked == 110 * kSecond);
  out.time = 110 * kSecond;
  CHECK(scan.is_due(out));
  CHECK_FALSE(scan.is_due(out));
  scan.schedule_now();
  CHECK(scan.is_due(out));
}

}  // namespace
}  // namespace entente::core::waits_test
