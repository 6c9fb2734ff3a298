// A map on the wire: one zlib stream of VXL, cut into Map Chunk packets.
// Invariant: a stream that would unpack to more than kLargestMap is refused while it is read, before memory is
// allocated for it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "adapters/aos/world/vxl.h"
#include "proxy/base/hash.h"

namespace entente::aos {

/// The largest VXL that is read, in bytes. The largest real map has 3.7 million. A map whose voxels are all coloured
/// has 67 million.
inline constexpr std::size_t kLargestMap = 16U << 20U;

/// A map as it was sent.
struct ReceivedMap {
  VoxelMap solid;    ///< without colours
  std::string vxl;   ///< its bytes, unpacked
  std::string hash;  ///< hash_of() these
};

class MapReceiver {
 public:
  MapReceiver();
  ~MapReceiver();
  MapReceiver(const MapReceiver&) = delete;
  MapReceiver& operator=(const MapReceiver&) = delete;

  /// Takes the data of the next Map Chunk.
  std::optional<Fault> feed(Bytes chunk);
  bool complete() const { return reader_.complete(); }
  ReceivedMap take();  ///< REQUIRES: complete().

 private:
  struct Inflater;
  std::unique_ptr<Inflater> inflater_;
  VxlReader reader_{false};
  std::string vxl_;
  std::uint64_t hash_ = fnv1a({});
};

/// Makes that stream from VXL, which is fed in pieces of any size (compression level 5, as in real servers).
class MapPacker {
 public:
  MapPacker();
  ~MapPacker();
  MapPacker(const MapPacker&) = delete;
  MapPacker& operator=(const MapPacker&) = delete;

  void feed(Bytes raw);
  /// Ends the stream; nothing may be fed after it.
  void finish();
  void restart();  ///< drops everything fed so far
  /// The stream so far.
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
