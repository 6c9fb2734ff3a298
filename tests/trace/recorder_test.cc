#include "proxy/trace/recorder.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <random>

#include "proxy/trace/recording.h"
#include "proxy/trace/recover.h"
#include "tests/support/thorough.h"
#include "tests/trace/samples.h"

namespace entente::recorder_test {

using namespace entente::trace;

namespace {

constexpr WallTime kSecond = 1'000'000'000;

Opened opening(std::uint32_t link) {
  Opened opened;
  opened.set_link(link);
  opened.set_game("panic");
  opened.set_client("127.0.0.1:" + std::to_string(1000 + link));
  return opened;
}

FrameView view(std::uint32_t link, std::string_view text) {
  return {.link = link, .way = TO_SERVER, .lane = STREAM, .bytes = as_bytes(text), .name = "Text", .raw = false};
}

FrameView down(std::string_view text) {
  auto frame = view(1, text);
  frame.way = TO_CLIENT;
  return frame;
}

std::string a_word() {
  words::Intent intent;
  intent.mutable_say()->set_text("a word");
  return intent.SerializeAsString();
}

// The events of a recording, one line each.
std::vector<std::string> lines(Recording& recording, std::string* error = nullptr) {
  std::vector<std::string> all;
  for (;;) {
    const auto event = recording.next();
    if (!event.ok() && error) *error = event.error().text;
    if (!event.ok()) CHECK_MESSAGE(error, event.error().text);
    if (!event.ok() || !*event) return all;
    const auto& one = **event;
    auto line = std::to_string(one.time / kSecond) + " ";
    if (one.opened) line += "open " + std::to_string(one.opened->link()) + " " + one.opened->client();
    if (one.closed) line += "close " + std::to_string(one.closed->link()) + " " + one.closed->reason();
    if (one.frame)
      line += std::to_string(one.frame->link()) + ": " + one.frame->data() + (one.frame->raw() ? " raw" : "");
    if (one.note) line += "note " + one.note->text() + " (" + std::to_string(one.note->bytes_lost()) + " bytes)";
    all.push_back(line);
  }
}

/// Each frame of a recording, with the frames and bytes that it says are missing before it.
std::vector<std::string> missing_before_frames(Recording& recording) {
  std::vector<std::string> all;
  for (;;) {
    const auto event = recording.next();
    REQUIRE(event.ok());
    if (*event == nullptr) return all;
    if (const Frame* frame = (*event)->frame)
      all.push_back(frame->data() + " " + std::to_string(frame->frames_missing()) + " " +
                    std::to_string(frame->bytes_missing()));
  }
}

std::vector<std::string> lines(Bytes file) {
  testing::MemorySource source(file);
  Recording recording(source);
  return lines(recording);
}

/// The number of bytes that are not in the file, by its notes and the metadata at its end.
std::uint64_t said_lost(Bytes file) {
  testing::MemorySource source(file);
  Recording recording(source);
  std::uint64_t bytes = 0;
  for (;;) {
    const auto event = recording.next();
    if (!event.ok()) FAIL(event.error().text);
    if (!*event) break;
    if ((*event)->note) bytes += (*event)->note->bytes_lost();
  }
  for (const mcap::Metadata& about : recording.file().definitions().metadata())
    for (const auto& [key, value] : about.values)
      if (about.name == kNotRecorded && key == "bytes") bytes += std::stoull(value);
  return bytes;
}

struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("entente-recorder-" + std::to_string(::getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string operator/(const char* name) const { return (path / name).string(); }
};

// Runs `work` in a child process. Its result is the exit code.
template <class Work>
pid_t in_child(Work work) {
  const auto child = ::fork();
  if (child == 0) ::_exit(work());
  return child;
}

int end_of(pid_t child) {
  int status = 0;
  CHECK(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

}  // namespace

TEST_CASE("a recording gets its name when it is closed, and has all events in order") {
  Folder folder;
  const auto path = folder / "a.mcap";
  auto recorder = Recorder::open(path, {.id = 7, .version = "1.2"});
  REQUIRE(recorder.ok());
  CHECK(std::filesystem::exists(path + ".part"));
  (*recorder)->opened(1 * kSecond, opening(1));
  (*recorder)->frame(2 * kSecond, view(1, "hello"));
  (*recorder)->note(3 * kSecond, 1, "a hole", 7);
  (*recorder)->closed(4 * kSecond, 1, "client left");
  CHECK_FALSE(std::filesystem::exists(path));
  REQUIRE(ok((*recorder)->close(5 * kSecond)));
  CHECK(std::filesystem::exists(path));
  CHECK_FALSE(std::filesystem::exists(path + ".part"));
  CHECK((*recorder)->recorded().frames == 1);
  CHECK((*recorder)->recorded().bytes == 5);

  auto recording = Recording::open(path);
  REQUIRE(recording.ok());
  CHECK(lines(**recording) == std::vector<std::string>{"1 open 1 127.0.0.1:1001", "2 1: hello",
                                                       "3 note a hole (7 bytes)", "4 close 1 client left"});
  CHECK((*recording)->file().header().library == "entente");
  REQUIRE((*recording)->file().definitions().metadata().size() == 1);
  CHECK((*recording)->file().definitions().metadata()[0].values ==
        mcap::StringMap{{"program", "entente"}, {"version", "1.2"}, {"id", "7"}});

  CHECK(Recorder::open(path).error().text == path + " exists already: choose another name or move it away");
  REQUIRE(Recorder::open(folder / "b.mcap").ok());  // left as .part
  CHECK(Recorder::open(folder / "b.mcap").error().text.find("b.mcap.part exists already") != std::string::npos);
  CHECK_FALSE(Recorder::open(folder / "none/c.mcap").ok());
}

TEST_CASE("a file with the recording's name is not overwritten at the end either") {
  Folder folder;
  const auto path = folder / "a.mcap";
  auto recorder = Recorder::open(path);
  REQUIRE(recorder.ok());
  ::close(::creat(path.c_str(), 0644));
  const auto closed = (*recorder)->close(1);
  REQUIRE_FALSE(closed.ok());
  CHECK(closed.error().text.find("File exists") != std::string::npos);
  CHECK(std::filesystem::file_size(path) == 0);
  CHECK(std::filesystem::exists(path + ".part"));
}

namespace {

/// A recorder to a.mcap in a folder, and what it reported.
struct Watched {
  explicit Watched(RecorderOptions::OnFull on_full = RecorderOptions::OnFull::kContinue) {
    RecorderOptions options;
    options.on_full = on_full;
    options.failed = [this](const Error& error) { said.push_back("failed: " + error.text); };
    options.moved = [this](const Error& why, const std::string& file) {
      said.push_back(why.text + "; now " + std::filesystem::path(file).filename().string());
    };
    options.resumed = [this](const Amount& lacks) { said.push_back("lacks " + std::to_string(lacks.frames)); };
    auto opened = Recorder::open(path, options);
    REQUIRE(opened.ok());
    recorder = std::move(*opened);
    recorder->opened(1 * kSecond, opening(1));
    recorder->opened(1 * kSecond, opening(2));
    recorder->frame(1 * kSecond, view(1, "before"));
    recorder->frame(1 * kSecond, view(2, "before"));
    recorder->closed(2 * kSecond, 2, "left");
    recorder->tick(3 * kSecond);
    CHECK(recorder->recorded().frames == 2);
  }
  std::vector<std::string> read(const char* name) {
    auto recording = Recording::open(folder / name);
    REQUIRE(recording.ok());
    return lines(**recording);
  }

  Folder folder;
  const std::string path = folder / "a.mcap", part = path + ".part";
  std::vector<std::string> said;
  std::unique_ptr<Recorder> recorder;
};

}  // namespace

TEST_CASE("a file that was removed, renamed, replaced or changed is detected within half a second and replaced") {
  struct Row {
    const char* how;
    std::function<void(const std::string& part)> spoil;
    const char* why;
    const char* now;
  };
  const Row rows[] = {
      {"removed", [](auto& part) { std::filesystem::remove(part); }, "removed or renamed", "a.mcap"},
      {"renamed", [](auto& part) { std::filesystem::rename(part, part + ".old"); }, "removed or renamed", "a.mcap"},
      {"replaced",
       [](auto& part) {
         std::filesystem::copy_file(part, part + ".copy");
         std::filesystem::rename(part + ".copy", part);
       },
       "replaced by another file", "a-2.mcap"},
      {"emptied", [](auto& part) { std::filesystem::resize_file(part, 0); }, "it has 0 bytes instead of", "a-2.mcap"},
      {"cut short", [](auto& part) { std::filesystem::resize_file(part, 100); }, "it has 100 bytes", "a-2.mcap"},
      {"made longer", [](auto& part) { std::filesystem::resize_file(part, 1 << 20); }, "it has 1048576 bytes",
       "a-2.mcap"},
  };
  for (const Row& row : rows)
    for (const bool idle : {true, false}) {
      CAPTURE(row.how);
      CAPTURE(idle);
      Watched watched;
      Recorder& recorder = *watched.recorder;
      row.spoil(watched.part);
      if (!idle) recorder.frame(3 * kSecond, view(1, "lost"));
      recorder.tick(3 * kSecond + kSecond / 2);
      REQUIRE(watched.said.size() == 1);
      CHECK(watched.said[0].find(row.why) != std::string::npos);
      CHECK(watched.said[0].ends_with(std::string("; now ") + row.now));
      CHECK(recorder.files() == 2);
      CHECK(recorder.recorded().frames == 0);
      CHECK(recorder.ever_recorded().frames == 2);
      const std::uint64_t lost = idle ? 2 : 3;
      CHECK(recorder.lost().frames == lost);
      recorder.frame(4 * kSecond, view(1, "after"));
      recorder.tick(6 * kSecond);
      CHECK(watched.said.back() == "lacks " + std::to_string(lost));
      CHECK_FALSE(recorder.failing());
      CHECK(recorder.recorded().frames == 1);
      CHECK(recorder.ever_recorded().frames == 3);
      recorder.closed(7 * kSecond, 1, "left");
      REQUIRE(ok(recorder.close(8 * kSecond)));
      CHECK(watched.said.size() == 2);
      const auto told = watched.read(row.now);
      REQUIRE(told.size() == 4);
      CHECK(told[0].find(" note " + std::to_string(lost) + " frames are not recorded: ") != std::string::npos);
      CHECK(std::vector<std::string>(told.begin() + 1, told.end()) ==
            std::vector<std::string>{"1 open 1 127.0.0.1:1001", "4 1: after", "7 close 1 left"});
    }
}

TEST_CASE("a new file has all that its messages need, and says what each link lacks") {
  Watched watched;
  Recorder& recorder = *watched.recorder;
  const auto give = [&](WallTime time, const std::string& text) {
    Geometry geometry;
    geometry.mutable_world()->set_name("map");
    geometry.set_hash("hash of map");
    recorder.geometry(geometry);
    Snapshot world;
    world.set_link(1);
    world.set_geometry(geometry.hash());
    recorder.world(time, world);
    words::Say say;
    say.set_text(text);
    for (const char* topic : {"/one", "/two"}) recorder.other(time, {topic, words::Say::descriptor()}, say);
    recorder.frame(time, view(1, text));
  };
  give(3 * kSecond, "old");
  recorder.tick(5 * kSecond);
  recorder.frame(5 * kSecond, view(1, "lost"));
  std::filesystem::resize_file(watched.part, 0);
  recorder.tick(6 * kSecond);
  REQUIRE(watched.said.size() == 1);
  give(7 * kSecond, "new");
  recorder.closed(8 * kSecond, 1, "left");
  REQUIRE(ok(recorder.close(9 * kSecond)));

  auto recording = Recording::open(watched.folder / "a-2.mcap");
  REQUIRE(recording.ok());
  std::vector<std::string> told;
  for (;;) {
    const auto event = (*recording)->next();
    REQUIRE_MESSAGE(event.ok(), event.error().text);
    if (*event == nullptr) break;
    if (const Geometry* geometry = (*event)->geometry) told.push_back(geometry->hash());
    if (const Snapshot* world = (*event)->world) told.push_back("world of " + world->geometry());
    if (const Frame* frame = (*event)->frame)
      told.push_back(frame->data() + ", lacks " + std::to_string(frame->frames_missing()) + " frames, " +
                     std::to_string(frame->bytes_missing()) + " bytes");
  }
  CHECK(told == std::vector<std::string>{"hash of map", "world of hash of map", "new, lacks 3 frames, 13 bytes"});
  std::vector<std::string> topics;
  for (const auto& [id, channel] : (*recording)->file().definitions().channels()) topics.push_back(channel.topic);
  for (const char* topic : {"/one", "/two"}) CHECK(std::count(topics.begin(), topics.end(), topic) == 1);
}

TEST_CASE("a new file is begun, and known by its name, also if nobody wants to be told") {
  Folder folder;
  auto recorder = Recorder::open(folder / "a.mcap");
  REQUIRE(recorder.ok());
  CHECK((*recorder)->path() == folder / "a.mcap");
  (*recorder)->frame(1 * kSecond, view(1, "text"));
  std::filesystem::resize_file(folder / "a.mcap.part", 0);
  (*recorder)->tick(3 * kSecond);
  CHECK((*recorder)->files() == 2);
  CHECK((*recorder)->path() == folder / "a-2.mcap");
  REQUIRE(ok((*recorder)->close(4 * kSecond)));
}

TEST_CASE("a second new file says also what the first one lacked") {
  Watched watched;
  Recorder& recorder = *watched.recorder;
  std::filesystem::resize_file(watched.part, 0);
  recorder.tick(3 * kSecond + kSecond / 2);
  recorder.frame(4 * kSecond, view(1, "after"));
  recorder.tick(6 * kSecond);
  CHECK(watched.said.back() == "lacks 2");
  std::filesystem::resize_file(watched.folder / "a-2.mcap.part", 0);
  recorder.tick(7 * kSecond);
  CHECK(recorder.lost().frames == 3);
  REQUIRE(ok(recorder.close(8 * kSecond)));
  CHECK(watched.said.back() == "lacks 3");
  const auto told = watched.read("a-3.mcap");
  REQUIRE(!told.empty());
  CHECK(told[0].find(" note 3 frames are not recorded: ") != std::string::npos);
}

TEST_CASE("in a new file, the next frame in each direction says what its link lost with the files before") {
  Watched watched;
  Recorder& recorder = *watched.recorder;
  recorder.frame(3 * kSecond, down("written"));
  recorder.tick(4 * kSecond);
  CHECK(recorder.recorded().frames == 3);
  recorder.frame(4 * kSecond, view(1, "not yet"));
  std::filesystem::resize_file(watched.part, 0);
  recorder.tick(4 * kSecond + kSecond / 2);
  recorder.frame(5 * kSecond, view(1, "up"));
  recorder.frame(5 * kSecond, view(1, "and on"));
  recorder.tick(7 * kSecond);
  CHECK(recorder.recorded().frames == 2);
  std::filesystem::resize_file(watched.folder / "a-2.mcap.part", 0);
  recorder.tick(8 * kSecond);
  recorder.frame(9 * kSecond, view(1, "after"));
  recorder.frame(9 * kSecond, down("down"));
  REQUIRE(ok(recorder.close(10 * kSecond)));
  auto recording = Recording::open(watched.folder / "a-3.mcap");
  REQUIRE(recording.ok());
  // "before", "not yet", "up" and "and on"; "written".
  CHECK(missing_before_frames(**recording) == std::vector<std::string>{"after 4 21", "down 1 7"});
}

TEST_CASE("a new file has the channels and the geometry that its words, worlds and other messages need") {
  Watched watched;
  Recorder& recorder = *watched.recorder;
  Geometry geometry;
  geometry.set_hash("map");
  Snapshot world;
  world.set_link(1);
  world.set_geometry("map");
  words::Say say;
  say.set_text("hello");
  const auto tell = [&](WallTime time) {
    recorder.word(time, 1, WordKind::kIntent, as_bytes(a_word()));
    recorder.geometry(geometry);
    recorder.world(time, world);
    recorder.other(time, {"/other", words::Say::descriptor(), {}}, say);
  };
  tell(3 * kSecond);
  recorder.tick(4 * kSecond);
  std::filesystem::resize_file(watched.part, 0);
  recorder.tick(5 * kSecond);
  tell(5 * kSecond);
  REQUIRE(ok(recorder.close(6 * kSecond)));
  auto recording = Recording::open(watched.folder / "a-2.mcap");
  REQUIRE(recording.ok());
  std::size_t words = 0, geometries = 0, worlds = 0;
  for (;;) {
    const auto event = (*recording)->next();
    REQUIRE_MESSAGE(event.ok(), event.error().text);
    if (*event == nullptr) break;
    words += (*event)->word ? 1 : 0;
    geometries += (*event)->geometry != nullptr ? 1 : 0;
    worlds += (*event)->world != nullptr ? 1 : 0;
  }
  CHECK(words == 1);
  CHECK(geometries == 1);
  CHECK(worlds == 1);
  CHECK((*recording)->progress().messages == 6);  // with a note, the opening of the link, and the other message
}

TEST_CASE("a file that was changed between two checks is detected at the next write") {
  Watched watched;
  std::filesystem::resize_file(watched.part, 0);
  watched.recorder->frame(3 * kSecond, view(1, std::string(1100 << 10, 'x')));  // fills a chunk
  REQUIRE(watched.said.size() == 1);
  CHECK(watched.said[0].ends_with("; now a-2.mcap"));
  CHECK(watched.recorder->lost().frames == 3);
  REQUIRE(ok(watched.recorder->close(4 * kSecond)));
  CHECK(watched.read("a-2.mcap").size() == 2);
}

TEST_CASE("if the file was removed right before the end, a new one says what is lost") {
  Watched watched;
  std::filesystem::remove(watched.part);
  REQUIRE(ok(watched.recorder->close(4 * kSecond)));
  CHECK(watched.recorder->recorded().frames == 0);
  CHECK(watched.recorder->lost().frames == 2);
  CHECK(watched.read("a.mcap").size() == 2);
}

TEST_CASE("a removed folder is reported once, and tried again each second") {
  Watched watched;
  std::filesystem::remove_all(watched.folder.path);
  watched.recorder->tick(4 * kSecond);
  REQUIRE(watched.said.size() == 1);
  CHECK(watched.said[0].starts_with("failed: "));
  CHECK(watched.recorder->failing());
  for (WallTime i = 0; i < 30; ++i) watched.recorder->frame(4 * kSecond + i * kSecond / 10, view(1, "lost"));
  CHECK(watched.said.size() == 1);
  std::filesystem::create_directories(watched.folder.path);
  watched.recorder->frame(9 * kSecond, view(1, "after"));
  CHECK(watched.said.back().ends_with("; now a.mcap"));
  REQUIRE(ok(watched.recorder->close(10 * kSecond)));
  CHECK(watched.recorder->recorded().frames == 1);
  CHECK(watched.recorder->lost().frames == 32);
  CHECK(watched.read("a.mcap").size() == 3);
}

TEST_CASE("a folder that stays away until the end is an error that says what happened to the file") {
  Watched watched;
  std::filesystem::remove_all(watched.folder.path);
  const auto closed = watched.recorder->close(4 * kSecond);
  REQUIRE_FALSE(closed.ok());
  CHECK(watched.said == std::vector<std::string>{"failed: " + closed.error().text});
  CHECK(closed.error().text.find("a.mcap.part was removed or renamed; cannot") != std::string::npos);
  CHECK(watched.recorder->lost().frames == 2);
}

TEST_CASE("a new file for which the disk has no room is removed, and tried again") {
  Watched watched;
  std::filesystem::remove(watched.part);
  rlimit limit{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &limit) == 0);
  const rlimit none{10, limit.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &none) == 0);
  watched.recorder->tick(4 * kSecond);
  ::setrlimit(RLIMIT_FSIZE, &limit);
  REQUIRE(watched.said.size() == 1);
  CHECK(watched.said[0].starts_with("failed: "));
  CHECK(watched.said[0].ends_with("File too large"));
  CHECK(std::filesystem::is_empty(watched.folder.path));
  watched.recorder->frame(6 * kSecond, view(1, "after"));
  CHECK(watched.said.back().ends_with("; now a.mcap"));
  REQUIRE(ok(watched.recorder->close(7 * kSecond)));
  CHECK(watched.recorder->recorded().frames == 1);
  CHECK(watched.recorder->lost().frames == 2);
}

TEST_CASE("a disk that fills right after another program spoiled the file is reported, once") {
  for (const auto on_full : {RecorderOptions::OnFull::kContinue, RecorderOptions::OnFull::kStop}) {
    CAPTURE(static_cast<int>(on_full));
    Watched watched(on_full);
    std::filesystem::remove(watched.part);
    watched.recorder->tick(4 * kSecond);
    REQUIRE(watched.said.size() == 1);
    CHECK(watched.said[0].ends_with("; now a.mcap"));
    rlimit limit{};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &limit) == 0);
    const rlimit none{10, limit.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &none) == 0);
    for (WallTime at = 5; at < 9; ++at) {
      watched.recorder->frame(at * kSecond, view(1, "lost"));
      watched.recorder->tick(at * kSecond);
    }
    ::setrlimit(RLIMIT_FSIZE, &limit);
    REQUIRE(watched.said.size() == 2);
    CHECK(watched.said[1].starts_with("failed: "));
    CHECK(watched.said[1].ends_with("File too large"));
    CHECK(watched.recorder->failing());
    REQUIRE(ok(watched.recorder->close(10 * kSecond)));
  }
}

