// `entente clip`: what a clip contains, that it plays without the whole file, and what is refused.
#include "proxy/program/clips/clip.h"

#include <doctest/doctest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "proxy/base/steady_wall.h"
#include "proxy/program/base/interruption.h"
#include "proxy/program/clips/clipper.h"
#include "proxy/trace/recording_info.h"
#include "tests/program/clips/clip_match.h"
#include "tests/program/folder.h"
#include "tests/program/native_client.h"
#include "tests/program/set_clock.h"
#include "tests/support/listening.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace entente::clip_test {
namespace {

using clip_match::kSecond;
using clip_match::match;
using clip_match::players_of;
using clip_match::said;
using clip_match::session_of;

const std::string kEntente = testing::entente_binary();

struct Clipped {
  int exit = 0;
  std::string out, err;
};

Clipped clipped(const ClipOptions& options) {
  std::ostringstream out, err;
  Progress quiet(nullptr);
  const int exit = clip(options, quiet, out, err);
  return {exit, out.str(), err.str()};
}

TEST_CASE("a clip has the same frames and words as the whole file in its range, and plays without it") {
  const Folder folder;
  const std::string whole = match(folder.file("whole.mcap"));
  const std::string path = folder.file("clip.mcap");
  const Clipped made = clipped({{whole}, 12, 17, path});
  REQUIRE_MESSAGE(made.exit == kOk, made.err);
  CHECK(made.err == "");
  CHECK(made.out == path + ": 0:05, 50 frames, 100 words\n");
  CHECK(folder.names() == std::set<std::string>{"whole.mcap", "clip.mcap"});
  CHECK(said(path) == said(whole, 12, 17));
  CHECK(said(path).size() == 150);
  const Ended verified = run({kEntente, "verify", path});
  CHECK_MESSAGE(verified.code == 0, verified.out << verified.err);
  CHECK(verified.out.find("frames=50 exact=50 ") != std::string::npos);
  CHECK(run({kEntente, "inspect", path}).out.find("began before this file, in whole.mcap") != std::string::npos);

  CHECK(players_of(path) == std::set<std::string>{"anna", "bob"});
  CHECK((*trace::read_end(path))->info->kills == 1);
}

}  // namespace
}  // namespace entente::clip_test

std::atomic<std::int64_t> entente::clock_set_by{0};

/// Used by all of the process in place of the one in the C library.
extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const auto done = static_cast<int>(::syscall(SYS_clock_gettime, clock, time));
  if (done == 0 && clock == CLOCK_REALTIME) time->tv_sec += entente::clock_set_by.load();
  return done;
}

