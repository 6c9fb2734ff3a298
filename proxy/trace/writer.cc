// Pieces are built whole in out_, then written with one call.
#include "proxy/trace/writer.h"

#include <algorithm>

#include "proxy/trace/crc32.h"
#include "proxy/trace/fields.h"

namespace entente::trace::mcap {
namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t kMessageHead = kRecordHead + 2 + 4 + 8 + 8;

void widen(WallTime& start, WallTime& end, bool first, WallTime from, WallTime to) {
  start = first ? from : std::min(start, from);
  end = first ? to : std::max(end, to);
}

}  // namespace

Writer::Writer(Sink& sink, WriterOptions options)
    : sink_(sink), options_(std::move(options)), compressor_(options_.level) {}

Outcome<Done> Writer::write_out() {
  if (torn_) {
    if (auto cut = sink_.cut(size_); !cut.ok()) return cut;
    torn_ = false;
  }
  if (auto written = sink_.write(out_); !written.ok()) {
    torn_ = !sink_.cut(size_).ok();  // tried again before the next piece
    return written;
  }
  size_ += out_.size();
  crc_ = crc32(out_, crc_);
  return Done{};
}

Outcome<Done> Writer::begin() {
  out_.assign(kMagic.begin(), kMagic.end());
  put(out_, options_.header);
  return write_out();
}

Outcome<Done> Writer::define(const Schema& schema) {
  out_.clear();
  put(out_, schema);
  if (auto written = write_out(); !written.ok()) return written;
  append(schemas_, out_);
  ++statistics_.schemas;
  return Done{};
}

Outcome<Done> Writer::define(const Channel& channel) {
  out_.clear();
  put(out_, channel);
  if (auto written = write_out(); !written.ok()) return written;
  append(channels_, out_);
  ++statistics_.channels;
  if (streams_.size() <= channel.id) streams_.resize(channel.id + std::size_t{1});
  streams_[channel.id].defined = true;
  return Done{};
}

Outcome<Done> Writer::add(const Metadata& metadata) {
  out_.clear();
  put(out_, metadata);
  const auto offset = size_;
  if (auto written = write_out(); !written.ok()) return written;
  put_record(metadata_indexes_, Op::kMetadataIndex, [&] {
    put(metadata_indexes_, offset), put(metadata_indexes_, u64{out_.size()}), put(metadata_indexes_, metadata.name);
  });
  ++statistics_.metadata;
  return Done{};
}

std::span<std::uint8_t> Writer::message(const Message& message, std::size_t size) {
  assert(message.channel < streams_.size() && streams_[message.channel].defined);
  auto& stream = streams_[message.channel];
  if (stream.in_chunk++ == 0) touched_.push_back(message.channel);
  const auto offset = chunk_.size();
  if (options_.index_messages) put(stream.index, message.log_time), put(stream.index, u64{offset});
  widen(chunk_start_, chunk_end_, offset == 0, message.log_time, message.log_time);

  chunk_.resize(offset + kMessageHead + size);
  auto* head = chunk_.data() + offset;
  const auto lay = [&](auto value) {
    std::memcpy(head, &value, sizeof(value));
    head += sizeof(value);
  };
  lay(Op::kMessage), lay(u64{kMessageHead - kRecordHead + size});
  lay(message.channel), lay(message.sequence), lay(message.log_time), lay(message.publish_time);
  return {head, size};
}

void Writer::message(const Message& whole) {
  const auto data = message(whole, whole.data.size());
  if (!data.empty()) std::memcpy(data.data(), whole.data.data(), data.size());
}

Outcome<Done> Writer::end_chunk() {
  if (chunk_.empty()) return Done{};
  out_.clear();
  put_chunk();
  const auto chunk_length = u64{out_.size()};
  std::sort(touched_.begin(), touched_.end());
  Buffer offsets;  // a few bytes a channel, once a chunk
  if (options_.index_messages) put_message_indexes(offsets);
  put_chunk_index(chunk_length, offsets, out_.size() - chunk_length);
  auto written = write_out();
  if (written.ok()) count_chunk();
  forget_chunk();
  return written;
}

void Writer::put_chunk() {
  put_record(out_, Op::kChunk, [&] {
    put(out_, chunk_start_), put(out_, chunk_end_), put(out_, u64{chunk_.size()}), put(out_, crc32(chunk_));
    put(out_, std::string_view(options_.compress ? "zstd" : ""));
    put_block<u64>(out_, [&] {
      if (options_.compress)
        chunk_compressed_ = compressor_.compress(chunk_, out_);
      else
        append(out_, chunk_), chunk_compressed_ = chunk_.size();
    });
  });
}

