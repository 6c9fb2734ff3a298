// Ogar's plane and ours: the one place where a unit of Ogar becomes metres and where y turns (Ogar's grows southwards),
// where a cell's type and colour become a kind and a side, and back.
// Law: what a wire can hold survives the way there and back.
#pragma once

#include <cstdint>

#include "adapters/ogar/messages.h"
#include "proxy/core/word.h"

namespace entente::ogar {

/// Ogar's default map is 14142 units wide, which are our 800 metres.
inline constexpr double kMapUnits = 14142, kMapMetres = 800;

/// The server's tick. All that it does is done 25 times a second.
inline constexpr core::Micros kTick = 40 * core::kMillisecond;

/// What a client's window shows at scale 1.
inline constexpr double kWindowWidth = 1920, kWindowHeight = 1080;

class Plane {
 public:
  /// The default map: what our own clients are shown.
  Plane() = default;
  /// A server's map: its larger side is 800 m, its middle the origin. REQUIRES: is_map(border).
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

/// Not the four NaN of a world that was left, nor any other nonsense.
bool is_map(const Border& border);

/// The map's bounds.
words::World world_of(const Border& border);
Border border_of(const words::World& world);
Border default_border();

words::Unit::Kind kind_of(CellType type);
CellType type_of(words::Unit::Kind kind);

std::uint32_t rgb_of(Colour colour);  ///< never 0, which is no colour of its own: black becomes 0x000001
Colour colour_of(std::uint32_t rgb);
Colour colour_of(words::Team team);
/// In a game of teams, where a cell's shade is its team's.
words::Team team_of(Colour colour);

/// Units a tick, of a cell of that size (PlayerCell.js:20).
double speed_of(double size);
/// How far a view is zoomed out that shows cells of these sizes together (Player.js:93).
double scale_of(double sizes);

/// The nearest that fits.
std::uint16_t to_u16(double value);
std::int32_t to_i32(double value);

}  // namespace entente::ogar
