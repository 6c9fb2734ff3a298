#include "adapters/aos/world/voxel_builder.h"

#include <algorithm>
#include <cmath>

#include "adapters/aos/wire/conversions.h"

namespace entente::aos {
namespace {

constexpr std::uint64_t kFloorBits = 3ULL << 62U;  // z = 62 and the water's 63
constexpr int kFloorTop = 62;                      // things on the floor start at z = 61, which is level 0

constexpr std::size_t kColumnsAStep = 100'000;  // examined in one piece of work
// Examined in all: a solid of a few bytes may cover the whole map.
constexpr std::size_t kColumnsAtOnce = 2'000'000, kColumnsPerByte = 1'000, kMostColumns = 16'000'000;

// Heights, in blocks, for tiles and bounds, which have none of their own. A hedge that lets units pass is one block
// high, so that players can climb over it.
constexpr double kWallHigh = 6, kHedgeHigh = 1, kBorderHigh = 6, kBorderThick = 2;

/// Indexed by Stuff.
constexpr VoxelColour kColours[] = {0x4f7a3a, 0x8a8378, 0x7a6a9a, 0x2f6a2a, 0x2f5f9f, 0x5a5a62, 0xb0a040, 0x808080};
constexpr VoxelColour kOpaque = 0xff000000;

VoxelColour colour_of_team(words::Team team) {
  switch (team) {
    case words::RED:
      return 0xb03030;
    case words::GREEN:
      return 0x30b030;
    case words::BLUE:
      return 0x3040c0;
    case words::PURPLE:
      return 0xa030a0;
    case words::YELLOW:
      return 0xc0b030;
    default:
      return 0x808080;
  }
}

/// A little darker, so that floors show their tiles and walls their layers.
VoxelColour shaded(VoxelColour colour) { return colour - (colour >> 3U & 0x1f1f1fU); }

/// The bits (by z) of the levels from `low` up to, but not including, `high`. Levels count upwards from the floor.
std::uint64_t levels(int low, int high) {
  low = std::clamp(low, 0, kFloorTop);
  high = std::clamp(high, 0, kFloorTop);
  if (low >= high) return 0;
  return (~0ULL >> (64 - (high - low))) << static_cast<unsigned>(kFloorTop - high);
}

int blocks(double metres) {
  constexpr int kMany = 1000;
  const double high = metres / kMetresPerBlock;
  if (high >= kMany) return kMany;
  return high > -kMany ? static_cast<int>(std::lround(high)) : -kMany;  // also for NaN
}

/// The first and last cell of a span along one axis of the map. If there is none, the first is greater than the last.
std::pair<int, int> cells(double middle, double reach) {
  constexpr double kLast = kMapSize - 1;
  if (!(std::abs(middle) < 1e6 && reach < 1e6)) return {1, 0};
  const double first = std::max(std::floor(middle - reach), 0.0), last = std::min(std::ceil(middle + reach), kLast);
  if (first > last) return {1, 0};
  return {static_cast<int>(first), static_cast<int>(last)};
}

}  // namespace

VoxelBuilder::VoxelBuilder(words::World world)
    : world_(std::move(world)), stuff_(std::size_t{kMapSize} * kMapSize), team_(std::size_t{kMapSize} * kMapSize) {
  world_.clear_voxels();
  most_ = std::min(kMostColumns, kColumnsAtOnce + kColumnsPerByte * world_.ByteSizeLong());
  for (std::uint32_t y = 0; y < kMapSize; ++y)
    for (std::uint32_t x = 0; x < kMapSize; ++x) map_.fill(x, y, kFloorBits);
}

std::size_t VoxelBuilder::tiles() const {
  const std::size_t named = std::size_t{world_.columns()} * world_.rows();
  return std::min(named, world_.tiles().size());
}

bool VoxelBuilder::work() {
  const auto count = [](int size) { return static_cast<std::size_t>(size); };
  const std::size_t all =
      tiles() + count(world_.solids_size()) + count(world_.teleporters_size()) + count(world_.bases_size()) + 1;
  for (std::size_t done = 0; done < kColumnsAStep && next_ < all; ++next_) {
    if (worked_ >= most_) {
      left_out_ += all - next_;
      next_ = all;
      break;
    }
    const std::size_t looked = lay_part(next_) + 1;
    done += looked;
    worked_ += looked;
  }
  return next_ >= all;
}

std::size_t VoxelBuilder::lay_part(std::size_t number) {
  if (number < tiles()) return lay_tile(number);
  auto left = static_cast<int>(number - tiles());
  if (left < world_.solids_size()) {
    const words::Solid& solid = world_.solids(left);
    if (solid.units_pass()) return ++left_out_, 0;  // a block would stop them
    return lay(slab_of(solid, solid.shape() == words::Solid::PYRAMID ? Stuff::kPyramid : Stuff::kWall));
  }
  left -= world_.solids_size();
  if (left < world_.teleporters_size()) return lay_frame(world_.teleporters(left));
  left -= world_.teleporters_size();
  if (left >= world_.bases_size()) return lay_border();
  Slab base = slab_of(world_.bases(left).solid(), Stuff::kBase);
  base.team = world_.bases(left).team();
  return lay(base);
}

VoxelBuilder::Slab VoxelBuilder::slab_of(const words::Solid& solid, Stuff stuff) {
  Slab slab;
  slab.stuff = stuff;
  slab.x = solid.x();
  slab.y = solid.y();
  slab.half_x = solid.half_x();
  slab.half_y = solid.half_y();
  slab.yaw = solid.yaw();
  slab.bottom = solid.z();
  slab.top = solid.z() + solid.height();
  slab.pyramid = solid.shape() == words::Solid::PYRAMID;
  slab.upside_down = solid.upside_down();
  return slab;
}

std::size_t VoxelBuilder::lay_tile(std::size_t number) {
  const auto tile = static_cast<unsigned char>(world_.tiles()[number]);
  if (tile == (words::SHOTS_PASS | words::UNITS_PASS)) return 0;
  const double wide = (world_.east() - world_.west()) / world_.columns();
  const double high = (world_.north() - world_.south()) / world_.rows();
  const std::size_t column = number % world_.columns(), row = number / world_.columns();
  Slab slab;
  slab.x = world_.west() + (static_cast<double>(column) + 0.5) * wide;
  slab.y = world_.north() - (static_cast<double>(row) + 0.5) * high;
  slab.half_x = wide / 2;
  slab.half_y = high / 2;
  const bool units = (tile & words::UNITS_PASS) != 0, shots = (tile & words::SHOTS_PASS) != 0;
  slab.stuff = units ? Stuff::kHedge : shots ? Stuff::kPool : Stuff::kWall;
  slab.top = (units ? kHedgeHigh : kWallHigh) * kMetresPerBlock;
  return lay(slab);
}

/// Lays a teleporter as two posts and a beam.
std::size_t VoxelBuilder::lay_frame(const words::Teleporter& teleporter) {
  const words::Solid& frame = teleporter.frame();
  const double border = std::max(teleporter.border(), kMetresPerBlock);
  Slab part = slab_of(frame, Stuff::kFrame);
  part.bottom = part.top - border;
  std::size_t looked = lay(part);
  part = slab_of(frame, Stuff::kFrame);
  part.half_y = border / 2;
  const double off = std::max(frame.half_y() - border / 2, 0.0);
  for (const double side : {-off, off}) {
    part.x = frame.x() - side * std::sin(frame.yaw());
    part.y = frame.y() + side * std::cos(frame.yaw());
    looked += lay(part);
  }
  return looked;
}

/// Lays a wall outside the world's bounds, where the bounds stop units and are inside the map.
std::size_t VoxelBuilder::lay_border() {
  if (!world_.walled() || !(world_.east() > world_.west() && world_.north() > world_.south())) return 0;
  const double half = kBorderThick * kMetresPerBlock / 2;
  const double middle_x = (world_.west() + world_.east()) / 2, middle_y = (world_.south() + world_.north()) / 2;
  const double half_x = (world_.east() - world_.west()) / 2, half_y = (world_.north() - world_.south()) / 2;
  Slab slab;
  slab.stuff = Stuff::kBorder;
  slab.top = kBorderHigh * kMetresPerBlock;
  std::size_t looked = 0;
  for (const double side : {-1.0, 1.0}) {
    slab.x = middle_x + side * (half_x + half);
    slab.y = middle_y;
    slab.half_x = half;
    slab.half_y = half_y + 2 * half;
    looked += lay(slab);
    slab.x = middle_x;
    slab.y = middle_y + side * (half_y + half);
    slab.half_x = half_x + 2 * half;
    slab.half_y = half;
    looked += lay(slab);
  }
  return looked;
}

/// Fills all columns whose middle is inside the slab, which counts as at least one block thick.
std::size_t VoxelBuilder::lay(const Slab& slab) {
  const double middle_x = kMiddle + slab.x / kMetresPerBlock, middle_y = kMiddle - slab.y / kMetresPerBlock;
  const double half_x = std::max(std::abs(slab.half_x) / kMetresPerBlock, 0.5);
  const double half_y = std::max(std::abs(slab.half_y) / kMetresPerBlock, 0.5);
  const double c = std::cos(slab.yaw), s = std::sin(slab.yaw);
  const auto [west, east] = cells(middle_x, std::abs(half_x * c) + std::abs(half_y * s));
  const auto [north, south] = cells(middle_y, std::abs(half_x * s) + std::abs(half_y * c));
  if (west > east || north > south) return 0;
  for (int y = north; y <= south; ++y)
    for (int x = west; x <= east; ++x) {
      const double dx = x + 0.5 - middle_x, dy = middle_y - y - 0.5;  // y points north, as in words
      const double edge = std::max(std::abs(dx * c + dy * s) / half_x, std::abs(dy * c - dx * s) / half_y);
      if (edge <= 1) fill(slab, static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), edge);
    }
  return static_cast<std::size_t>(east - west + 1) * static_cast<std::size_t>(south - north + 1);
}

