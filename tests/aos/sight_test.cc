// What a shot hits.
#include <doctest/doctest.h>

#include <cmath>

#include "adapters/aos/world/sight.h"
#include "tests/aos/ground.h"

namespace entente::aos::sight_test {
namespace {

TEST_CASE("aos sight: it ends at the first voxel, at the map's edge, and in the fog") {
  VoxelMap map = meadow();
  fill(map, 160, 161, 150, 151, 50, 60);
  const Vec3 eye = {150.5F, 150.5F, 57.75F};
  CHECK(clear_way(map, eye, {1, 0, 0}, kSightRange) == doctest::Approx(9.5));
  CHECK(clear_way(map, eye, {0, 1, 0}, kSightRange) == kSightRange);
  CHECK(clear_way(map, eye, {0, 0, 1}, kSightRange) == doctest::Approx(2.25));
  CHECK(clear_way(map, {10.5F, 150.5F, 50}, {-1, 0, 0}, kSightRange) == doctest::Approx(10.5));
  CHECK(clear_way(map, eye, towards(eye, {160.5F, 151.5F, 57}), kSightRange) > 10);
  CHECK(clear_way(map, eye, {0, 0, 0}, kSightRange) == kSightRange);
  CHECK(clear_way(map, {std::nanf(""), 0, 0}, {1, 0, 0}, kSightRange) == 0);
}

TEST_CASE("aos sight: head, trunk and legs are where real clients have them") {
  const Vec3 from = {100, 100, 57.75F}, eyes = {110, 100, 57.75F};
  const auto part = [&](Vec3 aim, bool crouching = false) {
    const auto met = meets(from, towards(from, aim), eyes, crouching);
    return met ? static_cast<int>(met->part) : -1;
  };
  CHECK(part({110, 100, 57.75F}) == static_cast<int>(Part::kHead));
  CHECK(part({110, 100, 58.5F}) == static_cast<int>(Part::kTorso));
  CHECK(part({110, 100, 59.5F}) == static_cast<int>(Part::kLegs));
  CHECK(part({110, 100, 59.5F}, true) == -1);
  CHECK(part({110, 100.6F, 58.5F}) == -1);
  CHECK(part({90, 100, 57.75F}) == -1);  // behind
  CHECK(meets(from, {1, 0, 0}, eyes, false)->distance == doctest::Approx(9.7));
}

}  // namespace
}  // namespace entente::aos::sight_test
