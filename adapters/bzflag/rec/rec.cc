#include "adapters/bzflag/rec/rec.h"

#include "adapters/bzflag/rec/wire_rec.h"
#include "adapters/bzflag/wire/dialect.h"
#include "adapters/bzflag/wire/wire.h"

namespace entente::bzflag {
namespace {

// In the short form of the header the hash, which begins with 't' or 'p', comes 14 bytes earlier.
constexpr std::size_t kProtocolAt = 192, kShortHashAt = 314;
constexpr std::size_t kDurationAt = 12;

std::optional<std::size_t> dialect_of_file(Bytes file) {
  if (file.size() < kProtocolAt + 8) return std::nullopt;
  const auto protocol = as_text(file.subspan(kProtocolAt, 8));
  for (std::size_t i = 0; i < kDialects.size(); ++i)
    if (has_recordings(i) && kDialects[i].version == protocol) return i;
  return std::nullopt;
}

RecForm form_of(std::size_t dialect, bool short_header) {
  return {wire::ByteOrder::kBig, short_header, kDialects[dialect].game_type};
}

/// Whether the header has the short form; tested as in bzfs (RecordReplay.cxx:2131 at v2.4.26).
bool is_short(Bytes file) {
  if (file.size() <= kShortHashAt) return false;
  return file[kShortHashAt - 1] == 0 && (file[kShortHashAt] == 't' || file[kShortHashAt] == 'p');
}

}  // namespace

bool has_recordings(std::size_t dialect) { return kDialects[dialect].grouped_world; }

// -- Reading ----------------------------------------------------------------------------------------------------------

Result<RecReader> RecReader::open(Bytes file) {
  if (!as_text(file).starts_with("rrBZ")) return Fault{"not a bzfs recording", "magic", 0};
  const auto dialect = bzflag::dialect_of_file(file);
  if (!dialect) return Fault{"a recording in an unknown dialect", "protocol", kProtocolAt};
  RecReader reader;
  reader.file_ = file;
  reader.dialect_ = *dialect;
  reader.short_ = is_short(file);
  const RecForm form = form_of(*dialect, reader.short_);
  const std::size_t size = rec_header_size(form);
  if (file.size() < size) return Fault{"message too short", "header", file.size()};
  auto header = read_rec_header(file.first(size), form);
  if (!header) return header.error();
  reader.header_ = *header;

  const std::size_t flags = header->flags_size, world = header->world_size;
  if (flags % 2 != 0) return Fault{"not a whole number of flags", "flags_size", 24};
  if (file.size() - size < flags || file.size() - size - flags < world)
    return Fault{"message too short", "world", file.size()};
  for (std::size_t i = 0; i < flags; i += 2) reader.flags_.emplace_back().set(as_text(file.subspan(size + i, 2)));
  reader.world_ = file.subspan(size + flags, world);
  reader.at_ = size + flags + world;
  return reader;
}

Result<std::optional<RecReader::Packet>> RecReader::next() {
  const Bytes left = file_.subspan(at_);
  if (left.empty()) return std::optional<Packet>();
  if (left.size() < kRecPacketHead) return Fault{"message too short", "packet", at_};
  const RecPacket head = read_rec_packet(left.first(kRecPacketHead));
  if (head.size > kLargestPayload) return Fault{"frame too large", "size", at_ + 4};
  if (left.size() - kRecPacketHead < head.size) return Fault{"message too short", "payload", at_ + kRecPacketHead};
  at_ += kRecPacketHead + head.size;
  return std::optional(Packet{head, left.subspan(kRecPacketHead, head.size)});
}

// -- Writing ----------------------------------------------------------------------------------------------------------

RecWriter::RecWriter(std::size_t dialect, bool short_header, const RecHeader& given, const std::vector<Text<2>>& flags,
                     Bytes world, Buffer& out)
    : out_(out), start_(out.size()) {
  const RecForm form = form_of(dialect, short_header);
  RecHeader header = given;
  header.flags_size = static_cast<std::uint32_t>(2 * flags.size());
  header.world_size = static_cast<std::uint32_t>(world.size());
  header.length = static_cast<std::uint32_t>(rec_header_size(form)) + header.flags_size + header.world_size;
  write_rec_header(header, form, out_);
  for (const auto& flag : flags) append(out_, as_bytes({flag.chars.data(), flag.chars.size()}));
  append(out_, world);
}

void RecWriter::add(const RecPacket& packet, Bytes payload) {
  assert(payload.size() <= kLargestPayload);
  const std::size_t here = out_.size() - start_;
  RecPacket head = packet;
  head.size = static_cast<std::uint32_t>(payload.size());
  head.next = static_cast<std::uint32_t>(here + kRecPacketHead + payload.size());
  head.prev = prev_;
  write_rec_packet(head, out_);
  append(out_, payload);
  prev_ = static_cast<std::uint32_t>(here);
}

void RecWriter::close(std::int64_t duration) {
  for (std::size_t i = 0; i < 8; ++i)
    out_[start_ + kDurationAt + i] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(duration) >> (56 - 8 * i));
}

}  // namespace entente::bzflag
