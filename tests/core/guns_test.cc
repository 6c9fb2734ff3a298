// Which gun fires, and how its shot leaves the tank.
#include "proxy/core/gameplay/guns.h"

#include <doctest/doctest.h>

#include <numbers>

namespace entente::core::guns_test {
namespace {

TEST_CASE("the requested gun fires if it is loaded, else the first loaded one, and none while all reload") {
  GunReloads guns;
  CHECK(guns.loaded(1, 3, 0) == 1);
  CHECK(guns.loaded(GunReloads::kAny, 3, 0) == 0);
  CHECK(guns.loaded(3, 3, 0) == 0);  // there is no fourth
  guns.fire(0, kSecond);
  guns.fire(1, 2 * kSecond);
  CHECK(guns.loaded(1, 3, 0) == 2);
  CHECK(guns.loaded(1, 2, 0) == std::nullopt);
  CHECK(guns.loaded(1, 2, kSecond) == 0);
  CHECK(guns.loaded(1, 2, 2 * kSecond) == 1);
}

TEST_CASE("a tank has at least one gun and at most 256") {
  GunReloads guns;
  CHECK(guns.loaded(0, 0, 0) == 0);
  for (int gun = 0; gun < 255; ++gun) guns.fire(static_cast<std::uint8_t>(gun), kSecond);
  CHECK(guns.loaded(GunReloads::kAny, 1'000, 0) == 255);
  guns.fire(255, kSecond);
  CHECK(guns.loaded(GunReloads::kAny, 1'000, 0) == std::nullopt);
}

TEST_CASE("guns count as loaded from the moment at which they are, and only as many as the tank has") {
  GunReloads guns;
  guns.fire(0, kSecond);
  guns.fire(4, kSecond);
  CHECK(guns.count(5, kSecond - 1) == 3);
  CHECK(guns.count(4, kSecond - 1) == 3);
  CHECK(guns.count(5, kSecond) == 5);
  CHECK(guns.count(0, 0) == 0);
  CHECK(guns.count(1'000, kSecond) == 256);
}

TEST_CASE("a shot leaves the muzzle horizontally, with the tank's velocity added") {
  words::Pose tank;
  tank.set_x(10);
  tank.set_z(2);
  tank.set_vx(3);
  tank.set_vz(-5);
  const Flight flight = fired(tank, std::numbers::pi / 2, {4, 1.5}, 100);
  CHECK(flight.at[0] == doctest::Approx(10));
  CHECK(flight.at[1] == doctest::Approx(4));
  CHECK(flight.at[2] == 3.5);
  CHECK(flight.velocity[0] == doctest::Approx(3));
  CHECK(flight.velocity[1] == doctest::Approx(100));
  CHECK(flight.velocity[2] == 0);
}

}  // namespace
}  // namespace entente::core::guns_test
