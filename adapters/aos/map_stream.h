// A map as it travels: one zlib stream of VXL, cut into Map Chunk packets.
// Law: a stream that would unpack to more than any map can be is refused while it is read; no memory is taken for it.
#pragma once

#include <memory>
#include <optional>

#include "adapters/aos/vxl.h"

namespace entente::aos {

/// The largest VXL there can be: every voxel of every column coloured, every other one air.
inline constexpr std::size_t kLargestMap = std::size_t{kMapSize} * kMapSize * (kMapHeight * 4 + kMapHeight / 2 * 4);

class MapReceiver {
 public:
  MapReceiver();
  ~MapReceiver();
  MapReceiver(const MapReceiver&) = delete;
  MapReceiver& operator=(const MapReceiver&) = delete;

  /// The data of the next Map Chunk.
  std::optional<Fault> feed(Bytes chunk);
  bool complete() const { return reader_.complete(); }
  VoxelMap take() { return reader_.take(); }  ///< REQUIRES: complete().

 private:
  struct Inflater;
  std::unique_ptr<Inflater> inflater_;
  VxlReader reader_;
  std::size_t unpacked_ = 0;
};

/// The map as the zlib stream that Map Chunks carry (level 5, as the real servers).
Buffer pack_map(const VoxelMap& map);

/// Bytes of the stream that real servers put into one Map Chunk.
inline constexpr std::size_t kMapChunk = 8192;

}  // namespace entente::aos
