#include "proxy/program/foxglove/shapes.h"

#include <algorithm>
#include <cmath>

#include "proxy/core/gameplay/incoming.h"

namespace entente::foxglove_shapes {
namespace {

constexpr std::uint32_t kStone = 0x8A8A82, kEarth = 0x4F6B3C, kEdge = 0xFFFFFF, kFire = 0xFFE680;
constexpr double kWallThick = 0.5, kWallHigh = 6, kTileHigh = 12;  // of walls and tiles that have no size of their own
constexpr double kText = 3;                                        // height of letters
constexpr std::size_t kMostDrawn = 50'000;                         // solids, and tiles, of a world
constexpr std::size_t kGroundCells = 64;                           // a side; a finer ground is thinned out

void paint(std::uint32_t colour, foxglove::Color& to, double opacity = 1) {
  to.set_r((colour >> 16U & 255U) / 255.0);
  to.set_g((colour >> 8U & 255U) / 255.0);
  to.set_b((colour & 255U) / 255.0);
  to.set_a(opacity);
}

void add_box(const words::Pose& centre, double x, double y, double z, std::uint32_t colour, foxglove::SceneEntity& to,
             double opacity = 1) {
  foxglove::CubePrimitive& cube = *to.add_cubes();
  set(*cube.mutable_pose(), centre);
  set(*cube.mutable_size(), x, y, z);
  paint(colour, *cube.mutable_color(), opacity);
}

words::Pose at(double x, double y, double z, double yaw = 0) {
  words::Pose pose;
  pose.set_x(x);
  pose.set_y(y);
  pose.set_z(z);
  pose.set_yaw(yaw);
  return pose;
}

void add_point(double x, double y, double z, foxglove::TriangleListPrimitive& to) {
  foxglove::Point3& point = *to.add_points();
  point.set_x(x);
  point.set_y(y);
  point.set_z(z);
}

void add_triangle(std::uint32_t a, std::uint32_t b, std::uint32_t c, foxglove::TriangleListPrimitive& to) {
  to.add_indices(a);
  to.add_indices(b);
  to.add_indices(c);
}

void add_pyramid(const words::Solid& solid, foxglove::SceneEntity& to) {
  foxglove::TriangleListPrimitive& sides = *to.add_triangles();
  set(*sides.mutable_pose(), at(solid.x(), solid.y(), solid.z(), solid.yaw()));
  paint(kStone, *sides.mutable_color(), solid.units_pass() ? 0.4 : 1);
  const double base = solid.upside_down() ? solid.height() : 0, top = solid.height() - base;
  for (const auto& [x, y] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}})
    add_point(x * solid.half_x(), y * solid.half_y(), base, sides);
  add_point(0, 0, top, sides);
  for (std::uint32_t side = 0; side < 4; ++side) add_triangle(side, (side + 1) % 4, 4, sides);
  add_triangle(0, 1, 2, sides);
  add_triangle(0, 2, 3, sides);
}

void add_solid(const words::Solid& solid, foxglove::SceneEntity& to) {
  if (solid.shape() == words::Solid::PYRAMID) return add_pyramid(solid, to);
  const bool face = solid.shape() == words::Solid::WALL_FACE;
  const double x = face ? kWallThick : 2 * solid.half_x(),
               high = face && solid.height() <= 0 ? kWallHigh : solid.height();
  add_box(at(solid.x(), solid.y(), solid.z() + high / 2, solid.yaw()), x, 2 * solid.half_y(), high, kStone, to,
          solid.units_pass() ? 0.4 : 1);
}

void add_tiles(const words::World& geometry, foxglove::SceneEntity& to) {
  const std::size_t columns = geometry.columns(), rows = geometry.rows();
  const bool many = columns > kMostDrawn || rows > kMostDrawn || columns * rows > kMostDrawn;
  if (many || geometry.tiles().size() != columns * rows) return;
  const double wide = (geometry.east() - geometry.west()) / static_cast<double>(columns);
  const double high = (geometry.north() - geometry.south()) / static_cast<double>(rows);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < columns; ++column)
      if (geometry.tiles()[row * columns + column] == words::WALL)
        add_box(at(geometry.west() + (static_cast<double>(column) + 0.5) * wide,
                   geometry.north() - (static_cast<double>(row) + 0.5) * high, kTileHigh / 2),
                wide, high, kTileHigh, kStone, to);
}

