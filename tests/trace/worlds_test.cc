// Worlds in recordings: their geometry always comes before them, even after the disk failed, and a recording can be
// read from any world on.
#include "proxy/trace/recorder.h"
#include "proxy/trace/recording.h"
#include "proxy/trace/recover.h"
#include "tests/trace/samples.h"

namespace entente::worlds_test {

using namespace entente::trace;

namespace {

constexpr WallTime kSecond = 1'000'000'000;

/// Counts the bytes that are read.
class Counted final : public Source {
 public:
  explicit Counted(Bytes bytes) : memory_(bytes) {}
  const std::string& name() const override { return memory_.name(); }
  std::uint64_t size() const override { return memory_.size(); }
  Outcome<Done> read(std::uint64_t offset, std::span<std::uint8_t> to) override {
    read_ += to.size();
    return memory_.read(offset, to);
  }
  std::uint64_t taken() { return std::exchange(read_, 0); }

 private:
  testing::MemorySource memory_;
  std::uint64_t read_ = 0;
};

Geometry geometry(const std::string& name) {
  Geometry made;
  made.mutable_world()->set_name(name);
  made.set_hash("hash of " + name);
  return made;
}

/// The world of `link` with one player, whose id identifies the world.
Snapshot world(std::uint32_t link, std::uint32_t player, const std::string& name) {
  Snapshot made;
  made.set_link(link);
  if (!name.empty()) made.set_geometry("hash of " + name);
  made.add_facts()->mutable_player()->set_id(player);
  return made;
}

std::string text(const Recording::Event& event) {
  if (event.world)
    return "world " + std::to_string(event.world->link()) + " " + std::to_string(event.world->facts(0).player().id()) +
           " " + event.world->geometry();
  if (event.geometry) return event.geometry->hash();
  if (event.note) return event.note->text();
  if (event.word) return "said";
  return "?";
}

/// The world at this time; "": there is none.
std::string world_at(Recording& recording, std::uint32_t link, WallTime time) {
  const auto found = recording.go_to_world(link, time);
  if (!found.ok() || !*found) return "";
  const auto event = recording.next();
  return event.ok() && *event != nullptr && (*event)->world ? text(**event) : "";
}

std::vector<std::string> all_of(Recording& recording) {
  std::vector<std::string> all;
  for (;;) {
    const auto event = recording.next();
    if (!event.ok() || *event == nullptr) return all;
    all.push_back(text(**event));
  }
}

std::vector<std::string> all_of(Bytes file) {
  testing::MemorySource source(file);
  Recording recording(source);
  return all_of(recording);
}

using Lines = std::vector<std::string>;

TEST_CASE("a geometry is written once, before the first world that names it") {
  Buffer file;
  auto recorder = Recorder::open(std::make_unique<testing::MemorySink>(file));
  REQUIRE(recorder.ok());
  Recorder& to = **recorder;
  to.world(1, world(1, 0, ""));
  to.geometry(geometry("a"));
  to.geometry(geometry("never named"));
  to.world(2, world(1, 1, "a"));
  to.geometry(geometry("a"));
  to.world(3, world(2, 2, "a"));
  to.world(4, world(1, 3, "not given"));
  REQUIRE(ok(to.close(5)));
  const Lines wanted = {"world 1 0 ", "hash of a", "world 1 1 hash of a", "world 2 2 hash of a",
                        "a world is not recorded: its geometry is not known"};
  CHECK(all_of(file) == wanted);

  testing::MemorySource in(file);
  Buffer again;
  testing::MemorySink out(again);
  REQUIRE(recover(in, out).ok());
  CHECK(all_of(again) == wanted);
}

TEST_CASE("a geometry that was lost with its chunk is written again with the next world") {
  Buffer file;
  std::size_t room = 1 << 20;
  auto recorder = Recorder::open(std::make_unique<testing::MemoryDisk>(file, room));
  REQUIRE(recorder.ok());
  Recorder& to = **recorder;
  to.world(0, world(1, 0, ""));  // so that its schemas and channels are in the file
  to.geometry(geometry("b"));
  to.world(0, world(1, 1, "b"));
  to.tick(0);
  room = 0;  // nothing can be written
  to.tick(2 * kSecond);
  CHECK(to.failing());
  to.world(2 * kSecond, world(1, 2, "b"));
  room = 1 << 20;
  to.world(4 * kSecond, world(1, 3, "b"));
  to.tick(6 * kSecond);
  CHECK_FALSE(to.failing());
  to.world(6 * kSecond, world(1, 4, "b"));
  REQUIRE(ok(to.close(7 * kSecond)));
  const Lines told = all_of(file);
  REQUIRE(told.size() == 4);  // the first is a note of the loss
  CHECK(told[1] == "hash of b");
  CHECK(told[2] == "world 1 3 hash of b");
  CHECK(told[3] == "world 1 4 hash of b");
}

TEST_CASE("memory for geometries is free again once they are written") {
  Buffer file;
  auto recorder = Recorder::open(std::make_unique<testing::MemorySink>(file), {.chunk_bytes = 1 << 20});
  REQUIRE(recorder.ok());
  Recorder& to = **recorder;
  constexpr std::size_t kLarge = 48U << 20U;  // of the 128 MiB that may wait, two fit
  const auto give = [&](const std::string& name) {
    Geometry made = geometry(name);
    made.mutable_world()->set_voxels(std::string(kLarge, 'v'));
    to.geometry(made);
  };
  for (const std::string name : {"a", "b", "c"}) give(name);
  to.world(1, world(1, 1, "a"));
  to.world(1, world(1, 2, "b"));
  to.world(1, world(1, 3, "c"));  // did not fit
  to.tick(2 * kSecond);
  give("c");
  to.world(3 * kSecond, world(1, 4, "c"));
  REQUIRE(ok(to.close(4 * kSecond)));
  CHECK(all_of(file) == Lines{"hash of a", "world 1 1 hash of a", "hash of b", "world 1 2 hash of b",
                              "a world is not recorded: its geometry is not known", "hash of c",
                              "world 1 4 hash of c"});
}

/// Two bridges for 1000 s: incompressible words each second, and a world of each bridge every 10 s.
Buffer long_recording() {
  Buffer file;
  auto recorder = Recorder::open(std::make_unique<testing::MemorySink>(file));
  REQUIRE(recorder.ok());
  std::uint32_t chance = 1;
  for (std::uint32_t second = 0; second < 1000; ++second) {
    const WallTime now = (100 + second) * kSecond;
    for (const std::uint32_t link : {1U, 2U}) {
      if (second % 10 == link) {
        const std::string map = second < 500 ? "early" : "late";
        (*recorder)->geometry(geometry(map));
        (*recorder)->world(now, world(link, second, map));
      }
      for (std::uint32_t i = 0; i < 20; ++i) {
        words::Fact fact;
        auto& pose = *fact.mutable_pose();
        pose.set_x(chance = chance * 1664525 + 1013904223);
        pose.set_y(chance = chance * 1664525 + 1013904223);
        Buffer bytes(fact.ByteSizeLong());
        fact.SerializeWithCachedSizesToArray(bytes.data());
        (*recorder)->word(now, link, WordKind::kFact, bytes);
      }
    }
    (*recorder)->tick(now);
  }
  REQUIRE(ok((*recorder)->close(1101 * kSecond)));
  return file;
}

/// Checks that a seek to any time finds the last world before it, and that reading continues from there.
void check_seeks(Recording& recording) {
  for (const std::uint32_t second : {999U, 500U, 0U, 1U, 2U, 11U, 12U, 501U, 502U, 742U}) {
    CAPTURE(second);
    for (const std::uint32_t link : {2U, 1U}) {
      const auto there = recording.go_to_world(link, (100 + second) * kSecond);
      REQUIRE(there.ok());
      CHECK(*there == (second >= link));
      const auto first = recording.next();
      REQUIRE(first.ok());
      REQUIRE(*first != nullptr);
      if (!*there) {
        CHECK((*first)->time == 100 * kSecond);
        continue;
      }
      const std::uint32_t which = second - (second + 10 - link) % 10;
      CHECK(text(**first) == "world " + std::to_string(link) + " " + std::to_string(which) +
                                 (which < 500 ? " hash of early" : " hash of late"));
      const auto found = recording.find_geometry((*first)->world->geometry());
      REQUIRE(found.ok());
      REQUIRE(*found != nullptr);
      CHECK((*found)->world().name() == (which < 500 ? "early" : "late"));
      WallTime last = (*first)->time;  // the following events continue from there
      for (int i = 0; i < 30; ++i) {
        const auto next = recording.next();
        REQUIRE((next.ok() && *next != nullptr));
        CHECK((*next)->time >= last);
        CHECK((*next)->time <= last + kSecond);
        last = (*next)->time;
      }
    }
  }
}

TEST_CASE("a seek finds the last world before any time, without reading the rest of the file") {
  const Buffer file = long_recording();
  Counted source(file);
  Recording recording(source);
  check_seeks(recording);
  source.taken();
  REQUIRE(recording.go_to_world(1, 700 * kSecond).ok());
  REQUIRE(recording.next().ok());
  CHECK(source.taken() < file.size() * 2 / 3);  // the file is only a few read windows long
  const auto none = recording.find_geometry("no such");
  REQUIRE(none.ok());
  CHECK(*none == nullptr);
  const auto nobody = recording.go_to_world(3, 700 * kSecond);
  REQUIRE(nobody.ok());
  CHECK_FALSE(*nobody);
}

TEST_CASE("seeks also work in a file without its end") {
  Buffer file = long_recording();
  file.resize(file.size() - 3);
  Counted source(file);
  Recording recording(source);
  check_seeks(recording);
}

TEST_CASE("a seek passes over a damaged chunk, wherever it is") {
  const Buffer file = long_recording();
  for (std::size_t percent = 1; percent < 100; ++percent) {
    CAPTURE(percent);
    Buffer damaged = file;
    damaged[file.size() * percent / 100] ^= 1;
    testing::MemorySource source(damaged);
    Recording recording(source);
    const auto none = recording.find_geometry("no such");
    REQUIRE(none.ok());
    CHECK(*none == nullptr);
    const auto found = recording.go_to_world(1, 1'092 * kSecond);
    REQUIRE(found.ok());
    CHECK(*found);
    const auto event = recording.next();
    REQUIRE((event.ok() && *event != nullptr));
    CHECK((*event)->world);
  }
}

TEST_CASE("to look for a geometry does not move the reader, also in a file without its end") {
  for (const std::size_t cut : {0U, 3U}) {
    CAPTURE(cut);
    Buffer file = long_recording();
    const Lines all = all_of(file);
    file.resize(file.size() - cut);
    testing::MemorySource source(file);
    Recording recording(source);
    const auto first = recording.next();
    REQUIRE((first.ok() && *first != nullptr));
    Lines told{text(**first)};
    REQUIRE(recording.find_geometry("no such").ok());
    for (const std::string& line : all_of(recording)) told.push_back(line);
    CHECK((told == all));
  }
}

TEST_CASE("in a file without its end a seek finds a world in a chunk that also has a channel's first message") {
  Buffer file;
  testing::MemorySink sink(file);
  mcap::Writer writer(sink);
  REQUIRE(writer.begin().ok());
  REQUIRE(writer.define(mcap::Schema{1, Snapshot::descriptor()->full_name(), "protobuf", {}}).ok());
  REQUIRE(writer.define(mcap::Channel{1, 1, "/world", "protobuf", {}}).ok());
  REQUIRE(writer.define(mcap::Channel{2, 0, "/other", "text", {}}).ok());
  const auto add = [&](std::uint16_t channel, WallTime time, const std::string& data) {
    writer.message({.channel = channel, .log_time = time, .publish_time = time, .data = as_bytes(data)});
  };
  add(1, kSecond, world(1, 7, "").SerializeAsString());
  REQUIRE(writer.end_chunk().ok());
  add(2, 2 * kSecond, "first");
  add(1, 2 * kSecond, world(1, 8, "").SerializeAsString());
  REQUIRE(writer.end_chunk().ok());
  REQUIRE(writer.end().ok());
  file.resize(file.size() - 3);

  testing::MemorySource source(file);
  Recording recording(source);
  CHECK(world_at(recording, 1, 3 * kSecond) == "world 1 8 ");
}

TEST_CASE("in a file without its end a seek finds a world that is older than the first message in its chunk") {
  Buffer file;
  testing::MemorySink sink(file);
  mcap::Writer writer(sink);
  REQUIRE(writer.begin().ok());
  REQUIRE(writer.define(mcap::Schema{1, Snapshot::descriptor()->full_name(), "protobuf", {}}).ok());
  REQUIRE(writer.define(mcap::Channel{1, 1, "/world", "protobuf", {}}).ok());
  for (const WallTime time : {5 * kSecond, 2 * kSecond, 6 * kSecond}) {
    const std::string data = world(1, static_cast<std::uint32_t>(time / kSecond), "").SerializeAsString();
    writer.message({.channel = 1, .log_time = time, .publish_time = time, .data = as_bytes(data)});
  }
  REQUIRE(writer.end_chunk().ok());

  testing::MemorySource source(file);
  Recording recording(source);
  CHECK(world_at(recording, 1, 3 * kSecond) == "world 1 2 ");
}

TEST_CASE("a seek takes no message of another channel for a world, and reads no chunk that has none") {
  Buffer file;
  testing::MemorySink sink(file);
  mcap::Writer writer(sink, {.compress = false});
  REQUIRE(writer.begin().ok());
  REQUIRE(writer.define(mcap::Schema{1, Snapshot::descriptor()->full_name(), "protobuf", {}}).ok());
  REQUIRE(writer.define(mcap::Schema{2, Geometry::descriptor()->full_name(), "protobuf", {}}).ok());
  REQUIRE(writer.define(mcap::Channel{1, 1, "/world", "protobuf", {}}).ok());
  REQUIRE(writer.define(mcap::Channel{2, 2, "/geometry", "protobuf", {}}).ok());
  REQUIRE(writer.define(mcap::Channel{3, 0, "/other", "text", {}}).ok());
  const auto add = [&](std::uint16_t channel, WallTime time, const std::string& data) {
    writer.message({.channel = channel, .log_time = time, .publish_time = time, .data = as_bytes(data)});
  };
  Geometry other = geometry("map");
  other.mutable_world()->set_name("not the map");
  add(3, kSecond, other.SerializeAsString());
  add(2, kSecond, geometry("map").SerializeAsString());
  add(1, kSecond, world(1, 7, "map").SerializeAsString());
  add(3, 2 * kSecond, world(1, 8, "map").SerializeAsString());
  REQUIRE(writer.end_chunk().ok());
  for (WallTime time = 3; time < 43; ++time) {
    add(3, time * kSecond, world(1, 9, std::string(100'000, 'x')).SerializeAsString());
    REQUIRE(writer.end_chunk().ok());
  }
  REQUIRE(writer.end().ok());

  Counted source(file);
  Recording recording(source);
  CHECK(world_at(recording, 1, 50 * kSecond) == "world 1 7 hash of map");
  const auto map = recording.find_geometry("hash of map");
  REQUIRE((map.ok() && *map != nullptr));
  CHECK((*map)->world().name() == "map");
  REQUIRE(recording.find_geometry("no such").ok());
  CHECK(source.taken() < file.size() / 4);
}

TEST_CASE("in older recordings, which have a channel for each link, a seek reads no chunk without the link") {
  Buffer file;
  testing::MemorySink sink(file);
  mcap::Writer writer(sink, {.compress = false});
  REQUIRE(writer.begin().ok());
  REQUIRE(writer.define(mcap::Schema{1, Snapshot::descriptor()->full_name(), "protobuf", {}}).ok());
  REQUIRE(writer.define(mcap::Channel{1, 1, "/world", "protobuf", {{"link", "1"}, {"about", "x"}}}).ok());
  REQUIRE(writer.define(mcap::Channel{2, 1, "/world", "protobuf", {{"link", "2"}}}).ok());
  const auto add = [&](std::uint16_t link, WallTime time, const std::string& name) {
    const std::string data = world(link, 7, name).SerializeAsString();
    writer.message({.channel = link, .log_time = time, .publish_time = time, .data = as_bytes(data)});
    REQUIRE(writer.end_chunk().ok());
  };
  add(1, kSecond, "map");
  for (WallTime time = 2; time < 42; ++time) add(2, time * kSecond, std::string(100'000, 'x'));
  REQUIRE(writer.end().ok());

  Counted source(file);
  Recording recording(source);
  CHECK(world_at(recording, 1, 50 * kSecond) == "world 1 7 hash of map");
  CHECK(source.taken() < file.size() / 4);
}

TEST_CASE("a seek finds a world whose link comes after its other fields") {
  Buffer file;
  testing::MemorySink sink(file);
  mcap::Writer writer(sink);
  REQUIRE(writer.begin().ok());
  REQUIRE(writer.define(mcap::Schema{1, Snapshot::descriptor()->full_name(), "protobuf", {}}).ok());
  REQUIRE(writer.define(mcap::Channel{1, 1, "/world", "protobuf", {}}).ok());
  const auto add = [&](WallTime time, const std::string& data) {
    writer.message({.channel = 1, .log_time = time, .publish_time = time, .data = as_bytes(data)});
  };
  for (const std::uint32_t link : {1U, 2U}) {
    Snapshot without_link = world(link, 7 + link, "");
    without_link.clear_link();
    Snapshot only_link;
    only_link.set_link(link);
    add(link * kSecond, without_link.SerializeAsString() + only_link.SerializeAsString());
  }
  add(3 * kSecond, "\x22\x7f");  // a field that is longer than the message
  REQUIRE(writer.end().ok());

  testing::MemorySource source(file);
  Recording recording(source);
  for (const std::uint32_t link : {1U, 2U}) {
    const auto found = recording.go_to_world(link, 4 * kSecond);
    REQUIRE(found.ok());
    REQUIRE(*found);
    const auto event = recording.next();
    REQUIRE((event.ok() && *event != nullptr && (*event)->world));
    CHECK(text(**event) == "world " + std::to_string(link) + " " + std::to_string(7 + link) + " ");
  }
}

TEST_CASE("a recording may be sought in as often as its reader wants, however many parts its worlds have") {
  constexpr int kFacts = 60'000;
  Buffer file;
  auto recorder = Recorder::open(std::make_unique<testing::MemorySink>(file), {});
  REQUIRE(recorder.ok());
  Snapshot large = world(1, 7, "");
  for (int i = 0; i < kFacts; ++i) large.add_facts()->mutable_player()->set_id(8);
  (*recorder)->world(kSecond, large);
  REQUIRE(ok((*recorder)->close(2 * kSecond)));
  testing::MemorySource source(file);
  Recording recording(source);
  for (int i = 0; i < 12; ++i) {
    CAPTURE(i);
    const auto found = recording.go_to_world(1, 3 * kSecond);
    REQUIRE(found.ok());
    REQUIRE(*found);
    const auto event = recording.next();
    REQUIRE(event.ok());
    REQUIRE(*event != nullptr);
    REQUIRE((*event)->world != nullptr);
    CHECK((*event)->world->facts_size() == 1 + kFacts);
  }
}

TEST_CASE("after each seek all later events follow") {
  const Buffer file = long_recording();
  testing::MemorySource source(file);
  Recording recording(source);
  const std::size_t all = all_of(recording).size();
  for (int i = 0; i < 3; ++i) {
    const auto there = recording.go_to_world(1, 0);
    REQUIRE(there.ok());
    CHECK_FALSE(*there);
    CHECK(all_of(recording).size() == all);
  }
  REQUIRE(recording.go_to_world(2, 1092 * kSecond + kSecond / 2).ok());
  CHECK(all_of(recording).size() == 1 + 20 + 7 * 40);  // the world, its bridge's words of that second, then 7 seconds
}

}  // namespace

}  // namespace entente::worlds_test
