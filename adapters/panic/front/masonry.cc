#include "adapters/panic/front/masonry.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace entente::panic {
namespace {

constexpr int kHighEnough = 2;         // blocks
constexpr double kMostAcross = 4096;   // the largest side of a world in blocks
constexpr std::int64_t kTallest = 64;  // blocks above the ground

}  // namespace

void Masonry::lay(const words::World& world, const Tiles& tiles) {
  *this = Masonry();
  const double width = world.east() - world.west(), height = world.north() - world.south();
  if (!(world.block() > 0) || !(std::max(width, height) / world.block() <= kMostAcross)) return;
  tiles_ = tiles;
  side_ = world.block();
  west_ = world.west();
  north_ = world.north();
  across_ = std::llround(width / side_);
  down_ = std::llround(height / side_);
  columns_of_a_tile_ = static_cast<std::size_t>(std::pow(std::max(1.0, std::round(tiles.side() / side_)), 2));
  built_up_.resize(static_cast<std::size_t>(tiles.columns()) * static_cast<std::size_t>(tiles.rows()));
}

std::vector<Tile> Masonry::change(const words::Edit& edit) {
  std::vector<Tile> changed;
  const auto near = [&](double number) { return std::abs(number) <= kMostAcross * side_; };
  if (!has_blocks() || !near(edit.x()) || !near(edit.y()) || !near(edit.z())) return changed;
  const Block at = block_at(edit.x(), edit.y(), edit.z());
  const auto dig = [&](std::int64_t beside) {
    for (std::int64_t x = -beside; x <= beside; ++x)
      for (std::int64_t y = -beside; y <= beside; ++y)
        for (std::int64_t z = -1; z <= 1; ++z) set({at.east + x, at.south + y, at.up + z}, false, changed);
  };
  switch (edit.op()) {
    case words::Edit::BUILD:
      set(at, true, changed);
      break;
    case words::Edit::DIG:
      set(at, false, changed);
      break;
    case words::Edit::COLUMN:
      dig(0);
      break;
    case words::Edit::BLAST:
      dig(1);
      break;
    case words::Edit::LINE: {
      if (!near(edit.x2()) || !near(edit.y2()) || !near(edit.z2())) break;
      const double x = edit.x2() - edit.x(), y = edit.y2() - edit.y(), z = edit.z2() - edit.z();
      const double steps = std::ceil(2 * std::max({std::abs(x), std::abs(y), std::abs(z)}) / side_);  // of half a block
      for (double i = 0; i <= steps; ++i) {
        const double part = steps > 0 ? i / steps : 0;
        set(block_at(edit.x() + part * x, edit.y() + part * y, edit.z() + part * z), true, changed);
      }
      break;
    }
    default:
      break;
  }
  return changed;
}

Masonry::Block Masonry::block_at(double x, double y, double z) const {
  const auto whole = [&](double metres) { return static_cast<std::int64_t>(std::floor(metres / side_)); };
  return {whole(x - west_), whole(north_ - y), whole(z)};
}

void Masonry::set(const Block& block, bool built, std::vector<Tile>& changed) {
  if (block.east < 0 || block.east >= across_ || block.south < 0 || block.south >= down_) return;
  if (block.up < 0 || block.up >= kTallest) return;
  const std::int64_t key = block.south * across_ + block.east;
  auto at = columns_.find(key);
  if (at == columns_.end()) {
    if (!built) return;
    if (columns_.size() >= kMostColumns) return void(left_out_ = true);
    at = columns_.emplace(key, 0).first;
  }
  std::uint64_t& column = at->second;
  const std::uint64_t bit = std::uint64_t{1} << static_cast<std::uint64_t>(block.up);
  const bool was_high = std::popcount(column) >= kHighEnough;
  column = built ? column | bit : column & ~bit;
  const bool is_high = std::popcount(column) >= kHighEnough;
  if (column == 0) columns_.erase(at);
  if (was_high == is_high) return;
  const Tile tile = tiles_.at(west_ + (static_cast<double>(block.east) + 0.5) * side_,
                              north_ - (static_cast<double>(block.south) + 0.5) * side_);
  const bool stood = stands(tile);
  built_up_[place(tile)] += is_high ? 1 : -std::size_t{1};
  if (stands(tile) != stood) changed.push_back(tile);
}

}  // namespace entente::panic
