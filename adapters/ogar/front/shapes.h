// Walls, water and other solids as cells: walls and boxes are viruses, water mother cells, leaves pellets. They are
// only drawn: a client walks through them, and the server decides.
// Law: laid out once per geometry, never more than kMost, looked up by place; no shape reaches beyond what it stands
// for. Clients draw small cells beneath large ones, so what a player may stand at or on is drawn smaller than a player.
#pragma once

#include <string>
#include <vector>

#include "adapters/ogar/front/looks.h"
#include "proxy/core/grid.h"

namespace entente::ogar {

class Shapes {
 public:
  static constexpr std::size_t kMost = 20'000;

  /// Lays the shapes out if the geometry is new. Returns whether it was.
  bool lay(const words::World& world);
  /// A wall was found or built on a tile.
  void build(const words::World& world, const words::Edit& edit);
  /// How many shapes of the last geometry were left out because there are too many.
  std::size_t left_out() const { return left_out_; }

  /// Identifies a shape of one layout. Never used twice.
  using Key = std::uint64_t;
  /// Changes whenever something is laid out or built.
  Key newest() const { return key(looks_.size()); }

  /// Calls `see(Key, const Look&)` for each shape whose middle is in that box, in metres.
  template <class F>
  void in_box(double west, double east, double south, double north, F&& see) const {
    grid_.in_box(west, east, south, north, [&](std::uint32_t id) { see(key(id), looks_[id - 1]); });
  }

 private:
  void lay_tiles(const words::World& world);
  void lay_solid(const words::Solid& solid);
  Key key(std::size_t id) const { return Key{layout_} << 32U | id; }
  void add(double east, double north, double radius, CellType type, Colour colour);

  std::string hash_;
  std::uint32_t layout_ = 0;
  std::vector<Look> looks_;
  core::Grid<std::uint32_t> grid_{50};
  std::size_t left_out_ = 0;
};

}  // namespace entente::ogar
