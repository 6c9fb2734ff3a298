// Units that their server moves by whole tiles glide from tile to tile for those who see them.
#include <doctest/doctest.h>

#include "proxy/core/gameplay/tile_interpolator.h"

namespace entente::core::tiles_test {
namespace {

words::Pose at(double x, double y = 0) {
  words::Pose pose;
  pose.set_x(x);
  pose.set_y(y);
  return pose;
}

}  // namespace

TEST_CASE("a unit is first seen where it is, and stands there") {
  TileInterpolator glide;
  const auto there = glide.at(at(25, 50), kSecond, 9 * kSecond);
  CHECK(there.x == 25);
  CHECK(there.y == 50);
  CHECK(glide.motion(9 * kSecond).until == 0);
  CHECK(glide.motion(9 * kSecond).vx == 0);
}

TEST_CASE("a unit whose last move is not known takes a second for a tile, at an even speed") {
  TileInterpolator glide;
  glide.at(at(0), 0, 0);
  CHECK(glide.at(at(25, 10), 3 * kSecond, 3 * kSecond).x == 0);
  const auto motion = glide.motion(3 * kSecond);
  CHECK(motion.vx == 25);
  CHECK(motion.vy == 10);
  CHECK(motion.until == 4 * kSecond);
  const auto half = glide.at(at(25, 10), 3 * kSecond, 3'500 * kMillisecond);
  CHECK(half.x == doctest::Approx(12.5));
  CHECK(half.y == doctest::Approx(5));
  CHECK(glide.at(at(25, 10), 3 * kSecond, 4 * kSecond).x == 25);
  CHECK(glide.motion(4 * kSecond).vx == 0);
}

TEST_CASE("a move takes as long as the one before it, a second at most, and begins where the unit is seen") {
  TileInterpolator glide;
  glide.at(at(0), 0, 0);
  glide.at(at(25), kSecond, kSecond);
  CHECK(glide.at(at(50), 1'500 * kMillisecond, 1'500 * kMillisecond).x == doctest::Approx(12.5));
  const auto motion = glide.motion(1'500 * kMillisecond);
  CHECK(motion.until == 2 * kSecond);  // the last move was half a second ago
  CHECK(motion.vx == doctest::Approx(75));
  glide.at(at(75), 9 * kSecond, 9 * kSecond);
  CHECK(glide.motion(9 * kSecond).until == 10 * kSecond);
}

TEST_CASE("a unit that is more than two tiles behind jumps; one that is two behind glides") {
  TileInterpolator glide;
  glide.at(at(0), 0, 0);
  CHECK(glide.at(at(50), kSecond, kSecond).x == 0);
  TileInterpolator far;
  far.at(at(0), 0, 0);
  CHECK(far.at(at(30, 41), kSecond, kSecond).y == 41);
  CHECK(far.motion(kSecond).until == 0);
}

TEST_CASE("a unit that was teleported is seen at its new place at once") {
  TileInterpolator glide;
  glide.at(at(0), 0, 0);
  glide.jump();
  CHECK(glide.at(at(25), kSecond, kSecond).x == 25);
  CHECK(glide.at(at(25), kSecond, kSecond + 1).x == 25);
}

TEST_CASE("a unit with a velocity is seen where dead reckoning puts it, and glides on from there when it stands") {
  TileInterpolator glide;
  glide.at(at(0), 0, 0);
  words::Pose moving = at(10);
  moving.set_vx(4);
  CHECK(glide.at(moving, kSecond, kSecond + kSecond / 4).x == doctest::Approx(11));
  const double farthest = glide.at(moving, kSecond, 99 * kSecond).x;
  CHECK(farthest == doctest::Approx(10 + 4 * kDeadReckoningSeconds));
  words::Pose aside = at(10);
  aside.set_vy(4);
  CHECK(glide.at(aside, kSecond, kSecond + kSecond / 4).y == doctest::Approx(1));
  TileInterpolator stopped;
  stopped.at(moving, kSecond, kSecond);
  CHECK(stopped.at(at(20), 2 * kSecond, 2 * kSecond).x == doctest::Approx(10));
  CHECK(stopped.motion(2 * kSecond).until == 3 * kSecond);
}

TEST_CASE("an update that is older than the last move moves the unit at once") {
  TileInterpolator glide;
  glide.at(at(0), 0, 0);
  glide.at(at(25), 3 * kSecond, 3 * kSecond);
  CHECK(glide.at(at(0), 2 * kSecond, 3'500 * kMillisecond).x == 0);
}

}  // namespace entente::core::tiles_test
