// What stands still, as cells: walls and boxes as viruses, water as mother cells, leaves as pellets. It is drawing
// only: a client walks through it, and the server has the last word. Law: laid out once a geometry, never more than
// kMost, looked up by place, and nothing reaches beyond what it stands for. Clients draw small cells beneath large
// ones: what a player may stand at, or on, is drawn smaller than a player.
#pragma once

#include <string>
#include <vector>

#include "adapters/ogar/front/looks.h"
#include "proxy/core/grid.h"

namespace entente::ogar {

class Shapes {
 public:
  static constexpr std::size_t kMost = 20'000;

  /// Lays them out anew if it is another geometry. True if it was.
  bool lay(const words::World& world);
  /// A wall that was found, or built, on a tile of it.
  void build(const words::World& world, const words::Edit& edit);
  /// Of the last geometry: what was too much.
  std::size_t left_out() const { return left_out_; }

  /// Of one shape of one layout; never two alike.
  using Key = std::uint64_t;
  /// Another one whenever something was laid out or built.
  Key newest() const { return key(looks_.size()); }

  /// Calls `see(Key, const Look&)` for each that has its middle in that box, in metres.
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
