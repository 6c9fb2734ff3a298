#include "proxy/trace/writer.h"

#include <random>

#include "proxy/trace/crc32.h"
#include "tests/trace/samples.h"

namespace entente::writer_test {

using namespace entente::trace;
using namespace entente::trace::mcap;

namespace {

struct Piece {
  Op op;
  std::size_t offset;
  Bytes content;
};

std::vector<Piece> pieces(Bytes file) {
  std::vector<Piece> all;
  for (std::size_t at = kMagic.size(); at + kMagic.size() < file.size();) {
    FieldReader fields(file.subspan(at));
    const auto op = static_cast<Op>(fields.number<std::uint8_t>("op"));
    all.push_back({op, at, fields.block<std::uint64_t>("content")});
    REQUIRE(fields.ok());
    at += fields.at();
  }
  return all;
}

// Accepts `room` bytes, then fails as a full disk does: with part of the write done.
class TightSink final : public Sink {
 public:
  TightSink(Buffer& to, std::size_t room) : to_(to), room_(room) {}
  const std::string& name() const override { return name_; }
  Outcome<Done> write(Bytes bytes) override {
    const auto fits = std::min(bytes.size(), room_ - std::min(room_, to_.size()));
    append(to_, bytes.first(fits));
    if (fits < bytes.size()) return Error{"full"};
    return Done{};
  }
  Outcome<Done> cut(std::uint64_t size) override {
    if (!can_cut) return Error{"cannot cut"};
    return to_.resize(size), Done{};
  }
  Outcome<Done> sync() override { return Done{}; }
  Outcome<Done> finish() override { return Done{}; }
  void give(std::size_t room) { room_ = room; }
  bool can_cut = true;

