// How the numbers of other games become the floats of BZFlag, and back.
#include "adapters/bzflag/wire/conversions.h"

#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <numbers>

namespace entente::bzflag::conversions_test {
namespace {

constexpr double kWild[] = {1e300, -1e300, 1e38, std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN()};

/// Whether a client can extrapolate the update for a minute: position and angle stay finite, and the angle can still be
/// reduced by a full turn.
bool can_be_reckoned_with(const PlayerUpdate& update) {
  bool can = true;
  for (std::size_t i = 0; i < 3; ++i) can &= std::isfinite(std::hypot(update.pos[i] + 60 * update.vel[i], 1.0F));
  const float looks = update.azimuth + 60 * update.turn;
  return can && std::isfinite(std::cos(looks)) && looks - 2 * std::numbers::pi_v<float> != looks;
}

TEST_CASE("bzflag conversions: a client can extrapolate every pose to finite numbers") {
  for (const auto set : {&words::Pose::set_x, &words::Pose::set_y, &words::Pose::set_z, &words::Pose::set_vx,
                         &words::Pose::set_vy, &words::Pose::set_vz, &words::Pose::set_yaw, &words::Pose::set_yaw_rate})
    for (const double wild : kWild) {
      words::Pose pose;
      (pose.*set)(wild);
      const Message message = update_of(pose, 1, 0, true);
      if (const auto* large = std::get_if<PlayerUpdate>(&message)) CHECK(can_be_reckoned_with(*large));
    }
}

TEST_CASE("bzflag conversions: a client's floats survive bit for bit") {
  for (const float number : {0.0F, -0.0F, 1.5F, 3.1415927F, -3.1415927F, 99.0F, 0.1F}) {
    PlayerUpdate update;
    update.pos = update.vel = {number, number * 1000, -number};
    update.azimuth = update.turn = number;
    const Message again = update_of(pose_of(update), 0, 0, true, false);
    const auto* large = std::get_if<PlayerUpdate>(&again);
    REQUIRE(large != nullptr);
    CHECK(large->pos == update.pos);
    CHECK(large->vel == update.vel);
    CHECK(large->azimuth == number);
    CHECK(large->turn == number);
  }
}

}  // namespace
}  // namespace entente::bzflag::conversions_test
