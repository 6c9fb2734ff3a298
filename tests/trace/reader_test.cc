#include "proxy/trace/reader.h"

#include <algorithm>
#include <random>

#include "proxy/trace/crc32.h"
#include "proxy/trace/recording.h"
#include "tests/support/thorough.h"
#include "tests/trace/samples.h"

namespace entente::reader_test {

using namespace entente::trace;
using namespace entente::trace::mcap;

namespace {

const auto kAt = std::string("memory: at byte ");

std::vector<Said> first(const std::vector<Said>& all, std::size_t count) {
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)};
}

void put_chunk(Buffer& out, std::uint64_t size, std::uint32_t crc, std::string_view compression, Bytes records) {
  put_record(out, Op::kChunk, [&] {
    put(out, std::uint64_t{0}), put(out, std::uint64_t{0}), put(out, size), put(out, crc), put(out, compression);
    put_block<std::uint64_t>(out, [&] { append(out, records); });
  });
}

Buffer zstd_frame(Bytes bytes) {
  Buffer out;
  Compressor(1).compress(bytes, out);
  return out;
}

/// A file of which a program has written only the first bytes.
class GrowingSource final : public Source {
 public:
  explicit GrowingSource(Bytes all) : all_(all) {}

  std::size_t written = 0;

  const std::string& name() const override { return name_; }
  std::uint64_t size() const override { return size_; }
  Outcome<Done> read(std::uint64_t offset, std::span<std::uint8_t> to) override {
    REQUIRE(offset + to.size() <= size_);
    const auto from = all_.begin() + static_cast<std::ptrdiff_t>(offset);
    std::copy(from, from + static_cast<std::ptrdiff_t>(to.size()), to.begin());
    return Done{};
  }
  Outcome<bool> look_again() override {
    const bool changed = size_ != written;
    size_ = written;
    return changed;
  }

 private:
  Bytes all_;
  std::uint64_t size_ = 0;
  const std::string name_ = "growing";
};

/// Whose bytes from `bad_from` on cannot be read.
class BadSource final : public Source {
 public:
  BadSource(Bytes all, std::uint64_t bad_from) : memory_(all), bad_from_(bad_from) {}

  const std::string& name() const override { return memory_.name(); }
  std::uint64_t size() const override { return memory_.size(); }
  Outcome<Done> read(std::uint64_t offset, std::span<std::uint8_t> to) override {
    return offset + to.size() > bad_from_ ? Outcome<Done>(Error{"bad disk"}) : memory_.read(offset, to);
  }

 private:
  testing::MemorySource memory_;
  const std::uint64_t bad_from_;
};

// The error for a file with one chunk of these records, whose header says that it has `size` bytes.
std::string error_of_chunk(std::uint64_t size, std::uint32_t crc, std::string_view compression, Bytes records) {
  auto file = by_hand([&](Buffer& out) {
    put(out, Channel{1, 0, "/a", "", {}});
    put_chunk(out, size, crc, compression, records);
    put_end(out);
  });
  return hear(file, {.chunk = 1 << 20}).error;
}

bool has(const std::string& text, const std::string& part) {
  if (text.find(part) == std::string::npos) MESSAGE(text);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a file without chunks and without checksums can be read") {
  const auto file = by_hand([](Buffer& out) {
    put(out, Schema{3, "S", "", {}});
    put(out, Channel{5, 3, "/a", "text", {}});
    put_message(out, 5, 1, 10, "one");
    put_record(out, static_cast<Op>(0x93), [&] { append(out, as_bytes("somebody's own")); });
    put_message(out, 5, 2, 20, "two");
    put_end(out);
  });
  const auto heard = hear(file);
  CHECK(heard.error == "");
  CHECK(heard.messages == std::vector<Said>{{5, 1, 10, "one"}, {5, 2, 20, "two"}});
}

TEST_CASE("the smallest file, a header and a footer, is whole, with a checksum and without one") {
  Buffer fields;
  put_record(fields, Op::kFooter,
             [&] { put(fields, std::uint64_t{0}), put(fields, std::uint64_t{0}), put(fields, std::uint32_t{0}); });
  fields.resize(fields.size() - sizeof(std::uint32_t));
  for (const std::uint32_t crc : {std::uint32_t{0}, crc32(fields)}) {
    CAPTURE(crc);
    const Buffer file = by_hand([&](Buffer& out) {
      append(out, fields);
      put(out, crc);
      append(out, kMagic);
    });
    CHECK(hear(file).error == "");
    CHECK(hear(file).progress.complete);
  }
}

