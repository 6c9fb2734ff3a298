#include "adapters/bzflag/world/world.h"

#include <zlib.h>

#include <algorithm>
#include <array>

#include "adapters/bzflag/world/wire_world.h"
#include "adapters/wire/md5.h"

namespace entente::bzflag {
namespace {

// The container: {10, 'he', u16 version, u32 inflated size, u32 compressed size}, zlib stream, {0, 'ed'}.
constexpr std::size_t kHead = 14, kEnd = 4;
constexpr std::uint8_t kHeadWord[] = {0, 10, 0x68, 0x65};
constexpr std::uint8_t kEndWord[] = {0, 0, 0x65, 0x64};

// What a peer may make of a small database. Real ones inflate to at most 20 times their size.
constexpr std::size_t kInflatedAtOnce = 1U << 20U, kInflatedPerByte = 64;

std::uint32_t u32_at(Bytes bytes, std::size_t at) {
  return static_cast<std::uint32_t>(bytes[at]) << 24U | static_cast<std::uint32_t>(bytes[at + 1]) << 16U |
         static_cast<std::uint32_t>(bytes[at + 2]) << 8U | bytes[at + 3];
}
void put_u32(Buffer& out, std::size_t number) {
  for (const unsigned shift : {24U, 16U, 8U, 0U}) out.push_back(static_cast<std::uint8_t>(number >> shift));
}

/// A zlib stream that frees itself.
class Inflate {
 public:
  Inflate() { ok_ = inflateInit(&stream_) == Z_OK; }
  ~Inflate() {
    if (ok_) inflateEnd(&stream_);
  }
  Inflate(const Inflate&) = delete;
  Inflate& operator=(const Inflate&) = delete;

  /// Memory grows with the output, up to `size`; the size that a peer announces costs nothing.
  Result<Buffer> run(Bytes in, std::size_t size) {
    static constexpr Fault kBad{"not a zlib stream", "world"}, kWrong{"not of the size it announced", "world"};
    Buffer out;
    if (!ok_) return kBad;
    stream_.next_in = const_cast<std::uint8_t*>(in.data());
    stream_.avail_in = static_cast<uInt>(in.size());
    std::array<std::uint8_t, 16384> piece;
    int state = Z_OK;
    while (state == Z_OK) {
      stream_.next_out = piece.data();
      stream_.avail_out = static_cast<uInt>(piece.size());
      state = inflate(&stream_, Z_NO_FLUSH);
      const std::size_t made = piece.size() - stream_.avail_out;
      if (made > size - out.size()) return kWrong;
      append(out, Bytes(piece).first(made));
    }
    if (state != Z_STREAM_END) return kBad;
    if (out.size() != size || stream_.avail_in != 0) return kWrong;
    return out;
  }

 private:
  z_stream stream_{};
  bool ok_ = false;
};

/// Compresses as bzfs does (WorldInfo.cxx:540 at v2.4.26), so that the same zlib gives the same bytes and the same
/// hash.
Buffer deflated(Bytes inflated) {
  uLongf size = compressBound(inflated.size());
  Buffer out(size);
  [[maybe_unused]] const int state = compress2(out.data(), &size, inflated.data(), inflated.size(), 9);
  assert(state == Z_OK);  // the bound is large enough, and memory is assumed to suffice
  out.resize(size);
  return out;
}

}  // namespace

Result<Buffer> inflate_world(Bytes database, std::size_t most) {
  if (database.size() < kHead + kEnd) return Fault{"message too short", "world", database.size()};
  if (!same(database.first(sizeof kHeadWord), kHeadWord)) return Fault{"not a world", "header", 0};
  if (!same(database.last(kEnd), kEndWord)) return Fault{"world without an end", "end", database.size() - kEnd};
  const std::size_t inflated = u32_at(database, 6), compressed = u32_at(database, 10);
  if (compressed != database.size() - kHead - kEnd) return Fault{"not of the size it announced", "compressed", 10};
  if (inflated > std::min(most, kInflatedAtOnce + kInflatedPerByte * compressed))
    return Fault{"world too large", "inflated", 6};
  return Inflate().run(database.subspan(kHead, compressed), inflated);
}

Result<World> read_world(Bytes database, std::size_t dialect, std::size_t most) {
  if (!kDialects[dialect].grouped_world) {
    if (database.size() > most) return Fault{"world too large"};
    auto records = read_records(database, dialect);
    if (!records) return records.error();
    return World(std::move(*records));
  }
  const auto inflated = inflate_world(database, most);
  if (!inflated) return inflated.error();
  auto groups = read_groups(*inflated, dialect);
  if (!groups) return groups.error();
  groups->version = static_cast<std::uint16_t>(database[4] << 8U | database[5]);
  return World(std::move(*groups));
}

void write_world(const World& world, std::size_t dialect, Buffer& out) {
  if (const auto* records = std::get_if<RecordWorld>(&world)) return write_records(*records, dialect, out);
  const auto& groups = *std::get_if<GroupWorld>(&world);
  Buffer inflated;
  write_groups(groups, dialect, inflated);
  const Buffer compressed = deflated(inflated);
  append(out, kHeadWord);
  out.push_back(static_cast<std::uint8_t>(groups.version >> 8U));
  out.push_back(static_cast<std::uint8_t>(groups.version));
  put_u32(out, inflated.size());
  put_u32(out, compressed.size());
  append(out, compressed);
  append(out, kEndWord);
}

std::string world_hash(Bytes database, WorldSource source) {
  return static_cast<char>(source) + to_hex(wire::md5(database));
}

}  // namespace entente::bzflag
