// Files as the recorder and the tools use them: scratch files, files that grow, and what a finished recording says
// about itself.
#include "proxy/trace/file.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <memory>
#include <system_error>
#include <thread>
#include <vector>

#include "proxy/trace/recorder.h"
#include "proxy/trace/recording.h"
#include "proxy/trace/recording_info.h"
#include "schema/game.pb.h"
#include "tests/trace/samples.h"

namespace entente::file_test {

using namespace entente::trace;

namespace {

struct Folder {
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("entente-file-" + std::to_string(::getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string operator/(const char* name) const { return (path / name).string(); }
};

void write_file(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::app | std::ios::binary) << text;
}

std::string text_of(Source& source) {
  std::string text(source.size(), '\0');
  CHECK(ok(source.read(0, {reinterpret_cast<std::uint8_t*>(text.data()), text.size()})));
  return text;
}

/// From now on, this thread's renameat2() and its open() of a file without a name fail with these errors, as on a file
/// system that has neither.
void forget_new_calls(int rename_error, int open_error) {
  constexpr std::uint32_t kNumber = offsetof(seccomp_data, nr);
  constexpr std::uint32_t kFlags = offsetof(seccomp_data, args) + 2 * sizeof(std::uint64_t);
  std::array<sock_filter, 8> steps{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kNumber),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat2, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kFlags),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_TMPFILE & ~O_DIRECTORY, 1, 2),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(rename_error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(open_error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog program{steps.size(), steps.data()};
  REQUIRE(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  REQUIRE(::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

std::string only_file_in(const Folder& folder) {
  std::vector<std::string> names;
  for (const auto& one : std::filesystem::directory_iterator(folder.path)) names.push_back(one.path().filename());
  REQUIRE(names.size() == 1);
  return names[0];
}

}  // namespace

TEST_CASE("a file system without renames that replace nothing, and without files that have no name, will do") {
  const auto use = [](int rename_error, int open_error) {
    forget_new_calls(rename_error, open_error);
    Folder folder;
    const auto none = ScratchFile::create(folder / "none", "x", 0640);
    REQUIRE_FALSE(none.ok());
    CHECK(none.error().text == "cannot create a file in " + folder / "none" + ": No such file or directory");

    auto made = ScratchFile::create(folder.path.string(), "the scratch", 0640);
    REQUIRE(made.ok());
    REQUIRE(ok((*made)->writer()->write(as_bytes(std::string_view("hello")))));
    CHECK(text_of(**made) == "hello");
    const std::string meanwhile = only_file_in(folder);
    CHECK(meanwhile.starts_with(".entente-"));
    CHECK((std::filesystem::status(folder.path / meanwhile).permissions() & std::filesystem::perms::mask) ==
          std::filesystem::perms{0640});
    REQUIRE(ok((*made)->keep(folder / "kept")));
    made->reset();
    CHECK(only_file_in(folder) == "kept");
    REQUIRE(ScratchFile::create(folder.path.string(), "gone with its owner", 0640).ok());
    CHECK(only_file_in(folder) == "kept");

    auto replaces = FileSink::create(folder / "a");
    REQUIRE(replaces.ok());
    write_file(folder / "a", "another");
    const auto refused = (*replaces)->finish();
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().text.ends_with(": File exists"));
    CHECK(std::filesystem::file_size(folder / "a") == 7);
    std::filesystem::remove(folder / "a");
    CHECK(ok((*replaces)->finish()));
    CHECK(std::filesystem::exists(folder / "a"));
  };
  std::async(std::launch::async, use, EINVAL, EOPNOTSUPP).get();
  std::async(std::launch::async, use, ENOSYS, EISDIR).get();
}

TEST_CASE("a full disk, a quota and a limit are no room; another error is not") {
  const auto is_full = [](int code) {
    return says_full({"cannot write a.mcap: " + std::generic_category().message(code)});
  };
  CHECK(is_full(ENOSPC));
  CHECK(is_full(EDQUOT));
  CHECK(is_full(EFBIG));
  CHECK_FALSE(is_full(EIO));
}

TEST_CASE("a file that is written is gone with its folder, also if a file has the folder's name") {
  const Folder folder;
  std::filesystem::create_directory(folder / "in");
  auto sink = FileSink::create(folder / "in/a");
  REQUIRE(sink.ok());
  CHECK(ok((*sink)->check()));
  std::filesystem::remove_all(folder / "in");
  for (const bool has_name : {false, true}) {
    if (has_name) write_file(folder / "in", "a file");
    const auto there = (*sink)->check();
    REQUIRE_FALSE(there.ok());
    CHECK(there.error().text == folder / "in/a.part" + " was removed or renamed");
  }
}

TEST_CASE("a scratch file has no name until it is kept, and is gone with its last owner") {
  Folder folder;
  auto made = ScratchFile::create(folder.path.string(), "the scratch", 0640);
  REQUIRE(made.ok());
  auto writer = (*made)->writer();
  CHECK(writer->name() == "the scratch");
  REQUIRE(ok(writer->write(as_bytes(std::string_view("hello and more")))));
  REQUIRE(ok(writer->cut(5)));
  CHECK(ok(writer->sync()));
  CHECK(ok(writer->finish()));
  CHECK(text_of(**made) == "hello");
  std::array<std::uint8_t, 6> more{};
  const auto beyond = (*made)->read(0, more);
  REQUIRE_FALSE(beyond.ok());
  CHECK(beyond.error().text == "cannot read the scratch: it became shorter while it was read");
  auto again = FileSource::open((*made)->path(), "by descriptor");
  REQUIRE(again.ok());
  CHECK(text_of(**again) == "hello");
  made->reset();
  CHECK(std::filesystem::is_empty(folder.path));
}

TEST_CASE("a scratch file that is kept replaces what has the name, also after a program was killed while it kept one") {
  Folder folder;
  const std::string path = folder / "kept";
  write_file(path, "old");
  write_file(path + ".new", "left by a program that was killed");
  auto made = ScratchFile::create(folder.path.string(), "the scratch", 0600);
  REQUIRE(made.ok());
  REQUIRE(ok((*made)->writer()->write(as_bytes(std::string_view("new")))));
  REQUIRE(ok((*made)->keep(path)));
  made->reset();
  auto kept = FileSource::open(path);
  REQUIRE(kept.ok());
  CHECK(text_of(**kept) == "new");
  CHECK_FALSE(std::filesystem::exists(path + ".new"));

  CHECK_FALSE(ScratchFile::create(folder / "none", "x", 0600).ok());
  auto other = ScratchFile::create(folder.path.string(), "x", 0600);
  REQUIRE(other.ok());
  CHECK_FALSE((*other)->keep(folder / "none/x").ok());
}

TEST_CASE("a source sees that its file has grown, and that it was removed") {
  Folder folder;
  const std::string path = folder / "grows";
  write_file(path, "one");
  auto source = FileSource::open(path);
  REQUIRE(source.ok());
  auto grown = (*source)->look_again();
  REQUIRE(grown.ok());
  CHECK_FALSE(*grown);
  write_file(path, " two");
  grown = (*source)->look_again();
  REQUIRE(grown.ok());
  CHECK(*grown);
  CHECK(text_of(**source) == "one two");
  std::filesystem::remove(path);
  grown = (*source)->look_again();
  REQUIRE_FALSE(grown.ok());
  CHECK(grown.error().text == path + " was removed");
  CHECK_FALSE(FileSource::open(folder.path.string()).ok());  // a folder
}

TEST_CASE(
    "a recording has further topics, each with the metadata of its first message, and says at its end what it is "
    "about") {
  Folder folder;
  const std::string path = folder / "a.mcap";
  auto recorder = Recorder::open(path);
  REQUIRE(recorder.ok());
  RecordingInfo info;
  info.games = {"bzflag 2.4", "panic le-padded"};
  info.servers = {"192.0.2.1:5154"};
  info.players = {"anna", "ben"};
  info.more_players = true;
  info.kills = 7;
  words::Say say;
  say.set_text("hello");
  for (const char* topic : {"/one", "/two", "/one"})
    (*recorder)->other(1'000'000'000, {topic, words::Say::descriptor(), {{"of", topic}}}, say);
  (*recorder)->other(1'000'000'000, {"/three", words::Pause::descriptor()}, words::Pause());
  (*recorder)->summarize(to_map(info));
  REQUIRE(ok((*recorder)->close(2'000'000'000)));
  CHECK((*recorder)->lost().bytes == 0);

  const auto end = read_end(path);
  REQUIRE(end.ok());
  REQUIRE(end->has_value());
  CHECK((*end)->messages == 4);
  REQUIRE((*end)->info.has_value());
  const RecordingInfo& said = *(*end)->info;
  CHECK(said.games == info.games);
  CHECK(said.servers == info.servers);
  CHECK(said.players == info.players);
  CHECK(said.more_players);
  CHECK(said.kills == 7);

  auto recording = Recording::open(path);
  REQUIRE(recording.ok());
  for (auto event = (*recording)->next(); event.ok() && *event != nullptr; event = (*recording)->next()) {
  }
  std::map<std::string, mcap::StringMap> topics;
  for (const auto& [id, channel] : (*recording)->file().definitions().channels())
    topics[channel.topic] = channel.metadata;
  CHECK(topics.at("/one") == mcap::StringMap{{"of", "/one"}});
  CHECK(topics.at("/two") == mcap::StringMap{{"of", "/two"}});
  CHECK(topics.at("/three").empty());
  CHECK_FALSE(read_end(folder / "none").ok());
}

TEST_CASE("recordings that begin at once beside each other each have a name of their own") {
  const Folder folder;
  constexpr int kAtOnce = 8, kEach = 20;
  std::atomic<int> ready{0};
  std::vector<std::future<std::string>> all;
  for (int i = 0; i < kAtOnce; ++i)
    all.push_back(std::async(std::launch::async, [&] {
      std::string errors;
      std::vector<std::unique_ptr<FileSink>> open;
      for (++ready; ready < kAtOnce;) std::this_thread::yield();
      for (int n = 0; n < kEach; ++n) {
        auto made = FileSink::create_beside(folder / "a.mcap");
        if (!made)
          errors += made.error().text + "\n";
        else
          open.push_back(std::move(*made));
      }
      return errors;
    }));
  for (auto& one : all) CHECK(one.get() == "");
  const std::filesystem::directory_iterator names(folder.path);
  CHECK(std::distance(begin(names), end(names)) == kAtOnce * kEach);
}

TEST_CASE("a named pipe is no file, and nobody waits for its writer") {
  const Folder folder;
  const std::string path = folder / "pipe";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  auto opened = std::async(std::launch::async, [&] { return FileSource::open(path); });
  const bool at_once = opened.wait_for(std::chrono::seconds(30)) == std::future_status::ready;
  CHECK(at_once);
  const Descriptor writer(::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));  // ends the wait, if there is one
  const auto got = opened.get();
  REQUIRE_FALSE(got.ok());
  CHECK(got.error().text == "cannot read " + path + ": it is not a file");
}

}  // namespace entente::file_test