TEST_CASE("a footer that is too short or too long is refused") {
  const auto with = [](std::size_t size) {
    return by_hand([&](Buffer& out) {
      put_record(out, Op::kFooter, [&] { out.resize(out.size() + size); });
      append(out, kMagic);
    });
  };
  CHECK(hear(with(20)).error == "");
  CHECK(has(hear(with(19)).error, "footer: the record ends too soon"));
  CHECK(has(hear(with(21)).error, "footer: the record is too long"));
}

TEST_CASE("schemas of the id 0, which is invalid, are ignored, and a channel of no schema has none") {
  const auto file = by_hand([](Buffer& out) {
    put(out, Schema{0, "S", "", {}});
    put(out, Schema{0, "T", "", {}});
    put(out, Channel{1, 0, "/a", "", {}});
    put_message(out, 1, 1, 10, "one");
    put_end(out);
  });
  testing::MemorySource source(file);
  Reader reader(source);
  const Heard heard = hear(reader);
  CHECK(heard.error == "");
  CHECK(heard.messages == std::vector<Said>{{1, 1, 10, "one"}});
  CHECK(reader.definitions().schema(0) == nullptr);
}

TEST_CASE("a file that is cut at any byte gives all whole chunks before, and the error names the place") {
  for (const bool compress : {false, true}) {
    const auto made = sample(4, 3, compress);
    for (std::size_t size = 0; size < made.file.size(); ++size) {
      // A copy of exactly that size, so that the address sanitizer detects a read past it.
      const Buffer cut(made.file.begin(), made.file.begin() + static_cast<std::ptrdiff_t>(size));
      const auto heard = hear(cut);
      std::size_t chunks = 0;
      while (chunks < made.chunk_ends.size() && made.chunk_ends[chunks] <= size) ++chunks;
      CAPTURE(size);
      REQUIRE(heard.messages == first(made.messages, chunks * made.each));
      REQUIRE(heard.error.substr(0, kAt.size()) == kAt);
      REQUIRE_FALSE(heard.progress.complete);
      REQUIRE(heard.progress.whole <= size);
      REQUIRE(heard.progress.whole >= (chunks ? made.chunk_ends[chunks - 1] : 0));
    }
  }
}

TEST_CASE("a file is read while it grows, in pieces of any size, until it is complete") {
  for (const bool compress : {false, true}) {
    const auto made = sample(4, 3, compress);
    for (const std::size_t piece : {1U, 2U, 7U, 64U, 1000U}) {
      CAPTURE(piece);
      GrowingSource source(made.file);
      Reader reader(source);
      std::vector<Said> messages;
      for (bool over = false; !over;) {
        const auto heard = hear(reader);
        messages.insert(messages.end(), heard.messages.begin(), heard.messages.end());
        over = heard.error.empty();
        if (over) continue;
        REQUIRE(reader.cut_off());
        const auto as_before = reader.read_on();
        REQUIRE(as_before.ok());
        REQUIRE_FALSE(*as_before);
        REQUIRE(source.written < made.file.size());
        source.written = std::min(source.written + piece, made.file.size());
        const auto changed = reader.read_on();
        REQUIRE(changed.ok());
        REQUIRE(*changed);
      }
      CHECK(source.written == made.file.size());
      CHECK(messages == made.messages);
      CHECK(reader.progress().complete);
    }
  }
}

TEST_CASE("a file that was cut back, because a write failed, is read on as it is written then") {
  const auto made = sample(3, 3, false);
  Buffer file = made.file;
  std::size_t second = made.chunk_ends[0];  // where the second chunk begins, behind the indexes of the first
  while (file[second] != static_cast<std::uint8_t>(Op::kChunk))
    second += kRecordHead + FieldReader(Bytes(file).subspan(second + 1)).number<std::uint64_t>("length");
  GrowingSource source(file);
  Reader reader(source);
  REQUIRE(reader.read_on().ok());
  file[second + 3] ^= 0xFF;  // the length of what was written at first
  source.written = second + 20;
  REQUIRE(*reader.read_on());
  const auto before = hear(reader);
  CHECK(before.messages == first(made.messages, 3));
  REQUIRE(reader.cut_off());
  file[second + 3] ^= 0xFF;
  source.written = file.size();
  REQUIRE(*reader.read_on());
  const auto after = hear(reader);
  CHECK(after.error == "");
  CHECK(after.messages.size() == 6);
}

