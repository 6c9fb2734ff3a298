// A wall is anything more than two blocks above the local floor that cannot be climbed from there. The local floor is
// the terrain without anything narrower than kNarrow (an opening, in terms of image processing). Everything else is
// ground, however high, including hills. The upper edge of a cliff is a wall, so that tanks cannot drive over it.
#include "adapters/aos/world/world_from_map.h"

#include <algorithm>
#include <vector>

#include "adapters/aos/wire/conversions.h"
#include "proxy/core/world.h"

namespace entente::aos {
namespace {

constexpr int kNarrow = 24;     // blocks: anything wider is ground
constexpr int kLowestWall = 3;  // blocks above the floor
constexpr int kFinest = 2;      // blocks a side: the smallest cells that boxes are made of

/// A height for each cell of the map, in blocks over its deepest layer.
struct Heights {
  int side = 0;  ///< cells
  std::vector<int> at;

  int& operator()(int x, int y) { return at[place(x, y)]; }
  int operator()(int x, int y) const { return at[place(x, y)]; }

 private:
  std::size_t place(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(side) + static_cast<std::size_t>(x);
  }
};

/// The height of each cell: a quarter of its columns are higher. So half a wall is a wall, and a pole is not.
Heights heights_of(const VoxelMap& map, int cell) {
  Heights heights{static_cast<int>(kMapSize) / cell, {}};
  heights.at.resize(static_cast<std::size_t>(heights.side) * static_cast<std::size_t>(heights.side));
  std::vector<int> tops;
  for (int y = 0; y < heights.side; ++y)
    for (int x = 0; x < heights.side; ++x) {
      tops.clear();
      for (int i = 0; i < cell * cell; ++i)
        tops.push_back(static_cast<int>(
            map.top(static_cast<std::uint32_t>(x * cell + i % cell), static_cast<std::uint32_t>(y * cell + i / cell))));
      const auto quarter = tops.begin() + static_cast<std::ptrdiff_t>(tops.size() / 4);
      std::nth_element(tops.begin(), quarter, tops.end());
      heights(x, y) = static_cast<int>(kMapHeight) - *quarter;
    }
  return heights;
}

/// The minimum (or maximum) of each cell and its neighbours, up to `reach` cells away along one axis.
template <class Pick>
Heights along(const Heights& from, int reach, bool rows, Pick pick) {
  Heights to = from;
  for (int y = 0; y < from.side; ++y)
    for (int x = 0; x < from.side; ++x) {
      const int middle = rows ? x : y;
      int best = from(x, y);
      for (int i = std::max(0, middle - reach); i <= std::min(from.side - 1, middle + reach); ++i)
        best = pick(best, rows ? from(i, y) : from(x, i));
      to(x, y) = best;
    }
  return to;
}

Heights floor_of(const Heights& heights, int cell) {
  const int reach = std::max(1, kNarrow / 2 / cell);
  const auto least = [](int a, int b) { return std::min(a, b); };
  const auto most = [](int a, int b) { return std::max(a, b); };
  const Heights low = along(along(heights, reach, true, least), reach, false, least);
  return along(along(low, reach, true, most), reach, false, most);
}

struct Box {
  int x, y, width, depth;  // cells
  int floor, height;       // blocks
};

/// The ground of each cell: its own height, or, if the cell is a wall, the height of what the wall stands on.
Heights ground_of(const Heights& heights, int cell) {
  const int side = heights.side;
  Heights ground = floor_of(heights, cell);
  const auto neighbours = [&](int x, int y, auto&& see) {
    for (const auto& [dx, dy] : {std::pair{-1, 0}, {1, 0}, {0, -1}, {0, 1}})
      if (x + dx >= 0 && x + dx < side && y + dy >= 0 && y + dy < side) see(x + dx, y + dy);
  };
  // What can be climbed from ground is ground.
  std::vector<std::pair<int, int>> climbed;
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) {
      if (heights(x, y) - ground(x, y) >= kLowestWall) continue;
      ground(x, y) = heights(x, y);
      climbed.emplace_back(x, y);
    }
  while (!climbed.empty()) {
    const auto [x, y] = climbed.back();
    climbed.pop_back();
    neighbours(x, y, [&, from = heights(x, y)](int to_x, int to_y) {
      const int to = heights(to_x, to_y);
      if (ground(to_x, to_y) == to || to - from >= kLowestWall || from - to >= kLowestWall) return;
      ground(to_x, to_y) = to;
      climbed.emplace_back(to_x, to_y);
    });
  }
  // The upper edge of a cliff is a wall that stands on the ground below.
  const Heights level = ground;
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) {
      if (level(x, y) != heights(x, y)) continue;
      int lowest = level(x, y);
      neighbours(x, y, [&](int to_x, int to_y) { lowest = std::min(lowest, level(to_x, to_y)); });
      if (heights(x, y) - lowest >= kLowestWall) ground(x, y) = lowest;
    }
  return ground;
}