TEST_CASE("messages of more topics than a file can have are lost, counted, and told once") {
  Buffer file;
  auto recorder = Recorder::open(std::make_unique<testing::MemorySink>(file));
  REQUIRE(recorder.ok());
  words::Say say;
  say.set_text("hello");
  constexpr unsigned kTopics = 65'100;
  for (unsigned i = 0; i < kTopics; ++i)
    (*recorder)->other(kSecond, {"/" + std::to_string(i), words::Say::descriptor(), {}}, say);
  const auto& lost = (*recorder)->lost();
  const std::uint64_t size = say.ByteSizeLong();
  CHECK(lost.bytes >= 100 * size);
  CHECK(lost.bytes <= 110 * size);
  const std::uint64_t before = lost.bytes;
  (*recorder)->other(kSecond, {"/0", words::Say::descriptor(), {}}, say);
  CHECK(lost.bytes == before);
  REQUIRE(ok((*recorder)->close(2 * kSecond)));
  CHECK(lines(file) == std::vector<std::string>{"1 note messages of further topics are not recorded: the file has no "
                                                "more channels; begin another one (0 bytes)"});
}

TEST_CASE("the next frame in the same direction says what a link lacks") {
  Buffer file;
  std::size_t room = 1 << 20;
  auto opened = Recorder::open(std::make_unique<testing::MemoryDisk>(file, room));
  REQUIRE(opened.ok());
  Recorder& recorder = **opened;
  recorder.opened(1 * kSecond, opening(1));
  recorder.frame(1 * kSecond, view(1, "first"));
  recorder.tick(2 * kSecond);
  room = file.size() + 10;
  recorder.frame(2 * kSecond, view(1, "lost"));  // with its chunk
  recorder.frame(2 * kSecond, down("lost too"));
  recorder.tick(4 * kSecond);
  recorder.frame(4 * kSecond + 1, view(1, "lost"));  // lost at once
  recorder.frame(6 * kSecond, view(1, "an attempt"));
  recorder.tick(8 * kSecond);
  room = 1 << 20;
  recorder.frame(10 * kSecond, view(1, "after"));
  recorder.frame(10 * kSecond, view(1, "and on"));
  recorder.frame(10 * kSecond, down("down"));
  REQUIRE(ok(recorder.close(11 * kSecond)));
  testing::MemorySource source(file);
  Recording recording(source);
  CHECK(missing_before_frames(recording) ==
        std::vector<std::string>{"first 0 0", "after 3 18", "and on 0 0", "down 1 8"});
}