TEST_CASE("damage is not taken for the end of a file that grows") {
  auto file = sample(2, 3, false).file;
  file[file.size() / 2] ^= 1;
  testing::MemorySource source(file);
  Reader reader(source);
  REQUIRE_FALSE(hear(reader).error.empty());
  CHECK_FALSE(reader.cut_off());

  // Nor if the file ended there before.
  for (const std::size_t ends_at : {std::size_t{0}, kMagic.size() + 3, file.size() / 4}) {
    CAPTURE(ends_at);
    GrowingSource growing(file);
    growing.written = ends_at;
    Reader follower(growing);
    REQUIRE(follower.read_on().ok());
    REQUIRE_FALSE(hear(follower).error.empty());
    REQUIRE(follower.cut_off());
    growing.written = file.size();
    REQUIRE(*follower.read_on());
    REQUIRE_FALSE(hear(follower).error.empty());
    CHECK_FALSE(follower.cut_off());
  }
}

TEST_CASE("a search after damage looks at a file a limited number of times, and then gives up") {
  // Heads of chunks that claim all that follows, and whose checksum is wrong; the last chunk is right.
  constexpr std::size_t kHead = kRecordHead + 8 + 8 + 8 + 4 + 4 + 8;
  const auto found_behind = [](std::size_t heads) {
    Buffer message, last;
    put_message(message, 1, 1, 1, "behind");
    put_chunk(last, message.size(), crc32(message), "", message);
    const Buffer file = by_hand([&](Buffer& out) {
      put(out, Channel{1, 0, "/a", "", {}});
      put_record(out, static_cast<Op>(0), [] {});
      for (std::size_t i = 0; i < heads; ++i) {
        const std::uint64_t rest = (heads - 1 - i) * kHead + last.size();
        put(out, static_cast<std::uint8_t>(Op::kChunk)), put(out, std::uint64_t{kHead - kRecordHead + rest});
        put(out, std::uint64_t{0}), put(out, std::uint64_t{0}), put(out, rest), put(out, std::uint32_t{1});
        put(out, ""), put(out, rest);
      }
      append(out, last);
    });
    testing::MemorySource source(file);
    Reader reader(source, {.chunk = 1 << 16});
    std::size_t messages = 0;
    do messages += hear(reader).messages.size();
    while (reader.pass_damage());
    return messages;
  };
  CHECK(found_behind(0) == 1);
  CHECK(found_behind(20) == 1);
  CHECK(found_behind(1000) == 0);
}

TEST_CASE("after damage, a chunk without a checksum is believed only if its bytes fall into records") {
  for (const std::size_t beyond : {0U, 1U}) {  // bytes that its last record claims beyond its end
    CAPTURE(beyond);
    Buffer doubtful, behind;
    put_message(doubtful, 1, 1, 1, "doubtful");
    put(doubtful, static_cast<std::uint8_t>(0x80)), put(doubtful, std::uint64_t{beyond});
    put_message(behind, 1, 2, 2, "behind");
    const Buffer file = by_hand([&](Buffer& out) {
      put(out, Channel{1, 0, "/a", "", {}});
      put_record(out, static_cast<Op>(0), [] {});
      put_chunk(out, doubtful.size(), 0, "", doubtful);
      put_chunk(out, behind.size(), 0, "", behind);
    });
    testing::MemorySource source(file);
    Reader reader(source);
    std::vector<std::string> heard;
    do
      for (const Said& one : hear(reader).messages) heard.push_back(one.data);
    while (reader.pass_damage());
    CHECK(heard == (beyond == 0 ? std::vector<std::string>{"doubtful", "behind"} : std::vector<std::string>{"behind"}));
  }
}

