#include "adapters/aos/building.h"

#include <cstdlib>
#include <unordered_set>
#include <vector>

namespace entente::aos {
namespace {

constexpr std::int32_t kLowest = 62;           // from here on nothing is destroyed, and what touches it stands
constexpr std::size_t kMostFalling = 250'000;  // voxels; what is larger is taken to stand, as real servers take it

std::uint32_t whole(std::int32_t number) { return static_cast<std::uint32_t>(number); }

bool solid(const VoxelMap& map, const Block& at) {
  return in_map(at) && map.solid(whole(at[0]), whole(at[1]), whole(at[2]));
}

/// Those beside it; the one below is last, so that a search that takes the last first finds the ground soon.
constexpr Block kBeside[] = {{0, 0, -1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}};
Block beside(const Block& at, const Block& step) { return {at[0] + step[0], at[1] + step[1], at[2] + step[2]}; }

/// All that hangs together with `at`; nothing if it reaches the ground.
std::vector<Block> floating(const VoxelMap& map, const Block& at) {
  const auto key = [](const Block& b) { return whole(b[0]) << 16U | whole(b[1]) << 6U | whole(b[2]); };
  std::vector<Block> found, open = {at};
  std::unordered_set<std::uint32_t> seen = {key(at)};
  while (!open.empty()) {
    const Block block = open.back();
    open.pop_back();
    if (block[2] >= kLowest || found.size() >= kMostFalling) return {};
    found.push_back(block);
    for (const Block& step : kBeside) {
      const Block next = beside(block, step);
      if (solid(map, next) && seen.insert(key(next)).second) open.push_back(next);
    }
  }
  return found;
}

/// Digs one block, and what it held up falls.
void dig(VoxelMap& map, const Block& at) {
  if (!solid(map, at) || at[2] >= kLowest) return;
  map.clear(whole(at[0]), whole(at[1]), whole(at[2]));
  for (const Block& step : kBeside)
    if (const Block next = beside(at, step); solid(map, next))
      for (const Block& fallen : floating(map, next)) map.clear(whole(fallen[0]), whole(fallen[1]), whole(fallen[2]));
}

bool build(VoxelMap& map, const Block& at, std::uint32_t colour) {
  if (!in_map(at) || map.solid(whole(at[0]), whole(at[1]), whole(at[2]))) return false;
  map.set(whole(at[0]), whole(at[1]), whole(at[2]), colour | 0xff000000U);
  return true;
}

/// From block to block, one face at a time, always the way that keeps nearest to the straight line.
std::size_t line(VoxelMap& map, const Block& from, const Block& to, std::uint32_t colour) {
  Block at = from;
  Block gone{}, whole_way{};
  for (std::size_t i = 0; i < 3; ++i) whole_way[i] = std::abs(to[i] - from[i]);
  std::size_t built = build(map, at, colour) ? 1 : 0;
  while (at != to) {
    std::size_t next = 3;
    for (std::size_t i = 0; i < 3; ++i) {  // whose next face is crossed first: (gone + 1/2) / way
      if (gone[i] == whole_way[i]) continue;
      if (next == 3 || (2 * gone[i] + 1) * whole_way[next] < (2 * gone[next] + 1) * whole_way[i]) next = i;
    }
    ++gone[next];
    at[next] += to[next] > from[next] ? 1 : -1;
    built += build(map, at, colour) ? 1 : 0;
  }
  return built;
}

}  // namespace

std::size_t change(VoxelMap& map, words::Edit::Op op, const Block& at, const Block& to, std::uint32_t colour) {
  const auto [x, y, z] = at;
  switch (op) {
    case words::Edit::BUILD:
      return build(map, at, colour) ? 1 : 0;
    case words::Edit::LINE:
      return line(map, at, to, colour);
    case words::Edit::DIG:
      dig(map, at);
      return 0;
    case words::Edit::COLUMN:
      for (std::int32_t dz = -1; dz <= 1; ++dz) dig(map, {x, y, z + dz});
      return 0;
    default:
      for (std::int32_t i = 0; i < 27; ++i) dig(map, {x + i % 3 - 1, y + i / 3 % 3 - 1, z + i / 9 - 1});
      return 0;
  }
}

}  // namespace entente::aos
