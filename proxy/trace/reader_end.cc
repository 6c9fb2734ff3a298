// Checks what the end of the file states (checksums, counts, offsets) against what was read.
#include <cstdio>

#include "proxy/trace/crc32.h"
#include "proxy/trace/reader.h"

namespace entente::trace::mcap {
namespace {

using std::to_string;

std::string hex(std::uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof(text), "%08x", value);
  return text;
}

}  // namespace

std::string Reader::bad_checksum(const char* what, std::uint32_t stated, std::uint32_t found) {
  return std::string(what) + " is damaged: its checksum is " + hex(found) + " and should be " + hex(stated);
}

Outcome<Done> Reader::take_data_end(const Record& record) {
  auto stated = parse_data_end(record.content);
  if (!stated.ok()) return wrong(record, stated.error());
  if (damaged_) return section_ = Section::kEnd, Done{};
  if (*stated != 0 && *stated != crc_)
    return wrong(record.offset, bad_checksum("the data before this byte", *stated, crc_));
  section_ = Section::kSummary;
  crc_ = 0;
  return Done{};
}

Outcome<Done> Reader::take_summary(const Record& record) {
  if (summary_start_ == 0) summary_start_ = record.offset;
  switch (record.op) {
    case Op::kSchema:
    case Op::kChannel:
      return take_definition(record);
    case Op::kStatistics:
      return take_statistics(record);
    case Op::kSummaryOffset:
      if (offsets_start_ == 0) offsets_start_ = record.offset;
      return Done{};
    case Op::kHeader:
    case Op::kMessage:
    case Op::kChunk:
    case Op::kMessageIndex:
    case Op::kMetadata:
    case Op::kDataEnd:
      return wrong(record.offset, std::string("a ") + text(record.op) + " after the end of the data");
    default:
      return Done{};  // indexes, which reading in order does not need
  }
}

Outcome<Done> Reader::take_statistics(const Record& record) {
  auto all = parse_statistics(record.content);
  if (!all.ok()) return wrong(record, all.error());
  if (all->messages != progress_.messages)
    return wrong(record.offset, "the statistics count " + to_string(all->messages) + " messages, but the file has " +
                                    to_string(progress_.messages));
  return Done{};
}

Outcome<Done> Reader::take_footer(const Record& record) {
  auto footer = parse_footer(record.content);
  if (!footer.ok()) return wrong(record, footer.error());
  if (damaged_) return section_ = Section::kEnd, Done{};
  if (section_ == Section::kData) crc_ = 0;  // a file without a data end: it has no summary either
  const auto before_crc = kRecordHead + record.content.size() - sizeof(std::uint32_t);
  const auto crc = crc32({record.content.data() - kRecordHead, before_crc}, crc_);
  if (footer->summary_crc != 0 && footer->summary_crc != crc)
    return wrong(record.offset, bad_checksum("the summary", footer->summary_crc, crc));
  if (footer->summary_start != summary_start_)
    return wrong(record.offset, "the summary starts at byte " + to_string(summary_start_) + ", the footer says " +
                                    to_string(footer->summary_start));
  // Some writers state an offset although they wrote no summary offsets.
  if (footer->summary_offset_start != offsets_start_ &&
      (offsets_start_ || footer->summary_offset_start != record.offset))
    return wrong(record.offset, "the summary offsets start at byte " + to_string(offsets_start_) +
                                    ", the footer says " + to_string(footer->summary_offset_start));
  return take_end(at_);
}

Outcome<Done> Reader::take_end(std::uint64_t offset) {
  const auto left = window_.left(offset);
  auto magic = window_.view(offset, std::min<std::uint64_t>(left, kMagic.size()));
  if (!magic.ok()) return magic.error();
  cut_off_ = left < kMagic.size();
  if (!same(*magic, kMagic)) return wrong(offset, "the file does not end as an MCAP file does");
  if (left > kMagic.size())
    return wrong(offset + kMagic.size(), to_string(left - kMagic.size()) + " bytes after the end");
  at_ = source_.size();
  section_ = Section::kEnd;
  progress_.complete = true;
  return Done{};
}

}  // namespace entente::trace::mcap