/// `edge`: 0 in the middle of the slab, 1 at its sides.
void VoxelBuilder::fill(const Slab& slab, std::uint32_t x, std::uint32_t y, double edge) {
  int low = blocks(slab.bottom), high = blocks(slab.top);
  if (high <= low && slab.top > slab.bottom) high = low + 1;
  if (slab.pyramid) {
    const double rise = high - low;
    if (slab.upside_down)
      low += static_cast<int>(std::ceil(edge * rise - 0.5));
    else
      high = low + static_cast<int>(std::floor((1 - edge) * rise + 0.5));
  }
  const std::size_t column = std::size_t{y} * kMapSize + x;
  std::uint64_t solid = map_.column(x, y) | levels(low, high);
  if (slab.stuff == Stuff::kPool) solid = 1ULL << (kMapHeight - 1);
  map_.fill(x, y, solid);
  stuff_[column] = slab.stuff;
  team_[column] = static_cast<std::uint8_t>(slab.team);
}

VoxelColour VoxelBuilder::colour(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
  const std::size_t column = std::size_t{y} * kMapSize + x;
  Stuff stuff = stuff_[column];
  const bool floor = z >= static_cast<std::uint32_t>(kFloorTop);
  if (floor && stuff != Stuff::kBase && stuff != Stuff::kPool) stuff = Stuff::kFloor;
  VoxelColour colour = kColours[static_cast<std::size_t>(stuff)];
  if (stuff == Stuff::kBase) colour = colour_of_team(static_cast<words::Team>(team_[column]));
  const bool dark = floor ? ((x >> 4U ^ y >> 4U) & 1U) != 0 : (z & 1U) != 0;
  return kOpaque | (dark ? shaded(colour) : colour);
}

}  // namespace entente::aos
