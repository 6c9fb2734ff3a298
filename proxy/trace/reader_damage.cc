// How a Reader gets past damage: what a whole record looks like, and where the next one is.
// Invariant: bytes found by searching are believed only if they prove themselves, a chunk by its checksum, a definition
// by lengths that fit to the byte; and the search takes time in proportion to the file, however hostile.
#include <algorithm>
#include <array>
#include <set>

#include "proxy/trace/crc32.h"
#include "proxy/trace/fields.h"
#include "proxy/trace/reader.h"

namespace entente::trace::mcap {
namespace {

constexpr std::size_t kChunkFields = 8 + 8 + 8 + 4 + 4 + 4 + 8;  // with "zstd", without the records
constexpr std::size_t kFooterLength = 8 + 8 + 4;
constexpr std::uint64_t kSearchFiles = 64;  // a search may look at this many times the file's size,
constexpr std::uint64_t kSearchChunks = 4;  // or at this many of the largest chunks if that is more

// Each record of a chunk without a checksum must at least have its length right.
bool falls_into_records(Bytes records) {
  FieldReader fields(records);
  while (!fields.done()) fields.number<std::uint8_t>("opcode"), fields.block<std::uint64_t>("length");
  return fields.ok();
}

// Whether what was parsed from `content` is all that it holds.
template <class T>
bool is_all(const Result<T>& parsed, Bytes content) {
  if (!parsed.ok()) return false;
  Buffer again;
  put(again, *parsed);
  return same(Bytes(again).subspan(kRecordHead), content);
}

}  // namespace

std::optional<Bytes> Reader::peek(std::uint64_t offset, std::uint64_t size) {
  if (size > window_.left(offset)) return {};
  auto bytes = window_.view(offset, size);
  if (!bytes.ok()) return {};
  return *bytes;
}

std::optional<Reader::Record> Reader::peek_record(std::uint64_t offset) {
  const auto head = peek(offset, kRecordHead);
  if (!head) return {};
  FieldReader fields(*head);
  Record record{static_cast<Op>(fields.number<std::uint8_t>("opcode")), offset, {}};
  const auto length = fields.number<std::uint64_t>("length");
  if (length > limits_.record || length > window_.left(offset) - kRecordHead) return {};
  const auto whole = peek(offset, kRecordHead + length);
  if (!whole) return {};
  record.content = whole->subspan(kRecordHead);
  return record;
}

// Whether the record's fields fill its length. A damaged length can be within the file, and then covers the records
// that follow.
bool Reader::fills_its_length(const Record& record) {
  const auto content = record.content;
  switch (record.op) {
    case Op::kHeader:
      return is_all(parse_header(content), content);
    case Op::kSchema:
      return is_all(parse_schema(content), content);
    case Op::kChannel:
      return is_all(parse_channel(content), content);
    case Op::kMetadata:
      return is_all(parse_metadata(content), content);
    case Op::kChunk: {
      const auto chunk = parse_chunk(content);
      return chunk.ok() && chunk->records.data() + chunk->records.size() == content.data() + content.size();
    }
    case Op::kMessageIndex: {
      FieldReader fields(content);
      fields.number<std::uint16_t>("channel_id"), fields.block<std::uint32_t>("records");
      return fields.ok() && fields.done();
    }
    default:
      return record.op <= Op::kDataEnd;
  }
}

bool Reader::afford(std::uint64_t bytes) {
  if (!search_left_) search_left_ = std::max(kSearchFiles * source_.size(), kSearchChunks * limits_.chunk);
  if (bytes > *search_left_) return false;
  *search_left_ -= bytes;
  return true;
}

// Cheap checks come first, because few bytes with the value 6 begin a chunk.
bool Reader::stands_at_chunk(std::uint64_t offset) {
  const auto fixed = peek(offset, kRecordHead + kChunkFields - 4);
  if (!fixed || (*fixed)[0] != static_cast<std::uint8_t>(Op::kChunk)) return false;
  const auto named = (*fixed)[kRecordHead + 28];
  if (named != 0 && named != 4) return false;
  const auto length = FieldReader(fixed->subspan(1)).number<std::uint64_t>("length");
  if (length > window_.left(offset) - kRecordHead || !afford(length)) return false;
  const auto record = peek_record(offset);
  if (!record) return false;
  const auto chunk = parse_chunk(record->content);
  if (!chunk.ok() || (chunk->compression != "zstd" && !chunk->compression.empty())) return false;
  if (!fills_its_length(*record)) return false;
  if (!afford(chunk->size)) return false;
  const auto records = unfold(*chunk);
  return records.ok() && (chunk->crc ? crc32(*records) == chunk->crc : falls_into_records(*records));
}

bool Reader::stands_at_definition(std::uint64_t offset) {
  const auto head = peek(offset, kRecordHead);
  if (!head) return false;
  const auto length = FieldReader(head->subspan(1)).number<std::uint64_t>("length");
  if (length > window_.left(offset) - kRecordHead || !afford(length)) return false;
  const auto record = peek_record(offset);
  if (!record) return false;
  if (record->op == Op::kSchema) return is_all(parse_schema(record->content), record->content);
  const auto channel = parse_channel(record->content);
  return is_all(channel, record->content) && !channel->topic.empty();
}

bool Reader::stands_at_record(std::uint64_t offset) {
  const auto record = peek_record(offset);
  if (!record) return false;
  switch (record->op) {
    case Op::kHeader:
      return offset == kMagic.size();
    case Op::kSchema:
    case Op::kChannel:
      return stands_at_definition(offset);
    case Op::kChunk:
      return stands_at_chunk(offset);
    case Op::kMessage:
      return parse_message(record->content).ok();
    case Op::kMessageIndex:
    case Op::kMetadata:
    case Op::kAttachment:
    case Op::kDataEnd:
      return true;
    default:
      return false;
  }
}

// Most damage is inside a record whose length is right, so the search starts after that record. If the length of the
// record before it is in doubt, there is no such place.
std::optional<std::uint64_t> Reader::after_failed() {
  if (in_chunk_) return at_;
  if (failed_at_ == 0) return kMagic.size();
  if (trusted_ != failed_at_) return {};
  const auto record = peek_record(failed_at_);
  if (!record) return {};
  return failed_at_ + kRecordHead + record->content.size();
}

std::optional<std::uint64_t> Reader::find_whole(std::uint64_t from) {
  while (window_.left(from) > kRecordHead) {
    const auto ahead = window_.some(from);
    if (!ahead.ok()) return {};
    const auto found = std::find_if(ahead->begin(), ahead->end(), [](std::uint8_t byte) {
      return byte == static_cast<std::uint8_t>(Op::kSchema) || byte == static_cast<std::uint8_t>(Op::kChannel) ||
             byte == static_cast<std::uint8_t>(Op::kChunk);
    });
    from += static_cast<std::uint64_t>(found - ahead->begin());
    if (found == ahead->end()) continue;
    if (*found == static_cast<std::uint8_t>(Op::kChunk) ? stands_at_chunk(from) : stands_at_definition(from))
      return from;
    ++from;
  }
  return {};
}

std::optional<std::uint64_t> Reader::pass_damage() {
  if (!error_ || !in_data()) return {};
  auto to = after_failed();
  failed_at_ = std::min(failed_at_, trusted_);
  if (!to || !stands_at_record(*to)) to = find_whole(std::max(failed_at_ + 1, trusted_));
  in_chunk_ = false;
  if (!to) return {};
  lose_order();
  at_ = trusted_ = *to;
  return *to - failed_at_;
}

/// Reading continues elsewhere: checksums and totals can no longer be checked.
void Reader::lose_order() {
  damaged_ = true;
  skip_ = 0;
  error_.reset();
  cut_off_ = false;
  section_ = Section::kData;
}

void Reader::learn_from_summary() {
  const auto tail = kRecordHead + kFooterLength + kMagic.size();
  if (source_.size() < tail) return;
  const auto footer_at = source_.size() - tail;
  const auto footer_record = peek_record(footer_at);
  if (!footer_record || footer_record->op != Op::kFooter) return;
  const auto footer = parse_footer(footer_record->content);
  if (!footer.ok() || footer->summary_crc == 0 || footer->summary_start == 0 || footer->summary_start > footer_at)
    return;
  const auto size = footer_at + kRecordHead + kFooterLength - sizeof(std::uint32_t) - footer->summary_start;
  if (size > limits_.record) return;
  const auto summary = peek(footer->summary_start, size);
  if (!summary || crc32(*summary) != footer->summary_crc) return;
  FieldReader fields(summary->first(static_cast<std::size_t>(footer_at - footer->summary_start)));
  std::set<std::uint64_t> listed;  // offsets of metadata
  while (!fields.done()) {
    const auto op = static_cast<Op>(fields.number<std::uint8_t>("opcode"));
    const auto content = fields.block<std::uint64_t>("length");
    chunked_ |= op == Op::kChunkIndex;
    if (fields.ok() && op == Op::kChunkIndex)
      if (auto index = parse_chunk_index(content); index.ok()) chunks_.push_back(std::move(*index));
    if (fields.ok() && op == Op::kStatistics)
      if (auto all = parse_statistics(content); all.ok()) statistics_ = *all;
    if (fields.ok() && op == Op::kMetadataIndex) listed.insert(FieldReader(content).number<std::uint64_t>("offset"));
    if (!fields.ok() || (op != Op::kSchema && op != Op::kChannel)) continue;
    if (!definitions_.take(op, content).ok()) break;
  }
  keep_disjoint_chunks();
  read_listed_metadata(listed);  // last: it overwrites the window that holds the summary
}

/// What the record at `offset` is, and where it ends in the file.
std::optional<Reader::Extent> Reader::extent(std::uint64_t offset) {
  if (window_.left(offset) < kRecordHead) return {};
  std::array<std::uint8_t, kRecordHead> head{};
  if (!source_.read(offset, head).ok()) return {};
  FieldReader fields(head);
  const auto op = static_cast<Op>(fields.number<std::uint8_t>("opcode"));
  const auto length = fields.number<std::uint64_t>("length");
  if (length > window_.left(offset) - kRecordHead) return {};
  return Extent{op, length, offset + kRecordHead + length};
}

/// A hostile file may list one chunk a million times, or chunks that lie in each other: each byte is read for one
/// chunk.
void Reader::keep_disjoint_chunks() {
  std::sort(chunks_.begin(), chunks_.end(), [](const auto& a, const auto& b) { return a.offset < b.offset; });
  std::uint64_t end = 0;
  std::erase_if(chunks_, [&](const ChunkIndex& chunk) {
    if (chunk.offset < end) return true;
    const auto found = extent(chunk.offset);
    if (!found || found->op != Op::kChunk) return true;
    end = found->end;
    return false;
  });
}

/// They take no more memory than definitions may.
void Reader::read_listed_metadata(const std::set<std::uint64_t>& offsets) {
  Definitions budget(limits_.definitions);
  for (const std::uint64_t offset : offsets) {
    const auto found = extent(offset);
    if (!found || found->op != Op::kMetadata) continue;
    if (!budget.hold_metadata(found->length)) return;
    const auto record = peek_record(offset);
    if (!record) continue;
    if (auto metadata = parse_metadata(record->content); metadata.ok())
      summary_metadata_.push_back(std::move(*metadata));
  }
}

}  // namespace entente::trace::mcap
