// `entente join`: the files of a rotation become one recording again, other recordings keep their sessions apart, and
// what is refused.
#include "proxy/program/clips/join.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "proxy/core/world.h"
#include "proxy/program/base/interruption.h"
#include "proxy/program/clips/clip.h"
#include "proxy/program/conversion/convert.h"
#include "proxy/program/playback/playable.h"
#include "proxy/trace/recording.h"
#include "tests/program/clips/clip_match.h"
#include "tests/program/folder.h"
#include "tests/program/rotated.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace entente::join_test {
namespace {

using clip_match::kSecond;
using clip_match::kStart;
using clip_match::match;
using clip_match::players_of;
using clip_match::said;
using clip_match::session_of;

const std::string kEntente = testing::entente_binary();

struct Joined {
  int exit = 0;
  std::string out, err;
};

Joined joined(const std::vector<std::string>& files, const std::string& to) {
  std::ostringstream out, err;
  const int exit = join({files, to}, out, err);
  return {exit, out.str(), err.str()};
}

TEST_CASE("the files of a rotation, in any order, become one recording again") {
  for (const std::string trace : {"", "bzflag/bzfs2426-bzadmin-chat.pcap", "panic/patched-be-2p-test-kill-win.jsonl",
                                  "ogar/m3-03-split-eject-merge.jsonl"}) {
    CAPTURE(trace);
    const Folder folder, parts;
    const std::string whole = folder.file("whole.mcap"), path = folder.file("joined.mcap");
    if (trace.empty())
      match(whole);
    else
      REQUIRE(run({kEntente, "convert", trace_file(trace), "--to", whole}).code == 0);
    rotated(whole, parts, {2, 4, 9});
    CHECK(parts.names() == std::set<std::string>{"a.mcap", "a-2.mcap", "a-3.mcap", "a-4.mcap"});
    const Joined made =
        joined({parts.file("a-3.mcap"), parts.file("a.mcap"), parts.file("a-4.mcap"), parts.file("a-2.mcap")}, path);
    REQUIRE_MESSAGE(made.exit == kOk, made.err);
    CHECK(said(path) == said(whole));
    const Ended verified = run({kEntente, "verify", path});
    CHECK_MESSAGE(verified.code == 0, verified.out << verified.err);
    CHECK(verified.out == run({kEntente, "verify", whole}).out);
    CHECK(folder.names() == std::set<std::string>{"whole.mcap", "joined.mcap"});
    if (!trace.empty()) {
      for (const char* name : {"whole", "joined"})
        REQUIRE(run({kEntente, "convert", folder.file(std::string(name) + ".mcap"), "--words", "--to",
                     folder.file(std::string(name) + "-words.mcap")})
                    .code == 0);
      CHECK(said(folder.file("joined-words.mcap")) == said(folder.file("whole-words.mcap")));
      if (trace.starts_with("bzflag")) CHECK(players_of(path).contains("alice"));
      continue;
    }
    const auto session = session_of(path);
    for (const double at : {0.5, 3.0, 19.0}) {
      core::WorldState one, other;
      REQUIRE(session->seek(static_cast<core::Micros>(at * 1e6), one).ok());
      REQUIRE(session_of(whole)->seek(static_cast<core::Micros>(at * 1e6), other).ok());
      CHECK(one.unit(2)->unit.pose().x() == other.unit(2)->unit.pose().x());
      CHECK(one.players().size() == other.players().size());
    }
  }
}

TEST_CASE("files that were renamed, as by `entente archive`, are still parts of one session") {
  const Folder folder, parts;
  rotated(match(folder.file("whole.mcap")), parts, {20});
  for (const char* name : {"a", "a-2"})
    std::filesystem::rename(parts.file(std::string(name) + ".mcap"),
                            parts.file("node." + std::string(name) + "-7.mcap"));
  const std::string path = folder.file("joined.mcap");
  REQUIRE(joined({parts.file("node.a-7.mcap"), parts.file("node.a-2-7.mcap")}, path).exit == kOk);
  CHECK(run({kEntente, "verify", path}).out == run({kEntente, "verify", folder.file("whole.mcap")}).out);
  CHECK(session_of(path)->about().facts == session_of(folder.file("whole.mcap"))->about().facts);
}

TEST_CASE("if a part is missing, there are two sessions, and the second begins with its world") {
  const Folder folder, parts;
  rotated(match(folder.file("whole.mcap")), parts, {20, 90});
  const std::string path = folder.file("joined.mcap");
  REQUIRE(joined({parts.file("a.mcap"), parts.file("a-3.mcap")}, path).exit == kOk);
  CHECK(run({kEntente, "verify", path}).code == 0);
  CHECK_FALSE(session_of(path, 1)->begins_with_world());
  const auto second = session_of(path, 2);
  CHECK(second->begins_with_world());
  core::WorldState world;
  REQUIRE(second->seek(0, world).ok());
  CHECK(world.players().size() == 2);
}

TEST_CASE("recordings that overlap are ordered by time, and each session has a number of its own") {
  const Folder folder;
  const std::string path = folder.file("joined.mcap");
  const std::string first = match(folder.file("first.mcap")),
                    second = match(folder.file("second.mcap"), 1, kStart + 5 * kSecond + kSecond / 20),
                    third = match(folder.file("third.mcap"), 2, kStart + 50 * kSecond);
  const Joined made = joined({third, second, first}, path);
  REQUIRE_MESSAGE(made.exit == kOk, made.err);
  CHECK(made.out == path + ": 1:10, 597 frames of 3 recordings\n");
  const auto recording = trace::Recording::open(path);
  REQUIRE(recording.ok());
  std::set<std::uint32_t> opened, worded;
  WallTime last = 0;
  for (auto event = (*recording)->next(); event.ok() && *event != nullptr; event = (*recording)->next()) {
    CHECK((*event)->time >= last);
    last = (*event)->time;
    if ((*event)->opened != nullptr) CHECK(opened.insert((*event)->opened->link()).second);
    if ((*event)->word) worded.insert((*event)->word->link);
    if ((*event)->frame != nullptr) CHECK(opened.contains((*event)->frame->link()));
    if ((*event)->world != nullptr) CHECK(opened.contains((*event)->world->link()));
  }
  CHECK(opened == std::set<std::uint32_t>{1, 2, 3});
  CHECK(worded == opened);
  CHECK(run({kEntente, "verify", path}).code == 0);
  // The second match, which also had the number 1, got the free number.
  CHECK(session_of(path, 3)->about().facts == session_of(second)->about().facts);
}

TEST_CASE("a new link number is no link's of any of the recordings, also of an earlier one") {
  const Folder folder;
  const std::string path = folder.file("joined.mcap");
  std::vector<std::string> files;
  for (const std::uint32_t link : {2U, 1U, 1U}) {
    const std::size_t at = files.size();
    files.push_back(match(folder.file(std::to_string(at) + ".mcap"), link, kStart + at * 50 * kSecond));
  }
  REQUIRE(joined(files, path).exit == kOk);
  const auto recording = trace::Recording::open(path);
  REQUIRE(recording.ok());
  std::vector<std::uint32_t> opened;
  for (auto event = (*recording)->next(); event.ok() && *event != nullptr; event = (*recording)->next())
    if ((*event)->opened != nullptr) opened.push_back((*event)->opened->link());
  CHECK(opened == std::vector<std::uint32_t>{2, 1, 3});
}

TEST_CASE("a recording without words cannot be joined with recordings that have words; the error names it") {
  const Folder folder;
  const std::string words = match(folder.file("words.mcap"), 40), frames = folder.file("frames.mcap");
  std::ostringstream out, err;
  REQUIRE(convert({{.file = trace_file("bzflag/bzfs2426-bzadmin-chat.pcap")}, frames}, out, err) == kOk);
  const Joined made = joined({words, frames}, folder.file("joined.mcap"));
  CHECK(made.exit == kOk);
  CHECK_MESSAGE(made.err.starts_with("entente join: " + frames + " has no words, but other recordings have"), made.err);
  CHECK(joined({words, match(folder.file("more.mcap"), 41)}, folder.file("all.mcap")).err == "");

  for (const auto& [link, dialect] :
       {std::pair<std::uint32_t, std::string>{1, "bzflag 2.4"}, {40, "panic be-packed"}}) {
    const auto opened =
        open_playable({.input = {.file = words}, .more = {frames}, .link = link, .once = true, .terminal = nullptr});
    REQUIRE_MESSAGE(opened.ok(), opened.error().text);
    CHECK((*opened)->about().dialect == dialect);
  }
}

TEST_CASE("files that overlap within a session, or cannot be read, are refused, and nothing is left behind") {
  const Folder folder;
  const std::string whole = match(folder.file("whole.mcap")), out = folder.file("out.mcap");
  std::ostringstream ignored;
  Progress quiet(nullptr);
  const auto cut = [&](const char* name, double from, double to) {
    REQUIRE(clip({{whole}, from, to, folder.file(name)}, quiet, ignored, ignored) == kOk);
    return folder.file(name);
  };
  const std::string early = cut("early.mcap", 2, 8), late = cut("late.mcap", 7, 15), apart = cut("apart.mcap", 16, 19);
  const auto refused = [&](const std::vector<std::string>& files, const std::string& to, int exit,
                           const std::string& why) {
    const auto before = folder.names();
    const Joined made = joined(files, to);
    CHECK(made.exit == exit);
    CHECK(made.out == "");
    CHECK_MESSAGE(made.err.find(why) != std::string::npos, made.err);
    CHECK(folder.names() == before);
  };
  refused({whole, whole}, out, kFailed, " overlap: both have a part of link 1 (127.0.0.1:4001)");
  refused({whole, late}, out, kFailed, " overlap: ");
  refused({late, early}, out, kFailed, " overlap: ");
  refused({cut("start.mcap", 0, 5), cut("on.mcap", 3, 8)}, out, kFailed, " overlap: ");  // one has the opening
  refused({whole}, out, kUsage, "give at least two recordings");
  refused({whole, folder.file("none.mcap")}, out, kFailed, "No such file");
  refused({whole, folder.write("empty.mcap", "")}, out, kFailed, "the file is empty");
  refused({whole, folder.write("x.jsonl", "{}\n")}, out, kFailed, "is not a recording (MCAP)");
  refused({early, apart}, whole, kFailed, "exists already");
  refused({early, apart}, early, kFailed, "exists already");
  refused({early, apart}, folder.file("out.rec"), kUsage, "must end in .mcap");
  std::filesystem::resize_file(apart, std::filesystem::file_size(apart) - 9);
  refused({early, apart}, out, kFailed, "`entente recover` saves the readable part");
}

TEST_CASE("clips of a later file of a rotation are refused only if they overlap") {
  const Folder folder, parts;
  rotated(match(folder.file("whole.mcap")), parts, {20});
  std::ostringstream ignored;
  Progress quiet(nullptr);
  const auto cut = [&](const char* name, double from, double to) {
    REQUIRE(clip({{parts.file("a-2.mcap")}, from, to, folder.file(name)}, quiet, ignored, ignored) == kOk);
    return folder.file(name);
  };
  const std::string first = cut("first.mcap", 0, 5), second = cut("second.mcap", 3, 8), third = cut("third.mcap", 5, 8);
  const Joined both = joined({first, second}, folder.file("both.mcap"));
  CHECK(both.exit == kFailed);
  CHECK_MESSAGE(both.err.find(" overlap: ") != std::string::npos, both.err);
  const Joined apart = joined({first, third}, folder.file("apart.mcap"));
  CHECK_MESSAGE(apart.exit == kOk, apart.err);
}

/// How many links are opened and closed.
std::pair<int, int> opened_and_closed(const std::string& path) {
  const auto recording = trace::Recording::open(path);
  REQUIRE(recording.ok());
  std::pair<int, int> all;
  for (auto event = (*recording)->next(); event.ok() && *event != nullptr; event = (*recording)->next()) {
    all.first += (*event)->opened != nullptr ? 1 : 0;
    all.second += (*event)->closed != nullptr ? 1 : 0;
  }
  return all;
}

TEST_CASE("a session that says nothing more after a rotation is one session again") {
  const Folder folder, parts;
  const std::string whole = folder.file("whole.mcap"), path = folder.file("joined.mcap");
  const auto to = recorder(whole);
  for (std::uint32_t link = 1; link <= 2; ++link) {
    to->opened(kStart, opening(link, "panic", "be-packed"));
    record(*to, link, trace::TO_SERVER, "0001010200000001", kStart + link * kSecond);
  }
  record(*to, 2, trace::TO_SERVER, "0001010200000001", kStart + 5 * kSecond);
  for (std::uint32_t link = 1; link <= 2; ++link) to->closed(kStart + 6 * kSecond, link, "client left");
  REQUIRE(to->close(kStart + 6 * kSecond).ok());
  rotated(whole, parts, {2});
  const Joined made = joined({parts.file("a.mcap"), parts.file("a-2.mcap")}, path);
  REQUIRE_MESSAGE(made.exit == kOk, made.err);
  CHECK(opened_and_closed(path) == std::pair(2, 2));
}

TEST_CASE("a recording without a date, all of it at time 0, is joined like any other") {
  const Folder folder;
  const auto at = [&](const char* name, std::uint32_t link, WallTime time) {
    const auto to = recorder(folder.file(name));
    to->opened(time, opening(link, "panic", "be-packed"));
    record(*to, link, trace::TO_SERVER, "0001010200000001", time);
    to->closed(time, link, "client left");
    REQUIRE(to->close(time).ok());
    return folder.file(name);
  };
  const std::string path = folder.file("joined.mcap");
  const Joined made = joined({at("a.mcap", 1, 0), at("b.mcap", 2, kSecond)}, path);
  REQUIRE_MESSAGE(made.exit == kOk, made.err);
  CHECK(made.out == path + ": 0:01, 2 frames of 2 recordings\n");
}

TEST_CASE("clips of one recording with a gap between them become separate sessions") {
  const Folder folder;
  const std::string whole = match(folder.file("whole.mcap")), path = folder.file("reel.mcap");
  std::ostringstream ignored;
  Progress quiet(nullptr);
  REQUIRE(clip({{whole}, 2, 4, folder.file("1.mcap")}, quiet, ignored, ignored) == kOk);
  REQUIRE(clip({{whole}, 12, 14, folder.file("2.mcap")}, quiet, ignored, ignored) == kOk);
  REQUIRE(joined({folder.file("1.mcap"), folder.file("2.mcap")}, path).exit == kOk);
  CHECK(run({kEntente, "verify", path}).code == 0);
  for (const std::uint32_t link : {1U, 2U}) CHECK(session_of(path, link)->begins_with_world());
}

TEST_CASE("a signal ends the command, and leaves no file") {
  const Folder folder;
  const std::string one = match(folder.file("one.mcap")), two = match(folder.file("two.mcap"), 2);
  const Interruption interruption;
  REQUIRE(std::raise(SIGTERM) == 0);
  const Joined made = joined({one, two}, folder.file("joined.mcap"));
  CHECK(made.exit == kFailed);
  CHECK(made.err == "entente join: interrupted\n");
  CHECK(folder.names() == std::set<std::string>{"one.mcap", "two.mcap"});
}

TEST_CASE("frames of a link that no file opens are joined") {
  const Folder folder;
  const auto headless = [&](const char* name, WallTime at) {
    const std::string path = folder.file(name);
    const auto to = recorder(path);
    record(*to, 7, trace::TO_SERVER, "0001010200000001", at);
    REQUIRE(to->close(at).ok());
    return path;
  };
  const std::string a = headless("a.mcap", kStart), b = headless("b.mcap", kStart + kSecond);
  const std::string path = folder.file("joined.mcap");
  const Joined made = joined({a, b}, path);
  REQUIRE_MESSAGE(made.exit == kOk, made.err);
  CHECK(made.out == path + ": 0:01, 2 frames of 2 recordings\n");
  const auto recording = trace::Recording::open(path);
  REQUIRE(recording.ok());
  std::size_t opened = 0;
  while (true) {
    const auto event = (*recording)->next();
    REQUIRE(event.ok());
    if (*event == nullptr) break;
    if ((*event)->opened == nullptr) continue;
    CHECK((*event)->opened->continues());  // its beginning is missing
    ++opened;
  }
  CHECK(opened == 2);
}

}  // namespace
}  // namespace entente::join_test
