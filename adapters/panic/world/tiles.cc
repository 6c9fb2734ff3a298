#include "adapters/panic/world/tiles.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "proxy/core/gameplay/steering.h"

namespace entente::panic {
namespace {

constexpr double kQuarter = std::numbers::pi / 2;
constexpr double kTurnTolerance = 50 * std::numbers::pi / 180;

/// The index of the tile at `place`, in tiles from the first one's edge; 0 for NaN.
int line(double place, int count) {
  if (!(place > 0)) return 0;
  return place < count ? static_cast<int>(place) : count - 1;
}

}  // namespace

Tiles::Tiles(int columns, int rows) : Tiles(columns, rows, kWorldSide / std::max(columns, rows), 0, 0) {}

Tiles::Tiles(int columns, int rows, double side, double middle_x, double middle_y)
    : columns_(columns), rows_(rows), side_(side), middle_x_(middle_x), middle_y_(middle_y) {
  assert(columns > 0 && rows > 0 && side > 0);
}

Tile Tiles::at(double x, double y) const {
  return {line((x - middle_x_) / side_ + columns_ / 2.0, columns_), line(rows_ / 2.0 - (y - middle_y_) / side_, rows_)};
}

Tile Tiles::nearest(Tile now, double x, double y) const {
  const Tile there = at(x, y);
  const auto near = [&](double far) { return std::abs(far) <= kOnTile * side_; };
  return {near(x - this->x(now)) ? now.x : there.x, near(y - this->y(now)) ? now.y : there.y};
}

Tile step(Tile tile, Direction direction, int tiles) {
  switch (direction) {
    case Direction::kNorth:
      return {tile.x, tile.y - tiles};
    case Direction::kEast:
      return {tile.x + tiles, tile.y};
    case Direction::kSouth:
      return {tile.x, tile.y + tiles};
    default:
      assert(direction == Direction::kWest);
      return {tile.x - tiles, tile.y};
  }
}

double yaw_of(Direction direction) {
  assert(is_direction(direction));
  return kQuarter * (2 - static_cast<int>(direction));  // north 90, east 0, south -90, west -180 degrees
}

Direction direction_of(double yaw) {
  const double quarters = std::round(core::wrap_angle(yaw) / kQuarter);  // -2 to 2
  if (!(std::abs(quarters) < 2)) return Direction::kWest;
  return static_cast<Direction>(2 - static_cast<int>(quarters));
}

Direction nearest(Direction now, double yaw) {
  if (is_direction(now) && std::abs(core::wrap_angle(yaw - yaw_of(now))) <= kTurnTolerance) return now;
  return direction_of(yaw);
}

}  // namespace entente::panic