TEST_CASE(
    "after damage, the next schema or channel is found; zeros that look like a channel without a topic are none") {
  for (const bool has_schema : {true, false}) {
    CAPTURE(has_schema);
    const Buffer file = by_hand([&](Buffer& out) {
      put_record(out, static_cast<Op>(0), [&] { out.insert(out.end(), 3, 0xFF); });
      out.insert(out.end(), 5, 0xFF);
      put(out, Channel{0, 0, "", "", {}});
      if (has_schema) put(out, Schema{3, "S", "text", {1, 2, 3}});
      put(out, Channel{1, static_cast<std::uint16_t>(has_schema ? 3 : 0), "/a", "", {}});
      put_message(out, 1, 1, 1, "behind");
    });
    testing::MemorySource source(file);
    Reader reader(source);
    CHECK(hear(reader).messages.empty());
    REQUIRE(reader.pass_damage());
    CHECK(hear(reader).messages.size() == 1);
    CHECK(reader.definitions().channel(0) == nullptr);
  }
}

TEST_CASE("after damage, a chunk that cannot be decompressed is passed over") {
  Buffer behind;
  put_message(behind, 1, 1, 1, "behind");
  const Buffer file = by_hand([&](Buffer& out) {
    put(out, Channel{1, 0, "/a", "", {}});
    put_record(out, static_cast<Op>(0), [&] { out.insert(out.end(), 3, 0xFF); });
    out.insert(out.end(), 5, 0xFF);
    put_chunk(out, 100, crc32(behind), "zstd", as_bytes(std::string_view("no zstd at all")));
    put_chunk(out, behind.size(), crc32(behind), "zstd", zstd_frame(behind));
  });
  testing::MemorySource source(file);
  Reader reader(source);
  CHECK(hear(reader).messages.empty());
  REQUIRE(reader.pass_damage());
  CHECK(hear(reader).messages == std::vector<Said>{{1, 1, 1, "behind"}});
}

TEST_CASE("a damaged file that the disk cannot read any further ends there") {
  Buffer messages;
  put_message(messages, 1, 1, 1, std::string(Window::kAhead, 'x'));
  const Buffer file = by_hand([&](Buffer& out) {
    put(out, Channel{1, 0, "/a", "", {}});
    put_chunk(out, messages.size(), crc32(messages), "", messages);
    put_record(out, static_cast<Op>(0), [&] { out.insert(out.end(), 3, 0xFF); });
    out.insert(out.end(), 3 * Window::kAhead, 0xFF);
    put_chunk(out, messages.size(), crc32(messages), "", messages);
  });
  for (std::size_t bad_from = Window::kAhead; bad_from < file.size(); bad_from += Window::kAhead / 4) {
    CAPTURE(bad_from);
    BadSource source(file, bad_from);
    Reader reader(source);
    std::size_t heard = 0;
    do heard += hear(reader).messages.size();
    while (reader.pass_damage());
    CHECK(heard <= 1);
    CHECK(reader.failed());
  }
}

TEST_CASE("a footer may state a place of summary offsets, although there are none: its own") {
  const auto error_of_offset = [](std::int64_t beside, bool has_offset = false) {
    const Buffer file = by_hand([&](Buffer& out) {
      put_record(out, Op::kDataEnd, [&] { put(out, std::uint32_t{0}); });
      const std::uint64_t summary = has_offset ? out.size() : 0;
      if (has_offset) put_record(out, Op::kSummaryOffset, [&] { out.insert(out.end(), 17, 0); });
      const auto own = static_cast<std::uint64_t>(static_cast<std::int64_t>(out.size()) + beside);
      put_record(out, Op::kFooter, [&] { put(out, summary), put(out, own), put(out, std::uint32_t{0}); });
      append(out, kMagic);
    });
    return hear(file).error;
  };
  CHECK(error_of_offset(0).empty());
  CHECK(has(error_of_offset(1), "the summary offsets start at byte 0"));
  CHECK(has(error_of_offset(-1), "the summary offsets start at byte 0"));
  constexpr std::int64_t kOffset = kRecordHead + 17;
  CHECK(error_of_offset(-kOffset, true).empty());
  CHECK(has(error_of_offset(0, true), "the summary offsets start at byte "));
}