TEST_CASE("a chunk ends by size, by age, or when the clock is set back") {
  Buffer file;
  std::size_t room = 1 << 30;
  auto recorder = Recorder::open(std::make_unique<testing::MemoryDisk>(file, room), {.chunk_bytes = 1000});
  REQUIRE(recorder.ok());
  auto grew = [&, before = file.size()]() mutable { return std::exchange(before, file.size()) != file.size(); };
  (*recorder)->frame(kSecond, view(1, "x"));
  CHECK_FALSE(grew());
  (*recorder)->tick(kSecond + kSecond / 2);
  CHECK_FALSE(grew());
  (*recorder)->tick(2 * kSecond);
  CHECK(grew());
  (*recorder)->tick(4 * kSecond);
  CHECK_FALSE(grew());  // nothing to write
  (*recorder)->frame(9 * kSecond, view(1, std::string(2000, 'x')));
  CHECK(grew());
  (*recorder)->frame(9 * kSecond, view(1, "x"));
  (*recorder)->frame(3 * kSecond, view(1, "y"));  // the clock was set back
  CHECK(grew());
  REQUIRE(ok((*recorder)->close(9)));
  CHECK(lines(file).size() == 4);
}

TEST_CASE("a full disk is reported once, and the recording says what is lost when there is room again") {
  Buffer file;
  std::size_t room = 1 << 20;
  std::vector<std::string> said;
  Amount missing;
  RecorderOptions options;
  options.failed = [&](const Error& error) { said.push_back(error.text); };
  options.resumed = [&](const Amount& lost) { missing = lost; };
  auto opened = Recorder::open(std::make_unique<testing::MemoryDisk>(file, room), options);
  REQUIRE(opened.ok());
  auto& recorder = **opened;
  recorder.opened(1 * kSecond, opening(1));
  recorder.opened(1 * kSecond, opening(2));
  recorder.frame(1 * kSecond, view(1, "before"));
  recorder.tick(2 * kSecond);

  room = file.size() + 10;
  recorder.opened(2 * kSecond, opening(3));  // stays
  recorder.opened(2 * kSecond, opening(4));  // comes and goes unrecorded
  recorder.frame(2 * kSecond, view(3, "lost"));
  recorder.tick(3 * kSecond);
  CHECK(recorder.failing());
  for (WallTime i = 0; i < 100; ++i) recorder.frame(3 * kSecond + i * kSecond / 10, view(1, "lost"));
  recorder.closed(6 * kSecond, 2, "gone");
  recorder.closed(6 * kSecond, 4, "gone");
  recorder.tick(13 * kSecond);
  CHECK(said == std::vector<std::string>{"cannot write disk: No space left on device"});
  CHECK(recorder.lost().frames >= 92);  // the others are in a chunk that is not written yet

  room = 1 << 20;
  recorder.tick(15 * kSecond);
  recorder.frame(16 * kSecond, view(3, "after"));
  recorder.tick(18 * kSecond);
  CHECK_FALSE(recorder.failing());
  CHECK(recorder.lost().frames + recorder.recorded().frames == 103);
  CHECK(missing.frames == recorder.lost().frames);
  CHECK(missing.bytes == 4 * missing.frames);
  recorder.closed(19 * kSecond, 1, "left");
  REQUIRE(ok(recorder.close(20 * kSecond)));

  const auto told = lines(file);
  const auto has = [&](const std::string& line) { return std::count(told.begin(), told.end(), line); };
  CHECK(has("1 open 1 127.0.0.1:1001") == 1);
  CHECK(has("1 1: before") == 1);
  CHECK(has("2 open 3 127.0.0.1:1003") == 1);
  CHECK(has("2 open 4 127.0.0.1:1004") == 0);
  CHECK(has("6 close 2 gone") == 1);
  CHECK(has("16 3: after") == 1);
  CHECK(has("19 close 1 left") == 1);
  const auto note = std::to_string(missing.frames) +
                    " frames are not recorded: cannot write disk: No space left on device (" +
                    std::to_string(missing.bytes) + " bytes)";
  CHECK(std::count_if(told.begin(), told.end(), [&](auto& line) { return line.find(note) != std::string::npos; }) == 1);
}

