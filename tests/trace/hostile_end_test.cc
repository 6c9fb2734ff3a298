// Files whose parts refer to each other so that a reader would read or keep the same bytes again and again: what the
// end of a file lists, and the metadata of channels.
#include <algorithm>

#include "proxy/trace/crc32.h"
#include "proxy/trace/recording.h"
#include "tests/support/steps.h"
#include "tests/trace/samples.h"

namespace entente::hostile_end_test {

using namespace entente::trace;
using namespace entente::trace::mcap;

namespace {

/// Counts the bytes that are read.
class CountedSource final : public Source {
 public:
  explicit CountedSource(Bytes bytes) : memory_(bytes) {}
  const std::string& name() const override { return memory_.name(); }
  std::uint64_t size() const override { return memory_.size(); }
  Outcome<Done> read(std::uint64_t offset, std::span<std::uint8_t> to) override {
    taken += to.size();
    return memory_.read(offset, to);
  }
  std::uint64_t taken = 0;

 private:
  testing::MemorySource memory_;
};

/// A file by hand, with the data that `data` appends and a summary, whose checksum is right.
Buffer with_summary(const std::function<void(Buffer&)>& data, const std::function<void(Buffer&)>& summary) {
  Buffer file = by_hand(data);
  put_record(file, Op::kDataEnd, [&] { put(file, std::uint32_t{0}); });
  const std::size_t start = file.size();
  summary(file);
  put(file, std::uint8_t{static_cast<std::uint8_t>(Op::kFooter)});
  put(file, std::uint64_t{20}), put(file, std::uint64_t{start}), put(file, std::uint64_t{0});
  put(file, crc32(Bytes(file).subspan(start)));
  append(file, kMagic);
  return file;
}

void put_metadata_index(Buffer& out, std::uint64_t offset) {
  put_record(out, Op::kMetadataIndex, [&] { put(out, offset), put(out, std::uint64_t{0}), put(out, "m"); });
}

void put_chunk_index(Buffer& out, std::uint64_t offset) {
  put_record(out, Op::kChunkIndex, [&] {
    put(out, std::uint64_t{0}), put(out, ~std::uint64_t{0}), put(out, offset), put(out, std::uint64_t{0});
    put(out, std::uint32_t{0}), put(out, std::uint64_t{0}), put(out, "");
    put(out, std::uint64_t{0}), put(out, std::uint64_t{0});
  });
}

/// The head of a chunk that is not compressed, and whose records have `size` bytes.
void put_chunk_head(Buffer& out, std::uint64_t size) {
  constexpr std::uint64_t kFields = 8 + 8 + 8 + 4 + 4 + 8;
  put(out, std::uint8_t{static_cast<std::uint8_t>(Op::kChunk)}), put(out, kFields + size);
  put(out, std::uint64_t{0}), put(out, ~std::uint64_t{0}), put(out, size), put(out, std::uint32_t{0}), put(out, "");
  put(out, size);
}
constexpr std::uint64_t kChunkHead = kRecordHead + 8 + 8 + 8 + 4 + 4 + 8;

}  // namespace

TEST_CASE("metadata that the end of a file lists a thousand times is read and kept once") {
  StringMap values;
  for (int i = 0; i < 10'000; ++i) values.emplace_back("k", "v");
  const std::size_t at = by_hand([](Buffer&) {}).size();
  const auto file = with_summary(
      [&](Buffer& out) {
        put(out, Metadata{"m", values});
      },
      [&](Buffer& out) {
        for (int i = 0; i < 1'000; ++i) put_metadata_index(out, at);
      });
  CountedSource source(file);
  Reader reader(source);
  reader.learn_from_summary();
  CHECK(reader.summary_metadata().size() == 1);
  CHECK(source.taken < 4 * file.size());
}

TEST_CASE("a record among those at the end of a file that belongs to the data is an error with its place") {
  const auto error_of = [](const Buffer& file) {
    testing::MemorySource source(file);
    Reader reader(source);
    for (;;) {
      const auto message = reader.next();
      if (!message.ok()) return message.error().text;
      if (*message == nullptr) return std::string();
    }
  };
  const auto nothing = [](Buffer&) {};
  const auto schema = [](Buffer& out) { put(out, Schema{1, "a", "protobuf", {}}); };
  CHECK(error_of(with_summary(nothing, schema)).empty());
  const std::size_t at = with_summary(nothing, schema).size() - kMagic.size() - kRecordHead - 20;
  const std::string why = error_of(with_summary(nothing, [&](Buffer& out) {
    schema(out);
    put(out, Metadata{"m", {}});
  }));
  CHECK(why == "memory: at byte " + std::to_string(at) + ": a metadata after the end of the data");
  const std::string attached = error_of(with_summary(nothing, [&](Buffer& out) {
    schema(out);
    put_record(out, Op::kAttachment, [&] { out.insert(out.end(), 8, 0); });
  }));
  CHECK(attached == "memory: at byte " + std::to_string(at) + ": an attachment after the end of the data");
}

TEST_CASE("the metadata that the end of a file lists is kept up to the limit of definitions") {
  std::vector<std::uint64_t> offsets;
  const auto file = with_summary(
      [&](Buffer& out) {
        for (int i = 0; i < 100; ++i) {
          offsets.push_back(out.size());
          put(out, Metadata{"m", {{"k", std::string(1'000, 'v')}}});
        }
      },
      [&](Buffer& out) {
        for (const std::uint64_t offset : offsets) put_metadata_index(out, offset);
        put_metadata_index(out, out.size());  // itself, which is no metadata
        put_metadata_index(out, ~std::uint64_t{0});
      });
  testing::MemorySource source(file);
  Reader all(source);
  all.learn_from_summary();
  CHECK(all.summary_metadata().size() == 100);
  Reader limited(source, {.definitions = 100'000});
  limited.learn_from_summary();
  CHECK(limited.summary_metadata().size() >= 5);
  CHECK(limited.summary_metadata().size() <= 11);  // nine bytes for each
}

TEST_CASE("of chunks that lie in each other, the end of a file lists one") {
  // Each chunk's records are one record of no known kind, in which the next chunk lies.
  constexpr std::size_t kChunks = 500, kInner = 100'000;
  std::vector<std::uint64_t> offsets;
  const auto file = with_summary(
      [&](Buffer& out) {
        for (std::size_t i = 0; i < kChunks; ++i) {
          offsets.push_back(out.size());
          const std::uint64_t inside = kInner + (kChunks - 1 - i) * (kChunkHead + kRecordHead);
          put_chunk_head(out, kRecordHead + inside);
          put(out, std::uint8_t{0x80}), put(out, inside);
        }
        out.resize(out.size() + kInner);
      },
      [&](Buffer& out) {
        put(out, Schema{1, Snapshot::descriptor()->full_name(), "protobuf", {}});
        put(out, Channel{1, 1, "/world", "protobuf", {}});
        for (const std::uint64_t offset : offsets) put_chunk_index(out, offset), put_chunk_index(out, offset);
        for (const std::uint64_t wrong :
             {std::uint64_t{0}, offsets[3] + 1, std::uint64_t{out.size()}, ~std::uint64_t{8}})
          put_chunk_index(out, wrong);
      });
  CountedSource source(file);
  Reader reader(source);
  reader.learn_from_summary();
  REQUIRE(reader.chunks().size() == 1);
  CHECK(reader.chunks()[0].offset == offsets[0]);

  Recording recording(source);
  source.taken = 0;
  for (int i = 0; i < 3; ++i) CHECK_FALSE(*recording.go_to_world(1, 5));
  CHECK(source.taken < 10 * file.size());
}

TEST_CASE("chunks with nothing between them are all listed") {
  const Sample made = sample(4, 2, false, false);
  testing::MemorySource source(made.file);
  Reader reader(source);
  reader.learn_from_summary();
  CHECK(reader.chunks().size() == 4);
}

TEST_CASE("a chunk that the end of a file lists a thousand times is listed once, also if an error follows") {
  std::uint64_t at = 0;
  const auto file = with_summary(
      [&](Buffer& out) {
        at = out.size();
        put_chunk_head(out, 0);
      },
      [&](Buffer& out) {
        for (int i = 0; i < 1'000; ++i) put_chunk_index(out, at);
        put(out, Schema{1, "a", "protobuf", {}});
        put(out, Schema{1, "another", "protobuf", {}});
      });
  testing::MemorySource source(file);
  Reader reader(source);
  reader.learn_from_summary();
  REQUIRE(reader.chunks().size() == 1);
  CHECK(reader.chunks()[0].offset == at);
}

TEST_CASE("the metadata of a channel is searched once, however many words the channel has") {
  StringMap values;
  for (int i = 0; i < 20'000; ++i) values.emplace_back("k", "v");
  values.emplace_back("link", "7");
  constexpr int kWords = 2'000;
  const auto file = by_hand([&](Buffer& out) {
    put(out, Schema{1, words::Fact::descriptor()->full_name(), "protobuf", {}});
    put(out, Channel{1, 1, "/fact", "protobuf", values});
    for (int i = 0; i < kWords; ++i) put_message(out, 1, 0, 1, "");
    put_end(out);
  });
  testing::MemorySource source(file);
  Recording recording(source);
  const std::uint64_t before = testing::steps();
  int heard = 0;
  for (auto event = recording.next(); event.ok() && *event != nullptr; event = recording.next()) {
    heard += (*event)->word && (*event)->word->link == 7 ? 1 : 0;
  }
  CHECK(heard == kWords);
  CHECK(testing::steps() - before < 40 * file.size());
}

}  // namespace entente::hostile_end_test
