#include "adapters/ogar/back/world_finder.h"

#include <algorithm>
#include <cmath>

namespace entente::ogar {
namespace {

// MultiOgarII's false border is wider by up to 20 million units. After a change of coordinates, a map that has grown by
// more than this is taken for one.
constexpr double kMostGrown = 3;

double middle(float low, float high) { return (static_cast<double>(low) + static_cast<double>(high)) / 2; }
double side(float low, float high) { return static_cast<double>(high) - static_cast<double>(low); }

}  // namespace

void WorldFinder::told(const Border& border, bool named) {
  const double x = middle(border.left, border.right), y = middle(border.top, border.bottom);
  if (!std::isfinite(x) || !std::isfinite(y)) {
    hidden_ = hidden_ || found_;  // otherwise the world was left
    return;
  }
  const double width = side(border.left, border.right), height = side(border.top, border.bottom);
  const bool grown = std::max(width, height) > kMostGrown * std::max(width_, height_);
  if (is_map(border) && (named || placed_ || !known_ || !grown)) {
    width_ = width;
    height_ = height;
    known_ = true;
  }
  plane_ = Plane(x, y);
  placed_ = found_ = true;
  hidden_ = hidden_ || !known_;
}

void WorldFinder::seen(double x, double y) {
  if (!std::isfinite(x) || !std::isfinite(y)) return;
  found_ = true;
  if (placed_) return;
  plane_ = Plane(x, y);
  placed_ = hidden_ = true;
}

words::World WorldFinder::world() const {
  const double half = hidden_ ? 1 : 0.5;
  words::World world;
  world.set_kind(words::World::OPEN);
  world.set_east(Plane::metres(half * width_));
  world.set_west(-world.east());
  world.set_north(Plane::metres(half * height_));
  world.set_south(-world.north());
  world.set_walled(!hidden_);
  world.set_hash("ogar " + std::to_string(world.east()) + " by " + std::to_string(world.north()) +
                 (hidden_ ? " open" : ""));
  return world;
}

}  // namespace entente::ogar