TEST_CASE("a disk that is full again, after there was room, is reported again") {
  Buffer file;
  std::size_t room = 1 << 20;
  std::vector<std::string> said;
  std::size_t resumed = 0;
  RecorderOptions options;
  options.failed = [&](const Error& error) { said.push_back(error.text); };
  options.resumed = [&](const Amount&) { ++resumed; };
  auto recorder = Recorder::open(std::make_unique<testing::MemoryDisk>(file, room), options);
  REQUIRE(recorder.ok());
  WallTime now = 0;
  for (std::size_t times = 1; times <= 3; ++times) {
    room = file.size();
    for (int i = 0; i < 5; ++i) {
      (*recorder)->frame(++now * kSecond, view(1, "lost"));
      (*recorder)->tick(++now * kSecond);
    }
    CHECK(said.size() == times);
    CHECK(resumed == times - 1);
    room = 1 << 20;
    (*recorder)->frame(++now * kSecond, view(1, "kept"));
    (*recorder)->tick(++now * kSecond);
    CHECK(said.size() == times);
    CHECK(resumed == times);
  }
  CHECK((*recorder)->lost().frames == 3 * 5);
  CHECK((*recorder)->recorded().frames == 3);
}

TEST_CASE("when there is room again, each opening, closing and lost byte is recorded once, whatever comes first") {
  for (const std::string first : {"open", "close", "note", "tick"}) {
    CAPTURE(first);
    Buffer file;
    std::size_t room = 1 << 20;
    auto opened = Recorder::open(std::make_unique<testing::MemoryDisk>(file, room));
    REQUIRE(opened.ok());
    auto& recorder = **opened;
    recorder.opened(1 * kSecond, opening(1));
    recorder.tick(2 * kSecond);
    room = file.size();
    recorder.opened(2 * kSecond, opening(2));
    recorder.note(2 * kSecond, 1, "a hole", 7);  // the note is lost with its chunk, but its bytes are counted
    recorder.tick(3 * kSecond);
    REQUIRE(recorder.failing());
    recorder.note(3 * kSecond, 1, "a hole", 100);
    room = 1 << 20;
    if (first == "open") recorder.opened(9 * kSecond, opening(3));
    if (first == "close") recorder.closed(9 * kSecond, 1, "left");
    if (first == "note") recorder.note(9 * kSecond, 1, "a hole", 1000);
    if (first == "tick") recorder.tick(9 * kSecond);
    if (first != "open") recorder.opened(9 * kSecond, opening(3));
    if (first != "close") recorder.closed(9 * kSecond, 1, "left");
    if (first != "note") recorder.note(9 * kSecond, 1, "a hole", 1000);
    REQUIRE(ok(recorder.close(10 * kSecond)));
    auto told = lines(file);
    std::sort(told.begin(), told.end());
    CHECK(told == std::vector<std::string>{
                      "1 open 1 127.0.0.1:1001", "2 open 2 127.0.0.1:1002", "9 close 1 left",
                      "9 note 0 frames are not recorded: cannot write disk: No space left on device (107 bytes)",
                      "9 note a hole (1000 bytes)", "9 open 3 127.0.0.1:1003"});
  }
}