void Writer::put_message_indexes(Buffer& offsets) {
  for (const auto id : touched_) {
    put(offsets, id), put(offsets, size_ + out_.size());
    put_record(out_, Op::kMessageIndex, [&] {
      put(out_, id);
      put_block<u32>(out_, [&] { append(out_, streams_[id].index); });
    });
  }
}

// The channels are a field of our own, after those of the specification, whose readers ignore it. Without message
// indexes, the specification's map is empty.
void Writer::put_chunk_index(u64 chunk_length, const Buffer& offsets, u64 index_length) {
  auto& out = last_chunk_index_;
  out.clear();
  put_record(out, Op::kChunkIndex, [&] {
    put(out, chunk_start_), put(out, chunk_end_), put(out, size_), put(out, chunk_length);
    put_block<u32>(out, [&] { append(out, offsets); });
    put(out, index_length), put(out, std::string_view(options_.compress ? "zstd" : ""));
    put(out, chunk_compressed_), put(out, u64{chunk_.size()});
    put_block<u32>(out, [&] {
      for (const auto id : touched_) put(out, id);
    });
  });
}

void Writer::count_chunk() {
  indexed_ = indexed_ && chunk_indexes_.size() + last_chunk_index_.size() <= options_.most_indexes;
  if (indexed_)
    append(chunk_indexes_, last_chunk_index_);
  else
    chunk_indexes_ = Buffer();
  widen(statistics_.start, statistics_.end, statistics_.messages == 0, chunk_start_, chunk_end_);
  ++statistics_.chunks;
  for (const auto id : touched_) {
    streams_[id].messages += streams_[id].in_chunk;
    statistics_.messages += streams_[id].in_chunk;
  }
}

void Writer::forget_chunk() {
  for (const auto id : touched_) streams_[id].index.clear(), streams_[id].in_chunk = 0;
  touched_.clear();
  chunk_.clear();
}

Outcome<Done> Writer::end() {
  if (auto written = end_chunk(); !written.ok()) return written;
  if (indexed_) {
    put_end(true);
    if (write_out().ok()) return Done{};
  }
  put_end(false);
  return write_out();
}

void Writer::put_end(bool with_summary) {
  out_.clear();
  put_record(out_, Op::kDataEnd, [&] { put(out_, crc_); });
  const auto summary = out_.size();
  Buffer summary_offsets;
  if (with_summary) put_summary(summary_offsets);
  const auto offset_start = size_ + out_.size();
  append(out_, summary_offsets);
  put_footer(summary, with_summary ? size_ + summary : 0, with_summary ? offset_start : 0);
  out_.insert(out_.end(), kMagic.begin(), kMagic.end());
}

void Writer::put_summary(Buffer& summary_offsets) {
  const auto group = [&](Op op, auto fill) {
    const auto start = out_.size();
    fill();
    if (out_.size() == start) return;
    put_record(summary_offsets, Op::kSummaryOffset, [&] {
      put(summary_offsets, static_cast<std::uint8_t>(op));
      put(summary_offsets, size_ + start), put(summary_offsets, u64{out_.size() - start});
    });
  };
  group(Op::kSchema, [&] { append(out_, schemas_); });
  group(Op::kChannel, [&] { append(out_, channels_); });
  group(Op::kStatistics, [&] { put_statistics(); });
  group(Op::kChunkIndex, [&] { append(out_, chunk_indexes_); });
  group(Op::kMetadataIndex, [&] { append(out_, metadata_indexes_); });
}

void Writer::put_statistics() {
  const auto& all = statistics_;
  put_record(out_, Op::kStatistics, [&] {
    put(out_, all.messages), put(out_, all.schemas), put(out_, all.channels), put(out_, all.attachments);
    put(out_, all.metadata), put(out_, all.chunks), put(out_, all.start), put(out_, all.end);
    put_block<u32>(out_, [&] {
      for (std::size_t id = 0; id < streams_.size(); ++id)
        if (streams_[id].messages > 0) put(out_, static_cast<u16>(id)), put(out_, streams_[id].messages);
    });
  });
}

void Writer::put_footer(std::size_t summary, u64 summary_start, u64 offset_start) {
  const auto crc_size = sizeof(u32);
  put_record(out_, Op::kFooter, [&] { put(out_, summary_start), put(out_, offset_start), put(out_, u32{0}); });
  const auto end = out_.size() - crc_size;
  put_at(out_, end, crc32(Bytes(out_).subspan(summary, end - summary)));
}

}  // namespace entente::trace::mcap