 private:
  Buffer& to_;
  std::size_t room_;
  std::string name_ = "tight";
};

}  // namespace

TEST_CASE("what is written reads back, compressed or not") {
  for (const bool compress : {false, true})
    for (const auto chunks : std::initializer_list<std::size_t>{0, 1, 2, 9})
      for (const auto each : std::initializer_list<std::size_t>{1, 2, 100}) {
        CAPTURE(compress);
        CAPTURE(chunks);
        CAPTURE(each);
        const auto made = sample(chunks, each, compress);
        const auto heard = hear(made.file);
        CHECK(heard.error == "");
        CHECK(heard.messages == made.messages);
        CHECK(heard.progress.chunks == chunks);
        CHECK(heard.progress.complete);
        CHECK(heard.progress.whole == made.file.size());
      }
}

TEST_CASE("any messages of any sizes and times, in any chunks, read back") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 60; ++round) {
    Buffer file;
    testing::MemorySink sink(file);
    Writer writer(sink, {.compress = round % 2 == 0});
    REQUIRE(ok(writer.begin()));
    std::vector<std::uint16_t> channels;
    std::vector<Said> said;
    for (std::uint32_t i = 0; i < 200; ++i) {
      if (channels.empty() || random() % 20 == 0) {
        const auto id = static_cast<std::uint16_t>(random());
        if (std::find(channels.begin(), channels.end(), id) != channels.end()) continue;
        REQUIRE(ok(writer.define(Channel{id, 0, "/" + std::to_string(id), "", {{"", "x"}}})));
        channels.push_back(id);
      }
      std::string data(random() % (random() % 20 ? 40 : 100'000), '\0');
      for (auto& c : data) c = static_cast<char>(random() % (round % 3 ? 4 : 256));
      const Said one{channels[random() % channels.size()], i, random(), std::move(data)};
      writer.message({one.channel, one.sequence, one.time, one.time, as_bytes(one.data)});
      said.push_back(one);
      if (random() % 10 == 0) REQUIRE(ok(writer.end_chunk()));
    }
    REQUIRE(ok(writer.end()));
    const auto heard = hear(file);
    CHECK(heard.error == "");
    CHECK((heard.messages == said));
    CHECK(writer.size() == file.size());
  }
}

TEST_CASE("an empty recording has the bytes of the specification") {
  Buffer file;
  testing::MemorySink sink(file);
  Writer writer(sink, {.header = {"p", "lib"}});
  REQUIRE(ok(writer.begin()));
  REQUIRE(ok(writer.end()));
  Buffer head(kMagic.begin(), kMagic.end());
  const Buffer header = {1, 12, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 'p', 3, 0, 0, 0, 'l', 'i', 'b'};
  append(head, header);
  REQUIRE(file.size() > head.size());
  CHECK(same(Bytes(file).first(head.size()), head));
  const auto data_end = Bytes(file).subspan(head.size(), 13);
  CHECK(data_end[0] == 15);
  CHECK(FieldReader(data_end.subspan(9)).number<std::uint32_t>("crc") == crc32(head));
  CHECK(same(Bytes(file).last(8), kMagic));
}

TEST_CASE("every index entry points at its message") {
  for (const bool compress : {false, true}) {
    const auto made = sample(3, 5, compress);
    const auto all = pieces(made.file);
    Decompressor decompressor;
    std::size_t chunks = 0, indexed = 0;
    Bytes records;
    for (const auto& piece : all) {
      if (piece.op == Op::kChunk) {
        const auto chunk = parse_chunk(piece.content);
        REQUIRE(chunk.ok());
        CHECK(piece.offset + kRecordHead + piece.content.size() == made.chunk_ends[chunks++]);
        if (compress) {
          const auto unfolded = decompressor.decompress(chunk->records, chunk->size);
          REQUIRE(unfolded.ok());
          records = *unfolded;
        } else {
          records = chunk->records;
        }
        CHECK(crc32(records) == chunk->crc);
      }
      if (piece.op != Op::kMessageIndex) continue;
      FieldReader fields(piece.content);
      const auto channel = fields.number<std::uint16_t>("channel");
      FieldReader entries(fields.block<std::uint32_t>("records"));
      while (!entries.done()) {
        const auto time = entries.number<std::uint64_t>("time");
        const auto offset = entries.number<std::uint64_t>("offset");
        FieldReader record(records.subspan(offset));
        CHECK(record.number<std::uint8_t>("op") == 5);
        const auto message = parse_message(record.block<std::uint64_t>("content"));
        REQUIRE(message.ok());
        CHECK(message->channel == channel);
        CHECK(message->log_time == time);
        ++indexed;
      }
    }
    CHECK(chunks == 3);
    CHECK(indexed == made.messages.size());
  }
}

TEST_CASE("without message indexes, each chunk index still says of which channels the chunk has messages") {
  for (const bool index_messages : {false, true}) {
    const auto made = sample(3, 2, true, index_messages);
    std::size_t indexes = 0, chunks = 0;
    for (const auto& piece : pieces(made.file)) {
      indexes += piece.op == Op::kMessageIndex;
      if (piece.op != Op::kChunkIndex) continue;
      ++chunks;
      const auto index = parse_chunk_index(piece.content);
      REQUIRE(index.ok());
      CHECK(index->channels == std::vector<std::uint16_t>{1, 7});
    }
    CHECK(chunks == 3);
    CHECK(indexes == (index_messages ? 6 : 0));
    CHECK(hear(made.file).messages == made.messages);
  }
}

TEST_CASE("of a chunk index, bytes that another program added are no list of channels") {
  Buffer record;
  const auto with = [&](const Buffer& more) {
    record.clear();
    for (int i = 0; i < 4; ++i) put(record, std::uint64_t{0});
    put(record, std::uint32_t{0}), put(record, std::uint64_t{0}), put(record, std::string_view("zstd"));
    put(record, std::uint64_t{0}), put(record, std::uint64_t{0});
    append(record, more);
    const auto index = parse_chunk_index(record);
    REQUIRE(index.ok());
    return index->channels;
  };
  CHECK(with({}).empty());
  CHECK(with({2, 0, 0, 0, 9, 0}) == std::vector<std::uint16_t>{9});
  CHECK(with({2, 0, 0, 0, 9, 0, 1}).empty());  // longer than the list
  CHECK(with({3, 0, 0, 0, 9, 0, 1}).empty());  // half a channel
  CHECK(with({200, 0, 0, 0, 9, 0}).empty());
}

TEST_CASE("chunk indexes, summary offsets and the footer point at the right records") {
  const auto made = sample(4, 3, true);
  const auto all = pieces(made.file);
  const auto at = [&](std::uint64_t offset) -> const Piece* {
    for (const auto& piece : all)
      if (piece.offset == offset) return &piece;
    return nullptr;
  };
  std::size_t chunk_indexes = 0, groups = 0;
  std::uint64_t first_offset = 0;
  for (const auto& piece : all) {
    FieldReader fields(piece.content);
    if (piece.op == Op::kChunkIndex) {
      fields.number<std::uint64_t>("start"), fields.number<std::uint64_t>("end");
      const auto* chunk = at(fields.number<std::uint64_t>("chunk_start_offset"));
      REQUIRE(chunk);
      CHECK(chunk->op == Op::kChunk);
      CHECK(fields.number<std::uint64_t>("chunk_length") == chunk->content.size() + kRecordHead);
      FieldReader offsets(fields.block<std::uint32_t>("message_index_offsets"));
      std::uint64_t index_length = 0;
      while (!offsets.done()) {
        const auto channel = offsets.number<std::uint16_t>("channel");
        const auto* index = at(offsets.number<std::uint64_t>("offset"));
        REQUIRE(index);
        CHECK(index->op == Op::kMessageIndex);
        CHECK(FieldReader(index->content).number<std::uint16_t>("channel") == channel);
        index_length += index->content.size() + kRecordHead;
      }
      CHECK(fields.number<std::uint64_t>("message_index_length") == index_length);
      CHECK(fields.string("compression") == "zstd");
      const auto parsed = parse_chunk(chunk->content);
      CHECK(fields.number<std::uint64_t>("compressed_size") == parsed->records.size());
      CHECK(fields.number<std::uint64_t>("uncompressed_size") == parsed->size);
      CHECK(fields.block<std::uint32_t>("channels").size() == 2 * sizeof(std::uint16_t));
      CHECK(fields.done());
      ++chunk_indexes;
    }
    if (piece.op == Op::kSummaryOffset) {
      if (!first_offset) first_offset = piece.offset;
      const auto op = static_cast<Op>(fields.number<std::uint8_t>("group_opcode"));
      auto from = fields.number<std::uint64_t>("group_start");
      const auto end = from + fields.number<std::uint64_t>("group_length");
      while (from < end) {
        const auto* member = at(from);
        REQUIRE(member);
        CHECK(member->op == op);
        from += member->content.size() + kRecordHead;
      }
      CHECK(from == end);
      ++groups;
    }
    if (piece.op == Op::kFooter) {
      const auto footer = parse_footer(piece.content);
      REQUIRE(footer.ok());
      CHECK(at(footer->summary_start)->op == Op::kSchema);
      CHECK(footer->summary_offset_start == first_offset);
    }
  }
  CHECK(chunk_indexes == 4);
  CHECK(groups == 5);  // schemas, channels, statistics, chunk indexes, metadata indexes
}

namespace {

/// The content of the file's only piece of this kind.
FieldReader only(const std::vector<Piece>& all, Op op) {
  std::vector<Bytes> found;
  for (const auto& piece : all)
    if (piece.op == op) found.push_back(piece.content);
  REQUIRE(found.size() == 1);
  return FieldReader(found[0]);
}

}  // namespace

TEST_CASE("the index entries of the open chunk are written at the end") {
  Buffer file;
  testing::MemorySink sink(file);
  Writer writer(sink, {.compress = false, .index_messages = true});
  REQUIRE(ok(writer.begin()));
  REQUIRE(ok(writer.define(Channel{1, 0, "/a", "", {}})));
  for (const WallTime time : {10U, 20U}) writer.message({1, 0, WallTime{time}, WallTime{time}, as_bytes("x")});
  REQUIRE(ok(writer.end()));
  FieldReader index = only(pieces(file), Op::kMessageIndex);
  CHECK(index.number<std::uint16_t>("channel") == 1);
  FieldReader entries(index.block<std::uint32_t>("records"));
  std::vector<WallTime> times;
  while (!entries.done()) {
    times.push_back(entries.number<std::uint64_t>("time"));
    entries.number<std::uint64_t>("offset");
  }
  CHECK(times == std::vector<WallTime>{10, 20});
  CHECK(only(pieces(file), Op::kStatistics).number<std::uint64_t>("messages") == 2);
}

TEST_CASE("a chunk spans its earliest and latest message, in whatever order their times come") {
  const std::vector<std::vector<WallTime>> orders = {
      {500, 300, 400}, {300, 500, 400}, {400, 500, 300}, {400, 300, 500}};
  for (const auto& times : orders) {
    Buffer file;
    testing::MemorySink sink(file);
    Writer writer(sink, {.compress = false});
    REQUIRE(ok(writer.begin()));
    REQUIRE(ok(writer.define(Channel{1, 0, "/a", "", {}})));
    for (const WallTime time : times) writer.message({1, 0, time, time, as_bytes("x")});
    REQUIRE(ok(writer.end()));
    const auto all = pieces(file);
    FieldReader chunk = only(all, Op::kChunk), index = only(all, Op::kChunkIndex), counts = only(all, Op::kStatistics);
    for (FieldReader* fields : {&chunk, &index}) {
      CHECK(fields->number<std::uint64_t>("start") == 300);
      CHECK(fields->number<std::uint64_t>("end") == 500);
    }
    counts.number<std::uint64_t>("messages"), counts.number<std::uint16_t>("schemas");
    counts.number<std::uint32_t>("channels"), counts.number<std::uint32_t>("attachments");
    counts.number<std::uint32_t>("metadata"), counts.number<std::uint32_t>("chunks");
    CHECK(counts.number<std::uint64_t>("start") == 300);
    CHECK(counts.number<std::uint64_t>("end") == 500);
  }
}

TEST_CASE("a chunk without room leaves the file unchanged, at every size of the disk") {
  const auto made = sample(2, 20, false);
  for (std::size_t room = 120; room < made.file.size(); ++room) {
    Buffer file;
    TightSink sink(file, room);
    Writer writer(sink, {.compress = false});
    if (!writer.begin().ok() || !writer.define(mcap::Channel{1, 0, "/a", "text", {}}).ok()) continue;
    std::vector<Said> written;
    for (std::uint32_t c = 0; c < 3; ++c) {
      std::vector<Said> chunk;
      for (std::uint32_t m = 0; m < 6; ++m) {
        chunk.push_back({1, 10 * c + m, m, "text"});
        writer.message({1, 10 * c + m, m, m, as_bytes("text")});
      }
      const auto before = file.size();
      if (writer.end_chunk().ok())
        written.insert(written.end(), chunk.begin(), chunk.end());
      else
        CHECK(file.size() == before);
    }
    sink.give(1 << 20);
    REQUIRE(ok(writer.end()));
    const auto heard = hear(file);
    CHECK(heard.error == "");
    CHECK(heard.messages == written);
  }
}

TEST_CASE("without room for a summary the file ends without one, and is whole") {
  Buffer file;
  TightSink sink(file, 10000);
  Writer writer(sink);
  REQUIRE(ok(writer.begin()));
  REQUIRE(ok(writer.define(mcap::Channel{1, 0, "/a", "text", {}})));
  writer.message({1, 1, 1, 1, as_bytes("kept")});
  REQUIRE(ok(writer.end_chunk()));
  sink.give(file.size() + 13 + 29 + 8);  // data end, footer, magic
  REQUIRE(ok(writer.end()));
  const auto heard = hear(file);
  CHECK(heard.error == "");
  CHECK(heard.messages == std::vector<Said>{{1, 1, 1, "kept"}});
}

TEST_CASE("with more chunks than a summary may have, the file ends without one, and is whole") {
  Buffer file;
  TightSink sink(file, 100'000);
  Writer writer(sink, {.most_indexes = 500});
  REQUIRE(ok(writer.begin()));
  REQUIRE(ok(writer.define(mcap::Channel{1, 0, "/a", "text", {}})));
  std::vector<Said> said;
  for (std::uint32_t i = 0; i < 50; ++i) {
    writer.message({1, i, i, i, as_bytes("kept")});
    REQUIRE(ok(writer.end_chunk()));
    said.push_back({1, i, i, "kept"});
  }
  const auto before = file.size();
  REQUIRE(ok(writer.end()));
  CHECK(file.size() == before + 13 + 29 + 8);  // data end, footer, magic
  const auto heard = hear(file);
  CHECK(heard.error == "");
  CHECK(heard.messages == said);
}

TEST_CASE("a partial write that could not be cut off is cut off before the next write") {
  Buffer file;
  TightSink sink(file, 200);
  Writer writer(sink, {.compress = false});
  REQUIRE(ok(writer.begin()));
  REQUIRE(ok(writer.define(mcap::Channel{1, 0, "/a", "text", {}})));
  const auto whole = file.size();
  writer.message({1, 1, 1, 1, as_bytes(std::string(500, 'x'))});
  sink.can_cut = false;
  CHECK_FALSE(writer.end_chunk().ok());
  CHECK(file.size() > whole);
  sink.give(1 << 20);
  writer.message({1, 3, 3, 3, as_bytes("while it cannot be cut off")});
  CHECK_FALSE(writer.end_chunk().ok());
  sink.can_cut = true;
  writer.message({1, 2, 2, 2, as_bytes("kept")});
  REQUIRE(ok(writer.end()));
  const auto heard = hear(file);
  CHECK(heard.error == "");
  CHECK(heard.messages == std::vector<Said>{{1, 2, 2, "kept"}});
}

}  // namespace entente::writer_test