TEST_CASE("a recording that is closed when there is room again has the sessions that began and ended meanwhile") {
  Buffer file;
  std::size_t room = 1 << 20;
  auto opened = Recorder::open(std::make_unique<testing::MemoryDisk>(file, room));
  REQUIRE(opened.ok());
  auto& recorder = **opened;
  recorder.opened(1 * kSecond, opening(1));
  recorder.tick(2 * kSecond);
  room = file.size();
  recorder.opened(2 * kSecond, opening(2));
  recorder.closed(2 * kSecond, 1, "left");
  recorder.tick(3 * kSecond);
  REQUIRE(recorder.failing());
  room = 1 << 20;
  REQUIRE(ok(recorder.close(3 * kSecond + kSecond / 5)));
  const auto told = lines(file);
  for (const char* line : {"1 open 1 127.0.0.1:1001", "2 open 2 127.0.0.1:1002", "2 close 1 left"})
    CHECK_MESSAGE(std::count(told.begin(), told.end(), line) == 1, std::string(line));
}

TEST_CASE("with on_full = stop, nothing is tried again, and the file is still complete") {
  Buffer file;
  std::size_t room = 1 << 20;
  RecorderOptions options;
  options.on_full = RecorderOptions::OnFull::kStop;
  bool resumed = false;
  options.resumed = [&](const Amount&) { resumed = true; };
  auto recorder = Recorder::open(std::make_unique<testing::MemoryDisk>(file, room), options);
  REQUIRE(recorder.ok());
  room = file.size();
  (*recorder)->frame(1 * kSecond, view(1, "lost"));
  (*recorder)->tick(2 * kSecond);
  room = 1 << 20;
  (*recorder)->frame(5 * kSecond, view(1, "lost"));
  (*recorder)->tick(9 * kSecond);
  CHECK((*recorder)->failing());
  CHECK((*recorder)->lost().frames == 2);
  REQUIRE(ok((*recorder)->close(10 * kSecond)));
  CHECK(lines(file).empty());
  CHECK_FALSE(resumed);
  CHECK(said_lost(file) == 8);
}

