// What becomes of meshes and round shapes: boxes that are solid where the shape is, and only there.
#include "adapters/bzflag/world/shapes.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "adapters/bzflag/world/world_conversions.h"
#include "proxy/core/gameplay/tank.h"

namespace entente::bzflag::shapes_test {
namespace {

constexpr std::size_t kBytes = 100'000;  // of a database: enough for all the work

words::World converted(const Group& group) {
  GroupWorld database;
  database.world = group;
  return world_from_database(database, kBytes, 400).world;
}

/// A mesh of these corners and faces.
Mesh mesh_of(std::vector<Vec3> corners, const std::vector<std::vector<Index>>& faces, std::uint8_t state = 0) {
  Mesh mesh;
  mesh.vertices = std::move(corners);
  mesh.state = state;
  for (const auto& corners_of_face : faces) mesh.faces.emplace_back().vertices = corners_of_face;
  return mesh;
}

/// A box from its lowest to its highest corner, turned about the z axis.
Mesh box_mesh(const Vec3& low, const Vec3& high, double yaw = 0, std::uint8_t state = 0) {
  std::vector<Vec3> corners;
  for (int i = 0; i < 8; ++i) {
    const double x = (i & 1) != 0 ? high[0] : low[0], y = (i & 2) != 0 ? high[1] : low[1];
    corners.push_back({static_cast<float>(x * std::cos(yaw) - y * std::sin(yaw)),
                       static_cast<float>(x * std::sin(yaw) + y * std::cos(yaw)), (i & 4) != 0 ? high[2] : low[2]});
  }
  return mesh_of(std::move(corners),
                 {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}, state);
}

bool clear_of(const words::World& world, double x, double y, double z = 0) {
  core::TankModel small;
  small.length = small.width = 0.4;
  return core::Terrain(world).free(small, x, y, z, 0);
}

/// The share of a square around the origin in which a tank's height is not clear, at steps of a metre.
double share(const words::World& world, double half) {
  const core::Terrain terrain(world);
  core::TankModel small;
  small.length = small.width = 1;
  int solid = 0, all = 0;
  for (double x = 0.5 - half; x < half; ++x)
    for (double y = 0.5 - half; y < half; ++y, ++all) solid += terrain.free(small, x, y, 0, 0) ? 0 : 1;
  return static_cast<double>(solid) / all;
}

TEST_CASE("a mesh that encloses a box is that box, however it is turned, and without its bottom, too") {
  for (const double yaw : {0.0, 0.5, -1.2}) {
    for (const bool bottom : {true, false}) {
      Group group;
      Mesh& mesh = group.meshes.emplace_back(box_mesh({10, 20, 0}, {30, 26, 9}, yaw));
      if (!bottom) mesh.faces.erase(mesh.faces.begin());
      const words::World world = converted(group);
      REQUIRE(world.solids_size() == 1);
      const words::Solid& solid = world.solids(0);
      CHECK_FALSE(solid.approximate());
      CHECK(std::min(solid.half_x(), solid.half_y()) == doctest::Approx(3));
      CHECK(std::max(solid.half_x(), solid.half_y()) == doctest::Approx(10));
      CHECK(solid.height() == doctest::Approx(9));
      CHECK(solid.x() == doctest::Approx(20 * std::cos(yaw) - 23 * std::sin(yaw)));
      CHECK(solid.y() == doctest::Approx(20 * std::sin(yaw) + 23 * std::cos(yaw)));
    }
  }
}

TEST_CASE("parts of one mesh that are not connected are boxes of their own") {
  Group group;
  Mesh& both = group.meshes.emplace_back(box_mesh({-50, -50, 0}, {-40, -40, 5}));
  const Mesh other = box_mesh({40, 40, 0}, {50, 50, 5});
  both.vertices.insert(both.vertices.end(), other.vertices.begin(), other.vertices.end());
  for (Face face : other.faces) {
    for (Index& index : face.vertices) index += 8;
    both.faces.push_back(face);
  }
  const words::World world = converted(group);
  CHECK(world.solids_size() == 2);
  CHECK(clear_of(world, 0, 0));
  CHECK_FALSE(clear_of(world, 45, 45));
}

TEST_CASE("a mesh with a gate stops a tank beside the gate, and not in it") {
  // A wall of 60 m along y, with a gate of 20 m in it, as one connected outline.
  Group group;
  group.meshes.push_back(mesh_of({{0, -30, 0},
                                  {0, -10, 0},
                                  {0, -10, 8},
                                  {0, 10, 8},
                                  {0, 10, 0},
                                  {0, 30, 0},
                                  {0, 30, 12},
                                  {0, -30, 12},
                                  {0, -10, 12},
                                  {0, 10, 12}},
                                 {{0, 1, 8, 7}, {2, 3, 9, 8}, {4, 5, 6, 9}, {1, 2, 8}, {3, 4, 9}}));
  const words::World world = converted(group);
  CHECK(clear_of(world, 0, 0));
  CHECK_FALSE(clear_of(world, 0, 0, 9));  // the beam above it
  CHECK_FALSE(clear_of(world, 0, -20));
  CHECK_FALSE(clear_of(world, 0, 20));
  CHECK(clear_of(world, 3, 20));
}

TEST_CASE("rings, half rings, pies, cones and spheres are solid at their walls, and not in the corners around them") {
  Arc ring;
  ring.size = {50, 50, 10};
  ring.sweep = 360;
  ring.ratio = 0.1F;
  ring.divisions = 16;
  Group group;
  group.arcs = {ring};
  const words::World round = converted(group);
  CHECK(clear_of(round, 0, 0));
  CHECK(clear_of(round, 40, 0));
  CHECK_FALSE(clear_of(round, 50, 0));
  CHECK(clear_of(round, 45, 45));
  CHECK(share(round, 60) < 0.15);

  group.arcs[0].sweep = 180;  // the northern half
  const words::World half = converted(group);
  CHECK_FALSE(clear_of(half, 0, 50));
  CHECK_FALSE(clear_of(half, 0, 45));
  CHECK(clear_of(half, 0, -50));

  group.arcs[0].sweep = 90;
  group.arcs[0].ratio = 1;
  const words::World pie = converted(group);
  CHECK_FALSE(clear_of(pie, 25, 0));
  CHECK_FALSE(clear_of(pie, 0, 25));
  CHECK(clear_of(pie, -25, -25));

  Group others;
  Cone& cone = others.cones.emplace_back();
  cone.size = {20, 20, 30};
  cone.sweep = 360;
  cone.divisions = 16;
  Sphere& ball = others.spheres.emplace_back();
  ball.pos = {100, 0, 0};
  ball.size = {20, 20, 20};
  ball.divisions = 4;
  const words::World both = converted(others);
  CHECK_FALSE(clear_of(both, 18.5, 0));
  CHECK(clear_of(both, 18.5, 0, 20));  // the cone is narrow there
  CHECK_FALSE(clear_of(both, 119.9, 0));
  CHECK(clear_of(both, 118.5, 18.5));
  CHECK(clear_of(both, 118.5, 0, 15));
}

TEST_CASE("a roof and a tilted box take the space that they take, by the step") {
  Group group;  // a roof of 80 by 80 m from the ground to 20 m
  group.meshes.push_back(mesh_of({{-40, -40, 0}, {40, -40, 20}, {40, 40, 20}, {-40, 40, 0}}, {{0, 1, 2, 3}}));
  const words::World roof = converted(group);
  CHECK(clear_of(roof, 20, 0));  // below it
  CHECK_FALSE(clear_of(roof, -38, 0));
  CHECK(share(roof, 50) < 0.15);
  bool approximate = false;
  for (const auto& solid : roof.solids()) approximate |= solid.approximate();
  CHECK(approximate);
  CHECK(roof.solids_size() < 200);

  GroupWorld database;
  Group& beam = database.groups.emplace_back();
  beam.name = "beam";
  beam.boxes.push_back({{0, 0, 0}, 0, {60, 1, 2}, 0});
  Instance& leaning = database.world.instances.emplace_back();
  leaning.group = "beam";
  TransformStep& spin = leaning.transform.steps.emplace_back();
  spin.type = 3;
  spin.data = {0, 1, 0};
  spin.angle = -0.5;  // its east end goes up
  const words::World world = world_from_database(database, kBytes, 400).world;
  CHECK(clear_of(world, 40, 0));
  CHECK_FALSE(clear_of(world, 40, 0, 21));
  CHECK_FALSE(clear_of(world, 2, 0));
}

TEST_CASE("copies of a group that stand upright keep their boxes and pyramids; copies in copies move together") {
  GroupWorld database;
  Group& house = database.groups.emplace_back();
  house.name = "house";
  house.boxes.push_back({{10, 0, 0}, 0, {4, 2, 5}, 8});
  house.pyramids.push_back({{0, 0, 1}, 0, {3, 3, 6}, 2});
  Group& street = database.groups.emplace_back();
  street.name = "street";
  Instance& first = street.instances.emplace_back();
  first.group = "house";
  TransformStep& grow = first.transform.steps.emplace_back();
  grow.type = 1;
  grow.data = {2, 2, -1};
  Instance& turned = database.world.instances.emplace_back();
  turned.group = "street";
  turned.bits = 16;
  TransformStep& spin = turned.transform.steps.emplace_back();
  spin.type = 3;
  spin.data = {0, 0, 1};
  spin.angle = static_cast<float>(std::numbers::pi / 2);
  TransformStep& up = turned.transform.steps.emplace_back();
  up.data = {0, 0, 50};
  const words::World world = world_from_database(database, kBytes, 400).world;
  REQUIRE(world.solids_size() == 2);
  const words::Solid& box = world.solids(0);
  CHECK(box.shape() == words::Solid::BOX);
  CHECK(box.x() == doctest::Approx(0));
  CHECK(box.y() == doctest::Approx(20));
  CHECK(box.z() == doctest::Approx(45));
  CHECK(box.half_x() == doctest::Approx(8));
  CHECK(box.half_y() == doctest::Approx(4));
  CHECK(box.height() == doctest::Approx(5));
  CHECK(box.yaw() == doctest::Approx(std::numbers::pi / 2));
  CHECK(box.units_pass());
  CHECK_FALSE(box.shots_pass());
  CHECK(box.shots_bounce());
  const words::Solid& pyramid = world.solids(1);
  CHECK(pyramid.shape() == words::Solid::PYRAMID);
  CHECK(pyramid.upside_down());  // the scale turns it over
  CHECK(pyramid.shots_pass());
  CHECK(pyramid.z() == doctest::Approx(43));
}

TEST_CASE("what everything passes is left out; a face may let pass what its mesh does not") {
  Group group;
  group.meshes = {box_mesh({0, 0, 0}, {5, 5, 5}, 0, 3), box_mesh({10, 0, 0}, {15, 5, 5}, 0, 1),
                  box_mesh({20, 0, 0}, {25, 5, 5})};
  group.meshes[2].faces[2].state = 8;  // its southern side
  const words::World world = converted(group);
  CHECK(clear_of(world, 2, 2));
  REQUIRE(world.solids_size() == 1 + 5);  // the bottom is below the ground
  int units = 0, shots = 0;
  for (const auto& solid : world.solids()) units += solid.units_pass() ? 1 : 0, shots += solid.shots_pass() ? 1 : 0;
  CHECK(units == 1);
  CHECK(shots == 1);
}

TEST_CASE("tetrahedra and shears are as the game has them") {
  Group group;
  Tetra& tetra = group.tetras.emplace_back();
  tetra.vertices = {{{-20, -20, 0}, {20, -20, 0}, {0, 20, 0}, {0, 0, 30}}};
  TransformStep& lean = tetra.transform.steps.emplace_back();
  lean.type = 2;
  lean.data = {1, 0, 0};  // x by z: the top goes to 30, 0
  const words::World world = converted(group);
  CHECK_FALSE(clear_of(world, -12, -19.8));
  CHECK_FALSE(clear_of(world, 29, 0, 27.5));
  CHECK(clear_of(world, 0, 0, 29));
}

TEST_CASE("a hostile world makes so many boxes and so much work, and says what it leaves out") {
  GroupWorld database;
  Sphere& sphere = database.world.spheres.emplace_back();
  sphere.size = {1e5F, 1e5F, 1e5F};
  sphere.divisions = 1'000'000'000;
  Arc& arc = database.world.arcs.emplace_back();
  arc.size = {1, 1, 1};
  arc.sweep = 1e30F;
  arc.divisions = -5;
  Mesh& odd = database.world.meshes.emplace_back(box_mesh({0, 0, 0}, {1, 1, 1}));
  odd.vertices[0] = {std::nanf(""), 1e38F, -1e38F};
  odd.faces[1].vertices = {0, -1, 2'000'000'000};
  odd.faces[2].vertices = {1, 1, 1};
  Group& many = database.groups.emplace_back();
  many.name = "many";
  for (int i = 0; i < 200; ++i) many.meshes.push_back(box_mesh({0, 0, 0}, {1.0F + static_cast<float>(i), 1, 1}, 0.3));
  for (int i = 0; i < 200; ++i) {  // 200 * 200 * 6 faces, which lean
    Instance& one = database.world.instances.emplace_back();
    one.group = "many";
    TransformStep& spin = one.transform.steps.emplace_back();
    spin.type = 3;
    spin.data = {1, 1, 0};
    spin.angle = 0.1F * static_cast<float>(i);
  }
  const words::World world = world_from_database(database, 60'000, 800).world;
  CHECK(static_cast<std::size_t>(world.solids_size()) <= Shapes::kMost);
  CHECK(world.solids_size() > 1'000);
  CHECK(world.left_out() > 0);
  for (const auto& solid : world.solids()) CHECK(std::isfinite(solid.x() + solid.half_x() + solid.height()));

  Work little{100};
  Shapes shapes(little);
  for (int i = 0; i < 100; ++i) shapes.add_sphere({5, 5, 5}, 0, false, 4, {}, Affine(), {});
  words::World few;
  shapes.write(few, 1'000);
  CHECK(few.solids_size() < 100);
  CHECK(little.left == 0);
}

}  // namespace
}  // namespace entente::bzflag::shapes_test
