// Parsing and putting, record by record, in the order of the specification.
#include "proxy/trace/mcap.h"

#include "proxy/trace/fields.h"

namespace entente::trace::mcap {
namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

template <class T>
Result<T> unless_short(const Take& take, T value) {
  if (!take.ok()) return take.fault();
  return value;
}

StringMap take_map(Take& take, const char* field, bool& whole) {
  StringMap map;
  Take entries(take.block<u32>(field));
  while (!entries.done()) {
    std::string key(entries.string(field));
    std::string value(entries.string(field));
    if (entries.ok()) map.emplace_back(std::move(key), std::move(value));
  }
  whole = entries.ok();
  return map;
}

void put_map(Buffer& out, const StringMap& map) {
  put_block<u32>(out, [&] {
    for (const auto& [key, value] : map) put(out, key), put(out, value);
  });
}

}  // namespace

const char* text(Op op) {
  static constexpr const char* kNames[] = {
      "unknown record", "header",         "footer",         "schema",     "channel",          "message",
      "chunk",          "message index",  "chunk index",    "attachment", "attachment index", "statistics",
      "metadata",       "metadata index", "summary offset", "data end"};
  const auto code = static_cast<std::size_t>(op);
  return kNames[code < std::size(kNames) ? code : 0];
}

Result<Header> parse_header(Bytes content) {
  Take take(content);
  Header header;
  header.profile = take.string("profile");
  header.library = take.string("library");
  return unless_short(take, std::move(header));
}

Result<Schema> parse_schema(Bytes content) {
  Take take(content);
  Schema schema;
  schema.id = take.number<u16>("id");
  schema.name = take.string("name");
  schema.encoding = take.string("encoding");
  const auto data = take.block<u32>("data");
  schema.data.assign(data.begin(), data.end());
  return unless_short(take, std::move(schema));
}

Result<Channel> parse_channel(Bytes content) {
  Take take(content);
  Channel channel;
  channel.id = take.number<u16>("id");
  channel.schema = take.number<u16>("schema_id");
  channel.topic = take.string("topic");
  channel.encoding = take.string("message_encoding");
  bool whole = true;
  channel.metadata = take_map(take, "metadata", whole);
  if (!whole) return Fault{"a map's last entry is cut", "metadata", take.at()};
  return unless_short(take, std::move(channel));
}

Result<Message> parse_message(Bytes content) {
  Take take(content);
  Message message;
  message.channel = take.number<u16>("channel_id");
  message.sequence = take.number<u32>("sequence");
  message.log_time = take.number<u64>("log_time");
  message.publish_time = take.number<u64>("publish_time");
  message.data = take.rest();
  return unless_short(take, message);
}

Result<Chunk> parse_chunk(Bytes content) {
  Take take(content);
  Chunk chunk;
  chunk.start = take.number<u64>("message_start_time");
  chunk.end = take.number<u64>("message_end_time");
  chunk.size = take.number<u64>("uncompressed_size");
  chunk.crc = take.number<u32>("uncompressed_crc");
  chunk.compression = take.string("compression");
  chunk.records = take.block<u64>("records");
  return unless_short(take, chunk);
}

Result<Metadata> parse_metadata(Bytes content) {
  Take take(content);
  Metadata metadata;
  metadata.name = take.string("name");
  bool whole = true;
  metadata.values = take_map(take, "metadata", whole);
  if (!whole) return Fault{"a map's last entry is cut", "metadata", take.at()};
  return unless_short(take, std::move(metadata));
}

Result<Statistics> parse_statistics(Bytes content) {
  Take take(content);
  Statistics all;
  all.messages = take.number<u64>("message_count");
  all.schemas = take.number<u16>("schema_count");
  all.channels = take.number<u32>("channel_count");
  all.attachments = take.number<u32>("attachment_count");
  all.metadata = take.number<u32>("metadata_count");
  all.chunks = take.number<u32>("chunk_count");
  all.start = take.number<u64>("message_start_time");
  all.end = take.number<u64>("message_end_time");
  take.block<u32>("channel_message_counts");
  return unless_short(take, all);
}

Result<ChunkIndex> parse_chunk_index(Bytes content) {
  Take take(content);
  ChunkIndex index;
  index.start = take.number<u64>("message_start_time");
  index.end = take.number<u64>("message_end_time");
  index.offset = take.number<u64>("chunk_start_offset");
  take.number<u64>("chunk_length");
  Take offsets(take.block<u32>("message_index_offsets"));
  while (!offsets.done()) {
    index.channels.push_back(offsets.number<u16>("channel_id"));
    offsets.number<u64>("offset");
  }
  if (take.ok() && !offsets.ok()) return Fault{"a map's last entry is cut", "message_index_offsets", take.at()};
  return unless_short(take, std::move(index));
}

Result<Footer> parse_footer(Bytes content) {
  Take take(content);
  Footer footer;
  footer.summary_start = take.number<u64>("summary_start");
  footer.summary_offset_start = take.number<u64>("summary_offset_start");
  footer.summary_crc = take.number<u32>("summary_crc");
  if (take.ok() && !take.done()) return Fault{"the record is too long", "", take.at()};
  return unless_short(take, footer);
}

Result<std::uint32_t> parse_data_end(Bytes content) {
  Take take(content);
  auto crc = take.number<u32>("data_section_crc");
  return unless_short(take, crc);
}

void put(Buffer& out, const Header& header) {
  put_record(out, Op::kHeader, [&] { put(out, header.profile), put(out, header.library); });
}

void put(Buffer& out, const Schema& schema) {
  put_record(out, Op::kSchema, [&] {
    put(out, schema.id), put(out, schema.name), put(out, schema.encoding);
    put_block<u32>(out, [&] { append(out, schema.data); });
  });
}

void put(Buffer& out, const Channel& channel) {
  put_record(out, Op::kChannel, [&] {
    put(out, channel.id), put(out, channel.schema), put(out, channel.topic), put(out, channel.encoding);
    put_map(out, channel.metadata);
  });
}

void put(Buffer& out, const Metadata& metadata) {
  put_record(out, Op::kMetadata, [&] { put(out, metadata.name), put_map(out, metadata.values); });
}

}  // namespace entente::trace::mcap
