// The map of Ace of Spades (512 x 512 columns of 64 voxels, z down) and its VXL form.
// Law: reading VXL and writing it again keeps the solid voxels and the visible colours. A map in the usual form
// (colours only next to air) keeps its bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "proxy/base/bytes.h"
#include "proxy/base/fault.h"

namespace entente::aos {

inline constexpr std::uint32_t kMapSize = 512;   ///< columns a side
inline constexpr std::uint32_t kMapHeight = 64;  ///< voxels a column; 0 is the sky, 63 the water

/// One voxel's colour, as in the file: blue in the lowest byte, then green, red, alpha.
using VoxelColour = std::uint32_t;

class VoxelMap {
 public:
  VoxelMap();  ///< all air except the uncoloured water at z = 63

  /// REQUIRES, for all that follow: x, y < kMapSize, z < kMapHeight.
  bool solid(std::uint32_t x, std::uint32_t y, std::uint32_t z) const { return (at(x, y).solid >> z & 1U) != 0; }
  std::optional<VoxelColour> colour(std::uint32_t x, std::uint32_t y, std::uint32_t z) const;
  void set(std::uint32_t x, std::uint32_t y, std::uint32_t z, std::optional<VoxelColour> colour);  ///< makes it solid
  void clear(std::uint32_t x, std::uint32_t y, std::uint32_t z);                                   ///< makes it air
  /// Sets a whole column: bit z of `solid` says whether that voxel is solid. No voxel is coloured.
  void fill(std::uint32_t x, std::uint32_t y, std::uint64_t solid) { at(x, y) = {solid, 0, {}}; }
  std::uint64_t column(std::uint32_t x, std::uint32_t y) const { return at(x, y).solid; }
  /// z of the highest solid voxel of a column; kMapHeight if there is none.
  std::uint32_t top(std::uint32_t x, std::uint32_t y) const;

  friend bool operator==(const VoxelMap&, const VoxelMap&) = default;

 private:
  friend class VxlReader;
  struct Column {
    std::uint64_t solid = 0;           // bit z
    std::uint64_t coloured = 0;        // bit z; only where solid
    std::vector<VoxelColour> colours;  // of the set bits of `coloured`, lowest z first
    friend bool operator==(const Column&, const Column&) = default;
  };
  Column& at(std::uint32_t x, std::uint32_t y) { return columns_[y * kMapSize + x]; }
  const Column& at(std::uint32_t x, std::uint32_t y) const { return columns_[y * kMapSize + x]; }
  friend void write_vxl(const VoxelMap& map, Buffer& out);

  std::vector<Column> columns_;
};

/// Reads uncompressed VXL in pieces of any size. Maps are sent as one zlib stream of it; see map_stream.h.
class VxlReader {
 public:
  /// Takes the next bytes; a Fault (offset from the start of the map) if they cannot be a map. After a fault, or once
  /// complete, nothing more may be fed.
  std::optional<Fault> feed(Bytes bytes);
  bool complete() const { return column_ == kMapSize * kMapSize; }
  /// REQUIRES: complete().
  VoxelMap take() { return std::move(map_); }

 private:
  std::optional<Fault> span();
  void finish_column();

  VoxelMap map_;
  Buffer kept_;             // an incomplete span
  std::size_t offset_ = 0;  // of kept_'s first byte
  std::uint32_t column_ = 0;
  // Of the column under way:
  std::uint64_t solid_ = ~0ULL;
  std::vector<std::pair<std::uint32_t, VoxelColour>> colours_;
  std::vector<VoxelColour> bottom_;  // colours whose place depends on where the next span's air starts
  std::uint32_t floor_ = 0;          // first z not yet described
};

/// Appends one column: the bits (by z) of its solid and coloured voxels, and the colours of the latter, lowest z first.
/// REQUIRES: only solid voxels are coloured.
void write_column(std::uint64_t solid, std::uint64_t coloured, std::span<const VoxelColour> colours, Buffer& out);

/// Appends the map as VXL.
void write_vxl(const VoxelMap& map, Buffer& out);

}  // namespace entente::aos