namespace entente::clip_test {
namespace {

TEST_CASE("a clip that is made while the wall clock is set is the same as any other") {
  const Folder folder;
  const std::string whole = match(folder.file("whole.mcap")), path = folder.file("clip.mcap");
  (void)steady_wall_now();  // from now on, it does not follow the wall clock
  clock_set_by = 7'200;
  CHECK(wall_is_ahead() > 7'000 * static_cast<std::int64_t>(kSecond));
  const Clipped made = clipped({{whole}, 12, 17, path});
  clock_set_by = 0;
  REQUIRE_MESSAGE(made.exit == kOk, made.err);
  const auto recording = trace::Recording::open(path);
  REQUIRE(recording.ok());
  for (auto event = (*recording)->next(); event.ok() && *event != nullptr; event = (*recording)->next()) {
    CHECK((*event)->time >= clip_match::kStart + 12 * kSecond);
    CHECK((*event)->time < clip_match::kStart + 17 * kSecond);
    if ((*event)->note != nullptr) CHECK((*event)->note->text().starts_with("this is a clip of "));
  }
}

/// The world as facts, without the times at which they became true.
std::vector<std::string> facts_of(const core::WorldState& world) {
  std::vector<std::string> all;
  world.tell([&](core::Fact fact) {
    fact.at = 0;
    Buffer bytes;
    core::write(fact, bytes);
    all.emplace_back(as_text(bytes));
  });
  return all;
}

std::vector<std::string> world_at(const std::string& path, double seconds) {
  core::WorldState world;
  REQUIRE(session_of(path)->seek(static_cast<core::Micros>(seconds * 1e6), world).ok());
  return facts_of(world);
}

TEST_CASE("a clip begins with the world at that moment, and each later moment is as in the whole file") {
  const Folder folder;
  const std::string whole = match(folder.file("whole.mcap"));
  for (const double from : {0.0, 3.0, 7.25, 12.0}) {
    CAPTURE(from);
    const std::string path = folder.file("clip-" + std::to_string(from) + ".mcap");
    REQUIRE(clipped({{whole}, from, 18, path}).exit == kOk);
    CHECK(session_of(path)->begins_with_world() == (from > 0));
    for (const double at : {0.0, 0.01, 1.0, 5.5}) CHECK(world_at(path, at) == world_at(whole, from + at));
  }
}

TEST_CASE("a clip without messages has a world") {
  const Folder folder;
  const std::string whole = match(folder.file("whole.mcap")), path = folder.file("clip.mcap");
  REQUIRE(clipped({{whole}, 12.01, 12.09, path}).exit == kOk);
  CHECK(said(path).empty());
  CHECK(session_of(path)->end_time() == 0);
  CHECK(world_at(path, 0) == world_at(whole, 12.01));
}

TEST_CASE("a clip of an arena's recording, which has no frames, has all players") {
  const Folder folder;
  const std::string whole = match(folder.file("whole.mcap"), 1, clip_match::kStart, false);
  const std::string path = folder.file("clip.mcap");
  REQUIRE(clipped({{whole}, 12, 18, path}).exit == kOk);
  const auto session = session_of(path);
  CHECK(session->begins_with_world());
  CHECK(session->about().players.size() == 2);
  CHECK(world_at(path, 0) == world_at(whole, 12));
  const Ended counted = run({kEntente, "stats", path});
  CHECK_MESSAGE(counted.out.find(": 0:05, 2 players, 1 kill, 1 death\n") != std::string::npos, counted.out);
}

TEST_CASE("clips of one session are read together as one session, without a clock correction") {
  const Folder folder;
  const std::string whole = match(folder.file("whole.mcap"), 1, clip_match::kStart, false);
  const std::string first = folder.file("first.mcap"), second = folder.file("second.mcap");
  REQUIRE(clipped({{whole}, 6, 12, first}).exit == kOk);
  REQUIRE(clipped({{whole}, 12, 18, second}).exit == kOk);
  const Ended counted = run({kEntente, "stats", first, second, "--link", "2"});
  CHECK_MESSAGE(counted.out.find("2 players, 1 kill, 1 death\n") != std::string::npos, counted.out);
  CHECK(counted.err.find("clock") == std::string::npos);
}

TEST_CASE("a clip whose range is damaged is refused, and leaves no file") {
  const Folder folder;
  const std::string path = folder.file("damaged.jsonl"), out = folder.file("clip.mcap");
  std::ifstream in(trace_file("ogar/m3-02-two-players-chat.jsonl"));
  std::ofstream damaged(path);
  std::string line;
  for (int i = 0; i < 60 && std::getline(in, line); ++i) damaged << (i == 50 ? "garbage" : line) << '\n';
  damaged.close();
  const Clipped made = clipped({{path}, 0, {}, out});
  CHECK(made.exit == kFailed);
  CHECK_MESSAGE(made.err.find("damaged.jsonl:51: not a JSON object") != std::string::npos, made.err);
  CHECK(folder.names() == std::set<std::string>{"damaged.jsonl"});
}

TEST_CASE("a clip has nothing of a session that ended before it begins") {
  const Folder folder;
  const std::string whole = folder.file("whole.mcap"), path = folder.file("clip.mcap");
  {
    const auto to = recorder(whole);
    clip_match::Match first(1), second(2, clip_match::kStart + 3 * kSecond);
    first.open(*to);
    for (int tenths = 1; tenths < 20; ++tenths) first.step(*to, tenths);
    to->closed(clip_match::kStart + 2 * kSecond, 1, "client left");
    second.open(*to);
    for (int tenths = 1; tenths < 200; ++tenths) second.step(*to, tenths);
    second.close(*to);
    REQUIRE(to->close(clip_match::kStart + 23 * kSecond).ok());
  }
  const Clipped made = clipped({{whole}, 12, 17, path});
  REQUIRE_MESSAGE(made.exit == kOk, made.err);
  const auto recording = trace::Recording::open(path);
  REQUIRE(recording.ok());
  std::set<std::uint32_t> links;
  for (auto event = (*recording)->next(); event.ok() && *event != nullptr; event = (*recording)->next()) {
    if ((*event)->opened != nullptr) links.insert((*event)->opened->link());
    if ((*event)->world != nullptr) links.insert((*event)->world->link());
  }
  CHECK(links == std::set<std::uint32_t>{2});
}

TEST_CASE("a clip of a clip equals a clip of the whole file") {
  const Folder folder;
  const std::string whole = match(folder.file("whole.mcap"));
  const std::string first = folder.file("first.mcap"), second = folder.file("second.mcap"),
                    direct = folder.file("direct.mcap");
  REQUIRE(clipped({{whole}, 6, 18, first}).exit == kOk);
  REQUIRE(clipped({{first}, 2, 7, second}).exit == kOk);
  REQUIRE(clipped({{whole}, 8, 13, direct}).exit == kOk);
  CHECK(said(second) == said(direct));
  CHECK(world_at(second, 0) == world_at(direct, 0));
  CHECK(run({kEntente, "verify", second}).code == 0);
}

TEST_CASE("viewers of a replayed clip see its first world, though a later fact says that a player is ready") {
  const Folder folder;
  const std::string path = folder.file("clip.mcap");
  REQUIRE(clipped({{match(folder.file("whole.mcap"))}, 12, 19, path}).exit == kOk);  // bob is ready at 15 s
  Process replay({kEntente, "replay", path, "--listen", "native://127.0.0.1:0?dialect=json", "--paused"});
  NativeClient viewer(testing::listening_port(replay, "native json"));
  viewer.says("{\"enter\":{\"name\":\"watcher\"}}\n");
  std::set<std::string> names;
  std::optional<double> x;
  const auto ready = viewer.hears([&](const words::Fact& fact) {
    if (fact.has_player()) names.insert(fact.player().name());
    if (fact.has_unit() && fact.unit().pose().x() != 0) x = fact.unit().pose().x();  // bob's tank is at 0
    CHECK_FALSE(fact.has_died());
    return fact.has_ready();
  });
  CHECK(ready);
  CHECK(names.contains("anna"));
  CHECK(names.contains("bob"));
  REQUIRE(x);
  CHECK(*x == doctest::Approx(120));
  replay.signal(SIGTERM);
  CHECK(replay.wait() == 0);
}

/// The lines of frames, without those of words.
std::vector<std::string> frames_of(std::vector<std::string> lines) {
  std::erase_if(lines, [](const std::string& line) {
    return line.starts_with(",\"fact\":") || line.starts_with(",\"intent\":");
  });
  return lines;
}

TEST_CASE("a clip of a relay's recording has its exact frames, and words made from them") {
  for (const std::string trace : {"bzflag/bzfs2426-bzadmin-chat.pcap", "panic/patched-be-2p-test-kill-win.jsonl",
                                  "ogar/m3-03-split-eject-merge.jsonl"}) {
    CAPTURE(trace);
    const Folder folder;
    const std::string whole = folder.file("whole.mcap"), path = folder.file("clip.mcap");
    REQUIRE(run({kEntente, "convert", trace_file(trace), "--to", whole}).code == 0);
    const auto end = trace::read_end(whole);
    REQUIRE(end.ok());
    const double length = static_cast<double>((*end)->end - (*end)->start) / 1e9;
    const Clipped made = clipped({{whole}, length / 3, length * 2 / 3, path});
    REQUIRE_MESSAGE(made.exit == kOk, made.err);
    CHECK(folder.names() == std::set<std::string>{"whole.mcap", "clip.mcap"});
    CHECK_FALSE(frames_of(said(path)).empty());
    CHECK(frames_of(said(path)) == frames_of(said(whole, length / 3, length * 2 / 3)));
    CHECK(session_of(path, 1)->begins_with_world());
    CHECK(made.err == "");
    const Ended verified = run({kEntente, "verify", path});
    CHECK_MESSAGE(verified.code == 0, verified.out << verified.err);
    if (trace.starts_with("bzflag")) CHECK(players_of(path).contains("alice"));
  }
}

TEST_CASE("a clip of a relay's recording whose words were made before has a world") {
  const Folder folder;
  const std::string whole = folder.file("whole.mcap"), path = folder.file("clip.mcap");
  REQUIRE(run({kEntente, "convert", trace_file("panic/patched-be-2p-test-kill-win.jsonl"), "--words", "--to", whole})
              .code == 0);
  const auto end = trace::read_end(whole);
  REQUIRE(end.ok());
  const double length = static_cast<double>((*end)->end - (*end)->start) / 1e9;
  REQUIRE(clipped({{whole}, length / 2, {}, path}).exit == kOk);
  CHECK(run({kEntente, "verify", path}).code == 0);
  CHECK(session_of(path, 1)->begins_with_world());
}

TEST_CASE("two sessions of one client have the numbers of their own openings in the original") {
  const Folder folder;
  const std::string words = folder.file("words.mcap"), path = folder.file("clip.mcap");
  const auto of_client = [](std::uint32_t link) {
    trace::Opened opened = opening(link, "panic", "be-packed");
    opened.set_client("192.0.2.7:4000");
    return opened;
  };
  {
    const auto to = recorder(words);
    for (const std::uint32_t link : {1U, 2U}) {
      to->opened(link * kSecond, of_client(link));
      record(*to, link, trace::TO_SERVER, "0001010200000001", link * kSecond);
      to->closed(link * kSecond, link, "client left");
    }
    REQUIRE(to->close(3 * kSecond).ok());
  }
  const auto recording = trace::Recording::open(words);
  REQUIRE(recording.ok());
  const auto to = NewRecording::create(path);
  REQUIRE(to.ok());
  Clipper clipper(words, {}, **recording, **to, {kSecond, {of_client(5), of_client(9)}});
  REQUIRE(clipper.run().ok());
  REQUIRE((*to)->finish(clipper.last_written()).ok());
  const auto made = trace::Recording::open(path);
  REQUIRE(made.ok());
  std::vector<std::uint32_t> links;
  for (auto event = (*made)->next(); event.ok() && *event != nullptr; event = (*made)->next())
    if ((*event)->opened != nullptr) links.push_back((*event)->opened->link());
  CHECK(links == std::vector<std::uint32_t>{5, 9});
}

TEST_CASE("a packet capture can be clipped") {
  const Folder folder;
  const std::string path = folder.file("clip.mcap");
  const Clipped made = clipped({{trace_file("bzflag/bzfs2426-bzadmin-chat.pcap")}, 2, 6, path});
  REQUIRE_MESSAGE(made.exit == kOk, made.err);
  CHECK(folder.names() == std::set<std::string>{"clip.mcap"});
  CHECK(run({kEntente, "verify", path}).code == 0);
  CHECK(session_of(path, 1)->begins_with_world());
}

TEST_CASE("a clip of sessions that began before the file has frames but no words, and a warning") {
  const Folder folder;
  const std::string rest = folder.file("rest.mcap"), path = folder.file("clip.mcap");
  const auto to = recorder(rest);
  trace::Opened opened = opening(5, "panic", "be-packed");
  opened.set_continues(true);
  opened.set_server("192.0.2.7:4410");
  opened.set_client_sent(true);
  opened.set_server_sent(true);
  to->opened(kSecond, opened);
  for (int i = 1; i < 10; ++i) record(*to, 5, trace::TO_SERVER, "0001010200000001", static_cast<WallTime>(i) * kSecond);
  REQUIRE(to->close(10 * kSecond).ok());
  const Clipped made = clipped({{rest}, 2.5, 6.5, path});
  REQUIRE_MESSAGE(made.exit == kOk, made.err);
  CHECK(made.out == path + ": 0:04, 4 frames, 0 words\n");
  CHECK(made.err.find("a session can be translated only from its beginning") != std::string::npos);
  CHECK(made.err.find("the clip has no words, so it cannot be replayed") != std::string::npos);
  CHECK(said(path) == said(rest, 2.5, 6.5));
  const auto recording = trace::Recording::open(path);
  REQUIRE(recording.ok());
  const auto first = (*recording)->next();
  REQUIRE(first.ok());
  REQUIRE((*first)->opened != nullptr);
  CHECK((*first)->opened->link() == 5);
  CHECK((*first)->opened->server() == "192.0.2.7:4410");
}

TEST_CASE("what cannot be clipped is refused, and leaves nothing behind") {
  const Folder folder;
  const std::string whole = match(folder.file("whole.mcap"));
  const std::string out = folder.file("out.mcap");
  const auto refused = [&](const ClipOptions& options, int exit, const std::string& why) {
    const auto before = folder.names();
    const Clipped made = clipped(options);
    CHECK(made.exit == exit);
    CHECK(made.out == "");
    CHECK_MESSAGE(made.err.find(why) != std::string::npos, made.err);
    CHECK(folder.names() == before);
  };
  refused({{folder.file("none.mcap")}, 0, 5, out}, kFailed, "No such file");
  refused({{folder.write("empty.mcap", "")}, 0, 5, out}, kFailed, "the file is empty");
  refused({{folder.write("x.jsonl", "{}\n")}, 0, 5, out}, kFailed, "entente clip: ");
  refused({{folder.write("short.mcap", "\x89MCAP")}, 0, 5, out}, kFailed, "not an MCAP file");
  REQUIRE(recorder(folder.file("nothing.mcap"))->close(2).ok());
  refused({{folder.file("nothing.mcap")}, 0, 5, out}, kFailed, "has no messages");
  refused({{whole}, 60, 70, out}, kFailed, "--from 1:00 is after the end of " + whole + ", which is 0:20 long");
  refused({{whole}, 7, 7, out}, kUsage, "--to must be after --from");
  refused({{whole}, 7, 5, out}, kUsage, "--to must be after --from");
  refused({{whole}, 1, 5, whole}, kFailed, "exists already");
  refused({{whole}, 1, 5, folder.file("nothing.mcap")}, kFailed, "exists already");
  refused({{whole}, 1, 5, folder.file("out.txt")}, kUsage, "must end in .mcap");
  refused({{whole}, 1, 5, folder.file("no/such/out.mcap")}, kFailed, "cannot create");

  std::filesystem::copy(whole, folder.file("cut.mcap"));
  std::filesystem::resize_file(folder.file("cut.mcap"), std::filesystem::file_size(whole) / 2);
  refused({{folder.file("cut.mcap")}, 1, {}, out}, kFailed, "`entente recover` saves the readable part");
  CHECK(clipped({{folder.file("cut.mcap")}, 1, 3, out}).exit == kOk);  // before the damage
  CHECK(said(out) == said(whole, 1, 3));
}

TEST_CASE("a clip whose end is after the end of the file ends with the file, and a warning") {
  const Folder folder;
  const std::string whole = match(folder.file("whole.mcap")), path = folder.file("clip.mcap");
  const Clipped made = clipped({{whole}, 15, 3600, path});
  CHECK(made.exit == kOk);
  CHECK(made.err == whole + " ends before --to\n");
  CHECK(said(path) == said(whole, 15, 3600));
}

TEST_CASE("a signal ends the command, and leaves no clip") {
  const Folder folder;
  const std::string whole = match(folder.file("whole.mcap"));
  const Interruption interruption;
  REQUIRE(std::raise(SIGINT) == 0);
  const Clipped made = clipped({{whole}, 1, 5, folder.file("clip.mcap")});
  CHECK(made.exit == kFailed);
  CHECK(made.err == "entente clip: interrupted\n");
  CHECK(folder.names() == std::set<std::string>{"whole.mcap"});
}

TEST_CASE("a full disk leaves no clip") {
  const Folder folder;
  const std::string whole = match(folder.file("whole.mcap")), path = folder.file("clip.mcap");
  // Half of the size is in the middle of the messages: the definitions are at both ends of the file.
  const std::string blocks = std::to_string(std::filesystem::file_size(whole) / 2 / 512);
  const Ended limited = run(
      {"/bin/sh", "-c", "ulimit -f " + blocks + "; exec \"$0\" clip \"$1\" --from 1 -o \"$2\"", kEntente, whole, path});
  CHECK(limited.code == 1);
  CHECK_MESSAGE(limited.err.find("is not written: ") != std::string::npos, limited.err);
  CHECK(folder.names() == std::set<std::string>{"whole.mcap"});
}

TEST_CASE("a disk that is full before all words are made leaves no clip of a part of them") {
  const Folder folder;
  const std::string whole = folder.file("whole.mcap"), words = folder.file("words.mcap");
  REQUIRE(run({kEntente, "convert", trace_file("ogar/m3-03-split-eject-merge.jsonl"), "--to", whole}).code == 0);
  REQUIRE(run({kEntente, "convert", whole, "--words", "--to", words}).code == 0);
  const std::string blocks = std::to_string(std::filesystem::file_size(words) / 4 / 512);
  const Ended limited = run({"/bin/sh", "-c", "ulimit -f " + blocks + "; exec \"$0\" clip \"$1\" -o \"$2\"", kEntente,
                             whole, folder.file("clip.mcap")});
  CHECK(limited.code == 1);
  CHECK_MESSAGE(limited.err.find("clip.mcap.words.mcap: lacks ") != std::string::npos, limited.err);
  CHECK(limited.err.find("File too large") != std::string::npos);
  CHECK(folder.names() == std::set<std::string>{"whole.mcap", "words.mcap"});
}

}  // namespace
}  // namespace entente::clip_test