TEST_CASE("a flipped bit is detected, or all messages are the same") {
  for (const bool compress : {false, true}) {
    auto made = sample(3, 2, compress);
    for (std::size_t bit = 0; bit < made.file.size() * 8; bit += testing::step(13)) {
      auto flipped = made.file;
      flipped[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
      const auto heard = hear(flipped);
      CAPTURE(bit / 8);
      if (heard.error.empty()) REQUIRE(heard.messages == made.messages);
      // The messages before the error are correct, too. A chunk whose opcode became an unknown one is skipped, as the
      // specification requires. Only the checksum at the end of the data detects that.
      REQUIRE(std::includes(made.messages.begin(), made.messages.end(), heard.messages.begin(), heard.messages.end(),
                            [](const Said& a, const Said& b) { return a.sequence < b.sequence; }));
      for (const auto& message : heard.messages) REQUIRE(message == made.messages[message.sequence - 1]);
    }
  }
}

TEST_CASE("errors name their place") {
  CHECK(hear(as_bytes("")).error == "memory: at byte 0: not an MCAP file: it has 0 bytes");
  CHECK(hear(as_bytes("{\"t\": 1, \"bytes\": \"\"}")).error == "memory: at byte 0: not an MCAP file");

  auto file = by_hand([](Buffer& out) { put_message(out, 9, 1, 1, "lost"); });
  const auto heard = hear(file);
  CHECK(heard.error == "memory: at byte 32: message: no channel of this id came before (channel_id, byte 0 of it)");
  CHECK(heard.progress.whole == 32);

  file = by_hand([](Buffer& out) { put(out, Header{"", ""}); });
  CHECK(has(hear(file).error, "at byte 32: a second header"));
  file = by_hand([](Buffer& out) {
    put(out, Channel{1, 0, "/a", "", {}});
    put(out, Channel{1, 0, "/b", "", {}});
  });
  CHECK(has(hear(file).error, "channel: the channel of this id was another one before"));
  file = by_hand([](Buffer& out) { put(out, Channel{1, 4, "/a", "", {}}); });
  CHECK(has(hear(file).error, "no schema of this id came before"));
  file = by_hand([](Buffer& out) { out.insert(out.end(), 9, 0); });
  CHECK(has(hear(file).error, "opcode 0"));
  file = by_hand([](Buffer& out) { put_end(out), out.push_back(0); });
  CHECK(has(hear(file).error, "1 bytes after the end"));
}

TEST_CASE("hostile chunks are refused") {
  Buffer records;
  put_message(records, 1, 1, 1, "fine");
  const auto packed = zstd_frame(records);
  CHECK(error_of_chunk(records.size(), crc32(records), "zstd", packed) == "");
  CHECK(error_of_chunk(records.size(), 0, "", records) == "");

  CHECK(has(error_of_chunk(10ull << 30, 0, "zstd", packed), "larger, uncompressed, than the reader's limit"));
  CHECK(has(error_of_chunk(~0ull, 0, "", records), "larger, uncompressed, than the reader's limit"));
  CHECK(has(error_of_chunk(1 << 20, 0, "zstd", as_bytes("0123")), "not zstd"));
  CHECK(has(error_of_chunk(1 << 20, 0, "zstd", packed), "decompresses to another size than stated"));
  CHECK(has(error_of_chunk(3, 0, "zstd", packed), "zstd cannot decompress it"));
  CHECK(has(error_of_chunk(0, 0, "zstd", packed), "zstd"));
  CHECK(has(error_of_chunk(5, 0, "", records), "not compressed, but its two sizes differ"));
  CHECK(has(error_of_chunk(records.size(), 1, "zstd", packed), "the chunk is damaged"));
  CHECK(has(error_of_chunk(records.size(), 0, "lz4", packed), "compressed with 'lz4', which this program cannot read"));

  Buffer nested;
  put_chunk(nested, records.size(), 0, "", records);
  CHECK(error_of_chunk(nested.size(), 0, "", nested)
            .ends_with("at byte 0 of its records: chunk: not allowed inside a chunk"));
  CHECK(has(error_of_chunk(records.size() - 1, 0, "", Bytes(records).first(records.size() - 1)),
            "the record ends too soon"));

  // A decompression bomb that states its true size, one byte over the limit.
  const Buffer zeros((1 << 20) + 1);
  CHECK(has(error_of_chunk(zeros.size(), 0, "zstd", zstd_frame(zeros)), "limit"));
}

TEST_CASE("a file that expands to far more than its size is refused early: many records, large chunks, many parts") {
  // 15 kB of chunks had 36 million records.
  Buffer empty;
  for (int i = 0; i < 200'000; ++i) put_message(empty, 1, 0, 0, "");
  Buffer file = by_hand([&](Buffer& out) {
    put(out, Channel{1, 0, "/a", "", {}});
    put_chunk(out, empty.size(), 0, "zstd", zstd_frame(empty));
    put_end(out);
  });
  const Heard many = hear(file);
  CHECK(has(many.error, "expands to far more than its size"));
  CHECK(many.messages.size() >= 100'000);
  CHECK(many.messages.size() <= 100'000 + 2 * file.size());

  Buffer large;
  put_record(large, static_cast<Op>(0x80), [&] { large.insert(large.end(), 90U << 20U, 0); });
  const Buffer packed = zstd_frame(large);
  file = by_hand([&](Buffer& out) {
    for (int i = 0; i < 3; ++i) put_chunk(out, large.size(), 0, "zstd", packed);
    put_end(out);
  });
  const Heard two = hear(file);  // 180 of 270 MiB
  CHECK(has(two.error, "expands to far more than its size"));
  CHECK(two.progress.chunks == 2);

  // The same chunk counts once, however often it is read.
  file = by_hand([&](Buffer& out) { put_chunk(out, large.size(), 0, "zstd", packed), put_end(out); });
  testing::MemorySource source(file);
  Reader reader(source);
  for (int i = 0; i < 5; ++i) {
    CHECK(hear(reader).error == "");
    reader.go_to({by_hand([](Buffer&) {}).size(), 0});
  }

  // A message may be small in a chunk, and have a million parts.
  Geometry geometry;
  for (int i = 0; i < 1'000'000; ++i) geometry.mutable_world()->add_solids();
  Buffer bomb;
  put(bomb, Schema{1, Geometry::descriptor()->full_name(), "protobuf", {}});
  put(bomb, Channel{1, 1, "/geometry", "protobuf", {}});
  put_message(bomb, 1, 0, 0, geometry.SerializeAsString());
  file = by_hand([&](Buffer& out) { put_chunk(out, bomb.size(), 0, "zstd", zstd_frame(bomb)), put_end(out); });
  CHECK(file.size() < 2'000);
  testing::MemorySource parts(file);
  Recording recording(parts);
  CHECK_FALSE(recording.next().ok());
  CHECK(*recording.find_geometry("x") == nullptr);
}

TEST_CASE("a file is refused if its messages have too many parts together, however few each of them has") {
  Geometry geometry;
  for (int i = 0; i < 200'000; ++i) geometry.mutable_world()->add_solids();
  Buffer messages;
  put(messages, Schema{1, Geometry::descriptor()->full_name(), "protobuf", {}});
  put(messages, Channel{1, 1, "/geometry", "protobuf", {}});
  for (int i = 0; i < 3; ++i) put_message(messages, 1, 0, 0, geometry.SerializeAsString());
  const Buffer file =
      by_hand([&](Buffer& out) { put_chunk(out, messages.size(), 0, "zstd", zstd_frame(messages)), put_end(out); });
  testing::MemorySource source(file);
  Recording recording(source);
  CHECK(recording.next().ok());
  CHECK(recording.next().ok());
  CHECK_FALSE(recording.next().ok());
}

TEST_CASE("an empty chunk is valid") {
  CHECK(error_of_chunk(0, 0, "", {}) == "");
  CHECK(error_of_chunk(0, 0, "zstd", zstd_frame({})) == "");
}

TEST_CASE("a record over the limit is refused by its length; at one that is longer than the file, the file ends") {
  auto file = by_hand([](Buffer& out) {
    put(out, Channel{1, 0, "/a", "", {}});
    put_message(out, 1, 1, 1, std::string(2000, 'x'));
    put_end(out);
  });
  CHECK(hear(file).error == "");
  CHECK(has(hear(file, {.record = 1000}).error, "a message of 2022 bytes; the limit is 1000"));
  CHECK(has(hear(file, {.record = 2021}).error, "a message of 2022 bytes; the limit is 2021"));
  CHECK(hear(file, {.record = 2022}).error == "");
  for (const std::uint64_t length : {std::uint64_t{1} << 40, ~std::uint64_t{0}, ~std::uint64_t{0} - 8}) {
    file = by_hand([&](Buffer& out) {
      out.push_back(5);
      put(out, length);
      out.insert(out.end(), 100, 0);
    });
    CHECK(has(hear(file).error, "the file ends inside a message of " + std::to_string(length)));
  }
}

TEST_CASE("the total size of definitions is limited") {
  const auto file = by_hand([](Buffer& out) {
    for (std::uint16_t id = 1; id < 1000; ++id) put(out, Schema{id, "S", "", Buffer(1000)});
    put_end(out);
  });
  CHECK(hear(file).error == "");
  CHECK(has(hear(file, {.definitions = 1 << 16}).error, "more schemas, channels and metadata than the reader's limit"));
}

TEST_CASE("definitions are limited to the byte, and each takes memory, however small it is") {
  const auto file = [](std::uint16_t count) {
    return by_hand([&](Buffer& out) {
      for (std::uint16_t id = 1; id <= count; ++id) put(out, Schema{id, "S", "", {}});
      put_end(out);
    });
  };
  constexpr std::uint64_t kEach = 128 + 2 + 4 + 1 + 4 + 4;  // its bytes in the file, and in memory 128 more
  CHECK(hear(file(1), {.definitions = kEach}).error == "");
  CHECK(has(hear(file(1), {.definitions = kEach - 1}).error, "than the reader's limit"));
  CHECK(hear(file(10), {.definitions = 10 * kEach}).error == "");
  CHECK(has(hear(file(11), {.definitions = 10 * kEach}).error, "than the reader's limit"));
}

TEST_CASE("metadata count nine times against the limit of definitions, because a map of empty strings takes so much") {
  const auto file = by_hand([](Buffer& out) {
    put(out, Metadata{"m", {}});
    put_end(out);
  });
  constexpr std::uint64_t kBytes = 4 + 1 + 4;  // the lengths of the name and of the map, and the name
  CHECK(hear(file, {.definitions = 128 + 9 * kBytes}).error == "");
  CHECK(has(hear(file, {.definitions = 128 + 9 * kBytes - 1}).error, "than the reader's limit"));
}

TEST_CASE("metadata that a reader passes again, because it went back, are there once") {
  const auto file = by_hand([](Buffer& out) {
    put(out, Channel{1, 0, "/a", "", {}});
    for (std::uint32_t i = 1; i <= 3; ++i) {
      put_message(out, 1, i, 0, "m");
      put(out, Metadata{"m" + std::to_string(i), {}});
    }
    put_end(out);
  });
  testing::MemorySource source(file);
  Reader reader(source);
  REQUIRE(reader.next().ok());
  const auto place = reader.position();
  for (int round = 0; round < 3; ++round) {
    REQUIRE(reader.next().ok());
    REQUIRE(reader.next().ok());
    CHECK(reader.definitions().metadata().size() == 2);
    reader.go_to(place);
  }
}

TEST_CASE("attachments are checked and skipped, whatever their size") {
  Buffer content(600'000, 'a');
  const auto crc = crc32(content);
  put(content, crc);
  const auto with = [&](const Buffer& attachment) {
    return by_hand([&](Buffer& out) {
      put_record(out, Op::kAttachment, [&] { append(out, attachment); });
      put_end(out);
    });
  };
  const auto heard = hear(with(content), {.record = 1000});
  CHECK(heard.error == "");
  CHECK(heard.progress.attachments == 1);
  content[300'000] ^= 1;
  CHECK(has(hear(with(content)).error, "the attachment is damaged"));
  CHECK(has(hear(with({1, 2})).error, "attachment: the record ends too soon"));
  CHECK(has(hear(with({0, 0, 0})).error, "attachment: the record ends too soon"));
  CHECK(hear(with({0, 0, 0, 0})).error == "");  // no content, whose checksum is 0
  std::fill(content.end() - sizeof crc, content.end(), 0);
  CHECK(hear(with(content)).error == "");  // without a checksum
}

TEST_CASE("the checksum of the data is also that of the attachments in it") {
  const auto with = [](std::uint32_t change) {
    return by_hand([&](Buffer& out) {
      put_record(out, Op::kAttachment, [&] {
        for (int i = 0; i < 600'000; ++i) out.push_back(static_cast<std::uint8_t>(i * i));
        put(out, std::uint32_t{0});
      });
      const std::uint32_t crc = crc32(out) + change;
      put_record(out, Op::kDataEnd, [&] { put(out, crc); });
      put_record(out, Op::kFooter,
                 [&] { put(out, std::uint64_t{0}), put(out, std::uint64_t{0}), put(out, std::uint32_t{0}); });
      append(out, kMagic);
    });
  };
  CHECK(hear(with(0)).error == "");
  const std::string error = hear(with(1)).error, found = ": its checksum is ", wanted = " and should be ";
  REQUIRE(has(error, "the data before this byte is damaged" + found));
  REQUIRE(has(error, wanted));
  const auto number_after = [&](const std::string& words) {
    return std::stoul(error.substr(error.find(words) + words.size(), 8), nullptr, 16);
  };
  CHECK(number_after(wanted) == number_after(found) + 1);
}

TEST_CASE("an attachment of which some part cannot be read is an error") {
  const std::size_t start = by_hand([](Buffer&) {}).size() + kRecordHead;
  constexpr std::size_t kContent = 2 * Window::kAhead;
  const auto file = by_hand([](Buffer& out) {
    put_record(out, Op::kAttachment, [&] { out.insert(out.end(), kContent + sizeof(std::uint32_t), 0); });
    put_end(out);
  });
  for (const std::size_t bad_from : {std::size_t{0}, start, start + kContent / 2, start + kContent}) {
    CAPTURE(bad_from);
    BadSource source(file, bad_from);
    Reader reader(source);
    CHECK(hear(reader).error == "bad disk");
  }
}

TEST_CASE("an attachment counts in the checksum of the data: its head, its content and its own checksum") {
  const auto with = [](std::uint32_t wrong) {
    return by_hand([&](Buffer& out) {
      put_record(out, Op::kAttachment, [&] { append(out, as_bytes("content")), put(out, crc32(as_bytes("content"))); });
      const std::uint32_t crc = crc32(out) ^ wrong;
      put_record(out, Op::kDataEnd, [&] { put(out, crc); });
      put_footer(out);
    });
  };
  CHECK(hear(with(0)).error == "");
  CHECK(has(hear(with(1)).error, "the data before this byte is damaged"));
}

TEST_CASE("an invalid message index is refused") {
  const auto with = [](std::uint32_t entries) {
    return by_hand([&](Buffer& out) {
      put(out, Channel{1, 0, "/a", "", {}});
      put_record(out, Op::kMessageIndex,
                 [&] { put(out, std::uint16_t{1}), put(out, entries), out.insert(out.end(), 32, 0); });
      put_end(out);
    });
  };
  CHECK(hear(with(32)).error == "");
  CHECK(has(hear(with(31)).error, "message index: it has half an entry (records, byte 2 of it)"));
  CHECK(has(hear(with(33)).error, "message index: the record ends too soon"));
}

TEST_CASE("statistics that do not match the file are an error") {
  auto made = sample(1, 2, false);
  // A file without messages, whose statistics count 17.
  auto other = by_hand([](Buffer& out) {
    put_record(out, Op::kDataEnd, [&] { put(out, std::uint32_t{0}); });
    put_record(out, Op::kStatistics, [&] { put(out, std::uint64_t{17}), out.insert(out.end(), 38, 0); });
  });
  CHECK(has(hear(other).error, "the statistics count 17 messages, but the file has 0"));
}

TEST_CASE("random bytes after the magic never crash the reader") {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    auto file = by_hand([&](Buffer& out) {
      const auto size = random() % 200;
      for (std::size_t i = 0; i < size; ++i) out.push_back(static_cast<std::uint8_t>(random() % (i % 9 ? 3 : 20)));
    });
    CHECK_FALSE(hear(file).error.empty());
  }
}

}  // namespace entente::reader_test
