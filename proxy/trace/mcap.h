// The records of the MCAP file format (mcap.dev/spec): opcodes, structs, parsing and writing.
// Invariant: parsing never reads past the given bytes, and allocates no memory that those bytes do not fill.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proxy/base/bytes.h"
#include "proxy/base/fault.h"
#include "proxy/base/time.h"

namespace entente::trace::mcap {

/// The eight bytes at both ends of a file; the sixth is the major version.
inline constexpr std::array<std::uint8_t, 8> kMagic = {0x89, 'M', 'C', 'A', 'P', '0', '\r', '\n'};

/// The head of each record: its opcode and the length of its content.
inline constexpr std::size_t kRecordHead = 1 + 8;

enum class Op : std::uint8_t {
  kHeader = 1,
  kFooter = 2,
  kSchema = 3,
  kChannel = 4,
  kMessage = 5,
  kChunk = 6,
  kMessageIndex = 7,
  kChunkIndex = 8,
  kAttachment = 9,
  kAttachmentIndex = 10,
  kStatistics = 11,
  kMetadata = 12,
  kMetadataIndex = 13,
  kSummaryOffset = 14,
  kDataEnd = 15,
};

/// The record's name in the specification; "unknown record" for other opcodes.
const char* text(Op op);

using StringMap = std::vector<std::pair<std::string, std::string>>;

struct Header {
  std::string profile;
  std::string library;
};

struct Schema {
  std::uint16_t id = 0;  ///< not 0
  std::string name;
  std::string encoding;
  Buffer data;
  bool operator==(const Schema&) const = default;
};

struct Channel {
  std::uint16_t id = 0;
  std::uint16_t schema = 0;  ///< 0 = none
  std::string topic;
  std::string encoding;
  StringMap metadata;
  bool operator==(const Channel&) const = default;
};

struct Message {
  std::uint16_t channel = 0;
  std::uint32_t sequence = 0;
  WallTime log_time = 0;
  WallTime publish_time = 0;
  Bytes data;  ///< a view of where it was parsed from
};

struct Chunk {
  WallTime start = 0;
  WallTime end = 0;
  std::uint64_t size = 0;  ///< uncompressed
  std::uint32_t crc = 0;   ///< of the uncompressed records; 0 = not known
  std::string_view compression;
  Bytes records;  ///< compressed
};

struct Metadata {
  std::string name;
  StringMap values;
};

struct Statistics {
  std::uint64_t messages = 0;
  std::uint16_t schemas = 0;
  std::uint32_t channels = 0;
  std::uint32_t attachments = 0;
  std::uint32_t metadata = 0;
  std::uint32_t chunks = 0;
  WallTime start = 0;
  WallTime end = 0;
};

/// A chunk index, from the summary at the end of the file.
struct ChunkIndex {
  WallTime start = 0;                   ///< of its earliest message
  std::uint64_t offset = 0;             ///< of the chunk's record
  std::vector<std::uint16_t> channels;  ///< that it has messages of; empty: not known
};

struct Footer {
  std::uint64_t summary_start = 0;         ///< 0 = no summary
  std::uint64_t summary_offset_start = 0;  ///< 0 = none
  std::uint32_t summary_crc = 0;           ///< 0 = not known
};

/// Parse the content of one record, without its head. Fault offsets count from the start of `content`. Extra bytes
/// after the known fields are ignored, as the specification requires (except in Footer, which cannot grow).
Result<Header> parse_header(Bytes content);
Result<Schema> parse_schema(Bytes content);
Result<Channel> parse_channel(Bytes content);
Result<Message> parse_message(Bytes content);
Result<Chunk> parse_chunk(Bytes content);
Result<Metadata> parse_metadata(Bytes content);
Result<Statistics> parse_statistics(Bytes content);
Result<ChunkIndex> parse_chunk_index(Bytes content);
Result<Footer> parse_footer(Bytes content);
Result<std::uint32_t> parse_data_end(Bytes content);  ///< the CRC of the data section; 0 = not known

/// Append a whole record with its head.
void put(Buffer& out, const Header& header);
void put(Buffer& out, const Schema& schema);
void put(Buffer& out, const Channel& channel);
void put(Buffer& out, const Metadata& metadata);

}  // namespace entente::trace::mcap