TEST_CASE("a disk that does not sync is reported once, until a sync succeeds") {
  Buffer file;
  std::size_t room = 1 << 20;
  std::vector<std::string> said;
  RecorderOptions options;
  options.sync = RecorderOptions::Sync::kEachChunk;
  options.failed = [&](const Error& error) { said.push_back(error.text); };
  auto disk = std::make_unique<testing::MemoryDisk>(file, room);
  auto& syncs = disk->can_sync;
  auto recorder = Recorder::open(std::move(disk), options);
  REQUIRE(recorder.ok());
  WallTime now = 0;
  const auto chunk = [&] {
    (*recorder)->frame(++now * kSecond, view(1, "text"));
    (*recorder)->tick(++now * kSecond);
  };
  chunk();
  CHECK(said.empty());
  syncs = false;
  chunk(), chunk(), chunk();
  CHECK(said == std::vector<std::string>{"cannot sync disk"});
  syncs = true;
  chunk();
  syncs = false;
  chunk();
  CHECK(said.size() == 2);
  CHECK((*recorder)->recorded().frames == 6);
  const auto closed = (*recorder)->close(99 * kSecond);
  REQUIRE_FALSE(closed.ok());
  CHECK(closed.error().text == "cannot sync disk; what was recorded is in disk: `entente recover` repairs it");

  Buffer other;
  options.failed = nullptr;  // nobody wants to know
  disk = std::make_unique<testing::MemoryDisk>(other, room);
  disk->can_sync = false;
  recorder = Recorder::open(std::move(disk), options);
  REQUIRE(recorder.ok());
  chunk();
  CHECK((*recorder)->recorded().frames == 1);
}

