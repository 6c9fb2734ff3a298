// Converts between Ogar's plane and ours: units and metres, y (Ogar's grows southwards), a cell's type and colour and a
// unit's kind and team.
// Invariant: this is the only such place. What the wire can hold survives the conversion in both directions.
#pragma once

#include <cstdint>

#include "adapters/ogar/wire/messages.h"
#include "proxy/core/word.h"

namespace entente::ogar {

/// The scale, on every map: the default one, 14142 units wide, is 800 m wide. So a new cell (480 units a second) does
/// 27 m/s and one of size 100 16 m/s, about as fast as tanks and men.
inline constexpr double kMapUnits = 14142, kMapMetres = 800;

/// The server's tick: 25 a second.
inline constexpr core::Micros kTick = 40 * core::kMillisecond;

/// The size of a client's window at scale 1, in units.
inline constexpr double kWindowWidth = 1920, kWindowHeight = 1080;

class Plane {
 public:
  /// The plane of our own clients.
  Plane() = default;
  /// A server's plane, in which the room's origin is at `x`, `y`, in Ogar's units.
  Plane(double x, double y) : x_(x), y_(y) {}

  static double metres(double units) { return units * kUnit; }
  static double units(double metres) { return metres / kUnit; }
  double east(double x) const { return (x - x_) * kUnit; }
  double north(double y) const { return (y_ - y) * kUnit; }
  double x(double east) const { return east / kUnit + x_; }
  double y(double north) const { return y_ - north / kUnit; }

 private:
  static constexpr double kUnit = kMapMetres / kMapUnits;  // metres
  double x_ = 0, y_ = 0;
};

/// Whether these can be the bounds of a map: finite, and its sides from 1 to 10 million units.
bool is_map(const Border& border);

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