void add_hills(const words::World& geometry, foxglove::SceneEntity& to) {
  foxglove::TriangleListPrimitive& ground = *to.add_triangles();
  set(*ground.mutable_pose(), words::Pose());
  paint(kEarth, *ground.mutable_color());
  const double wide = geometry.east() - geometry.west(), high = geometry.north() - geometry.south();
  constexpr auto kSide = static_cast<std::uint32_t>(kGroundCells);
  for (std::uint32_t row = 0; row < kSide; ++row)
    for (std::uint32_t column = 0; column < kSide; ++column) {
      const double x = geometry.west() + (column + 0.5) / kSide * wide,
                   y = geometry.north() - (row + 0.5) / kSide * high;
      add_point(x, y, core::ground_at(geometry, x, y), ground);
      if (row == 0 || column == 0) continue;
      const std::uint32_t here = row * kSide + column;
      add_triangle(here - kSide - 1, here - 1, here, ground);
      add_triangle(here - kSide - 1, here, here - kSide, ground);
    }
}

void add_bounds(const words::World& geometry, foxglove::SceneEntity& to) {
  foxglove::LinePrimitive& edge = *to.add_lines();
  edge.set_type(foxglove::LinePrimitive::LINE_LOOP);
  set(*edge.mutable_pose(), words::Pose());
  edge.set_thickness(kWallThick);
  paint(kEdge, *edge.mutable_color());
  for (const auto& [x, y] : {std::pair{geometry.west(), geometry.south()},
                             {geometry.east(), geometry.south()},
                             {geometry.east(), geometry.north()},
                             {geometry.west(), geometry.north()}}) {
    foxglove::Point3& point = *edge.add_points();
    point.set_x(x);
    point.set_y(y);
  }
}

void add_text(double x, double y, double z, const std::string& text, std::uint32_t colour, foxglove::SceneEntity& to) {
  foxglove::TextPrimitive& letters = *to.add_texts();
  set(*letters.mutable_pose(), at(x, y, z));
  letters.set_billboard(true);
  letters.set_font_size(kText);
  paint(colour, *letters.mutable_color());
  letters.set_text(text);
}

struct Size {
  double x, y, z;
};

/// Of the games' own units: BZFlag's tank, a man of Ace of Spades.
Size box_of(words::Unit::Kind kind) {
  switch (kind) {
    case words::Unit::TANK:
      return {6, 2.8, 2};
    case words::Unit::MAN:
      return {1.5, 1.5, 4};
    case words::Unit::BRICK:
      return {25, 25, kTileHigh};
    default:
      return {4, 4, 4};
  }
}

bool is_round(words::Unit::Kind kind) {
  return kind == words::Unit::CELL || kind == words::Unit::PELLET || kind == words::Unit::VIRUS ||
         kind == words::Unit::MOTHER || kind == words::Unit::EJECTED;
}

}  // namespace

void set(foxglove::Vector3& vector, double x, double y, double z) {
  vector.set_x(x);
  vector.set_y(y);
  vector.set_z(z);
}

void set(foxglove::Quaternion& turn, double yaw, double pitch) {
  const double sin_z = std::sin(yaw / 2), cos_z = std::cos(yaw / 2);
  const double sin_y = std::sin(-pitch / 2), cos_y = std::cos(-pitch / 2);  // around y, up is negative
  turn.set_x(-sin_z * sin_y);
  turn.set_y(cos_z * sin_y);
  turn.set_z(sin_z * cos_y);
  turn.set_w(cos_z * cos_y);
}