/// Boxes of neighbouring wall cells that have the same floor and height, both rounded to `grain` blocks. Each box is as
/// wide as possible, then as deep as possible. Stops at kMostBoxes + 1 boxes.
std::vector<Box> boxes_of(const Heights& heights, const Heights& floor, int grain) {
  const auto rounded = [&](int blocks) { return (blocks + grain / 2) / grain * grain; };
  // 0: no wall, or already in a box.
  Heights look = heights;
  for (std::size_t i = 0; i < look.at.size(); ++i) {
    const int rise = heights.at[i] - floor.at[i];
    look.at[i] = rise < kLowestWall ? 0 : 256 * rounded(floor.at[i]) + std::max(1, rounded(heights.at[i]));
  }
  std::vector<Box> boxes;
  for (int y = 0; y < look.side; ++y)
    for (int x = 0; x < look.side; ++x) {
      const int key = look(x, y);
      if (key == 0) continue;
      if (boxes.size() > kMostBoxes) return boxes;
      Box box{x, y, 1, 1, key / 256, key % 256};
      while (box.x + box.width < look.side && look(box.x + box.width, y) == key) ++box.width;
      const auto row_is_alike = [&](int row) {
        for (int i = 0; i < box.width; ++i)
          if (look(box.x + i, row) != key) return false;
        return true;
      };
      while (box.y + box.depth < look.side && row_is_alike(box.y + box.depth)) ++box.depth;
      for (int row = 0; row < box.depth; ++row)
        for (int i = 0; i < box.width; ++i) look(box.x + i, box.y + row) = 0;
      boxes.push_back(box);
    }
  return boxes;
}

struct MapParts {
  int cell = kFinest;  ///< blocks a side
  Heights ground;
  std::vector<Box> walls;
};

/// Uses the finest cells with which there are at most kMostBoxes boxes.
MapParts parts_of(const VoxelMap& map) {
  MapParts parts;
  for (;; parts.cell *= 2) {
    const Heights heights = heights_of(map, parts.cell);
    parts.ground = ground_of(heights, parts.cell);
    for (const int grain : {1, 4}) {
      parts.walls = boxes_of(heights, parts.ground, grain);
      if (parts.walls.size() <= kMostBoxes) return parts;
    }
  }
}

/// Heights count from z = 64. Ground level in words is kGround.
constexpr int kBelow = static_cast<int>(kMapHeight - static_cast<std::uint32_t>(kGround));

void add(const Box& box, int cell, words::World& world) {
  words::Solid& solid = *world.add_solids();
  const double metres = cell * kMetresPerBlock;
  solid.set_half_x(box.width * metres / 2);
  solid.set_half_y(box.depth * metres / 2);
  solid.set_x((box.x + box.width / 2.0) * metres - kMiddle * kMetresPerBlock);
  solid.set_y(kMiddle * kMetresPerBlock - (box.y + box.depth / 2.0) * metres);
  const double foot = std::max(0.0, (box.floor - kBelow) * kMetresPerBlock);
  solid.set_z(foot);
  solid.set_height(std::max(kMetresPerBlock, (box.height - kBelow) * kMetresPerBlock - foot));
}

}  // namespace

words::World world_from_map(ReceivedMap& map, std::string name) {
  words::World world = world_from_map(map.solid, std::move(name));
  world.set_hash("vxl-" + map.hash);  // no peer checks it
  world.set_voxels(std::move(map.vxl));
  return world;
}

words::World world_from_map(const VoxelMap& map, std::string name) {
  words::World world;
  world.set_kind(words::World::VOXELS);
  world.set_name(std::move(name));
  const double side = 2 * kMiddle * kMetresPerBlock;
  core::set_sides(world, side, side);
  world.set_walled(true);
  world.set_block(kMetresPerBlock);
  const MapParts parts = parts_of(map);
  for (const Box& box : parts.walls) add(box, parts.cell, world);
  for (const int height : parts.ground.at)
    world.mutable_ground()->push_back(static_cast<char>(std::max(0, height - kBelow)));
  return world;
}

}  // namespace entente::aos
