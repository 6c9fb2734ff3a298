// Parsing and putting, record by record, in the order of the specification.
#include "proxy/trace/mcap.h"

#include "proxy/trace/fields.h"

namespace entente::trace::mcap {
namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

template <class T>
Result<T> unless_short(const FieldReader& fields, T value) {
  if (!fields.ok()) return fields.fault();
  return value;
}

StringMap take_map(FieldReader& fields, const char* field, bool& whole) {
  StringMap map;
  FieldReader entries(fields.block<u32>(field));
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
  FieldReader fields(content);
  Header header;
  header.profile = fields.string("profile");
  header.library = fields.string("library");
  return unless_short(fields, std::move(header));
}

Result<Schema> parse_schema(Bytes content) {
  FieldReader fields(content);
  Schema schema;
  schema.id = fields.number<u16>("id");
  schema.name = fields.string("name");
  schema.encoding = fields.string("encoding");
  const auto data = fields.block<u32>("data");
  schema.data.assign(data.begin(), data.end());
  return unless_short(fields, std::move(schema));
}

Result<Channel> parse_channel(Bytes content) {
  FieldReader fields(content);
  Channel channel;
  channel.id = fields.number<u16>("id");
  channel.schema = fields.number<u16>("schema_id");
  channel.topic = fields.string("topic");
  channel.encoding = fields.string("message_encoding");
  bool whole = true;
  channel.metadata = take_map(fields, "metadata", whole);
  if (!whole) return Fault{"a map's last entry is cut", "metadata", fields.at()};
  return unless_short(fields, std::move(channel));
}

Result<Message> parse_message(Bytes content) {
  FieldReader fields(content);
  Message message;
  message.channel = fields.number<u16>("channel_id");
  message.sequence = fields.number<u32>("sequence");
  message.log_time = fields.number<u64>("log_time");
  message.publish_time = fields.number<u64>("publish_time");
  message.data = fields.rest();
  return unless_short(fields, message);
}

Result<Chunk> parse_chunk(Bytes content) {
  FieldReader fields(content);
  Chunk chunk;
  chunk.start = fields.number<u64>("message_start_time");
  chunk.end = fields.number<u64>("message_end_time");
  chunk.size = fields.number<u64>("uncompressed_size");
  chunk.crc = fields.number<u32>("uncompressed_crc");
  chunk.compression = fields.string("compression");
  chunk.records = fields.block<u64>("records");
  return unless_short(fields, chunk);
}

Result<Metadata> parse_metadata(Bytes content) {
  FieldReader fields(content);
  Metadata metadata;
  metadata.name = fields.string("name");
  bool whole = true;
  metadata.values = take_map(fields, "metadata", whole);
  if (!whole) return Fault{"a map's last entry is cut", "metadata", fields.at()};
  return unless_short(fields, std::move(metadata));
}

Result<Statistics> parse_statistics(Bytes content) {
  FieldReader fields(content);
  Statistics all;
  all.messages = fields.number<u64>("message_count");
  all.schemas = fields.number<u16>("schema_count");
  all.channels = fields.number<u32>("channel_count");
  all.attachments = fields.number<u32>("attachment_count");
  all.metadata = fields.number<u32>("metadata_count");
  all.chunks = fields.number<u32>("chunk_count");
  all.start = fields.number<u64>("message_start_time");
  all.end = fields.number<u64>("message_end_time");
  fields.block<u32>("channel_message_counts");
  return unless_short(fields, all);
}

// The last field is Entente's own (Writer::put_chunk_index). In a later version of the format, something else may be
// there: it counts only if it fills the record.
std::vector<u16> own_channels(FieldReader fields) {
  FieldReader ids(fields.block<u32>("channels"));
  std::vector<u16> channels;
  while (!ids.done()) channels.push_back(ids.number<u16>("channel_id"));
  return fields.ok() && fields.done() && ids.ok() ? channels : std::vector<u16>();
}

Result<ChunkIndex> parse_chunk_index(Bytes content) {
  FieldReader fields(content);
  ChunkIndex index;
  index.start = fields.number<u64>("message_start_time");
  fields.number<u64>("message_end_time");
  index.offset = fields.number<u64>("chunk_start_offset");
  fields.number<u64>("chunk_length");
  FieldReader offsets(fields.block<u32>("message_index_offsets"));
  while (!offsets.done()) {
    index.channels.push_back(offsets.number<u16>("channel_id"));
    offsets.number<u64>("offset");
  }
  if (fields.ok() && !offsets.ok()) return Fault{"a map's last entry is cut", "message_index_offsets", fields.at()};
  fields.number<u64>("message_index_length"), fields.string("compression");
  fields.number<u64>("compressed_size"), fields.number<u64>("uncompressed_size");
  if (fields.ok() && index.channels.empty()) index.channels = own_channels(fields);
  return unless_short(fields, std::move(index));
}

Result<Footer> parse_footer(Bytes content) {
  FieldReader fields(content);
  Footer footer;
  footer.summary_start = fields.number<u64>("summary_start");
  footer.summary_offset_start = fields.number<u64>("summary_offset_start");
  footer.summary_crc = fields.number<u32>("summary_crc");
  if (fields.ok() && !fields.done()) return Fault{"the record is too long", "", fields.at()};
  return unless_short(fields, footer);
}

Result<std::uint32_t> parse_data_end(Bytes content) {
  FieldReader fields(content);
  auto crc = fields.number<u32>("data_section_crc");
  return unless_short(fields, crc);
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
