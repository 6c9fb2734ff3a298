// A tank that words drive: where it goes, when it looks where it shoots, when others see it wrong.
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

TEST_CASE("a pose and where a tank is are the same numbers, and whose it is stays") {
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

TEST_CASE("a mouse is driven to, looked at when it is near, and left alone when it is upon the tank") {
  const TankState tank;
  CHECK(follow(kTank, tank, mouse_at(20, 0), 0, kTick).ahead == 1);
  const Controls near = follow(kTank, tank, mouse_at(0, 2), 0, kTick, 3);
  CHECK(near.ahead == 0);
  CHECK(near.turn == 1);
  CHECK(follow(kTank, tank, mouse_at(0, 0.4), 0, kTick, 3).turn == 0);
  CHECK(follow(kTank, tank, Steering(), 5, kTick).jump == 0);
}

TEST_CASE("keys look where they say, and jump where one can") {
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

TEST_CASE("it turns to where it shall shoot before it drives on, and says once that it looks there") {
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

TEST_CASE("what cannot be looked at is shot at all the same, in the end, and nothing is if the aim is dropped") {
  TankDriver driver;
  driver.aim(1, kSecond);
  CHECK_FALSE(driver.has_aimed(0, 6 * kSecond));
  CHECK(driver.has_aimed(0, 6 * kSecond + 1));
  driver.aim(1, kSecond);
  driver.drop_aim();
  CHECK_FALSE(driver.has_aimed(1, kSecond));
}

TEST_CASE("others see it wrong by so much and no less") {
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
