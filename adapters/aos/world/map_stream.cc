#include "adapters/aos/world/map_stream.h"

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
    if (inflater_->ended) return Fault{"bytes after the map", "data", at};
    z.next_out = piece.data();
    z.avail_out = static_cast<uInt>(piece.size());
    const int result = inflate(&z, Z_NO_FLUSH);
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
      return Fault{"not a zlib stream", "data", at};
    inflater_->ended = result == Z_STREAM_END;
    const std::size_t size = piece.size() - z.avail_out;
    if (vxl_.size() + size > kLargestMap) return Fault{"map too large", "data", at};
    const Bytes unpacked = Bytes(piece).first(size);
    if (auto fault = reader_.feed(unpacked)) return fault;
    hash_ = fnv1a(unpacked, hash_);
    vxl_ += as_text(unpacked);
    if (size == 0 && result == Z_BUF_ERROR) break;
  }
  return std::nullopt;
}

ReceivedMap MapReceiver::take() { return {reader_.take(), std::move(vxl_), hex_of(hash_)}; }

struct MapPacker::Deflater {
  z_stream stream{};
};

MapPacker::MapPacker() : deflater_(std::make_unique<Deflater>()) {
  constexpr int kLevel = 5;
  const int result = deflateInit(&deflater_->stream, kLevel);
  assert(result == Z_OK);
  (void)result;
}

MapPacker::~MapPacker() { deflateEnd(&deflater_->stream); }

void MapPacker::feed(Bytes raw) {
  z_stream& z = deflater_->stream;
  z.next_in = const_cast<Bytef*>(raw.data());  // zlib reads only
  z.avail_in = static_cast<uInt>(raw.size());
  crc32_ = static_cast<std::uint32_t>(::crc32(crc32_, raw.data(), z.avail_in));
  raw_size_ += raw.size();
  deflate_all(Z_NO_FLUSH);
}

void MapPacker::finish() { deflate_all(Z_FINISH); }

void MapPacker::restart() {
  deflateReset(&deflater_->stream);
  stream_.clear();
  raw_size_ = crc32_ = 0;
}

void MapPacker::deflate_all(int flush) {
  z_stream& z = deflater_->stream;
  constexpr std::size_t kPiece = 32768;
  do {
    const std::size_t before = stream_.size();
    stream_.resize(before + kPiece);
    z.next_out = stream_.data() + before;
    z.avail_out = kPiece;
    deflate(&z, flush);
    stream_.resize(before + kPiece - z.avail_out);
  } while (z.avail_out == 0);
}

}  // namespace entente::aos
