// Reads an MCAP file from start to end and trusts nothing: it checks all lengths, checksums and counts.
//
//   Reader reader(source);
//   for (;;) {
//     auto message = reader.next();
//     if (!message.ok() || *message == nullptr) break;   // an error, or the end; pass_damage() goes on after an error
//     use(**message, *reader.definitions().channel((*message)->channel));
//   }
//
// Invariant: it reads no byte outside the file or a record, allocates no memory because of a length alone, and returns
// a message only after its chunk's checksum was right.
#pragma once

#include <optional>
#include <set>

#include "proxy/trace/definitions.h"
#include "proxy/trace/window.h"

namespace entente::trace::mcap {

/// Limits on memory that a file can use, in bytes.
struct Limits {
  std::uint64_t record = 256u << 20;  ///< one record as it lies in the file (attachments are not held, so not limited)
  std::uint64_t chunk = 256u << 20;   ///< the records of one chunk, uncompressed
  std::uint64_t definitions = 16u << 20;  ///< all schemas, channels and metadata together
};

/// How far the file has been read.
struct Progress {
  std::uint64_t whole = 0;  ///< bytes from the start that were read and found right (up to the first damage)
  std::uint64_t messages = 0;
  std::uint64_t chunks = 0;
  std::uint64_t attachments = 0;
  bool complete = false;  ///< all of the file was read and found right
};

/// Not thread-safe. Times are as in the file: nanoseconds since 1970.
class Reader {
 public:
  /// `source` outlives the reader. Nothing is read before next().
  explicit Reader(Source& source, Limits limits = {}) : source_(source), limits_(limits), window_(source) {}

  /// The next message in the file's order, valid until the next call; null at the end of an undamaged file. An error
  /// names the byte; messages returned before it are good. After an error next() fails again, unless pass_damage()
  /// found more.
  Outcome<const Message*> next();

  /// After an error: continues with the next readable record or chunk, and returns how many bytes were skipped;
  /// nothing if there is no more. Totals at the end of the file are no longer checked.
  std::optional<std::uint64_t> pass_damage();

  /// Whether next() returned an error last.
  bool failed() const { return error_.has_value(); }
  /// After an error: the file ends inside a record, or before its end is written. It is damaged, or still being
  /// written.
  bool cut_off() const { return cut_off_; }
  /// Looks whether the file has changed since, and makes next() try again. False: it has not. REQUIRES: cut_off().
  Outcome<bool> read_on();

  /// Reads the summary at the end of the file, if it is intact, for definitions and the offsets of chunks. Then less is
  /// lost if the file is damaged, and go_to() can be given a chunk.
  void learn_from_summary();
  /// The totals found there.
  const std::optional<Statistics>& statistics() const { return statistics_; }
  /// The metadata that it lists, as far as they can be read; not among definitions().
  const std::vector<Metadata>& summary_metadata() const { return summary_metadata_; }
  /// The chunks found there, in the file's order. They do not overlap.
  const std::vector<ChunkIndex>& chunks() const { return chunks_; }

  /// A place between two messages.
  struct Position {
    std::uint64_t record = 0;  ///< the offset of a record of the file
    std::size_t used = 0;      ///< if that is a chunk: how many bytes of its records have been read
    bool operator==(const Position&) const = default;
  };
  /// Where next() continues.
  Position position() const { return in_chunk_ ? Position{chunk_at_, chunk_used_} : Position{at_, skip_}; }
  /// Makes next() continue at a place. Totals at the end of the file are no longer checked. REQUIRES: from
  /// position(), or the offset of a chunk of chunks().
  void go_to(const Position& position);

  const std::string& name() const { return source_.name(); }
  const Header& header() const { return header_; }  ///< after the first next()
  const Definitions& definitions() const { return definitions_; }
  const Progress& progress() const { return progress_; }
  /// After an error: whether messages may be lost. False after the data section, which has all messages.
  bool in_data() const { return section_ == Section::kStart || section_ == Section::kData; }
  /// The offset of the record that an error is about; after pass_damage(), the start of the skipped bytes.
  std::uint64_t failed_at() const { return failed_at_; }

 private:
  enum class Section { kStart, kData, kSummary, kEnd };

