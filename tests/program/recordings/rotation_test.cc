// Recordings that are started, stopped and rotated while the program runs, by the control socket.
#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "proxy/program/playback/playable.h"
#include "tests/program/asked.h"
#include "tests/program/folder.h"
#include "tests/program/recorded.h"
#include "tests/program/rotated.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace entente::rotation_test {
namespace {

const std::string kEntente = testing::entente_binary();

struct Served : Asked {
  explicit Served(const std::string& text)
      : process(
            {kEntente, "run",
             folder.write("a.toml", "[control]\nsocket = \"" + folder.file("c.sock") +
                                        "\"\n[recording]\ndirectory = \"" + folder.path().string() + "\"\n" + text)}) {
    REQUIRE(process.line());
  }
  /// Waits until the list of recordings has this.
  bool lists(const std::string& part) const { return answers("recordings", part); }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& one : std::filesystem::directory_iterator(folder.path()))
      if (const auto name = one.path().filename().string(); name.find(".mcap") != std::string::npos)
        names.push_back(name);
    std::sort(names.begin(), names.end());
    return names;
  }
  int stop() {
    process.signal(SIGTERM);
    return process.wait();
  }

  Process process;
};

constexpr const char* kArena = "[[arena]]\nlisten = [\"panic://127.0.0.1:0\"]\nbots = 3\nrecord = \"a.mcap\"\n";

TEST_CASE("each file of an arena's rotated recording verifies, and plays alone with all players") {
  Served served(kArena);
  REQUIRE(served.lists("\ton\t"));
  // The bots have joined once something is recorded.
  REQUIRE(served.answers("stats", "present=3"));
  const Ended rotated = served.ctl({"record", "rotate"});
  CHECK(rotated.code == 0);
  CHECK(rotated.out.starts_with("rotated 1 "));
  REQUIRE(served.lists("\t" + served.folder.file("a-2.mcap") + "\n"));  // all links have moved to the second file
  CHECK(served.stop() == 0);
  CHECK(served.files() == std::vector<std::string>{"a-2.mcap", "a.mcap"});
  for (const char* name : {"a.mcap", "a-2.mcap"}) {
    CAPTURE(name);
    const Ended verified = run({kEntente, "verify", served.folder.file(name)});
    CHECK(verified.code == 0);
    CHECK(run({kEntente, "inspect", served.folder.file(name)}).code == 0);
    CHECK(run({kEntente, "convert", served.folder.file(name), "--to", served.folder.file(std::string("c-") + name)})
              .code == 0);
  }
  const auto second = open_playable({.input = {.file = served.folder.file("a-2.mcap")}, .terminal = nullptr});
  REQUIRE_MESSAGE(second.ok(), second.error().text);
  core::WorldState world;
  REQUIRE((*second)->seek(0, world).ok());
  CHECK(world.players().size() >= 3);
  CHECK(world.geometry() != nullptr);
}

TEST_CASE("each file of a relay's rotated recording verifies and converts; words need the beginning of a session") {
  for (const std::string trace : {"bzflag/bzfs2426-bzadmin-chat.pcap", "panic/patched-be-2p-test-kill-win.jsonl",
                                  "ogar/m3-03-split-eject-merge.jsonl"}) {
    CAPTURE(trace);
    const Folder folder;
    const std::string whole = folder.file("whole.mcap");
    REQUIRE(run({kEntente, "convert", trace_file(trace), "--to", whole}).code == 0);
    rotated(whole, folder, {1, 2, 10});
    for (const std::string name : {"a.mcap", "a-2.mcap", "a-3.mcap", "a-4.mcap"}) {
      CAPTURE(name);
      const Ended verified = run({kEntente, "verify", folder.file(name)});
      CHECK_MESSAGE(verified.code == 0, verified.out << verified.err);
      CHECK(run({kEntente, "inspect", folder.file(name)}).code == 0);
      REQUIRE(run({kEntente, "convert", folder.file(name), "--to", folder.file("c-" + name)}).code == 0);
      const Ended again = run({kEntente, "verify", folder.file("c-" + name)});
      CHECK_MESSAGE(again.code == 0, again.out << again.err);
    }
    const Ended words =
        run({kEntente, "convert", folder.file("a-4.mcap"), "--words", "--to", folder.file("words.mcap")});
    CHECK_MESSAGE(words.err.find("a session can be translated only from its beginning, which is in a-3.mcap") !=
                      std::string::npos,
                  words.err);
    CHECK(run({kEntente, "inspect", folder.file("a-4.mcap")}).out.find("began before this file, in a-3.mcap") !=
          std::string::npos);
  }
}

TEST_CASE("recording of a route without `record` can be started and stopped by commands") {
  Served served("[[route]]\nlisten = \"panic://127.0.0.1:0\"\nto = \"panic://127.0.0.1:9\"\n");
  CHECK(served.lists("\toff\t"));
  CHECK(served.ctl({"record", "stop"}).code == 1);
  CHECK(served.ctl({"record", "rotate", "1"}).code == 1);
  CHECK(served.ctl({"record", "start", "7"}).err.find("no route is called '7'") != std::string::npos);
  CHECK(served.ctl({"record", "play"}).err.find("usage: record start|stop|rotate") != std::string::npos);
  const Ended started = served.ctl({"record", "start", "1"});
  CHECK(started.code == 0);
  CHECK(started.out.find("/panic-1-") != std::string::npos);
  CHECK(served.ctl({"record", "start"}).err.find("the recording is on already") != std::string::npos);
  CHECK(served.process.err_has("control: record start 1"));
  REQUIRE(served.ctl({"record", "stop"}).code == 0);
  CHECK(served.lists("\toff\t"));
  CHECK(served.stop() == 0);
  const auto files = served.files();
  REQUIRE(files.size() == 1);
  CHECK(files[0].ends_with("Z.mcap"));
  CHECK(run({kEntente, "verify", served.folder.file(files[0])}).code == 0);
}

TEST_CASE("a recording that cannot be written is listed as failing") {
  const Folder gone;
  std::filesystem::create_directory(gone.file("r"));
  const Served served("[[arena]]\nlisten = [\"panic://127.0.0.1:0\"]\nbots = 3\nrecord = \"" + gone.file("r/a.mcap") +
                      "\"\n");
  CHECK(served.lists("\ton\t"));
  std::filesystem::remove_all(gone.file("r"));
  CHECK(served.lists("\tfailing\t"));
  std::filesystem::create_directory(gone.file("r"));
  CHECK(served.lists("\ton\t"));
}

TEST_CASE("an arena has one file for all of its players") {
  Folder folder;
  const Ended checked = run({kEntente, "check",
                             folder.write("a.toml",
                                          "[[arena]]\nlisten = [\"panic://127.0.0.1:0\"]\n"
                                          "record = \"{link}.mcap\"\n")});
  CHECK(checked.code == 1);
  CHECK(checked.err.find("{link} is for routes") != std::string::npos);
}

}  // namespace
}  // namespace entente::rotation_test
