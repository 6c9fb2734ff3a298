#include "adapters/ogar/front/shapes.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace entente::ogar {
namespace {

// Paler than any player, so that nobody is taken for water or leaves.
constexpr Colour kStone{120, 120, 130}, kWater{165, 195, 225}, kLeaves{175, 210, 175};
constexpr double kMostPosts = 64;  // around one solid

/// The place at a distance along the edge of a rectangle around 0, from its south-west corner eastwards.
std::pair<double, double> on_edge(double half_x, double half_y, double along) {
  const double wide = 2 * half_x, high = 2 * half_y;
  if (along < wide) return {along - half_x, -half_y};
  if (along < wide + high) return {half_x, along - wide - half_y};
  if (along < 2 * wide + high) return {half_x - (along - wide - high), half_y};
  return {-half_x, half_y - (along - 2 * wide - high)};
}

}  // namespace

bool Shapes::lay(const words::World& world) {
  if (world.hash() == hash_ && !hash_.empty()) return false;
  hash_ = world.hash();
  ++number_;
  layout_ = layout_of(world);
  shared_ = true;
  return true;
}

/// The last layout of this thread, if it is of the same geometry and a front still has it; otherwise a new one.
std::shared_ptr<Shapes::Layout> Shapes::layout_of(const words::World& world) {
  struct Last {
    const words::World* world = nullptr;
    std::string hash;
    std::weak_ptr<Layout> layout;
  };
  thread_local Last last;
  auto layout = last.world == &world && last.hash == world.hash() && !last.hash.empty() ? last.layout.lock() : nullptr;
  if (layout != nullptr) return layout;
  layout = std::make_shared<Layout>(world);
  last = {&world, world.hash(), layout};
  return layout;
}

Shapes::Layout::Layout(const words::World& world) {
  if (world.kind() == words::World::TILES) lay_tiles(world);
  for (const words::Solid& solid : world.solids()) lay_solid(solid);
}

void Shapes::build(const words::World& world, const words::Edit& edit) {
  if (world.kind() != words::World::TILES || world.columns() == 0 || edit.op() != words::Edit::BUILD) return;
  lay(world);
  if (std::exchange(shared_, false)) layout_ = std::make_shared<Layout>(*layout_);
  const double width = (world.east() - world.west()) / world.columns();
  const double height = world.rows() != 0 ? (world.north() - world.south()) / world.rows() : width;
  layout_->lay_tile(edit.x(), edit.y(), width, height, kStone);
}

void Shapes::Layout::lay_tiles(const words::World& world) {
  const std::size_t columns = world.columns(), rows = world.rows();
  if (columns == 0 || rows == 0 || world.tiles().size() / columns < rows) return;
  const double width = (world.east() - world.west()) / static_cast<double>(columns);
  const double height = (world.north() - world.south()) / static_cast<double>(rows);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < columns; ++column) {
      const auto passes = static_cast<std::uint8_t>(world.tiles()[row * columns + column]);
      const double east = world.west() + (static_cast<double>(column) + 0.5) * width;
      const double north = world.north() - (static_cast<double>(row) + 0.5) * height;
      if (passes == words::WALL) lay_tile(east, north, width, height, kStone);
      if (passes == words::SHOTS_PASS) lay_tile(east, north, width, height, kWater);
      if (passes == words::UNITS_PASS) add(east, north, Plane::metres(kPost), kLeaves);
    }
}

/// Draws a tile as eight posts in a ring, a third of a tile apart.
void Shapes::Layout::lay_tile(double east, double north, double width, double height, Colour colour) {
  const double radius = std::min({Plane::metres(kPost), width / 6, height / 6});
  for (int row = -1; row <= 1; ++row)
    for (int column = -1; column <= 1; ++column)
      if (row != 0 || column != 0) add(east + column * width / 3, north + row * height / 3, radius, colour);
}

/// Draws a solid as posts side by side along the inside of its edge.
void Shapes::Layout::lay_solid(const words::Solid& solid) {
  if (solid.units_pass() && solid.shots_pass()) return;
  const double half_x = solid.half_x(), half_y = solid.half_y();
  if (!(half_x > 0) || !(half_y > 0) || !std::isfinite(half_x) || !std::isfinite(half_y)) return;
  const double radius = std::min({Plane::metres(kPost), half_x, half_y});
  const double x = half_x - radius, y = half_y - radius, around = 4 * (x + y);
  const double posts = std::clamp(std::ceil(around / (2 * radius)), 1.0, kMostPosts);
  const double cos = std::cos(solid.yaw()), sin = std::sin(solid.yaw());
  for (double i = 0; i < posts; ++i) {
    const auto [along_x, along_y] = on_edge(x, y, around * i / posts);
    add(solid.x() + along_x * cos - along_y * sin, solid.y() + along_x * sin + along_y * cos, radius,
        solid.units_pass() ? kLeaves : kStone);
  }
}

void Shapes::Layout::add(double east, double north, double radius, Colour colour) {
  if (looks.size() >= kMost || !std::isfinite(east) || !std::isfinite(north)) {
    ++left_out;
    return;
  }
  const Plane plane;
  Look look;
  look.type = CellType::kPellet;
  look.x = static_cast<float>(plane.x(east));
  look.y = static_cast<float>(plane.y(north));
  look.size = std::max<std::uint16_t>(1, to_u16(plane.units(radius)));
  look.colour = colour;
  looks.push_back(look);
  grid.place(static_cast<std::uint32_t>(looks.size()), east, north);
}

}  // namespace entente::ogar
