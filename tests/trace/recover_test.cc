#include "proxy/trace/recover.h"

#include <unistd.h>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "proxy/trace/recording.h"
#include "tests/support/thorough.h"
#include "tests/trace/samples.h"

namespace entente::recover_test {

using namespace entente::trace;

namespace {

struct Saved {
  Buffer file;
  std::optional<Recovered> report;
  std::string error;
  Heard heard;
};

Saved save(Bytes damaged) {
  Saved saved;
  testing::MemorySource in(damaged);
  testing::MemorySink out(saved.file);
  auto report = recover(in, out);
  if (report.ok())
    saved.report = *report;
  else
    saved.error = report.error().text;
  if (report.ok()) saved.heard = hear(saved.file);
  return saved;
}

bool in_order_and_true(const std::vector<Said>& some, const std::vector<Said>& all) {
  std::uint32_t last = 0;
  for (const auto& one : some) {
    if (one.sequence <= last || one.sequence > all.size() || !(one == all[one.sequence - 1])) return false;
    last = one.sequence;
  }
  return true;
}

}  // namespace

TEST_CASE("a whole file is copied completely") {
  const auto made = sample(5, 4, true);
  const auto saved = save(made.file);
  REQUIRE(saved.report);
  CHECK(saved.report->was_whole);
  CHECK(saved.report->damages == 0);
  CHECK(saved.report->messages == 20);
  CHECK(saved.report->chunks == 5);
  CHECK(saved.heard.error == "");
  CHECK(saved.heard.messages == made.messages);
}

TEST_CASE("a file that was cut at any byte is repaired with every complete chunk") {
  const auto made = sample(4, 3, true);
  for (std::size_t size = 0; size < made.file.size(); ++size) {
    const Buffer cut(made.file.begin(), made.file.begin() + static_cast<std::ptrdiff_t>(size));
    const auto saved = save(cut);
    CAPTURE(size);
    if (!saved.report) {
      REQUIRE(size < 8);  // not even the magic
      continue;
    }
    const auto chunks =
        std::count_if(made.chunk_ends.begin(), made.chunk_ends.end(), [&](auto end) { return end <= size; });
    REQUIRE(saved.heard.error == "");
    REQUIRE(saved.heard.messages.size() == static_cast<std::size_t>(chunks) * made.each);
    REQUIRE(in_order_and_true(saved.heard.messages, made.messages));
    REQUIRE(saved.report->damages == 1);
    REQUIRE_FALSE(saved.report->was_whole);
  }
}

TEST_CASE("one flipped bit anywhere costs at most the chunk it is in") {
  for (const bool compress : {false, true}) {
    const auto made = sample(4, 3, compress);
    for (std::size_t bit = 0; bit < made.file.size() * 8; bit += testing::step(13)) {
      auto flipped = made.file;
      flipped[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
      const auto saved = save(flipped);
      CAPTURE(compress);
      CAPTURE(bit / 8);
      CAPTURE(bit % 8);
      REQUIRE_MESSAGE(saved.report, saved.error);
      REQUIRE(saved.heard.error == "");
      REQUIRE(saved.heard.messages.size() >= made.messages.size() - made.each);
      REQUIRE(in_order_and_true(saved.heard.messages, made.messages));
    }
  }
}

TEST_CASE("a flipped bit in the length of a chunk costs no chunk behind it") {
  for (const bool index_messages : {false, true}) {
    const auto made = sample(12, 3, false, index_messages);
    std::size_t start = 0;  // of the third chunk
    for (start = made.chunk_ends[1]; made.file[start] != static_cast<std::uint8_t>(mcap::Op::kChunk);)
      start +=
          mcap::kRecordHead + mcap::FieldReader(Bytes(made.file).subspan(start + 1)).number<std::uint64_t>("length");
    for (std::size_t bit = 0; bit < 64; ++bit) {
      CAPTURE(bit);
      auto flipped = made.file;
      flipped[start + 1 + bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
      const auto saved = save(flipped);
      REQUIRE_MESSAGE(saved.report, saved.error);
      CHECK(saved.heard.messages.size() >= made.messages.size() - made.each);
      CHECK(in_order_and_true(saved.heard.messages, made.messages));
    }
  }
}

TEST_CASE("garbage costs only the chunks that it touches") {
  const auto made = sample(12, 5, true);
  for (std::size_t from = made.chunk_ends[2]; from < made.chunk_ends[8]; from += 7) {
    auto holed = made.file;
    const auto to = from + 100;
    for (auto at = from; at < to; ++at) holed[at] = static_cast<std::uint8_t>(at * 151);
    // A chunk counts as touched if any byte of it is, or of the previous chunk's indexes, which come before it.
    std::size_t touched = 0;
    for (std::size_t c = 0; c < made.chunk_ends.size(); ++c)
      touched += (c ? made.chunk_ends[c - 1] : 0) < to && from < made.chunk_ends[c];
    const auto saved = save(holed);
    REQUIRE(saved.report);
    CHECK(saved.heard.error == "");
    CHECK(saved.heard.messages.size() >= made.messages.size() - touched * made.each);
    CHECK(in_order_and_true(saved.heard.messages, made.messages));
    CHECK(saved.report->damages >= 1);
    CHECK(saved.report->first[0].offset <= to);
  }
}

TEST_CASE("the repaired file says what it lacks") {
  auto made = sample(3, 2, true);
  made.file[made.chunk_ends[1] - 3] ^= 0x40;
  const auto saved = save(made.file);
  REQUIRE(saved.report);
  CHECK(saved.report->damages == 1);
  testing::MemorySource source(saved.file);
  mcap::Reader reader(source);
  CHECK(hear(reader).messages.size() == 4);
  const auto& metadata = reader.definitions().metadata();
  REQUIRE(metadata.size() == 2);
  CHECK(metadata[0].name == "about");
  CHECK(saved.report->first[0].what == "chunk: zstd cannot decompress it (records, byte 0 of it)");
  CHECK(metadata[1].name == "entente recover");
  CHECK(metadata[1].values[0].second == std::to_string(saved.report->bytes_lost));
}

TEST_CASE("the repaired file has the channels of which no message can be read") {
  auto made = sample(3, 2, true);
  const auto topics = [](Bytes file) {
    testing::MemorySource source(file);
    mcap::Reader reader(source);
    reader.learn_from_summary();
    std::set<std::string> all;
    for (const auto& [id, channel] : reader.definitions().channels()) all.insert(channel.topic);
    return all;
  };
  const auto whole = topics(made.file);
  REQUIRE(!whole.empty());
  for (const std::size_t end : made.chunk_ends) made.file[end - 3] ^= 0x40;
  const auto saved = save(made.file);
  REQUIRE(saved.report);
  CHECK(saved.heard.messages.empty());
  CHECK(topics(saved.file) == whole);
}

TEST_CASE("the repaired file says how many bytes were passed over") {
  auto made = sample(3, 2, true, false);
  constexpr std::size_t kGarbage = 500;
  for (const std::size_t chunk : {std::size_t{1}, std::size_t{0}})
    made.file.insert(made.file.begin() + static_cast<std::ptrdiff_t>(made.chunk_ends[chunk]), kGarbage, 0xff);
  const auto saved = save(made.file);
  REQUIRE(saved.report);
  CHECK(saved.report->damages == 2);
  CHECK(saved.report->bytes_lost == 2 * kGarbage);
  CHECK(saved.heard.messages == made.messages);
}

TEST_CASE("a repaired file and its report name the first 32 damaged places, and count all of them") {
  constexpr std::size_t kBytes = 500;  // of garbage at each place
  for (const std::size_t places : {Recovered::kDamagesTold, Recovered::kDamagesTold + 2}) {
    CAPTURE(places);
    auto made = sample(places + 1, 2, true, false);
    for (std::size_t chunk = places; chunk-- > 0;)
      made.file.insert(made.file.begin() + static_cast<std::ptrdiff_t>(made.chunk_ends[chunk]), kBytes, 0xff);
    const auto saved = save(made.file);
    REQUIRE(saved.report);
    CHECK(saved.report->damages == places);
    CHECK(saved.report->bytes_lost == places * kBytes);
    REQUIRE(saved.report->first.size() == 32);
    CHECK(saved.report->first.front().offset == made.chunk_ends[0]);
    CHECK(saved.report->first.back().offset == made.chunk_ends[31] + 31 * kBytes);
    testing::MemorySource source(saved.file);
    mcap::Reader reader(source);
    CHECK(hear(reader).messages == made.messages);
    REQUIRE(reader.definitions().metadata().size() == 2);
    CHECK(reader.definitions().metadata()[1].values.size() ==
          1 + 32);  // the bytes that were passed over, and the places
  }
}

TEST_CASE("a damaged or cut summary is no loss, because no message was in it") {
  const auto made = sample(3, 2, true);
  const std::size_t in_summary = made.file.size() - 60;
  auto damaged = made.file;
  for (std::size_t at = in_summary; at < in_summary + 30; ++at) damaged[at] ^= 0xff;
  const Buffer cut(made.file.begin(), made.file.begin() + static_cast<std::ptrdiff_t>(in_summary));
  for (const Buffer& file : {damaged, cut}) {
    const auto saved = save(file);
    REQUIRE(saved.report);
    CHECK(saved.report->damages == 1);
    CHECK(saved.report->bytes_lost == 0);
    CHECK(saved.heard.messages == made.messages);
  }
}

TEST_CASE("a recording that cannot be read says whether recover would save a message, behind any number of damages") {
  const auto bad = [](Buffer& out) { mcap::put_record(out, static_cast<mcap::Op>(0), [&] { out.push_back(0xFF); }); };
  const auto channel = [](Buffer& out) { mcap::put(out, mcap::Channel{1, 0, "/a", "", {}}); };
  const auto message = [](Buffer& out) { put_message(out, 1, 1, 1, "saved"); };
  using Parts = std::vector<std::function<void(Buffer&)>>;
  const auto helps = [](const Parts& parts) {
    const Buffer file = by_hand([&](Buffer& out) {
      for (const auto& one : parts) one(out);
    });
    testing::MemorySource source(file);
    Recording recording(source);
    auto event = recording.next();
    while (event.ok() && *event != nullptr) event = recording.next();
    REQUIRE_FALSE(event.ok());
    const bool said = recording.recover_helps();
    const auto saved = save(file);
    REQUIRE(saved.report);
    CHECK(said == (saved.report->messages > 0));
    return said;
  };
  CHECK(helps({channel, message}));  // it has no end
  CHECK_FALSE(helps({channel}));
  CHECK(helps({bad, channel, message}));
  CHECK(helps({bad, channel, bad, channel, bad, channel, message}));
  CHECK_FALSE(helps({bad, channel, bad, channel}));
  CHECK_FALSE(helps({bad, channel, put_end}));
}

TEST_CASE("a file that is not MCAP is refused") {
  CHECK(save(as_bytes("")).error == "memory: nothing in it can be read as MCAP");
  CHECK(save(as_bytes(std::string(100'000, '\6'))).error == "memory: nothing in it can be read as MCAP");
}

TEST_CASE("a file full of false chunks is searched in bounded time") {
  // Each byte 6 seems to begin a chunk that reaches to the end of the file. Only its checksum shows that it does not.
  auto file = by_hand([](Buffer& out) { out.insert(out.end(), 20, 0xFF); });
  const std::size_t size = 1 << 20;
  while (file.size() < size - 100) {
    const auto left = size - file.size();
    mcap::put(file, std::uint8_t{6}), mcap::put(file, std::uint64_t{left - 9});
    mcap::put(file, std::uint64_t{0}), mcap::put(file, std::uint64_t{0}), mcap::put(file, std::uint64_t{left - 49});
    mcap::put(file, std::uint32_t{1}), mcap::put(file, std::string_view("")), mcap::put(file, std::uint64_t{left - 49});
  }
  file.resize(size);
  testing::MemorySource in(file);
  Buffer out;
  testing::MemorySink sink(out);
  const auto report = recover(in, sink, {.chunk = size});
  REQUIRE(report.ok());
  CHECK(report->messages == 0);
}

TEST_CASE("recover replaces no file that gets the name meanwhile, and says so") {
  namespace fs = std::filesystem;
  const auto folder = fs::temp_directory_path() / ("entente-meanwhile-" + std::to_string(::getpid()));
  fs::create_directory(folder);
  const auto in = (folder / "a.mcap.part").string(), out = (folder / "a.mcap").string();
  const auto made = sample(3, 3, true);
  std::ofstream(in, std::ios::binary).write(reinterpret_cast<const char*>(made.file.data()), 1000);
  const auto report = recover(in, out, [&] { return std::ofstream(out) << "another", false; });
  REQUIRE_FALSE(report.ok());
  CHECK(report.error().text.ends_with(": File exists"));
  CHECK(fs::file_size(out) == 7);
  CHECK(std::distance(fs::directory_iterator(folder), fs::directory_iterator()) == 2);
  fs::remove_all(folder);
}

TEST_CASE("recover never changes its input, and leaves no files when it fails") {
  namespace fs = std::filesystem;
  const auto folder = fs::temp_directory_path() / ("entente-recover-" + std::to_string(::getpid()));
  fs::create_directory(folder);
  const auto in = (folder / "a.mcap.part").string(), out = (folder / "a.mcap").string();
  const auto files = [&] { return std::distance(fs::directory_iterator(folder), fs::directory_iterator()); };

  std::ofstream(in) << "garbage of some length, no recording";
  CHECK_FALSE(recover(in, out).ok());
  CHECK(files() == 1);
  CHECK(fs::file_size(in) == 36);

  const auto made = sample(3, 3, true);
  std::ofstream(in, std::ios::binary).write(reinterpret_cast<const char*>(made.file.data()), 1000);
  const auto report = recover(in, out);
  REQUIRE(report.ok());
  CHECK(files() == 2);
  CHECK(fs::file_size(in) == 1000);

  const auto again = recover(in, out);
  REQUIRE_FALSE(again.ok());
  CHECK(again.error().text == out + " exists already: choose another name or move it away");
  CHECK_FALSE(recover((folder / "none").string(), (folder / "b").string()).ok());

  const auto left = (folder / "c.mcap.recovering").string();
  std::ofstream(left) << "of one that was killed";
  CHECK(recover(in, (folder / "c.mcap").string()).error().text ==
        left + " exists already: its writer was interrupted or is still running; remove it and try again");
  fs::remove(left);
  CHECK(files() == 2);
  CHECK(recover(in, (folder / "d.mcap").string(), [] { return true; }).error().text == "interrupted");
  CHECK(files() == 2);
  fs::remove_all(folder);
}

}  // namespace entente::recover_test