TEST_CASE("on a disk of any size the recording is whole, and every loss is counted") {
  const auto record = [](Buffer& file, const std::size_t& room, bool words) -> Amount {
    auto recorder = Recorder::open(std::make_unique<testing::MemoryDisk>(file, room), {.chunk_bytes = 64});
    if (!recorder.ok()) return {};
    for (WallTime i = 0; i < 12; ++i) {
      (*recorder)->frame(i * kSecond, view(1, "some text of a frame"));
      const auto link = static_cast<std::uint32_t>(i / 3);
      if (words) (*recorder)->word(i * kSecond, link, WordKind::kIntent, as_bytes(a_word()));
    }
    const auto closed = (*recorder)->close(20 * kSecond);
    CHECK((*recorder)->lost().frames + (*recorder)->recorded().frames == 12);
    if (!closed.ok()) CHECK(closed.error().text.find("`entente recover` repairs it") != std::string::npos);
    if (closed.ok()) CHECK(lines(file).size() >= (*recorder)->recorded().frames);
    if (closed.ok()) CHECK(said_lost(file) == (*recorder)->lost().bytes);
    return (*recorder)->recorded();
  };
  for (const bool words : {false, true}) {
    Buffer whole;
    std::size_t room = 1 << 20;
    CHECK(record(whole, room, words).frames == 12);
    for (room = 0; room < whole.size(); room += (words ? 307 : 3) * testing::step(5)) {
      Buffer file;
      const auto recorded = record(file, room, words);
      testing::MemorySource source(file);
      Buffer mended;
      testing::MemorySink sink(mended);
      if (recover(source, sink).ok()) CHECK(lines(mended).size() >= recorded.frames);
    }
  }
}

TEST_CASE("messages of other topics that a full disk loses with their chunk are counted") {
  Buffer file;
  std::size_t room = 1 << 20;
  auto recorder = Recorder::open(std::make_unique<testing::MemoryDisk>(file, room));
  REQUIRE(recorder.ok());
  words::Say say;
  say.set_text("hello");
  const OtherTopic topic{"/says", words::Say::descriptor(), {}};
  (*recorder)->other(kSecond, topic, say);
  (*recorder)->tick(3 * kSecond);
  const std::uint64_t size = say.ByteSizeLong();
  CHECK((*recorder)->recorded().bytes == size);
  room = file.size();
  for (int i = 0; i < 3; ++i) (*recorder)->other(4 * kSecond, topic, say);
  (*recorder)->tick(6 * kSecond);
  CHECK((*recorder)->lost().bytes == 3 * size);
  CHECK((*recorder)->recorded().bytes == size);
}

TEST_CASE("no room for a topic's first word is reported, and the loss is recorded when there is room again") {
  Buffer file;
  std::size_t room = 1 << 20;
  std::vector<std::string> said;
  RecorderOptions options;
  options.failed = [&](const Error& error) { said.push_back(error.text); };
  auto opened = Recorder::open(std::make_unique<testing::MemoryDisk>(file, room), options);
  REQUIRE(opened.ok());
  auto& recorder = **opened;
  const std::string word = a_word();
  recorder.word(1 * kSecond, 1, WordKind::kIntent, as_bytes(word));
  recorder.tick(2 * kSecond);
  room = file.size();
  recorder.word(3 * kSecond, 1, WordKind::kFact, {});  // there is no room for its channel
  CHECK(said == std::vector<std::string>{"cannot write disk: No space left on device"});
  recorder.word(3 * kSecond, 2, WordKind::kIntent, as_bytes(word));
  CHECK(recorder.lost().bytes == word.size());
  room = 1 << 20;
  recorder.word(5 * kSecond, 2, WordKind::kIntent, as_bytes(word));
  REQUIRE(ok(recorder.close(6 * kSecond)));
  CHECK(lines(file) == std::vector<std::string>{"1 ",
                                                "5 note 0 frames are not recorded: cannot write disk: No space left on "
                                                "device (" +
                                                    std::to_string(word.size()) + " bytes)",
                                                "5 "});
}

TEST_CASE("a recording has the words of as many links as there are, with one channel for each topic") {
  Buffer file;
  auto recorder = Recorder::open(std::make_unique<testing::MemorySink>(file));
  REQUIRE(recorder.ok());
  const std::string word = a_word();
  Calls calls;
  constexpr std::uint32_t kLinks = 66'000;
  const auto record = [&](std::uint32_t link) {
    (*recorder)->opened(link, opening(link));
    (*recorder)->word(link, link, WordKind::kIntent, as_bytes(word));
    (*recorder)->word(link, link, WordKind::kFact, {});
    calls.set_link(link);
    (*recorder)->calls(link, as_bytes(calls.SerializeAsString()));
    (*recorder)->closed(link, link, "left");
  };
  for (std::uint32_t link = 1; link <= kLinks; ++link) record(link);
  REQUIRE((*recorder)->close(kLinks).ok());
  CHECK((*recorder)->lost().bytes == 0);

  testing::MemorySource source(file);
  Recording recording(source);
  std::uint32_t intents = 0, facts = 0;
  for (auto event = recording.next(); event.ok() && *event != nullptr; event = recording.next()) {
    if (!(*event)->word) continue;
    const auto& word_event = *(*event)->word;
    if (word_event.fact == nullptr) {
      if (word_event.link != ++intents || word_event.intent->SerializeAsString() != word) FAIL(intents);
    } else if (word_event.link != ++facts || word_event.fact->ByteSizeLong() != 0) {
      FAIL(facts);
    }
  }
  CHECK(intents == kLinks);
  CHECK(facts == kLinks);
  CHECK(recording.file().definitions().channels().size() == 6);
}

