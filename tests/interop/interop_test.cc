// @mcap/core reads our recordings, and we read its files; TypeScript's compiler reads the types of the package for
// bots. See README.md beside this file.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "proxy/trace/recorder.h"
#include "proxy/trace/recording.h"
#include "proxy/trace/recover.h"
#include "tests/support/paths.h"

namespace fs = std::filesystem;
using namespace entente;
using namespace entente::trace;

namespace {

const fs::path kHere = fs::path(testing::source_dir()) / "tests/interop";

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

fs::path modules_folder() {
  const auto named = setting("ENTENTE_INTEROP");
  return (named.empty() ? kHere : fs::path(named)) / "node_modules";
}

/// Whether Node and the modules are there. If they are missing, the test fails if ENTENTE_INTEROP or CI is set.
bool can_run() {
  const auto named = setting("ENTENTE_INTEROP");
  const fs::path folder = modules_folder();
  const bool node = std::system("node --version > /dev/null 2>&1") == 0;
  const bool modules = fs::exists(folder / "@mcap/core");
  if (node && modules) return true;
  const auto missing = std::string(node ? "the npm modules" : "node");
  if (!named.empty() || !setting("CI").empty())
    FAIL("interop cannot run: ", missing, " not found (", folder.string(), "); see tests/interop/README.md");
  MESSAGE("interop not run: ", missing, " not found; see tests/interop/README.md");
  return false;
}

struct Output {
  std::vector<std::string> lines;
  int status = -1;
};

Output node(const std::string& arguments) {
  const auto command = "cd '" + kHere.string() + "' && timeout 60 node " + arguments + " 2>&1";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "r"),
                                                             [](std::FILE*) { return 0; });
  REQUIRE(pipe);
  Output output;
  std::string all;
  char piece[4096];
  for (std::size_t n; (n = std::fread(piece, 1, sizeof(piece), pipe.get())) > 0;) all.append(piece, n);
  output.status = ::pclose(pipe.get());
  std::istringstream lines(all);
  for (std::string line; std::getline(lines, line);) output.lines.push_back(line);
  if (output.status != 0) MESSAGE(all);
  return output;
}

struct Folder {
  fs::path path = fs::temp_directory_path() / ("entente-interop-" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  std::string operator/(const char* name) const { return (path / name).string(); }
};

/// Records a session of three frames and a note, in four chunks. The window of read.mjs is within its times.
void record(const std::string& path, bool index_messages) {
  auto recorder = Recorder::open(
      path, {.chunk_bytes = 64, .chunk_age = 1'000'000, .index_messages = index_messages, .version = "0.1"});
  REQUIRE(recorder.ok());
  Opened opened;
  opened.set_link(1);
  opened.set_game("panic");
  opened.set_dialect("le-padded");
  opened.set_client("127.0.0.1:1000");
  opened.set_server("[::1]:5154");
  (*recorder)->opened(1000, opened);
  const Buffer bytes = {0, 1, 2, 0xFF};
  (*recorder)->frame(2000, {.link = 1, .way = TO_SERVER, .lane = STREAM, .bytes = bytes, .name = "Join", .raw = false});
  (*recorder)->frame(3000, {.link = 1, .way = TO_CLIENT, .lane = DATAGRAM, .bytes = bytes, .name = "", .raw = true});
  (*recorder)->frame(4000, {.link = 1, .way = TO_CLIENT, .lane = STREAM, .bytes = {}, .name = "Empty", .raw = false});
  (*recorder)->note(5000, 1, "h\xC3\xA9 \"quoted\"", 1ull << 60);
  (*recorder)->closed(6000, 1, "client left");
  REQUIRE((*recorder)->close(7000).ok());
}

const std::vector<std::string> kMessages = {
    R"(1000 /link 1 entente.trace.LinkEvent {"opened":{"link":1,"game":"panic","dialect":"le-padded","client":"127.0.0.1:1000","server":"[::1]:5154"}})",
    R"(2000 /wire 1 entente.trace.Frame {"link":1,"way":"TO_SERVER","lane":"STREAM","data":"AAEC/w==","name":"Join"})",
    R"(3000 /wire 2 entente.trace.Frame {"link":1,"way":"TO_CLIENT","lane":"DATAGRAM","data":"AAEC/w==","raw":true})",
    R"(4000 /wire 3 entente.trace.Frame {"link":1,"way":"TO_CLIENT","lane":"STREAM","name":"Empty"})",
    R"(5000 /note 1 entente.trace.Note {"link":1,"text":"hé \"quoted\"","bytes_lost":"1152921504606846976"})",
    R"(6000 /link 2 entente.trace.LinkEvent {"closed":{"link":1,"reason":"client left"}})"};

std::vector<std::string> part(std::size_t from, std::size_t to) {
  return {kMessages.begin() + static_cast<std::ptrdiff_t>(from), kMessages.begin() + static_cast<std::ptrdiff_t>(to)};
}

void add(std::vector<std::string>& to, const char* title, const std::vector<std::string>& lines) {
  to.emplace_back(title);
  to.insert(to.end(), lines.begin(), lines.end());
}

}  // namespace

