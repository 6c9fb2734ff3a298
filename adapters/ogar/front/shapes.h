// Walls, water and other solids as small round posts of the type of pellets, which no client draws as something deadly.
// They are only drawn: a client walks through them, and the server decides.
// Invariant: laid out once per geometry for all fronts of a thread, never more than kMost, looked up by place; no shape
// reaches beyond what it stands for. Clients draw small cells beneath large ones, so what a player may stand at or on
// is drawn smaller than a player.
#pragma once

#include <memory>
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
  std::size_t left_out() const { return layout_->left_out; }

  /// Identifies a shape of one layout. Never used twice.
  using Key = std::uint64_t;
  /// Changes whenever something is laid out or built.
  Key newest() const { return key(layout_->looks.size()); }

  /// Calls `see(Key, const Look&)` for each shape whose middle is in that box, in metres.
  template <class F>
  void in_box(double west, double east, double south, double north, F&& see) const {
    layout_->grid.in_box(west, east, south, north, [&](std::uint32_t id) { see(key(id), layout_->looks[id - 1]); });
  }

 private:
  struct Layout {
    explicit Layout(const words::World& world);
    void lay_tiles(const words::World& world);
    void lay_tile(double east, double north, double width, double height, Colour colour);
    void lay_solid(const words::Solid& solid);
    void add(double east, double north, double radius, Colour colour);

    std::vector<Look> looks;
    core::Grid<std::uint32_t> grid{50};
    std::size_t left_out = 0;
  };
  static std::shared_ptr<Layout> layout_of(const words::World& world);
  Key key(std::size_t id) const { return Key{number_} << 32U | id; }

  std::string hash_;
  std::uint32_t number_ = 0;  // of the layout
  std::shared_ptr<Layout> layout_ = std::make_shared<Layout>(words::World());
  bool shared_ = false;  // other fronts may have the layout, too: it must not change
};

}  // namespace entente::ogar
