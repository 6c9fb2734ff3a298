// Converts between Ogar's plane and ours: units and metres, y (Ogar's grows southwards), a cell's type and colour and a
// unit's kind and team.
// Law: this is the only such place. What the wire can hold survives the conversion in both directions.
#pragma once

#include <cstdint>

#include "adapters/ogar/messages.h"
#include "proxy/core/word.h"

namespace entente::ogar {

/// Ogar's default map is 14142 units wide, which are our 800 metres.
inline constexpr double kMapUnits = 14142, kMapMetres = 800;

/// The server's tick: 25 a second.
inline constexpr core::Micros kTick = 40 * core::kMillisecond;

/// The size of a client's window at scale 1, in units.
inline constexpr double kWindowWidth = 1920, kWindowHeight = 1080;

class Plane {
 public:
  /// The default map, which our own clients are shown.
  Plane() = default;
  /// A server's map: its larger side is 800 m, its middle is the origin. REQUIRES: is_map(border).
  explicit Plane(const Border& border);

  double metres(double units) const { return units * metres_; }
  double units(double metres) const { return metres / metres_; }
  double east(double x) const { return (x - x_) * metres_; }
  double north(double y) const { return (y_ - y) * metres_; }
  double x(double east) const { return east / metres_ + x_; }
  double y(double north) const { return y_ - north / metres_; }

 private:
  double metres_ = kMapMetres / kMapUnits;
  double x_ = 0, y_ = 0;
};

/// Whether this is a map: not the four NaN of a world that was left, nor other invalid values.
bool is_map(const Border& border);

/// A world with the map's bounds.
words::World world_of(const Border& border);
Border border_of(const words::World& world);
Border default_border();

words::Unit::Kind kind_of(CellType type);
CellType type_of(words::Unit::Kind kind);

std::uint32_t rgb_of(Colour colour);  ///< never 0, which means no colour: black becomes 0x000001
Colour colour_of(std::uint32_t rgb);
Colour colour_of(words::Team team);
/// The team of a cell's colour in a team game, where cells have shades of their team's colour.
words::Team team_of(Colour colour);

/// The speed of a cell of that size, in units a tick (PlayerCell.js:20).
double speed_of(double size);
/// The scale of a view of cells with these sizes together (Player.js:93).
double scale_of(double sizes);

/// The nearest value that fits.
std::uint16_t to_u16(double value);
std::int32_t to_i32(double value);

}  // namespace entente::ogar