TEST_CASE("if a real file may not grow, recording fails, the process lives, and the file is whole") {
  Folder folder;
  const auto path = folder / "full.mcap";
  constexpr rlim_t kMost = 22'000;  // there is no room for the fifth chunk, but for the end of the file
  const auto child = in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{kMost, kMost};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 10;
    int said = 0;
    RecorderOptions options;
    options.chunk_bytes = 4096;
    options.failed = [&](const Error& error) { said += error.text.find("File too large") != std::string::npos; };
    auto recorder = Recorder::open(path, options);
    if (!recorder.ok()) return 11;
    std::mt19937 random(1);
    std::string noise(1000, 'x');
    for (unsigned i = 0; i < 100; ++i) {
      for (auto& c : noise) c = static_cast<char>(random());  // incompressible
      (*recorder)->frame(i, view(1, noise));
    }
    if (said != 1 || !(*recorder)->failing()) return 12;
    if ((*recorder)->lost().frames + (*recorder)->recorded().frames < 95) return 13;
    return (*recorder)->close(3 * kSecond).ok() ? 0 : 14;
  });
  CHECK(end_of(child) == 0);
  auto recording = Recording::open(path);
  REQUIRE(recording.ok());
  const auto told = lines(**recording);
  CHECK(told.size() > 2);
  CHECK(std::filesystem::file_size(path) <= kMost);
}

TEST_CASE("after kill -9 the file has all but the last second, and recover makes it whole") {
  Folder folder;
  const auto path = folder / "killed.mcap";
  int pipe[2];
  REQUIRE(::pipe(pipe) == 0);
  // The child records a frame each 10 ms of recorded time, for 5.5 s. Then it reports that and waits to be killed.
  const auto child = in_child([&] {
    auto recorder = Recorder::open(path);
    if (!recorder.ok()) return 10;
    (*recorder)->opened(0, opening(1));
    for (WallTime i = 0; i < 550; ++i) {
      (*recorder)->frame(i * kSecond / 100, view(1, "frame " + std::to_string(i)));
      (*recorder)->tick(i * kSecond / 100);
    }
    if (::write(pipe[1], "x", 1) != 1) return 11;
    for (;;) ::pause();
  });
  char done = 0;
  REQUIRE(::read(pipe[0], &done, 1) == 1);
  ::kill(child, SIGKILL);
  CHECK(end_of(child) == 1000 + SIGKILL);
  ::close(pipe[0]), ::close(pipe[1]);

  CHECK_FALSE(std::filesystem::exists(path));
  std::string error;
  auto part = Recording::open(path + ".part");
  REQUIRE(part.ok());
  const auto before = lines(**part, &error);
  CHECK(error.find(": the file has no end") != std::string::npos);
  CHECK(before.size() > 450);

  const auto report = recover(path + ".part", path);
  REQUIRE(report.ok());
  CHECK(report->messages == before.size());
  CHECK(report->bytes_lost == 0);
  auto recording = Recording::open(path);
  REQUIRE(recording.ok());
  CHECK(lines(**recording) == before);
}

TEST_CASE("in older recordings, words that do not say their link are of their channel's link") {
  words::Fact fact;
  fact.mutable_said();
  const std::string silent = fact.SerializeAsString();
  fact.set_link(9);
  const std::string says = fact.SerializeAsString();
  const auto file = by_hand([&](Buffer& out) {
    mcap::put(out, mcap::Schema{1, words::Fact::descriptor()->full_name(), "protobuf", {}});
    mcap::put(out, mcap::Channel{1, 1, "/fact", "protobuf", {{"link", "5"}, {"other", "6"}}});
    mcap::put(out, mcap::Channel{2, 1, "/fact", "protobuf", {{"other", "6"}, {"link", "7"}}});
    for (const std::uint16_t channel : std::initializer_list<std::uint16_t>{1, 2, 1})
      put_message(out, channel, 1, 1, silent);
    put_message(out, 1, 1, 1, says);
    put_end(out);
  });
  testing::MemorySource source(file);
  Recording recording(source);
  std::vector<std::uint32_t> links;
  for (auto event = recording.next(); event.ok() && *event != nullptr; event = recording.next()) {
    REQUIRE((*event)->word);
    links.push_back((*event)->word->link);
  }
  CHECK(links == std::vector<std::uint32_t>{5, 7, 5, 9});
}

TEST_CASE("a recording that another program copied without its metadata is read to its end") {
  Frame frame;
  frame.set_link(1);
  frame.set_data("copied");
  const auto file = by_hand([&](Buffer& out) {
    put(out, mcap::Schema{1, Frame::descriptor()->full_name(), "protobuf", {}});
    put(out, mcap::Schema{2, "foxglove.Log", "protobuf", {}});
    put(out, mcap::Channel{1, 1, "/wire", "protobuf", {}});
    put(out, mcap::Channel{2, 2, "/log", "protobuf", {}});
    put_message(out, 1, 1, kSecond, frame.SerializeAsString());
    put_message(out, 2, 1, kSecond, "of the other program");
    put_end(out);
  });
  CHECK(lines(file) == std::vector<std::string>{"1 1: copied"});
}

TEST_CASE("a message with another schema is skipped; one that does not match its schema is an error") {
  const auto with = [](std::string_view schema, std::string_view data) {
    return by_hand([&](Buffer& out) {
      put(out, mcap::Metadata{kAboutFile, {}});
      put(out, mcap::Schema{1, std::string(schema), "protobuf", {}});
      put(out, mcap::Channel{1, 1, "/wire", "protobuf", {}});
      put_message(out, 1, 1, 1, data);
      put_end(out);
    });
  };
  CHECK(lines(with("foxglove.Log", "\xff\xff")).empty());
  CHECK(lines(with("entente.trace.LinkEvent", "")).empty());
  std::string error;
  const auto bad = with("entente.trace.Frame", "\xff\xff");
  testing::MemorySource source(bad);
  Recording recording(source);
  lines(recording, &error);
  CHECK(error == "memory: message 1 is not what its schema says it is");
}

}  // namespace entente::recorder_test
