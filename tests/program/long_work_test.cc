// Commands that read long files show their progress, and a signal ends them cleanly.
#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <sstream>

#include "proxy/program/base/interruption.h"
#include "proxy/program/clips/clip.h"
#include "proxy/program/conversion/convert.h"
#include "proxy/program/playback/playable.h"
#include "proxy/program/recordings/inspect.h"
#include "proxy/program/recordings/verify.h"
#include "tests/program/clips/clip_match.h"
#include "tests/program/folder.h"
#include "tests/program/recorded.h"

namespace entente::long_work_test {
namespace {

using Work = std::function<int(Progress&, std::ostream& out, std::ostream& err)>;

struct Command {
  const char* name;
  Work work;
  const char* shows;  // a part of the progress on a terminal
};

/// The commands, each with one file, which has no words.
std::vector<Command> commands(const std::string& file, const Folder& folder) {
  return {{"inspect",
           [=](Progress& progress, std::ostream& out, std::ostream& err) {
             InspectOptions options;
             options.input.file = file;
             return inspect(options, out, err, &progress);
           },
           "\rreading a.mcap: "},
          {"verify",
           [=](Progress& progress, std::ostream& out, std::ostream& err) {
             VerifyOptions options;
             options.input.file = file;
             return verify(options, out, err, &progress);
           },
           "\rreading a.mcap: "},
          {"convert",
           [=, &folder](Progress& progress, std::ostream& out, std::ostream& err) {
             return convert({.input = {.file = file}, .to = folder.file("made.mcap"), .words = true}, out, err,
                            &progress);
           },
           "\rmaking words of a.mcap: "},
          {"convert",
           [=, &folder](Progress& progress, std::ostream& out, std::ostream& err) {
             return convert({.input = {.file = file}, .to = folder.file("made.rec")}, out, err, &progress);
           },
           "\rreading a.mcap: "},
          {"clip",
           [=, &folder](Progress& progress, std::ostream& out, std::ostream& err) {
             return clip({.source = {.file = file}, .from = 1, .out = folder.file("clip.mcap")}, progress, out, err);
           },
           "\rmaking words of a.mcap: "}};
}

std::string recording(const Folder& folder) {
  std::ostringstream out, err;
  REQUIRE(convert({.input = {.file = trace_file("bzflag/bzfs2426-ctf.rec")}, .to = folder.file("a.mcap")}, out, err) ==
          kOk);
  return folder.file("a.mcap");
}

TEST_CASE("a long command shows its progress") {
  const Folder folder;
  for (const Command& command : commands(recording(folder), folder)) {
    CAPTURE(command.name);
    std::ostringstream terminal, out, err;
    Progress progress(&terminal, std::chrono::milliseconds(0));
    CHECK(command.work(progress, out, err) == kOk);
    CHECK(terminal.str().find(command.shows) != std::string::npos);
    CHECK(terminal.str().ends_with("\r\x1b[K"));  // the line is removed
  }
}

TEST_CASE("a signal ends a long command, which reports it and leaves no file") {
  const Folder folder;
  const std::string file = recording(folder);
  for (const Command& command : commands(file, folder)) {
    CAPTURE(command.name);
    std::ostringstream out, err;
    Progress quiet(nullptr);
    const Interruption interruption;
    REQUIRE(std::raise(SIGTERM) == 0);
    CHECK(command.work(quiet, out, err) == kFailed);
    CHECK(err.str() == std::string("entente ") + command.name + ": interrupted\n");
    CHECK(out.str().empty());
    for (const auto& one : std::filesystem::directory_iterator(folder.path())) CHECK(one.path() == file);
  }
}

/// Raises a signal once the terminal has shown `at`.
class Signalling final : public std::stringbuf {
 public:
  explicit Signalling(std::string at) : at_(std::move(at)) {}

 private:
  int sync() override {
    if (!raised_ && str().find(at_) != std::string::npos) raised_ = std::raise(SIGINT) == 0;
    return 0;
  }
  std::string at_;
  bool raised_ = false;
};

TEST_CASE("a signal while words are made leaves neither words nor a clip") {
  const Folder folder;
  const std::string file = recording(folder);
  for (const Command& command : commands(file, folder)) {
    const std::string shows = command.shows;
    if (shows.find("words") == std::string::npos) continue;
    CAPTURE(command.name);
    Signalling buffer(shows);
    std::ostream terminal(&buffer);
    std::ostringstream out, err;
    Progress progress(&terminal, std::chrono::milliseconds(0));
    const Interruption interruption;
    CHECK(command.work(progress, out, err) == kFailed);
    CHECK(err.str() == std::string("entente ") + command.name + ": interrupted\n");
    for (const auto& one : std::filesystem::directory_iterator(folder.path())) CHECK(one.path() == file);
  }
}

/// While it lives, temporary files go into this folder.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const Folder& folder) {
    if (const char* const before = std::getenv("TMPDIR"); before != nullptr) before_ = before;
    ::setenv("TMPDIR", folder.path().c_str(), 1);
  }
  ~TemporaryFolder() { before_ ? ::setenv("TMPDIR", before_->c_str(), 1) : ::unsetenv("TMPDIR"); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

 private:
  std::optional<std::string> before_;
};

TEST_CASE("a signal while several recordings are opened as one ends that, and leaves no temporary file") {
  const Folder folder, temporary;
  const std::string one = clip_match::match(folder.file("a.mcap"));
  const std::string other = clip_match::match(folder.file("b.mcap"), 2);
  const TemporaryFolder in(temporary);
  for (const char* shows : {"\rjoining 2 recordings: ", "\rreading a.mcap and 1 more: "}) {
    CAPTURE(shows);
    Signalling buffer(shows);
    std::ostream terminal(&buffer);
    const Interruption interruption;
    const auto opened = open_playable(
        {.input = {.file = one}, .more = {other}, .patience = std::chrono::milliseconds(0), .terminal = &terminal});
    REQUIRE_FALSE(opened.ok());
    CHECK(opened.error().text == "interrupted");
    CHECK(temporary.names().empty());
  }
}

}  // namespace
}  // namespace entente::long_work_test
