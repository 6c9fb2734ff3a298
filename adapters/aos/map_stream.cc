#include "adapters/aos/map_stream.h"

#include <zlib.h>

#include <array>

namespace entente::aos {

struct MapReceiver::Inflater {
  z_stream stream{};
  bool ready = false;
  bool ended = false;
};

MapReceiver::MapReceiver() : inflater_(std::make_unique<Inflater>()) {
  inflater_->ready = inflateInit(&inflater_->stream) == Z_OK;
}

MapReceiver::~MapReceiver() {
  if (inflater_->ready) inflateEnd(&inflater_->stream);
}

std::optional<Fault> MapReceiver::feed(Bytes chunk) {
  if (!inflater_->ready) return Fault{"no memory to unpack the map", "data"};
  z_stream& z = inflater_->stream;
  z.next_in = const_cast<Bytef*>(chunk.data());  // zlib reads only
  z.avail_in = static_cast<uInt>(chunk.size());
  std::array<std::uint8_t, 32768> piece;
  while (z.avail_in > 0) {
    const std::size_t at = chunk.size() - z.avail_in;
    if (inflater_->ended) return Fault{"bytes behind the map", "data", at};
    z.next_out = piece.data();
    z.avail_out = static_cast<uInt>(piece.size());
    const int result = inflate(&z, Z_NO_FLUSH);
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
      return Fault{"not a zlib stream", "data", at};
    inflater_->ended = result == Z_STREAM_END;
    const std::size_t size = piece.size() - z.avail_out;
    unpacked_ += size;
    if (unpacked_ > kLargestMap) return Fault{"map larger than a map can be", "data", at};
    if (auto fault = reader_.feed(Bytes(piece).first(size))) return fault;
    if (size == 0 && result == Z_BUF_ERROR) break;
  }
  return std::nullopt;
}

Buffer pack_map(const VoxelMap& map) {
  Buffer raw;
  write_vxl(map, raw);
  uLongf size = compressBound(static_cast<uLong>(raw.size()));
  Buffer packed(size);
  constexpr int kLevel = 5;
  const int result = compress2(packed.data(), &size, raw.data(), static_cast<uLong>(raw.size()), kLevel);
  assert(result == Z_OK);
  (void)result;
  packed.resize(size);
  return packed;
}

}  // namespace entente::aos
