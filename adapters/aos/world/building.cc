#include "adapters/aos/world/building.h"

#include <cstdlib>
#include <unordered_map>
#include <vector>

#include "proxy/base/keyed_hash.h"

namespace entente::aos {
namespace {

constexpr std::int32_t kLowest = 62;  // from here down nothing is destroyed, and what is connected to it stands

std::uint32_t whole(std::int32_t number) { return static_cast<std::uint32_t>(number); }

bool solid(const VoxelMap& map, const Block& at) {
  return in_map(at) && map.solid(whole(at[0]), whole(at[1]), whole(at[2]));
}

/// The neighbours of a block. The one below is last, so that a search that takes the last one first finds the ground
/// soon.
constexpr Block kBeside[] = {{0, 0, -1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}};
Block beside(const Block& at, const Block& step) { return {at[0] + step[0], at[1] + step[1], at[2] + step[2]}; }

/// Removes the blocks of one change, then those that fall because of it.
class Dig {
 public:
  Dig(VoxelMap& map, std::size_t& may_look) : map_(map), may_look_(may_look) {}

  void dig(const Block& at) {
    if (!solid(map_, at) || at[2] >= kLowest) return;
    map_.clear(whole(at[0]), whole(at[1]), whole(at[2]));
    dug_.push_back(at);
  }
  void drop_loose() {
    for (const Block& at : dug_)
      for (const Block& step : kBeside) fall(beside(at, step));
  }

 private:
  /// Removes everything connected to `at`, unless it is connected to the ground or to blocks that were found to stand.
  void fall(const Block& at) {
    if (!solid(map_, at) || !seen_.try_emplace(key(at), ++search_).second) return;
    std::vector<Block> found, open = {at};
    while (!open.empty()) {
      const Block block = open.back();
      open.pop_back();
      if (block[2] >= kLowest || may_look_ == 0) return;
      --may_look_;
      found.push_back(block);
      for (const Block& step : kBeside) {
        const Block next = beside(block, step);
        if (!solid(map_, next)) continue;
        const auto [known, fresh] = seen_.try_emplace(key(next), search_);
        if (fresh) open.push_back(next);
        if (known->second != search_) return;  // an earlier search found that it stands (what falls is removed at once)
      }
    }
    for (const Block& fallen : found) map_.clear(whole(fallen[0]), whole(fallen[1]), whole(fallen[2]));
  }
  static std::uint32_t key(const Block& b) { return whole(b[0]) << 16U | whole(b[1]) << 6U | whole(b[2]); }

  VoxelMap& map_;
  std::size_t& may_look_;
  std::vector<Block> dug_;
  std::unordered_map<std::uint32_t, int, KeyedHash<std::uint32_t>> seen_;  // the search that has seen a block
  int search_ = 0;
};

bool build(VoxelMap& map, const Block& at, std::uint32_t colour) {
  if (!in_map(at) || map.solid(whole(at[0]), whole(at[1]), whole(at[2]))) return false;
  map.set(whole(at[0]), whole(at[1]), whole(at[2]), colour | 0xff000000U);
  return true;
}

/// Builds a line, from block to block across one face at a time, always staying nearest to the straight line.
std::size_t line(VoxelMap& map, const Block& from, const Block& to, std::uint32_t colour) {
  Block at = from;
  Block gone{}, whole_way{};
  for (std::size_t i = 0; i < 3; ++i) whole_way[i] = std::abs(to[i] - from[i]);
  std::size_t built = build(map, at, colour) ? 1 : 0;
  while (at != to) {
    std::size_t next = 3;
    for (std::size_t i = 0; i < 3; ++i) {  // the axis on which the next face is crossed first: (gone + 1/2) / way
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

std::size_t change(VoxelMap& map, words::Edit::Op op, const Block& at, const Block& to, std::uint32_t colour,
                   std::size_t& may_look) {
  const auto [x, y, z] = at;
  Dig hole(map, may_look);
  switch (op) {
    case words::Edit::BUILD:
      return build(map, at, colour) ? 1 : 0;
    case words::Edit::LINE:
      return line(map, at, to, colour);
    case words::Edit::DIG:
      hole.dig(at);
      break;
    case words::Edit::COLUMN:
      for (std::int32_t dz = -1; dz <= 1; ++dz) hole.dig({x, y, z + dz});
      break;
    default:
      for (std::int32_t i = 0; i < 27; ++i) hole.dig({x + i % 3 - 1, y + i / 3 % 3 - 1, z + i / 9 - 1});
  }
  hole.drop_loose();
  return 0;
}

}  // namespace entente::aos