TEST_CASE("@mcap/core reads our recording, by index and as a stream, to the same messages") {
  if (!can_run()) return;
  Folder folder;
  const auto path = folder / "ours.mcap";
  record(path, true);
  const auto read = node("read.mjs '" + path + "'");
  CHECK(read.status == 0);
  std::vector<std::string> expected = {R"(header "" "entente")", "statistics 6 messages, 4 chunks, 1000 to 6000",
                                       R"(metadata entente {"program":"entente","version":"0.1"})"};
  add(expected, "all", kMessages);
  add(expected, "notes", part(4, 5));
  add(expected, "window", part(2, 5));
  add(expected, "stream", kMessages);
  REQUIRE(read.lines.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(read.lines[i] == expected[i]);
}

TEST_CASE("@mcap/core reads our recording without message indexes as a stream") {
  if (!can_run()) return;
  Folder folder;
  const auto path = folder / "plain.mcap";
  record(path, false);
  const auto read = node("read.mjs '" + path + "' --stream");
  CHECK(read.status == 0);
  std::vector<std::string> expected;
  add(expected, "stream", kMessages);
  CHECK(read.lines == expected);
}

TEST_CASE("@mcap/core reads a truncated recording that recover has repaired") {
  if (!can_run()) return;
  Folder folder;
  const auto path = folder / "cut.mcap";
  record(path, false);
  fs::rename(path, path + ".part");
  fs::resize_file(path + ".part", fs::file_size(path + ".part") / 2);
  const auto report = recover(path + ".part", path);
  REQUIRE(report.ok());
  const auto read = node("read.mjs '" + path + "' --stream");
  CHECK(read.status == 0);
  CHECK(std::count_if(read.lines.begin(), read.lines.end(), [](auto& line) { return line.find(" /") != line.npos; }) >
        0);
  CHECK(read.lines.back() == kMessages[static_cast<std::size_t>(report->messages) - 1]);
}

TEST_CASE("@mcap/core reads the topics for 3D panels, by the schemas in the file") {
  if (!can_run()) return;
  Folder folder;
  const auto path = folder / "scenes.mcap";
  const std::string trace = testing::source_dir() + "/tests/traces/aos/betterspades-start.pcap";
  const std::string command =
      testing::entente_binary() + " convert '" + trace + "' --foxglove --to '" + path + "' > /dev/null";
  REQUIRE(std::system(command.c_str()) == 0);
  const auto read = node("read.mjs '" + path + "'");
  CHECK(read.status == 0);
  const auto has = [&](const std::string& text) {
    return std::any_of(read.lines.begin(), read.lines.end(),
                       [&](const std::string& line) { return line.find(text) != line.npos; });
  };
  CHECK(has(" foxglove.SceneUpdate {\"entities\":[{\"timestamp\":{"));
  CHECK(has("\"frame_id\":\"world\",\"id\":\"world\""));
  CHECK(has(" /1/tf 1 foxglove.FrameTransform {"));
  CHECK(has("\"parent_frame_id\":\"world\",\"child_frame_id\":\"1/walker\""));
  CHECK(has(" /1/pose/walker 1 foxglove.PoseInFrame {"));
}

TEST_CASE("we read what @mcap/core writes, with every message, checksum and count right") {
  if (!can_run()) return;
  Folder folder;
  for (const std::string how : {"zstd", "none", "plain"}) {
    CAPTURE(how);
    const auto path = folder / (how + ".mcap").c_str();
    const auto written = node("write.mjs '" + path + "' " + how);
    REQUIRE(written.status == 0);
    auto file = FileSource::open(path);
    REQUIRE(file.ok());
    mcap::Reader reader(**file);
    std::uint32_t next = 0;
    for (;; ++next) {
      const auto message = reader.next();
      REQUIRE_MESSAGE(message.ok(), message.error().text);
      if (!*message) break;
      const auto text = "{\"i\":" + std::to_string(next) + ",\"text\":\"" + std::string(next % 50, 'x') + "\"}";
      CHECK((*message)->sequence == next);
      CHECK((*message)->log_time == next * 1000);
      CHECK(as_text((*message)->data) == text);
      const auto* channel = reader.definitions().channel((*message)->channel);
      CHECK(channel->topic == (next % 2 ? "/odd" : "/even"));
      CHECK(channel->metadata == mcap::StringMap{{"a", "b"}});
      CHECK(reader.definitions().schema(channel->schema)->name == "Text");
    }
    CHECK(next == 500);
    CHECK(reader.progress().complete);
    CHECK(reader.progress().attachments == 1);
    CHECK((reader.progress().chunks > 5) == (how != "plain"));
    CHECK(reader.header().library.find("interop") != std::string::npos);
    CHECK(reader.definitions().metadata().at(0).values == mcap::StringMap{{"by", "node"}});
  }
}

TEST_CASE(
    "a strict TypeScript program compiles with the package for bots; wrong fields, intents, teams and events do not") {
  if (!can_run()) return;
  Folder folder;
  fs::create_directories(folder.path / "node_modules");
  fs::create_directory_symlink(kHere / "../../adapters/native/clients/js", folder.path / "node_modules/entente");
  fs::copy_file(kHere / "types.ts", folder.path / "types.ts");
  std::ofstream(folder.path / "package.json") << R"({"type": "module"})";
  const std::string compiler = (modules_folder() / "typescript/bin/tsc").string();
  const auto compiled =
      node("'" + compiler + "' --strict --noEmit --module nodenext --target es2022 --lib es2022,dom '" +
           (folder / "types.ts") + "'");
  CHECK(compiled.status == 0);
}