  struct Record {
    Op op = Op::kHeader;
    std::uint64_t offset = 0;  // of its head, in the file or in the open chunk
    Bytes content;
  };

  Outcome<bool> step();  // true: message_ is to be given out
  Outcome<Done> take_magic();
  Outcome<Record> read_record(std::uint64_t offset);
  Outcome<Done> take(const Record& record);
  Outcome<Done> take_data(const Record& record);
  Outcome<Done> take_summary(const Record& record);
  Outcome<Done> take_header(const Record& record);
  Outcome<Done> take_definition(const Record& record);
  Outcome<Done> take_message_index(const Record& record);
  Outcome<Done> take_attachment(std::uint64_t offset, std::uint64_t length);
  Outcome<Done> take_data_end(const Record& record);
  Outcome<Done> take_statistics(const Record& record);
  Outcome<Done> take_footer(const Record& record);
  Outcome<Done> take_end(std::uint64_t offset);
  Outcome<Done> take_message(const Record& record);
  Outcome<Done> open_chunk(const Record& record);
  Result<Bytes> unfold(const Chunk& chunk);
  Outcome<Done> take_from_chunk();

  static bool fills_its_length(const Record& record);
  bool afford(std::uint64_t bytes);
  bool may_expand(const Record& record, const Chunk& chunk);
  bool may_take();
  void lose_order();
  bool stands_at_chunk(std::uint64_t offset);
  bool stands_at_definition(std::uint64_t offset);
  bool stands_at_record(std::uint64_t offset);
  std::optional<std::uint64_t> after_failed();
  std::optional<std::uint64_t> find_whole(std::uint64_t from);
  std::optional<Bytes> peek(std::uint64_t offset, std::uint64_t size);
  std::optional<Record> peek_record(std::uint64_t offset);
  struct Extent {
    Op op;
    std::uint64_t length, end;  // without its head; of the record, in the file
  };
  std::optional<Extent> extent(std::uint64_t offset);
  void keep_disjoint_chunks();
  void read_listed_metadata(const std::set<std::uint64_t>& offsets);

  static std::string bad_checksum(const char* what, std::uint32_t stated, std::uint32_t found);
  Error wrong(std::uint64_t offset, std::string text) const;
  Error wrong(const Record& record, const Fault& fault) const;

  Source& source_;
  const Limits limits_;
  Window window_;
  Decompressor decompressor_;
  Header header_;
  Definitions definitions_{limits_.definitions};
  Progress progress_;

  Section section_ = Section::kStart;
  std::uint64_t at_ = 0;             // of the next record
  std::uint32_t crc_ = 0;            // of the section so far
  std::uint64_t summary_start_ = 0;  // 0 until it starts
  std::uint64_t offsets_start_ = 0;  // of the first summary offset; 0 if there is none
  std::uint64_t failed_at_ = 0;
  std::uint64_t trusted_ = 0;                 // up to here, the length of each record matched its content
  bool damaged_ = false;                      // bytes were skipped, or go_to() was called
  std::optional<std::uint64_t> search_left_;  // bytes that pass_damage may still look at, once it began
  std::optional<Error> error_;
  bool cut_off_ = false;  // see cut_off()

  bool chunked_ = false;  // the file has chunks, so a message outside of them is damage
  bool in_chunk_ = false;
  std::uint64_t chunk_at_ = 0;  // of the open chunk's record
  Bytes chunk_;                 // its records
  std::size_t chunk_used_ = 0;
  std::size_t skip_ = 0;  // bytes of the next chunk's records to skip, after go_to()
  // Of all chunks that were opened, each counted once.
  std::set<std::uint64_t> counted_;  // their offsets
  std::uint64_t packed_ = 0, expanded_ = 0, records_ = 0;
  bool counts_ = true;  // whether the records of the open chunk are counted
  std::vector<ChunkIndex> chunks_;
  std::optional<Statistics> statistics_;
  std::vector<Metadata> summary_metadata_;
  std::uint64_t metadata_to_ = 0;  // offset of the last metadata record that was taken; none is taken twice
  bool have_message_ = false;
  Message message_;
};

}  // namespace entente::trace::mcap
