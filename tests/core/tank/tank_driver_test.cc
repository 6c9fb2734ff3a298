// A tank that words drive: where it goes, when it aims before it shoots, and when others see it in a wrong place.
#include "proxy/core/tank/tank_driver.h"

#include <doctest/doctest.h>

namespace entente::core::tank_driver_test {
namespace {

constexpr double kTick = 0.04;
const TankModel kTank;

Steering mouse_at(double x, double y) {
  words::Toward toward;
  toward.set_x(x);
  toward.set_y(y);
  Steering steering;
  steering.hear(toward);
  return steering;
}

TEST_CASE("a pose and a tank state have the same numbers, and the pose keeps its unit") {
  words::Pose pose;
  pose.set_unit(7);
  pose.set_seq(8);
  const TankState tank{1, 2, 3, 4, 5, 6, 0.7, 0.8};
  put(tank, pose);
  CHECK(state_of(pose) == tank);
  CHECK(pose.unit() == 7);
  CHECK(pose.seq() == 8);
  CHECK(pose.vz() == 6);
}

TEST_CASE("a tank drives to a distant mouse, turns to a near one, and ignores one on the tank") {
  const TankState tank;
  CHECK(follow(kTank, tank, mouse_at(20, 0), 0, kTick).ahead == 1);
  const Controls near = follow(kTank, tank, mouse_at(0, 2), 0, kTick, 3);
  CHECK(near.ahead == 0);
  CHECK(near.turn == 1);
  CHECK(follow(kTank, tank, mouse_at(0, 0.4), 0, kTick, 3).turn == 0);
  CHECK(follow(kTank, tank, Steering(), 5, kTick).jump == 0);
}

TEST_CASE("keys turn to their direction, and jump where a jump is possible") {
  words::Keys keys;
  keys.set_bits(words::Keys::JUMP);
  keys.set_yaw(-1);
  Steering steering;
  steering.hear(keys);
  const Controls controls = follow(kTank, {}, steering, 19, kTick);
  CHECK(controls.ahead == 0);
  CHECK(controls.turn == -1);
  CHECK(controls.jump == 19);
  CHECK(follow(kTank, {}, steering, 0, kTick).jump == 0);
}

TEST_CASE("a tank turns to its aim before it drives on, and reports once that it has aimed") {
  TankDriver driver;
  TankState tank;
  const Steering away = mouse_at(50, 0);
  CHECK_FALSE(driver.has_aimed(tank.yaw, 0));
  driver.aim(1, 0);
  Micros now = 0;
  for (; !driver.has_aimed(tank.yaw, now); now += 40 * kMillisecond) {
    REQUIRE(now < 3 * kSecond);
    driver.drive(kTank, {}, away, 0, kTick, tank);
    CHECK(tank.x == 0);
  }
  CHECK(tank.yaw == doctest::Approx(1).epsilon(0.03));
  CHECK_FALSE(driver.has_aimed(tank.yaw, now));
  for (int i = 0; i < 100; ++i) driver.drive(kTank, {}, away, 0, kTick, tank);
  CHECK(tank.x > 40);
}

TEST_CASE("a shot is fired after a timeout if the aim cannot be reached, and never if the aim is dropped") {
  TankDriver driver;
  driver.aim(1, kSecond);
  CHECK_FALSE(driver.has_aimed(0, 6 * kSecond));
  CHECK(driver.has_aimed(0, 6 * kSecond + 1));
  driver.aim(1, kSecond);
  driver.drop_aim();
  CHECK_FALSE(driver.has_aimed(1, kSecond));
}

TEST_CASE("a pose is resent when it is off by a limit, and not before") {
  struct Case {
    const char* what;
    TankState is;
    bool strays, soon;
  };
  const Case cases[] = {
      {"where it is", {}, false, false},
      {"a little off", {0.08, 0, 0, 0, 0, 0, 0.04, 0}, false, false},
      {"elsewhere", {0.07, 0.07, 0}, true, false},
      {"above", {0, 0, 0.1}, true, false},
      {"turned", {0, 0, 0, 0, 0, 0, -0.06, 0}, true, false},
      {"turned around once", {0, 0, 0, 0, 0, 0, 2 * 3.14159265358979, 0}, false, false},
      {"slower", {0, 0, 0, 0.4, 0.4, 0}, false, true},
      {"falling faster", {0, 0, 0, 0, 0, 3}, false, false},
  };
  for (const Case& one : cases) {
    INFO(one.what);
    CHECK(strays({}, one.is) == one.strays);
    CHECK(strays_soon({}, one.is) == one.soon);
  }
}

}  // namespace
}  // namespace entente::core::tank_driver_test
