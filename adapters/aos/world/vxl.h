// The map of Ace of Spades (512 x 512 columns of 64 voxels, z down) and its VXL form.
// Invariant: reading VXL and writing it again keeps the solid voxels and the visible colours. A map in the usual form
// (colours only next to air) keeps its bytes. A map to which nothing was done takes no memory, because each link to a
// server has one, and peers can open many links.
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

/// Takes 2 MiB once it was changed, and 8 MiB more with the first colour, besides the colours.
class VoxelMap {
 public:
  /// At first all air, except the uncoloured water at z = 63.
  /// REQUIRES, for all that follow: x, y < kMapSize, z < kMapHeight.
  bool solid(std::uint32_t x, std::uint32_t y, std::uint32_t z) const { return (column(x, y) >> z & 1U) != 0; }
  std::optional<VoxelColour> colour(std::uint32_t x, std::uint32_t y, std::uint32_t z) const;
  void set(std::uint32_t x, std::uint32_t y, std::uint32_t z, std::optional<VoxelColour> colour);  ///< makes it solid
  void clear(std::uint32_t x, std::uint32_t y, std::uint32_t z);                                   ///< makes it air
  /// Sets a whole column: bit z of `solid` says whether that voxel is solid. No voxel is coloured.
  void fill(std::uint32_t x, std::uint32_t y, std::uint64_t solid);
  std::uint64_t column(std::uint32_t x, std::uint32_t y) const { return solid_.empty() ? kWater : solid_[at(x, y)]; }
  /// z of the highest solid voxel of a column; kMapHeight if there is none.
  std::uint32_t top(std::uint32_t x, std::uint32_t y) const;
  /// For who needs only what is solid: forgets all colours, also those of later set().
  void forget_colours();

  friend bool operator==(const VoxelMap& a, const VoxelMap& b);

 private:
  friend class VxlReader;
  static constexpr std::uint64_t kWater = 1ULL << (kMapHeight - 1);
  struct Coloured {
    std::uint64_t where = 0;           // bit z; only where solid
    std::vector<VoxelColour> colours;  // of the set bits of `where`, lowest z first
    friend bool operator==(const Coloured&, const Coloured&) = default;
  };
  static std::size_t at(std::uint32_t x, std::uint32_t y) { return std::size_t{y} * kMapSize + x; }
  const Coloured& coloured(std::size_t column) const;
  // Both allocate the memory of all columns.
  std::uint64_t& change(std::size_t column);
  Coloured& change_colours(std::size_t column);
  friend void write_vxl(const VoxelMap& map, Buffer& out);

  std::vector<std::uint64_t> solid_;  // bit z of each column; empty: nothing has changed
  std::vector<Coloured> coloured_;    // empty: no voxel is coloured
  bool keeps_colours_ = true;
};

/// Reads uncompressed VXL in pieces of any size. Maps are sent as one zlib stream of it; see map_stream.h.
class VxlReader {
 public:
  /// Without `colours`, the map has only what is solid, and reading is much faster.
  explicit VxlReader(bool colours = true) {
    if (!colours) map_.forget_colours();
  }
  /// Takes the next bytes; a Fault (offset from the start of the map) if they cannot be a map. After a fault, or once
  /// complete, nothing more may be fed.
  std::optional<Fault> feed(Bytes bytes);
  bool complete() const { return column_ == kMapSize * kMapSize; }
  /// REQUIRES: complete().
  VoxelMap take() { return std::move(map_); }

 private:
  std::optional<Fault> span(Bytes span);
  void finish_column();

  VoxelMap map_;
  Buffer kept_;             // an incomplete span
  std::size_t offset_ = 0;  // of the next span
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
