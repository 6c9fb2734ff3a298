// Converts tiles of Panic to metres, and headings to Panic's four directions, and back.
// Invariant: this is the only such place. Every tile and direction survives the conversion in both directions.
#pragma once

#include "adapters/panic/wire/messages.h"

namespace entente::panic {

/// Column from the west and row from the north, from 0.
struct Tile {
  int x = 0, y = 0;
  bool operator==(const Tile&) const = default;
};

inline constexpr double kWorldSide = 800;  ///< metres of a map's larger side

class Tiles {
 public:
  /// A map of Panic: its larger side is kWorldSide, its middle is the origin.
  Tiles(int columns, int rows);
  /// A grid over a world of another game. `side`: of a tile, in metres.
  Tiles(int columns, int rows, double side, double middle_x, double middle_y);

  int columns() const { return columns_; }
  int rows() const { return rows_; }
  double side() const { return side_; }
  double width() const { return columns_ * side_; }
  double height() const { return rows_ * side_; }

  /// The middle of a tile, which may be beyond the edge.
  double x(Tile tile) const { return middle_x_ + (tile.x + 0.5 - columns_ / 2.0) * side_; }
  double y(Tile tile) const { return middle_y_ + (rows_ / 2.0 - tile.y - 0.5) * side_; }

  /// The tile that contains a place; beyond the edge, the nearest one of the map.
  Tile at(double x, double y) const;
  /// As at(), with hysteresis: it stays `now` until the place is more than 0.6 tiles from the middle of that tile.
  Tile nearest(Tile now, double x, double y) const;
  bool operator==(const Tiles&) const = default;
  bool holds(Tile tile) const { return tile.x >= 0 && tile.y >= 0 && tile.x < columns_ && tile.y < rows_; }

 private:
  int columns_, rows_;
  double side_, middle_x_, middle_y_;
};

/// How far from a tile's middle a unit still counts as being there.
inline constexpr double kOnTile = 0.6;  // tiles

inline bool is_direction(Direction direction) {
  return direction >= Direction::kNorth && direction <= Direction::kWest;
}

/// The tile `tiles` further. REQUIRES: is_direction.
Tile step(Tile tile, Direction direction, int tiles = 1);

/// Radians, counter-clockwise from east. REQUIRES: is_direction.
double yaw_of(Direction direction);
/// The nearest of the four directions.
Direction direction_of(double yaw);
/// As direction_of(), with hysteresis: it stays `now` until the heading is more than 50 degrees off.
Direction nearest(Direction now, double yaw);

}  // namespace entente::panic
