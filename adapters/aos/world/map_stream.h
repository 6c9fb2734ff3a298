// A map as it travels: one zlib stream of VXL, cut into Map Chunk packets.
// Law: a stream that would unpack to more than any map can be is refused while it is read; no memory is taken for it.
#pragma once

#include <memory>
#include <optional>

#include "adapters/aos/world/vxl.h"

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

/// Makes that stream of VXL which comes in pieces of any size (level 5, as the real servers).
class MapPacker {
 public:
  MapPacker();
  ~MapPacker();
  MapPacker(const MapPacker&) = delete;
  MapPacker& operator=(const MapPacker&) = delete;

  void feed(Bytes raw);
  /// Ends the stream; nothing may be fed after it.
  void finish();
  void restart();  ///< forgets all that was fed
  /// What there is of it so far.
  const Buffer& stream() const { return stream_; }
  std::size_t raw_size() const { return raw_size_; }
  std::uint32_t crc32() const { return crc32_; }  ///< of what was fed

 private:
  struct Deflater;
  void deflate_all(int flush);

  std::unique_ptr<Deflater> deflater_;
  Buffer stream_;
  std::size_t raw_size_ = 0;
  std::uint32_t crc32_ = 0;
};

/// Bytes of the stream that real servers put into one Map Chunk.
inline constexpr std::size_t kMapChunk = 8192;

}  // namespace entente::aos
