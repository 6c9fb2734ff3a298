// A file is a sequence of records. What a record may be depends on its section.
#include "proxy/trace/reader.h"

#include <algorithm>
#include <utility>

#include "proxy/trace/crc32.h"
#include "proxy/trace/fields.h"

namespace entente::trace::mcap {
namespace {

using std::to_string;

// How much the chunks of a file may expand to. The densest recordings, of many bridged sessions with the same flat map,
// stay below a half of it. A record takes time whatever its size.
constexpr std::uint64_t kBytesAtOnce = 256U << 20U, kBytesPerByte = 1024;
constexpr std::uint64_t kRecordsAtOnce = 100'000, kRecordsPerByte = 2;
constexpr Fault kBomb{"the file expands to far more than its size: it was made to stop readers", "uncompressed_size",
                      16};

}  // namespace

Error Reader::wrong(std::uint64_t offset, std::string text) const {
  return {source_.name() + ": at byte " + to_string(offset) + ": " + std::move(text)};
}

Error Reader::wrong(const Record& record, const Fault& fault) const {
  auto said = std::string(text(record.op)) + ": " + fault.what;
  if (*fault.field) said += " (" + std::string(fault.field) + ", byte " + to_string(fault.offset) + " of it)";
  if (!in_chunk_) return wrong(record.offset, said);
  return wrong(chunk_at_, "in the chunk, at byte " + to_string(record.offset) + " of its records: " + said);
}

Outcome<const Message*> Reader::next() {
  while (!error_ && section_ != Section::kEnd) {
    auto found = step();
    if (!found.ok()) error_ = found.error();
    if (found.ok() && *found) return &message_;
  }
  if (error_) return *error_;
  return nullptr;
}

Outcome<bool> Reader::read_on() {
  auto changed = source_.look_again();
  if (!changed.ok() || !*changed) return changed;
  window_.forget();
  error_.reset();
  cut_off_ = false;
  at_ = failed_at_;
  return true;
}

Outcome<bool> Reader::step() {
  have_message_ = false;
  if (in_chunk_) {
    if (auto took = take_from_chunk(); !took.ok()) return took.error();
    return have_message_;
  }
  failed_at_ = at_;
  if (section_ == Section::kStart) {
    if (auto took = take_magic(); !took.ok()) return took.error();
    return false;
  }
  auto record = read_record(at_);
  if (!record.ok()) return record.error();
  const bool trusted = fills_its_length(*record);
  if (auto took = take(*record); !took.ok()) return took.error();
  if (trusted) trusted_ = at_;
  if (!in_chunk_ && !damaged_) progress_.whole = at_;
  return have_message_;
}

Outcome<Done> Reader::take_magic() {
  if (source_.size() < kMagic.size())
    return cut_off_ = true, wrong(0, "not an MCAP file: it has " + to_string(source_.size()) + " bytes");
  auto magic = window_.view(0, kMagic.size());
  if (!magic.ok()) return magic.error();
  if (!same(*magic, kMagic)) return wrong(0, "not an MCAP file");
  crc_ = crc32(*magic);
  progress_.whole = trusted_ = at_ = kMagic.size();
  section_ = Section::kData;
  return Done{};
}

// The record at `offset`; sets at_ to its end. The content of an attachment is not read, only its presence is checked.
Outcome<Reader::Record> Reader::read_record(std::uint64_t offset) {
  const auto left = window_.left(offset);
  if (left < kRecordHead)
    return cut_off_ = true,
           wrong(source_.size(), (left ? "the file ends inside a record's head" : "the file has no end"));
  auto head = window_.view(offset, kRecordHead);
  if (!head.ok()) return head.error();
  FieldReader fields(*head);
  Record record{static_cast<Op>(fields.number<std::uint8_t>("opcode")), offset, {}};
  const auto length = fields.number<std::uint64_t>("length");
  if (length > left - kRecordHead)
    return cut_off_ = true, wrong(offset, std::string("the file ends inside a ") + text(record.op) + " of " +
                                              to_string(length) + " bytes");
  at_ = offset + kRecordHead + length;
  if (record.op == Op::kAttachment) return record;
  if (length > limits_.record)
    return wrong(offset, std::string("a ") + text(record.op) + " of " + to_string(length) + " bytes; the limit is " +
                             to_string(limits_.record));
  auto whole = window_.view(offset, kRecordHead + length);
  if (!whole.ok()) return whole.error();
  record.content = whole->subspan(kRecordHead);
  return record;
}

Outcome<Done> Reader::take(const Record& record) {
  if (static_cast<std::uint8_t>(record.op) == 0) return wrong(record.offset, "opcode 0 is invalid");
  if (record.op == Op::kFooter) return take_footer(record);
  if (record.op == Op::kDataEnd && section_ == Section::kData) return take_data_end(record);
  if (record.op == Op::kAttachment) return take_attachment(record.offset, at_ - record.offset - kRecordHead);
  auto took = section_ == Section::kData ? take_data(record) : take_summary(record);
  // Head and content lie side by side in the window.
  crc_ = crc32({record.content.data() - kRecordHead, record.content.size() + kRecordHead}, crc_);
  return took;
}

Outcome<Done> Reader::take_data(const Record& record) {
  const bool first = record.offset == kMagic.size();
  if (first && record.op != Op::kHeader && !damaged_) return wrong(record.offset, "the first record is not a header");
  switch (record.op) {
    case Op::kHeader:
      return first ? take_header(record) : Outcome<Done>(wrong(record.offset, "a second header"));
    case Op::kSchema:
    case Op::kChannel:
    case Op::kMetadata:
      return take_definition(record);
    case Op::kMessage:
      return take_message(record);
    case Op::kChunk:
      return open_chunk(record);
    case Op::kMessageIndex:
      return take_message_index(record);
    case Op::kChunkIndex:
    case Op::kAttachmentIndex:
    case Op::kMetadataIndex:
    case Op::kStatistics:
    case Op::kSummaryOffset:
      return wrong(record.offset, std::string("a ") + text(record.op) + " before the end of the data");
    default:
      return Done{};  // of a later version, or somebody's own
  }
}

Outcome<Done> Reader::take_header(const Record& record) {
  auto header = parse_header(record.content);
  if (!header.ok()) return wrong(record, header.error());
  header_ = std::move(*header);
  return Done{};
}

Outcome<Done> Reader::take_definition(const Record& record) {
  if (record.op == Op::kMetadata && record.offset <= std::exchange(metadata_to_, std::max(metadata_to_, record.offset)))
    return Done{};
  if (auto took = definitions_.take(record.op, record.content); !took.ok()) return wrong(record, took.error());
  return Done{};
}

Outcome<Done> Reader::take_message(const Record& record) {
  auto message = parse_message(record.content);
  if (!message.ok()) return wrong(record, message.error());
  if (!definitions_.channel(message->channel))
    return wrong(record, {"no channel of this id came before", "channel_id"});
  if (!in_chunk_ && chunked_) return wrong(record.offset, "a message outside of the chunks of this file");
  message_ = *message;
  have_message_ = true;
  ++progress_.messages;
  return Done{};
}

// Not needed for reading in order. Checked because a chunk with one flipped bit in its opcode looks like one.
Outcome<Done> Reader::take_message_index(const Record& record) {
  FieldReader fields(record.content);
  fields.number<std::uint16_t>("channel_id");
  const auto entries = fields.block<std::uint32_t>("records");
  if (!fields.ok()) return wrong(record, fields.fault());
  if (entries.size() % (2 * sizeof(std::uint64_t)) != 0) return wrong(record, {"it has half an entry", "records", 2});
  return Done{};
}

// Read piece by piece: an attachment may be larger than memory.
Outcome<Done> Reader::take_attachment(std::uint64_t offset, std::uint64_t length) {
  if (section_ != Section::kData) return wrong(offset, "an attachment after the end of the data");
  auto head = window_.view(offset, kRecordHead);
  if (!head.ok()) return head.error();
  crc_ = crc32(*head, crc_);
  if (length < sizeof(std::uint32_t))
    return wrong({Op::kAttachment, offset, {}}, {"the record ends too soon", "crc", 0});
  std::uint32_t crc = 0;
  auto from = offset + kRecordHead;
  for (auto left = length - sizeof(std::uint32_t); left > 0;) {
    auto piece = window_.view(from, std::min(left, Window::kAhead));
    if (!piece.ok()) return piece.error();
    crc = crc32(*piece, crc);
    crc_ = crc32(*piece, crc_);
    from += piece->size();
    left -= piece->size();
  }
  auto end = window_.view(from, sizeof(std::uint32_t));
  if (!end.ok()) return end.error();
  crc_ = crc32(*end, crc_);
  const auto stated = FieldReader(*end).number<std::uint32_t>("crc");
  if (stated != 0 && stated != crc) return wrong(offset, bad_checksum("the attachment", stated, crc));
  ++progress_.attachments;
  return Done{};
}

Outcome<Done> Reader::open_chunk(const Record& record) {
  auto chunk = parse_chunk(record.content);
  if (!chunk.ok()) return wrong(record, chunk.error());
  if (chunk->compression != "zstd" && !chunk->compression.empty())
    return wrong(record.offset,
                 "a chunk compressed with '" + std::string(chunk->compression.substr(0, 20)) +
                     "', which this program cannot read: convert it with `mcap compress --compression zstd`");
  if (!may_expand(record, *chunk)) return wrong(record, kBomb);
  auto records = unfold(*chunk);
  if (!records.ok()) return wrong(record, records.error());
  const auto crc = chunk->crc ? crc32(*records) : 0;
  if (crc != chunk->crc) return wrong(record.offset, bad_checksum("the chunk", chunk->crc, crc));
  in_chunk_ = chunked_ = true;
  chunk_at_ = record.offset;
  chunk_ = *records;
  chunk_used_ = std::min(std::exchange(skip_, 0), chunk_.size());
  return Done{};
}

void Reader::go_to(const Position& position) {
  lose_order();
  in_chunk_ = false;
  at_ = trusted_ = position.record;
  skip_ = position.used;
}

bool Reader::may_expand(const Record& record, const Chunk& chunk) {
  if (chunk.size > limits_.chunk) return true;  // it is refused anyway
  counts_ = !counted_.contains(record.offset);
  if (!counts_) return true;
  const std::uint64_t packed = packed_ + record.content.size(), expanded = expanded_ + chunk.size;
  if (expanded > kBytesAtOnce + kBytesPerByte * packed) return false;
  counted_.insert(record.offset);
  packed_ = packed;
  expanded_ = expanded;
  return true;
}

bool Reader::may_take() { return !counts_ || ++records_ <= kRecordsAtOnce + kRecordsPerByte * packed_; }

Result<Bytes> Reader::unfold(const Chunk& chunk) {
  if (chunk.size > limits_.chunk)
    return Fault{"larger, uncompressed, than the reader's limit", "uncompressed_size", 16};
  if (!chunk.compression.empty()) return decompressor_.decompress(chunk.records, chunk.size);
  if (chunk.size != chunk.records.size())
    return Fault{"not compressed, but its two sizes differ", "uncompressed_size", 16};
  return chunk.records;
}

Outcome<Done> Reader::take_from_chunk() {
  if (chunk_used_ == chunk_.size()) {
    in_chunk_ = false;
    ++progress_.chunks;
    if (!damaged_) progress_.whole = at_;
    return Done{};
  }
  FieldReader fields(chunk_.subspan(chunk_used_));
  Record record{static_cast<Op>(fields.number<std::uint8_t>("opcode")), chunk_used_, {}};
  record.content = fields.block<std::uint64_t>("length");
  if (!fields.ok()) return wrong(record, fields.fault());
  if (!may_take()) return wrong(record, kBomb);
  chunk_used_ += fields.at();
  if (record.op == Op::kMessage) return take_message(record);
  if (record.op == Op::kSchema || record.op == Op::kChannel) return take_definition(record);
  if (record.op <= Op::kDataEnd) return wrong(record, {"not allowed inside a chunk"});
  return Done{};  // of a later version, or somebody's own
}

}  // namespace entente::trace::mcap
