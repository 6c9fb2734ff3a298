// A tile of Panic in the room's metres, a heading as one of Panic's four directions, and both ways back.
// Law: the only place where the two meet; exact for every tile and direction, there and back.
#pragma once

#include "adapters/panic/messages.h"

namespace entente::panic {

/// Columns from the west, rows from the north, from 0.
struct Tile {
  int x = 0, y = 0;
  bool operator==(const Tile&) const = default;
};

inline constexpr double kWorldSide = 800;  ///< metres of a map's larger side

class Tiles {
 public:
  /// A map of Panic: its larger side is kWorldSide, its middle the origin.
  Tiles(int columns, int rows);
  /// A grid laid over somebody else's world. `side`: of a tile, in metres.
  Tiles(int columns, int rows, double side, double middle_x, double middle_y);

  int columns() const { return columns_; }
  int rows() const { return rows_; }
  double side() const { return side_; }
  double width() const { return columns_ * side_; }
  double height() const { return rows_ * side_; }

  /// The middle of a tile, also of one beyond the edge.
  double x(Tile tile) const { return middle_x_ + (tile.x + 0.5 - columns_ / 2.0) * side_; }
  double y(Tile tile) const { return middle_y_ + (rows_ / 2.0 - tile.y - 0.5) * side_; }

  /// The tile that a place is in; beyond the edge, the nearest of the map.
  Tile at(double x, double y) const;
  /// The same for somebody who was in `now`, and is until its place is more than 0.6 tiles from that tile's middle.
  Tile settle(Tile now, double x, double y) const;
  bool holds(Tile tile) const { return tile.x >= 0 && tile.y >= 0 && tile.x < columns_ && tile.y < rows_; }

 private:
  int columns_, rows_;
  double side_, middle_x_, middle_y_;
};

/// How far from a tile's middle its unit still counts as there.
inline constexpr double kLeash = 0.6;  // tiles

inline bool is_direction(Direction direction) {
  return direction >= Direction::kNorth && direction <= Direction::kWest;
}

/// One tile further. REQUIRES: is_direction.
Tile step(Tile tile, Direction direction, int tiles = 1);

/// Radians, counter-clockwise from east. REQUIRES: is_direction.
double yaw_of(Direction direction);
/// The nearest of the four.
Direction direction_of(double yaw);
/// The same for somebody who looks in direction `now`, and does until its heading is more than 50 degrees off.
Direction settle(Direction now, double yaw);

}  // namespace entente::panic
