// What players claim: poses in two words, and numbers that are not finite.
#include "proxy/core/gameplay/claims.h"

#include <doctest/doctest.h>

#include <array>
#include <limits>

namespace entente::core::claims_test {
namespace {

TEST_CASE("either word that carries a motion gives its place and velocity") {
  words::ShotMoved moved;
  set_way(std::array{1.0, 2.0, 3.0}, std::array{4.0, 5.0, 6.0}, moved);
  CHECK(moved.ShortDebugString() == "x: 1 y: 2 z: 3 vx: 4 vy: 5 vz: 6");
}

TEST_CASE("a claim with a number that is not finite is recognized") {
  words::PoseClaim claim;
  claim.set_x(1);
  CHECK(finite(Intent(claim)));
  for (const double wrong : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    for (const auto set :
         {&words::PoseClaim::set_x, &words::PoseClaim::set_vz, &words::PoseClaim::set_yaw, &words::PoseClaim::set_pitch,
          &words::PoseClaim::set_yaw_rate, &words::PoseClaim::set_sent_at}) {
      words::PoseClaim bad = claim;
      (bad.*set)(wrong);
      CHECK_FALSE(finite(Intent(bad)));
    }
  }
  words::Step step;
  step.set_y(std::numeric_limits<double>::quiet_NaN());
  CHECK_FALSE(finite(Intent(step)));
  CHECK(finite(Intent(words::Spawn())));
}

}  // namespace
}  // namespace entente::core::claims_test
