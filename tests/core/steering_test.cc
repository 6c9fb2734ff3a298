// Every game's words for movement become one course for the back.
#include "proxy/core/gameplay/steering.h"

#include <doctest/doctest.h>

#include <numbers>

namespace entente::core::steering_test {
namespace {

constexpr double kPi = std::numbers::pi;

Intent toward(double x, double y) {
  words::Toward word;
  word.set_x(x);
  word.set_y(y);
  return word;
}

Intent keys(unsigned bits, double yaw = 0) {
  words::Keys word;
  word.set_bits(bits);
  word.set_yaw(yaw);
  return word;
}

TEST_CASE("a player without a goal stays") { CHECK(Steering().course(3, 4).kind == Course::Kind::kStay); }

TEST_CASE("a goal is approached until it is reached") {
  Steering steering;
  CHECK(steering.hear(toward(10, 0)));
  CHECK(steering.course(0, 0).kind == Course::Kind::kGoTo);
  CHECK(steering.course(0, 0).x == 10);
  CHECK(steering.course(9.7, 0).kind == Course::Kind::kStay);
  words::Step step;
  step.set_x(25);
  step.set_direction(words::EAST);
  CHECK(steering.hear(step));
  CHECK(steering.course(0, 0).x == 25);
  CHECK(steering.step()->direction() == words::EAST);
}

TEST_CASE("keys drive in the direction they look, also sideways, until they are released") {
  Steering steering;
  steering.hear(keys(words::Keys::FORWARD, kPi / 2));
  CHECK(steering.course(1, 2).y == doctest::Approx(1002));
  steering.hear(keys(words::Keys::LEFT, 0));
  CHECK(steering.course(0, 0).y == doctest::Approx(1000));
  steering.hear(keys(words::Keys::FORWARD | words::Keys::BACKWARD, 1));
  CHECK(steering.course(0, 0).kind == Course::Kind::kStay);
  CHECK(*steering.course(0, 0).yaw == 1);
}

TEST_CASE("a claim is taken as the position") {
  Steering steering;
  words::PoseClaim claim;
  claim.set_x(7);
  claim.set_yaw(2);
  steering.hear(claim);
  CHECK(steering.course(0, 0).kind == Course::Kind::kBe);
  CHECK(*steering.course(0, 0).yaw == 2);
  CHECK(steering.claim()->x() == 7);
}

TEST_CASE("each game's own word asks for a shot") {
  Steering steering;
  words::Fire fire;
  fire.set_vy(100);
  const Intent shot(fire);
  REQUIRE(steering.shooting(shot, 0, 0));
  CHECK(*steering.shooting(shot, 0, 0)->yaw == doctest::Approx(kPi / 2));
  CHECK(steering.shooting(words::Split(), 0, 0));
  CHECK_FALSE(steering.shooting(words::Split(), 0, 0)->yaw);
  words::Trigger pull;
  pull.set_primary(true);
  steering.hear(keys(0, 1.5));
  REQUIRE(steering.shooting(pull, 0, 0));
  CHECK_FALSE(steering.shooting(pull, 0, 0));  // still held
  CHECK(steering.trigger_held());
  CHECK_FALSE(steering.shooting(words::Trigger(), 0, 0));
  CHECK(*steering.shooting(pull, 0, 0)->yaw == 1.5);
  CHECK_FALSE(steering.shooting(words::Spawn(), 0, 0));
}

TEST_CASE("a player that points with a mouse shoots there, from the unit's position") {
  Steering steering;
  words::Toward mouse;
  mouse.set_x(10);
  mouse.set_y(20);
  steering.hear(mouse);
  CHECK(*steering.shooting(words::Split(), 10, 5)->yaw == doctest::Approx(kPi / 2));
  CHECK(*steering.shooting(words::Eject(), 20, 20)->yaw == doctest::Approx(kPi));
  CHECK_FALSE(steering.shooting(words::Split(), 10, 20.1)->yaw);  // the mouse is on the unit
  words::Trigger pull;
  pull.set_primary(true);
  CHECK_FALSE(steering.shooting(pull, 0, 0)->yaw);
}

TEST_CASE("angles stay within a turn") {
  CHECK(wrap_angle(3 * kPi) == doctest::Approx(-kPi));
  CHECK(wrap_angle(-0.5) == doctest::Approx(-0.5));
  CHECK(wrap_angle(2 * kPi + 1) == doctest::Approx(1));
}

}  // namespace
}  // namespace entente::core::steering_test
