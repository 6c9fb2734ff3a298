// When a client is corrected to the true position, and when the correction waits.
#include "proxy/core/gameplay/correction_timer.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/core/deaf_out.h"
#include "tests/support/stage.h"
#include "tests/support/toy_game.h"

namespace entente::core::correction_timer_test {
namespace {

constexpr Micros kStart = 10 * kSecond;

words::Pose pose_at(double x, double vx = 0) {
  words::Pose pose;
  pose.set_unit(7);
  pose.set_x(x);
  pose.set_vx(vx);
  return pose;
}

/// Tracks its player's tank. Closes with the place to which it corrects the tank, so that the test sees it.
class Led final : public Front {
 public:
  explicit Led(std::optional<words::Pose> said) {
    tank_.put(pose_at(0), kStart);
    if (said) tank_.claimed(*said, kStart);
  }
  void receive(const Frames&, FrontOut&) override {}
  void hear(const Fact& fact, FrontOut& out) override {
    const UnitState* truth = out.world().unit(7);
    if (as<words::ClaimRefused>(fact) != nullptr) return tell(tank_.revive(truth, out), out);
    tell(as<words::Corrected>(fact) != nullptr ? tank_.force(truth, out) : tank_.look(truth, out), out);
  }
  void tick(FrontOut& out) override { tell(tank_.look(out.world().unit(7), out), out); }

 private:
  static void tell(const std::optional<words::Pose>& place, FrontOut& out) {
    if (place) out.close("at " + std::to_string(static_cast<int>(place->x())));
  }
  OwnTank tank_;
};

testing::FrontStage stage_of(std::optional<words::Pose> said, double truth, bool alive = true) {
  testing::FrontStage stage(std::make_unique<Led>(std::move(said)), toy::game(), 0, wire::Way::kToClient);
  stage.waits(kStart);
  words::Unit unit;
  unit.set_id(7);
  unit.set_alive(alive);
  *unit.mutable_pose() = pose_at(truth);
  stage.knows(unit);
  return stage;
}

}  // namespace

TEST_CASE("a tank that is off for half a second is corrected; one that came back in time is not") {
  CorrectionTimer timer;
  CHECK_FALSE(timer.look(false, kStart));
  CHECK(timer.look(true, kStart) == kStart + kSecond / 2);
  CHECK(timer.look(true, kStart + 1) == kStart + kSecond / 2);
  CHECK(timer.look(true, kStart + kSecond / 2) == kStart + kSecond / 2);
  CHECK_FALSE(timer.look(false, kStart + kSecond / 2));
  CHECK(timer.look(true, kStart + kSecond) == kStart + 3 * kSecond / 2);
}

TEST_CASE("a tank is corrected at most once a second") {
  CorrectionTimer timer;
  timer.put(kStart);
  CHECK(timer.put_at() == kStart);
  CHECK(timer.look(true, kStart) == kStart + kSecond);
  CHECK(timer.look(true, kStart + kSecond) == kStart + kSecond);
}

TEST_CASE("a delayed forced correction is made when it is due, also of a tank that is close, and only once") {
  CorrectionTimer timer;
  timer.put(kStart);
  CHECK(timer.force(kStart + 1) == kStart + kSecond);
  CHECK(timer.forced());
  CHECK(timer.look(false, kStart + 2) == kStart + kSecond);
  CHECK(timer.look(false, kStart + kSecond) == kStart + kSecond);
  timer.put(kStart + kSecond);
  CHECK_FALSE(timer.forced());
  CHECK_FALSE(timer.look(false, kStart + kSecond));
  timer.force(kStart + kSecond + 1);
  timer.put(kStart + kSecond + 2);  // for another reason
  CHECK_FALSE(timer.forced());
  CHECK_FALSE(timer.look(false, kStart + 2 * kSecond + 2));
}

TEST_CASE("a forced correction of a tank that is off already is kept until it is forgotten") {
  CorrectionTimer timer;
  timer.put(kStart);
  timer.look(true, kStart);
  CHECK(timer.force(kStart + 1) == kStart + kSecond);
  CHECK(timer.look(false, kStart + 2) == kStart + kSecond);
  timer.forget_forced();
  CHECK_FALSE(timer.look(false, kStart + 2));
}

TEST_CASE("a tank is where its client claims and moves on from there; a corrected tank stands still") {
  OwnTank tank;
  tank.claimed(pose_at(3, 2), kStart);
  CHECK(tank.place(kStart + kSecond / 2).x() == 4);
  tank.put(pose_at(5, 2), kStart);
  CHECK(tank.place(kStart + kSecond).x() == 5);
}

TEST_CASE("a tank is corrected if its client claims another place for too long") {
  struct Row {
    std::optional<double> said;
    double truth;
    bool alive;
    const char* does;
  };
  const Row rows[] = {
      {0.0, 32.5, true, ""},
      {0.0, 33, true, "closes: at 33\n"},
      {0.0, 33, false, ""},              // dead
      {std::nullopt, 33, true, ""},      // the client got the position just now
      {NAN, 3, true, "closes: at 3\n"},  // no valid position
  };
  for (const Row& row : rows) {
    auto stage = stage_of(row.said ? std::optional(pose_at(*row.said)) : std::nullopt, row.truth, row.alive);
    CAPTURE(row.truth);
    CHECK(stage.hears(words::Pose()) == "");
    CHECK(stage.waits(999 * kMillisecond) == "");
    CHECK(stage.waits(kMillisecond) == row.does);
  }
}

TEST_CASE("a correction comes a second after the last one if it is still needed, also before the first claim") {
  struct Row {
    std::optional<double> said;
    double truth;
    const char* does;
  };
  for (const Row& row : {Row{std::nullopt, 1, "closes: at 1\n"}, Row{0.0, 3, "closes: at 3\n"}, Row{0.0, 1, ""}}) {
    auto stage = stage_of(row.said ? std::optional(pose_at(*row.said)) : std::nullopt, row.truth);
    CAPTURE(row.truth);
    CHECK(stage.hears(words::Corrected()) == "");
    CHECK(stage.waits(999 * kMillisecond) == "");
    CHECK(stage.waits(kMillisecond) == row.does);
  }
  auto late = stage_of(std::nullopt, 1);
  late.waits(kSecond);
  CHECK(late.hears(words::Corrected()) == "closes: at 1\n");
}

TEST_CASE("after a tank was revived late, a claim of the true place cancels a later correction") {
  testing::DeafFrontOut out;
  out.time = kStart;
  UnitState truth;
  truth.unit.set_alive(true);
  *truth.unit.mutable_pose() = pose_at(1);
  OwnTank tank;
  tank.put(pose_at(0), kStart);
  CHECK_FALSE(tank.revive(&truth, out));
  tank.claimed(pose_at(1), kStart);
  out.time = kStart + kSecond;
  REQUIRE(tank.look(&truth, out));  // the claim does not cancel a revival
  tank.put(pose_at(1), out.time);
  CHECK_FALSE(tank.force(&truth, out));
  tank.claimed(pose_at(1), out.time);
  CHECK_FALSE(tank.look(&truth, out));
  out.time += kSecond;
  CHECK_FALSE(tank.look(&truth, out));
}

TEST_CASE("a client that believes its live tank is dead is respawned in place, a second after the last correction") {
  auto stage = stage_of(pose_at(0), 1);
  CHECK(stage.hears(words::ClaimRefused()) == "");
  CHECK(stage.waits(999 * kMillisecond) == "");
  CHECK(stage.waits(kMillisecond) == "closes: at 1\n");
}

}  // namespace entente::core::correction_timer_test