void set(foxglove::Pose& pose, const words::Pose& from) {
  set(*pose.mutable_position(), from.x(), from.y(), from.z());
  set(*pose.mutable_orientation(), from.yaw(), from.pitch());
}

void add_geometry(const words::World& geometry, foxglove::SceneEntity& to) {
  add_bounds(geometry, to);
  if (!geometry.ground().empty()) add_hills(geometry, to);
  if (geometry.kind() == words::World::TILES) add_tiles(geometry, to);
  const int solids = std::min(geometry.solids_size(), static_cast<int>(kMostDrawn));
  for (int i = 0; i < solids; ++i) add_solid(geometry.solids(i), to);
}

void add_unit(const words::Unit& unit, const words::Pose& pose, std::uint32_t colour, const std::string& name,
              foxglove::SceneEntity& to) {
  const double radius = pose.radius() > 0 ? pose.radius() : unit.radius();
  double high = 0;
  if (is_round(unit.kind())) {
    foxglove::SpherePrimitive& ball = *to.add_spheres();
    set(*ball.mutable_pose(), pose);
    set(*ball.mutable_size(), 2 * radius, 2 * radius, 2 * radius);
    paint(colour, *ball.mutable_color());
    high = radius;
  } else {
    const Size size = box_of(unit.kind());
    high = size.z;
    words::Pose centre = pose;
    centre.set_z(pose.z() + size.z / 2);
    if (unit.kind() == words::Unit::MAN) centre.set_pitch(0);  // he looks up, and stands
    add_box(centre, size.x, size.y, size.z, colour, to);
  }
  if (!name.empty()) add_text(pose.x(), pose.y(), pose.z() + high + kText, name, colour, to);
}

void add_shot(const words::Shot& shot, double flown, foxglove::SceneEntity& to) {
  const double x = shot.x() + shot.vx() * flown, y = shot.y() + shot.vy() * flown, z = shot.z() + shot.vz() * flown;
  const std::uint32_t colour = shot.team() > words::ROGUE ? colour_of(shot.team()) : kFire;
  if (shot.kind() == words::RAY) {
    foxglove::LinePrimitive& line = *to.add_lines();
    set(*line.mutable_pose(), words::Pose());
    line.set_thickness(0.2);
    paint(colour, *line.mutable_color());
    for (const double way : {0.0, shot.range()}) {
      foxglove::Point3& point = *line.add_points();
      point.set_x(x + shot.vx() * way);
      point.set_y(y + shot.vy() * way);
      point.set_z(z + shot.vz() * way);
    }
    return;
  }
  foxglove::SpherePrimitive& ball = *to.add_spheres();
  const double wide = shot.kind() == words::WAVE ? 2 * core::wave_radius(shot, flown) : 1;
  set(*ball.mutable_pose(), at(x, y, z));
  set(*ball.mutable_size(), wide, wide, wide);
  paint(colour, *ball.mutable_color(), shot.kind() == words::WAVE ? 0.3 : 1);
}

void add_token(const words::Token& token, foxglove::SceneEntity& to) {
  const bool base = token.kind() == words::Token::BASE;
  const std::uint32_t colour = token.team() > words::ROGUE ? colour_of(token.team()) : kEdge;
  const double wide = base ? 8 : 1, high = base ? 0.5 : 6;
  add_box(at(token.x(), token.y(), token.z() + high / 2), wide, wide, high, colour, to);
  if (!token.code().empty()) add_text(token.x(), token.y(), token.z() + high + 1, token.code(), colour, to);
}

std::uint32_t colour_of(words::Team team) {
  switch (team) {
    case words::RED:
      return 0xE03C31;
    case words::GREEN:
      return 0x3BA55D;
    case words::BLUE:
      return 0x3D7DD8;
    case words::PURPLE:
      return 0x9B51E0;
    case words::YELLOW:
    case words::ROGUE:
      return 0xE5C534;
    case words::RABBIT:
      return 0xD0D0D0;
    case words::HUNTER:
      return 0xE88B2E;
    default:
      return 0xB0B0B0;
  }
}

}  // namespace entente::foxglove_shapes
