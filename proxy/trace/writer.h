// Writes an MCAP file: definitions as they come, messages in chunks, and at the end the summary that readers need to
// seek.
// Invariant: the file grows by whole pieces. A piece that could not be written completely is cut off again.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "proxy/trace/file.h"
#include "proxy/trace/mcap.h"
#include "proxy/trace/zstd.h"

namespace entente::trace::mcap {

struct WriterOptions {
  Header header = {"", "entente"};
  bool compress = true;  ///< chunks by zstd; otherwise as they are
  int level = 1;         ///< of zstd
  /// Also the place of each message within its chunk: 16 bytes a message, which take more room than the compressed
  /// messages of a game. Entente's readers need only the chunks. Some programs (@mcap/core) seek only with it.
  bool index_messages = false;
  /// Bytes of chunk indexes kept for the summary (one or two hundred a chunk). A file with more has no summary.
  std::size_t most_indexes = 64 << 20;
};

/// REQUIRES: `sink` is empty and outlives the writer; begin() is called first, end() last.
class Writer {
 public:
  explicit Writer(Sink& sink, WriterOptions options = {});

  Outcome<Done> begin();
  /// The caller chooses ids. REQUIRES: a schema is defined before its channel, a channel before its messages; each
  /// id once.
  Outcome<Done> define(const Schema& schema);
  Outcome<Done> define(const Channel& channel);
  Outcome<Done> add(const Metadata& metadata);

  /// Adds a message to the open chunk, and returns the `size` bytes of its data for the caller to fill before any
  /// other call. `message.data` is ignored. Allocates nothing once chunks of this size were written.
  std::span<std::uint8_t> message(const Message& message, std::size_t size);
  void message(const Message& message);

  std::size_t chunk_bytes() const { return chunk_.size(); }
  /// Writes the open chunk, if it has anything, with its index. If that fails, the chunk is lost and the file is as
  /// before.
  Outcome<Done> end_chunk();

  /// Writes the open chunk and the end of the file. Without room for the summary, on the disk or in
  /// WriterOptions::most_indexes, the file ends without one: it is complete, but slower to seek in. Without room for
  /// the end this fails; the file then lacks only its end.
  Outcome<Done> end();

  std::uint64_t size() const { return size_; }  ///< bytes of the file so far

 private:
  struct Stream {                // what the open chunk and the file have of one channel
    Buffer index;                // the chunk's message index entries, as they go into the file, if they do
    std::uint64_t in_chunk = 0;  // messages
    std::uint64_t messages = 0;
    bool defined = false;
  };

  Outcome<Done> write_out();
  void put_chunk();
  void put_message_indexes(Buffer& offsets);
  void put_chunk_index(std::uint64_t chunk_length, const Buffer& offsets, std::uint64_t index_length);
  void count_chunk();
  void forget_chunk();
  void put_end(bool with_summary);
  void put_summary(Buffer& summary_offsets);
  void put_statistics();
  void put_footer(std::size_t summary, std::uint64_t summary_start, std::uint64_t offset_start);

  Sink& sink_;
  WriterOptions options_;
  Compressor compressor_;
  std::uint64_t size_ = 0;
  std::uint32_t crc_ = 0;  // of the file so far
  bool torn_ = false;      // there are bytes after size_ that must be cut off first

  Buffer out_;    // the piece that is being written
  Buffer chunk_;  // records of the open chunk
  WallTime chunk_start_ = 0;
  WallTime chunk_end_ = 0;
  std::uint64_t chunk_compressed_ = 0;
  std::vector<std::uint16_t> touched_;  // channels of the open chunk
  std::vector<Stream> streams_;         // by channel id

  // What the summary repeats, as it goes into the file.
  Buffer schemas_, channels_, chunk_indexes_, last_chunk_index_, metadata_indexes_;
  bool indexed_ = true;  // every chunk is in chunk_indexes_
  Statistics statistics_;
};

}  // namespace entente::trace::mcap
