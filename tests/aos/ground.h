// Small maps: a floor in an ocean, and what a test puts on it.
#pragma once

#include "adapters/aos/world/body.h"
#include "adapters/aos/world/map_stream.h"

namespace entente::aos {

inline void fill(VoxelMap& map, std::uint32_t x1, std::uint32_t x2, std::uint32_t y1, std::uint32_t y2,
                 std::uint32_t z1, std::uint32_t z2) {
  for (std::uint32_t x = x1; x < x2; ++x)
    for (std::uint32_t y = y1; y < y2; ++y)
      for (std::uint32_t z = z1; z < z2; ++z) map.set(x, y, z, std::nullopt);
}

/// Ground at z = 60 for x, y from 100 to 200; beyond it, water.
inline VoxelMap meadow() {
  VoxelMap map;
  fill(map, 100, 200, 100, 200, 60, 63);
  return map;
}

/// The whole map, packed as it is transferred.
inline Buffer pack_map(const VoxelMap& map) {
  Buffer raw;
  write_vxl(map, raw);
  MapPacker packer;
  packer.feed(raw);
  packer.finish();
  return packer.stream();
}

/// A body that stands there, its feet on `ground`.
inline Body standing(const VoxelMap& map, float x, float y, float ground = 60) {
  Body body;
  body.position = {x, y, ground - 2.4F};
  for (int i = 0; i < 30; ++i) step(map, {}, body);
  return body;
}

inline void keep(const VoxelMap& map, Body& body, std::uint8_t keys, double seconds, Vec3 look = {1, 0, 0}) {
  for (int i = 0; i < static_cast<int>(seconds * static_cast<double>(kStepsPerSecond)); ++i)
    step(map, {keys, look, false}, body);
}

}  // namespace entente::aos
