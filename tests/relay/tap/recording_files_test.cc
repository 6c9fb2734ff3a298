// The files of a tap: when a recording continues in a new file, what each file contains, and what happens if a file
// cannot be opened.
#include "proxy/relay/tap/recording_files.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include "proxy/trace/recording.h"
#include "tests/program/folder.h"

namespace entente::relay::recording_files_test {
namespace {

constexpr WallTime kSecond = 1'000'000'000;

/// The events of a file, one line each.
std::vector<std::string> lines(const std::string& path) {
  const auto recording = trace::Recording::open(path);
  REQUIRE_MESSAGE(recording.ok(), recording.error().text);
  std::vector<std::string> all;
  for (;;) {
    const auto next = (*recording)->next();
    REQUIRE_MESSAGE(next.ok(), next.error().text);
    if (*next == nullptr) break;
    const trace::Recording::Event& event = **next;
    if (event.opened)
      all.push_back("open " + std::to_string(event.opened->link()) +
                    (event.opened->continues() ? " from " + event.opened->before() : ""));
    if (event.closed) all.push_back("close " + std::to_string(event.closed->link()));
    if (event.frame) all.push_back(std::to_string(event.frame->link()) + " frame " + event.frame->data());
    if (event.word) all.push_back(std::to_string(event.word->link) + " fact " + event.word->fact->notice().text());
    if (event.world) all.push_back(std::to_string(event.world->link()) + " world");
    if (event.geometry) all.push_back("geometry " + event.geometry->hash());
    if (event.note) all.push_back("note " + event.note->text());
  }
  CHECK((*recording)->progress().complete);
  return all;
}

std::unique_ptr<trace::Recording> opened_file(const std::string& path) {
  auto recording = trace::Recording::open(path);
  REQUIRE_MESSAGE(recording.ok(), recording.error().text);
  return std::move(*recording);
}

/// From the first to the last event of a file.
WallTime seconds_in(const std::string& path) {
  const auto recording = opened_file(path);
  WallTime first = 0, last = 0;
  for (auto next = recording->next(); next.ok() && *next != nullptr; next = recording->next()) {
    if (first == 0) first = (*next)->time;
    CHECK((*next)->time >= last);
    last = (*next)->time;
  }
  return (last - first) / kSecond;
}

/// Files a.mcap, a-2.mcap, … in a folder; or one for each session, 1.mcap and so on.
struct Rig {
  explicit Rig(RecordingFilesOptions options = {}, bool on = true) {
    const bool each = options.each_session;
    options.begin = [this, each](LinkId session) -> Outcome<std::unique_ptr<trace::Recorder>> {
      if (refuse) return Error{"no room"};
      return trace::Recorder::open_beside(folder.file(each ? std::to_string(session) + ".mcap" : "a.mcap"));
    };
    options.failed = [this](const Error& error) { errors.push_back(error.text); };
    auto first = on && !each ? trace::Recorder::open(folder.file("a.mcap"))
                             : Outcome<std::unique_ptr<trace::Recorder>>(std::unique_ptr<trace::Recorder>());
    REQUIRE(first.ok());
    files.emplace(std::move(options), std::move(*first), on, wanted);
  }
  void open(LinkId link, LinkId session = 0) {
    trace::Opened opened;
    opened.set_link(link);
    opened.set_game("toy");
    files->opened(now, opened, session != 0 ? session : link);
  }
  void frame(LinkId link, std::string_view text) {
    files->frame(now, {link, trace::TO_CLIENT, trace::STREAM, as_bytes(text), "", false});
  }
  void fact(LinkId link, const std::string& text) {
    words::Fact fact;
    fact.mutable_notice()->set_text(text);
    const std::string bytes = fact.SerializeAsString();
    files->word(now, link, trace::WordKind::kFact, as_bytes(bytes));
  }
  void world(LinkId link) {
    trace::Geometry geometry;
    geometry.set_hash("map");
    files->geometry(link, geometry);
    trace::Snapshot world;
    world.set_link(link);
    world.set_geometry("map");
    files->world(now, world);
  }
  void pass(WallTime time) {
    now += time;
    files->tick(now);
  }
  std::vector<std::string> read(const std::string& name) const { return lines(folder.file(name)); }

  Folder folder;
  bool refuse = false;
  std::vector<std::string> errors;
  WordsWanted wanted;
  WallTime now = wall_now();
  std::optional<RecordingFiles> files;
};

using Lines = std::vector<std::string>;

TEST_CASE("a client of a room that does no more than greet gets no file, and is counted") {
  Rig rig({.each_session = true});
  const auto greet = [&](LinkId link) {
    trace::Opened opened;
    opened.set_link(link);
    opened.set_game("toy");
    rig.files->opened(rig.now, opened, link, true);
    rig.frame(link, "hello");
    rig.files->note(rig.now, link, "a room");
  };
  for (LinkId link = 1; link <= 1'050; ++link) greet(link);
  CHECK(rig.files->totals().files == 0);
  CHECK(rig.files->status().paths.empty());
  rig.open(2'000, 7);                                                  // its server's link
  rig.files->player(8, "anna");                                        // it has said who it is
  for (int i = 0; i < 20; ++i) rig.frame(9, std::string(1'000, 'x'));  // it sends much
  CHECK(rig.files->totals().files == 3);
  for (LinkId link = 1; link <= 1'050; ++link) rig.files->closed(rig.now, link, "client left");
  CHECK(rig.files->totals().greetings == 1'047);
  REQUIRE(rig.files->close(rig.now).ok());
  CHECK(rig.read("7.mcap") == Lines{"open 7", "7 frame hello", "note a room", "open 2000", "close 7"});
  CHECK(rig.read("8.mcap") == Lines{"open 8", "8 frame hello", "note a room", "close 8"});
  CHECK(rig.read("9.mcap").size() == 24);
}

TEST_CASE("what a room says while its client only greets is in the client's file once it plays") {
  Rig rig({.each_session = true});
  trace::Opened opened;
  opened.set_link(1);
  opened.set_game("toy");
  rig.files->opened(rig.now, opened, 1, true);
  trace::Calls calls;
  calls.set_link(1);
  calls.add_details()->set_ended("over");
  rig.files->calls(rig.now, 1, as_bytes(calls.SerializeAsString()));
  rig.fact(1, "one");
  rig.world(1);
  CHECK(rig.files->totals().files == 0);
  rig.files->player(1, "anna");
  rig.fact(1, "two");
  rig.files->closed(rig.now, 1, "client left");
  REQUIRE(rig.files->close(rig.now).ok());
  CHECK(rig.read("1.mcap") == Lines{"open 1", "1 fact one", "geometry map", "1 world", "1 fact two", "close 1"});
  const auto recording = opened_file(rig.folder.file("1.mcap"));
  recording->with_calls();
  std::vector<std::string> ends;
  for (auto next = recording->next(); next.ok() && *next != nullptr; next = recording->next())
    if ((*next)->calls != nullptr) ends.push_back((*next)->calls->details(0).ended());
  CHECK(ends == Lines{"over"});
}

TEST_CASE("one address has a limited number of files open at once, and the rest of its sessions is reported once") {
  Rig rig({.each_session = true});
  const auto open = [&](LinkId link, const std::string& client, LinkId session = 0) {
    trace::Opened opened;
    opened.set_link(link);
    opened.set_game("toy");
    opened.set_client(client);
    rig.files->opened(rig.now, opened, session != 0 ? session : link);
    rig.frame(link, "hello");
  };
  constexpr LinkId kMost = RecordingFiles::kMostOfAddress;
  for (LinkId link = 1; link <= kMost + 10; ++link)
    open(link, "[2001:db8::" + std::to_string(link) + "]:5000");  // of one /64
  CHECK(rig.files->totals().files == kMost);
  CHECK(rig.files->totals().lost.frames == 10);
  CHECK(rig.files->totals().failed_rotations == 10);
  CHECK(rig.errors == Lines{"128 recordings of 2001:db8:: are open; its other sessions are not recorded"});
  open(1'000, "192.0.2.1:5000");
  CHECK(rig.files->totals().files == kMost + 1);
  rig.files->closed(rig.now, 1, "client left");
  open(1'001, "", kMost + 1);  // the server's link of a session that is not recorded
  CHECK(rig.files->totals().files == kMost + 1);
  open(1'002, "[2001:db8::9:9]:5000");
  CHECK(rig.files->totals().files == kMost + 2);
  REQUIRE(rig.files->stop(rig.now).ok());
  REQUIRE(rig.files->start(rig.now).ok());  // the limit is the same for links that were open already
  CHECK(rig.files->status().paths.size() == kMost + 1);
}

TEST_CASE(
    "orders: a session that was one too many of its address is recorded from the next start on, if there is room") {
  Rig rig({.each_session = true});
  constexpr LinkId kMost = RecordingFiles::kMostOfAddress;
  for (LinkId link = 1; link <= kMost + 1; ++link) {
    trace::Opened opened;
    opened.set_link(link);
    opened.set_game("toy");
    opened.set_client("192.0.2.1:" + std::to_string(5000 + link));
    rig.files->opened(rig.now, opened, link);
    rig.frame(link, "hello");
  }
  CHECK(rig.files->totals().files == kMost);
  REQUIRE(rig.files->stop(rig.now).ok());
  for (LinkId link = 1; link <= kMost; ++link) rig.files->closed(rig.now, link, "client left");
  REQUIRE(rig.files->start(rig.now).ok());
  rig.frame(kMost + 1, "again");
  CHECK(rig.files->status().paths.size() == 1);
  REQUIRE(rig.files->close(rig.now).ok());
  const std::string last = std::to_string(kMost + 1);
  CHECK(rig.read(last + ".mcap") == Lines{"open " + last + " from ", last + " frame again"});
}

TEST_CASE("rotation: the recordings of an address are as many as before, and end with its sessions") {
  Rig rig({.each_session = true});
  const auto open = [&](LinkId link) {
    trace::Opened opened;
    opened.set_link(link);
    opened.set_game("toy");
    opened.set_client("192.0.2.1:5000");
    rig.files->opened(rig.now, opened, link);
    rig.frame(link, "hello");
  };
  constexpr LinkId kMost = RecordingFiles::kMostOfAddress;
  for (LinkId link = 1; link <= kMost; ++link) open(link);
  for (int times = 0; times < 2; ++times) {
    REQUIRE(rig.files->rotate(rig.now).ok());
    CHECK(rig.files->status().paths.size() == kMost);
    open(1'000);
    CHECK(rig.files->status().paths.size() == kMost);
  }
  for (LinkId link = 1; link <= kMost; ++link) rig.files->closed(rig.now, link, "client left");
  CHECK(rig.files->status().paths.empty());
  for (LinkId link = 2'000; link < 2'000 + kMost; ++link) open(link);
  CHECK(rig.files->status().paths.size() == kMost);
}

TEST_CASE("rotation: a link without words continues in the new file at once, and its opening says where it began") {
  Rig rig;
  rig.open(1);
  rig.frame(1, "a");
  rig.open(2);
  REQUIRE(rig.files->rotate(rig.now).ok());
  rig.frame(1, "b");
  rig.files->closed(rig.now, 1, "client left");
  rig.open(3);
  REQUIRE(rig.files->close(rig.now).ok());
  CHECK(rig.read("a.mcap") == Lines{"open 1", "1 frame a", "open 2", "note this recording continues in a-2.mcap"});
  Lines second = rig.read("a-2.mcap");
  REQUIRE(second.size() == 6);
  CHECK(second[0] == "note this recording continues a.mcap");
  std::sort(second.begin() + 1, second.begin() + 3);  // in any order
  CHECK(Lines(second.begin() + 1, second.end()) ==
        Lines{"open 1 from a.mcap", "open 2 from a.mcap", "1 frame b", "close 1", "open 3"});
  CHECK(rig.files->totals().rotations == 1);
  CHECK(rig.files->totals().files == 2);
  CHECK(rig.files->totals().recorded.frames == 2);
  CHECK(rig.errors.empty());
}

TEST_CASE("rotation: a link with words continues with its next world, and no word is lost or written twice") {
  Rig rig;
  rig.open(1);
  rig.fact(1, "one");
  rig.world(1);
  rig.open(2);
  const std::uint32_t asked = rig.wanted.recording_generation;
  REQUIRE(rig.files->rotate(rig.now).ok());
  CHECK(rig.wanted.recording_generation == asked + 1);  // asks the room for its world
  rig.fact(1, "two");
  rig.frame(1, "a");
  rig.frame(2, "b");
  rig.world(1);
  rig.fact(1, "three");
  rig.frame(1, "c");
  REQUIRE(rig.files->close(rig.now).ok());
  CHECK(rig.read("a.mcap") == Lines{"open 1", "1 fact one", "geometry map", "1 world", "open 2",
                                    "note this recording continues in a-2.mcap", "1 fact two", "1 frame a"});
  CHECK(rig.read("a-2.mcap") == Lines{"note this recording continues a.mcap", "open 2 from a.mcap", "2 frame b",
                                      "open 1 from a.mcap", "geometry map", "1 world", "1 fact three", "1 frame c"});
}

TEST_CASE("rotation: a room that gives no world continues after two seconds, even if there is another file by then") {
  Rig rig;
  rig.open(1);
  rig.fact(1, "one");
  REQUIRE(rig.files->rotate(rig.now).ok());
  rig.pass(kSecond);
  rig.fact(1, "two");
  REQUIRE(rig.files->rotate(rig.now).ok());
  rig.pass(kSecond * 3 / 2);
  rig.fact(1, "three");
  REQUIRE(rig.files->close(rig.now).ok());
  CHECK(rig.read("a.mcap") == Lines{"open 1", "1 fact one", "note this recording continues in a-2.mcap", "1 fact two"});
  CHECK(rig.read("a-2.mcap") ==
        Lines{"note this recording continues a.mcap", "note this recording continues in a-3.mcap"});
  CHECK(rig.read("a-3.mcap") == Lines{"note this recording continues a-2.mcap", "open 1 from a.mcap", "1 fact three"});
}

TEST_CASE("rotation: a file is replaced when it is old or large enough, but not if it has no traffic") {
  Rig rig({.rotate_after = 60 * kSecond, .rotate_bytes = 100'000});
  rig.pass(61 * kSecond);
  rig.open(1);
  rig.pass(kSecond);
  CHECK(rig.files->totals().rotations == 0);
  rig.frame(1, "a");
  rig.pass(kSecond);  // its chunk is written
  rig.pass(50 * kSecond);
  CHECK(rig.files->totals().rotations == 0);  // the interval begins with the first frame
  rig.pass(10 * kSecond);
  CHECK(rig.files->totals().rotations == 1);
  std::string noise(200'000, '\0');
  for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = static_cast<char>(i * i * i >> 7U);
  rig.frame(1, noise.substr(0, 50'000));
  rig.pass(kSecond);
  rig.pass(kSecond);
  CHECK(rig.files->totals().rotations == 1);
  std::uint32_t x = 1;
  for (char& c : noise) c = static_cast<char>((x = x * 1664525 + 1013904223) >> 24U);
  rig.frame(1, noise);
  rig.pass(kSecond);
  rig.pass(kSecond);
  CHECK(rig.files->totals().rotations == 2);
  REQUIRE(rig.files->close(rig.now).ok());
}

TEST_CASE("the wall clock is set: no file is replaced for that, times go on evenly, and a note says so") {
  for (const std::int64_t set_by : {std::int64_t{3'600}, std::int64_t{-3'600}, std::int64_t{1'700'000'000}}) {
    CAPTURE(set_by);
    std::int64_t ahead = 0;
    RecordingFilesOptions options;
    options.rotate_after = 100 * kSecond;
    options.wall_is_ahead = [&ahead] { return ahead; };
    Rig rig(std::move(options));
    rig.open(1);
    rig.world(1);
    rig.frame(1, "a");
    rig.pass(10 * kSecond);
    ahead = set_by * static_cast<std::int64_t>(kSecond);
    for (int i = 0; i < 50; ++i) {
      rig.frame(1, "b");
      rig.pass(kSecond);
    }
    CHECK(rig.files->totals().rotations == 0);
    CHECK(rig.files->totals().files == 1);
    rig.pass(50 * kSecond);
    CHECK(rig.files->totals().rotations == 1);  // it is old now
    rig.world(1);
    rig.frame(1, "c");
    REQUIRE(rig.files->close(rig.now).ok());
    const std::string note = std::string("note the wall clock was set: it is ") + std::to_string(std::abs(set_by)) +
                             (set_by < 0 ? " s behind" : " s ahead of") + " the times of this recording";
    for (const char* name : {"a.mcap", "a-2.mcap"}) {
      const Lines all = rig.read(name);
      CHECK(std::count(all.begin(), all.end(), note) == 1);
    }
    CHECK(seconds_in(rig.folder.file("a.mcap")) == 110);  // the note about the next file is last
    const auto first = opened_file(rig.folder.file("a.mcap"));
    const auto second = opened_file(rig.folder.file("a-2.mcap"));
    CHECK((*second->next())->time - (*first->next())->time == 110 * kSecond);
  }
}

TEST_CASE("a recording that begins after the wall clock was set has the new time, also in the calls of its rooms") {
  std::int64_t ahead = 0;
  RecordingFilesOptions options;
  options.wall_is_ahead = [&ahead] { return ahead; };
  Rig rig(std::move(options), false);
  rig.pass(kSecond);
  ahead = 7'200 * static_cast<std::int64_t>(kSecond);
  REQUIRE(rig.files->start(rig.now).ok());
  rig.open(1);
  trace::Calls calls;
  calls.set_link(1);
  calls.add_details()->mutable_began()->set_wall(rig.now - 5);
  rig.files->calls(rig.now, 1, as_bytes(calls.SerializeAsString()));
  REQUIRE(rig.files->close(rig.now).ok());
  const auto recording = opened_file(rig.folder.file("a.mcap"));
  recording->with_calls();
  bool found = false;
  for (auto next = recording->next(); next.ok() && *next != nullptr; next = recording->next()) {
    CHECK((*next)->time == rig.now + 7'200 * kSecond);
    CHECK((*next)->note == nullptr);
    if ((*next)->calls == nullptr) continue;
    found = true;
    CHECK((*next)->calls->details(0).began().wall() == rig.now + 7'200 * kSecond - 5);
  }
  CHECK(found);
}

TEST_CASE("a recording that is added after the wall clock was set has the new time from its beginning, and no note") {
  RecordingFilesOptions options;
  options.wall_is_ahead = [] { return 3'600 * static_cast<std::int64_t>(kSecond); };
  Rig rig(std::move(options));
  rig.open(1);
  rig.frame(1, "a");
  REQUIRE(rig.files->close(rig.now).ok());
  CHECK(rig.read("a.mcap") == Lines{"open 1", "1 frame a"});
  const auto recording = opened_file(rig.folder.file("a.mcap"));
  const auto first = recording->next();
  REQUIRE(first.ok());
  REQUIRE(*first != nullptr);
  CHECK((*first)->time == rig.now + 3'600 * kSecond);
}

TEST_CASE("the number of recorded frames does not fall when another program removes a file") {
  Rig rig;
  rig.open(1);
  rig.frame(1, "a");
  rig.frame(1, "b");
  rig.pass(2 * kSecond);
  REQUIRE(rig.files->totals().recorded.frames == 2);
  std::filesystem::remove(rig.folder.file("a.mcap.part"));
  rig.pass(kSecond);
  CHECK(rig.files->totals().recorded.frames == 2);
  CHECK(rig.files->totals().lost.frames == 2);
  rig.frame(1, "c");
  std::filesystem::remove(rig.folder.file("a.mcap.part"));
  REQUIRE(rig.files->stop(rig.now).ok());  // completes the file
  REQUIRE(rig.files->close(rig.now).ok());
  CHECK(rig.files->totals().recorded.frames >= 2);
  CHECK(rig.files->totals().recorded.frames < 100);
  CHECK(rig.files->totals().lost.frames == 3);
}

TEST_CASE("if no new file can be opened, the old one continues; that is reported once and tried again") {
  Rig rig({.rotate_after = 60 * kSecond});
  rig.open(1);
  rig.frame(1, "a");
  rig.pass(kSecond);
  rig.refuse = true;
  for (int i = 0; i < 100; ++i) rig.pass(kSecond);
  CHECK(rig.errors == Lines{"no room; the recording continues in " + rig.folder.file("a.mcap")});
  CHECK(rig.files->totals().failed_rotations >= 3);
  CHECK(rig.files->totals().failed_rotations <= 10);
  rig.frame(1, "b");
  rig.refuse = false;
  for (int i = 0; i < 12; ++i) rig.pass(kSecond);
  CHECK(rig.files->totals().rotations == 1);
  rig.frame(1, "c");
  REQUIRE(rig.files->close(rig.now).ok());
  const Lines first = rig.read("a.mcap"), second = rig.read("a-2.mcap");
  CHECK(std::count(first.begin(), first.end(), "1 frame b") == 1);
  CHECK(second.back() == "1 frame c");
}

TEST_CASE("a file for each session has all of its links, and is complete when the session ends") {
  Rig rig({.each_session = true});
  rig.open(1);
  rig.open(2);
  rig.open(3, 1);  // the server's link of the first
  rig.frame(3, "a");
  rig.frame(2, "b");
  rig.files->closed(rig.now, 1, "client left");
  rig.frame(3, "c");
  rig.files->closed(rig.now, 3, "client left");
  CHECK(rig.files->status().paths == Lines{rig.folder.file("2.mcap")});
  REQUIRE(rig.files->close(rig.now).ok());
  CHECK(rig.read("1.mcap") == Lines{"open 1", "open 3", "3 frame a", "close 1", "3 frame c", "close 3"});
  CHECK(rig.read("2.mcap") == Lines{"open 2", "2 frame b"});
  CHECK(rig.files->totals().recorded.frames == 3);
}

TEST_CASE("a note about links that are not known is in the file of each session; one about a closed link is in none") {
  Rig rig({.each_session = true});
  rig.open(1);
  rig.open(2);
  rig.files->note(rig.now, 0, "some bytes are missing", 7);
  rig.files->closed(rig.now, 1, "client left");
  rig.files->note(rig.now, 1, "late");
  REQUIRE(rig.files->close(rig.now).ok());
  CHECK(rig.read("1.mcap") == Lines{"open 1", "note some bytes are missing", "close 1"});
  CHECK(rig.read("2.mcap") == Lines{"open 2", "note some bytes are missing"});
}

TEST_CASE("rotation: a link that its session opens later is in the session's new file") {
  Rig rig({.each_session = true});
  rig.open(1);
  rig.frame(1, "a");
  REQUIRE(rig.files->rotate(rig.now).ok());
  rig.open(2, 1);  // the server's link
  rig.frame(2, "b");
  rig.files->closed(rig.now, 1, "client left");
  rig.files->closed(rig.now, 2, "client left");
  REQUIRE(rig.files->close(rig.now).ok());
  CHECK(rig.files->totals().files == 2);
  CHECK(rig.read("1.mcap") == Lines{"open 1", "1 frame a", "note this recording continues in 1-2.mcap"});
  CHECK(rig.read("1-2.mcap") == Lines{"note this recording continues 1.mcap", "open 1 from 1.mcap", "open 2",
                                      "2 frame b", "close 1", "close 2"});
}

TEST_CASE("a session whose file cannot be opened is not recorded, and its frames are counted as lost") {
  Rig rig({.each_session = true});
  rig.refuse = true;
  rig.open(1);
  rig.open(2);
  rig.frame(1, "four");
  rig.refuse = false;
  rig.open(3);
  rig.frame(3, "a");
  REQUIRE(rig.files->close(rig.now).ok());
  CHECK(rig.errors == Lines{"no room"});
  CHECK(rig.files->totals().lost.frames == 1);
  CHECK(rig.files->totals().lost.bytes == 4);
  CHECK(rig.read("3.mcap") == Lines{"open 3", "3 frame a"});
}

TEST_CASE("orders: a client that greeted before a stop continues in the file of the next start") {
  Rig rig({.each_session = true});
  const auto greet = [&](LinkId link) {
    trace::Opened opened;
    opened.set_link(link);
    opened.set_game("toy");
    rig.files->opened(rig.now, opened, link, true);
  };
  for (LinkId link = 1; link <= 5; ++link) greet(link);
  rig.frame(1, "hello");
  rig.files->frame(rig.now, {2, trace::TO_SERVER, trace::STREAM, as_bytes(std::string_view("hi")), "", false});
  rig.fact(3, "one");
  rig.world(4);
  CHECK(rig.files->totals().files == 0);
  REQUIRE(rig.files->stop(rig.now).ok());
  REQUIRE(rig.files->start(rig.now).ok());
  for (LinkId link = 1; link <= 5; ++link) rig.frame(link, "b");
  REQUIRE(rig.files->close(rig.now).ok());
  for (LinkId link = 1; link <= 5; ++link) {
    CAPTURE(link);
    const auto recording = opened_file(rig.folder.file(std::to_string(link) + ".mcap"));
    const auto first = recording->next();
    REQUIRE(first.ok());
    REQUIRE(*first != nullptr);
    REQUIRE((*first)->opened);
    CHECK((*first)->opened->continues() == (link != 5));  // nothing was sent on 5
    CHECK((*first)->opened->server_sent() == (link == 1));
    CHECK((*first)->opened->client_sent() == (link == 2));
  }
}

TEST_CASE("rotation: a client that has greeted continues in the new file") {
  Rig rig({.each_session = true});
  trace::Opened opened;
  opened.set_link(1);
  opened.set_game("toy");
  rig.files->opened(rig.now, opened, 1, true);
  rig.frame(1, "hello");
  rig.files->player(1, "anna");
  REQUIRE(rig.files->rotate(rig.now).ok());
  rig.frame(1, "b");
  REQUIRE(rig.files->close(rig.now).ok());
  CHECK(rig.read("1.mcap") == Lines{"open 1", "1 frame hello", "note this recording continues in 1-2.mcap"});
  CHECK(rig.read("1-2.mcap") == Lines{"note this recording continues 1.mcap", "open 1 from 1.mcap", "1 frame b"});
}

TEST_CASE("a recording fails while no session gets a file, also if no file is open") {
  Rig rig({.each_session = true});
  rig.open(1);
  rig.refuse = true;
  rig.open(2);
  CHECK(rig.files->totals().failing);
  rig.files->closed(rig.now, 1, "client left");
  rig.files->closed(rig.now, 2, "client left");
  CHECK(rig.files->status().paths.empty());
  CHECK(rig.files->status().failing);
  CHECK(rig.files->totals().failing);
  rig.refuse = false;
  rig.open(3);
  CHECK_FALSE(rig.files->status().failing);
  CHECK_FALSE(rig.files->totals().failing);
  REQUIRE(rig.files->close(rig.now).ok());
}

TEST_CASE("orders: a recording starts with the links that are open, stops, and starts again in another file") {
  Rig rig({}, false);
  CHECK_FALSE(rig.wanted.wanted);
  rig.open(1);
  rig.frame(1, "a");
  CHECK_FALSE(rig.files->stop(rig.now).ok());
  CHECK_FALSE(rig.files->rotate(rig.now).ok());
  REQUIRE(rig.files->start(rig.now).ok());
  CHECK(rig.wanted.wanted);
  CHECK_FALSE(rig.files->start(rig.now).ok());
  rig.frame(1, "b");
  REQUIRE(rig.files->stop(rig.now).ok());
  CHECK_FALSE(rig.wanted.wanted);
  rig.frame(1, "c");
  REQUIRE(rig.files->start(rig.now).ok());
  rig.frame(1, "d");
  CHECK(rig.files->totals().lost.frames == 0);  // frames while the recording is stopped are not lost
  REQUIRE(rig.files->close(rig.now).ok());
  CHECK(rig.read("a.mcap") == Lines{"open 1 from ", "1 frame b", "note the recording was stopped by an order"});
  CHECK(rig.read("a-2.mcap") == Lines{"open 1 from ", "1 frame d"});
}

/// What only greets.
void greets(Rig& rig, LinkId link, LinkId session = 0) {
  trace::Opened opened;
  opened.set_link(link);
  opened.set_game("toy");
  rig.files->opened(rig.now, opened, session != 0 ? session : link, true);
}

TEST_CASE("what is kept of a client that only greets has a limit, and is recorded in its order once it is exceeded") {
  Rig rig({.each_session = true});
  constexpr std::size_t kEvent = 128;
  greets(rig, 1);
  rig.frame(1, std::string(RecordingFiles::kMostEarly / 2 - kEvent, 'x'));
  rig.files->note(rig.now, 1, "half");
  rig.fact(1, "one");
  CHECK(rig.files->totals().files == 0);
  greets(rig, 2);
  rig.frame(2, std::string(RecordingFiles::kMostEarly - kEvent, 'x'));  // exactly the limit
  CHECK(rig.files->totals().files == 0);
  rig.frame(2, "");
  CHECK(rig.files->totals().files == 1);
  rig.frame(1, std::string(RecordingFiles::kMostEarly, 'y'));
  CHECK(rig.files->totals().files == 2);
  rig.frame(1, "z");
  REQUIRE(rig.files->close(rig.now).ok());
  const Lines first = rig.read("1.mcap");
  REQUIRE(first.size() == 6);
  CHECK(first[0] == "open 1");
  CHECK(first[1].starts_with("1 frame xxx"));
  CHECK(first[2] == "note half");
  CHECK(first[3] == "1 fact one");
  CHECK(first[4].starts_with("1 frame yyy"));
  CHECK(first[5] == "1 frame z");
  CHECK(rig.files->totals().greetings == 0);
}

TEST_CASE("a client that greets is counted once it leaves, and its second link is not a second greeting") {
  Rig rig({.each_session = true});
  greets(rig, 1);
  rig.files->closed(rig.now, 1, "client left");
  rig.files->closed(rig.now, 1, "client left");
  CHECK(rig.files->totals().greetings == 1);
  greets(rig, 2);
  greets(rig, 3, 2);  // its server's link: the session does more
  rig.files->closed(rig.now, 2, "client left");
  CHECK(rig.files->totals().files == 1);
  CHECK(rig.files->totals().greetings == 1);
}

TEST_CASE("a file for all sessions has clients that only greet, too") {
  Rig rig;
  greets(rig, 1);
  rig.frame(1, "hello");
  rig.files->closed(rig.now, 1, "client left");
  CHECK(rig.files->totals().greetings == 0);
  REQUIRE(rig.files->close(rig.now).ok());
  CHECK(rig.read("a.mcap") == Lines{"open 1", "1 frame hello", "close 1"});
}

TEST_CASE("while the recording is off, nothing is kept of a client that greets") {
  Rig rig({.each_session = true}, false);
  greets(rig, 1);
  rig.frame(1, "hello");
  rig.files->player(1, "anna");
  CHECK(rig.files->totals().files == 0);
  CHECK(rig.files->totals().lost.frames == 0);
  rig.files->closed(rig.now, 1, "client left");
  CHECK(rig.files->totals().greetings == 0);
}

TEST_CASE("what is told of a link without a file is lost: frames, words and calls, but not what a closed link had") {
  Rig rig({.each_session = true});
  rig.refuse = true;
  rig.open(1);
  rig.frame(1, "four");
  CHECK(rig.files->totals().lost.bytes == 4);
  const Buffer seven(7, 1);
  rig.files->word(rig.now, 1, trace::WordKind::kIntent, seven);
  CHECK(rig.files->totals().lost.bytes == 11);
  rig.files->calls(rig.now, 1, seven);
  CHECK(rig.files->totals().lost.bytes == 18);
  CHECK(rig.files->totals().lost.frames == 1);
  rig.files->closed(rig.now, 1, "client left");
  rig.files->word(rig.now, 1, trace::WordKind::kIntent, seven);
  rig.files->calls(rig.now, 1, seven);
  CHECK(rig.files->totals().lost.bytes == 18);
}

TEST_CASE("a completed file is reported with its name, and whether anything was said in it") {
  std::vector<std::pair<std::string, bool>> completed;
  RecordingFilesOptions options;
  options.each_session = true;
  options.completed = [&](const std::string& path, bool empty) {
    completed.emplace_back(path.substr(path.rfind('/') + 1), empty);
  };
  {
    Rig rig(std::move(options));
    rig.open(1);
    rig.open(2);
    rig.open(3);
    rig.frame(1, "a");
    rig.fact(2, "one");
    REQUIRE(rig.files->close(rig.now).ok());
  }
  std::sort(completed.begin(), completed.end());
  CHECK(completed == std::vector<std::pair<std::string, bool>>{{"1.mcap", false}, {"2.mcap", false}, {"3.mcap", true}});
}

TEST_CASE("files that end before the recording does are completed, too, and close() waits for them") {
  std::vector<std::string> completed;
  RecordingFilesOptions options;
  options.each_session = true;
  options.completed = [&](const std::string& path, bool) { completed.push_back(path.substr(path.rfind('/') + 1)); };
  Rig rig(std::move(options));
  for (LinkId link = 1; link <= 20; ++link) {
    rig.open(link);
    rig.frame(link, "a");
    rig.files->closed(rig.now, link, "client left");
  }
  REQUIRE(rig.files->close(rig.now).ok());
  Lines expected;
  for (LinkId link = 1; link <= 20; ++link) expected.push_back(std::to_string(link) + ".mcap");
  CHECK(completed == expected);  // in their order
  CHECK(rig.files->totals().recorded.frames == 20);
}

TEST_CASE("the status has the open files, and the oldest of their beginnings") {
  Rig rig({.each_session = true});
  CHECK(rig.files->status().began == 0);
  CHECK(rig.files->status().on);
  const WallTime first = rig.now;
  rig.open(1);
  rig.pass(3 * kSecond);
  const WallTime second = rig.now;
  rig.open(2);
  rig.frame(1, std::string(1'000, 'x'));
  rig.frame(2, std::string(1'000, 'y'));
  for (int i = 0; i < 2; ++i) rig.pass(2 * kSecond);  // their chunks are written
  CHECK(rig.files->status().began == first);
  CHECK(rig.files->status().paths == Lines{rig.folder.file("1.mcap"), rig.folder.file("2.mcap")});
  const std::uint64_t both = rig.files->status().bytes;
  CHECK(both == rig.files->totals().file_bytes);
  rig.files->closed(rig.now, 1, "client left");
  CHECK(rig.files->status().began == second);
  CHECK(rig.files->status().bytes < both);
  CHECK(rig.files->status().bytes > 0);
  REQUIRE(rig.files->stop(rig.now).ok());
  CHECK_FALSE(rig.files->status().on);
  CHECK(rig.files->status().began == 0);
  CHECK(rig.files->status().bytes == 0);
}

TEST_CASE("something is pending while a chunk is not written") {
  Rig rig;
  CHECK_FALSE(rig.files->pending());
  rig.open(1);
  rig.frame(1, "a");
  CHECK(rig.files->pending());
  rig.pass(2 * kSecond);
  CHECK_FALSE(rig.files->pending());
}

TEST_CASE("orders: a recording that cannot begin stays off, and says why") {
  Rig rig({}, false);
  rig.open(1);
  rig.refuse = true;
  const auto started = rig.files->start(rig.now);
  REQUIRE_FALSE(started.ok());
  CHECK(started.error().text == "no room");
  CHECK_FALSE(rig.files->on());
  CHECK_FALSE(rig.wanted.wanted);
  rig.refuse = false;
  const std::uint32_t asked = rig.wanted.recording_generation;
  REQUIRE(rig.files->start(rig.now, "old.mcap").ok());
  CHECK(rig.files->on());
  CHECK(rig.wanted.recording_generation == asked + 1);  // the worlds of all rooms are needed
  REQUIRE(rig.files->close(rig.now).ok());
  CHECK(rig.read("a.mcap") == Lines{"open 1 from old.mcap"});
}

TEST_CASE("a recording that is on from the beginning asks for the worlds, one that is off does not") {
  CHECK(Rig().wanted.recording_generation.load() == 1);
  CHECK(Rig({}, false).wanted.recording_generation.load() == 0);
}

TEST_CASE("rotation: a link that has a world, but no other words, waits for its next one; and so does its geometry") {
  Rig rig;
  rig.open(1);
  rig.world(1);
  REQUIRE(rig.files->rotate(rig.now).ok());
  rig.frame(1, "a");
  rig.world(1);
  rig.frame(1, "b");
  REQUIRE(rig.files->close(rig.now).ok());
  CHECK(rig.read("a.mcap") ==
        Lines{"open 1", "geometry map", "1 world", "note this recording continues in a-2.mcap", "1 frame a"});
  CHECK(rig.read("a-2.mcap") ==
        Lines{"note this recording continues a.mcap", "open 1 from a.mcap", "geometry map", "1 world", "1 frame b"});
}

TEST_CASE("rotation: what a link has sent so far stands in its opening in the next file") {
  for (const bool by_client : {false, true})
    for (const bool by_server : {false, true}) {
      CAPTURE(by_client);
      CAPTURE(by_server);
      Rig rig;
      rig.open(1);
      if (by_server) rig.frame(1, "a");
      if (by_client)
        rig.files->frame(rig.now, {1, trace::TO_SERVER, trace::STREAM, as_bytes(std::string_view("b")), "", false});
      REQUIRE(rig.files->rotate(rig.now).ok());
      REQUIRE(rig.files->close(rig.now).ok());
      const auto recording = opened_file(rig.folder.file("a-2.mcap"));
      for (auto next = recording->next(); next.ok() && *next != nullptr; next = recording->next()) {
        if (!(*next)->opened) continue;
        CHECK((*next)->opened->continues());
        CHECK((*next)->opened->client_sent() == by_client);
        CHECK((*next)->opened->server_sent() == by_server);
      }
    }
}

TEST_CASE("rotation: a link that is closed before it moved is in the old file only, which is then completed") {
  Rig rig;
  rig.open(1);
  rig.fact(1, "one");
  REQUIRE(rig.files->rotate(rig.now).ok());
  CHECK(rig.files->status().paths.size() == 2);
  rig.files->closed(rig.now, 1, "client left");
  CHECK(rig.files->status().paths == Lines{rig.folder.file("a-2.mcap")});
  rig.files->note(rig.now, 1, "late");  // about a link that is gone: in the file of all
  REQUIRE(rig.files->close(rig.now).ok());
  CHECK(rig.read("a.mcap") == Lines{"open 1", "1 fact one", "note this recording continues in a-2.mcap", "close 1"});
  CHECK(rig.read("a-2.mcap") == Lines{"note this recording continues a.mcap", "note late"});
}

TEST_CASE("rotation: a session that ends before its link moved completes both of its files, the newer one, too") {
  Rig rig({.each_session = true});
  rig.open(1);
  rig.fact(1, "one");
  REQUIRE(rig.files->rotate(rig.now).ok());
  rig.files->closed(rig.now, 1, "client left");
  CHECK(rig.files->status().paths.empty());
  REQUIRE(rig.files->close(rig.now).ok());
  CHECK(rig.read("1.mcap") == Lines{"open 1", "1 fact one", "note this recording continues in 1-2.mcap", "close 1"});
  CHECK(rig.read("1-2.mcap") == Lines{"note this recording continues 1.mcap"});
}

TEST_CASE("rotation: two seconds are the patience for a world, and no less") {
  Rig rig;
  rig.open(1);
  rig.fact(1, "one");
  REQUIRE(rig.files->rotate(rig.now).ok());
  rig.pass(2 * kSecond - 1);
  CHECK(rig.files->status().paths.size() == 2);
  rig.pass(1);
  CHECK(rig.files->status().paths.size() == 1);
  REQUIRE(rig.files->close(rig.now).ok());
}

TEST_CASE("rotation: a file is due at its age, to the nanosecond, and after a failure ten seconds later") {
  Rig rig({.rotate_after = 60 * kSecond});
  rig.open(1);
  rig.frame(1, "a");
  rig.pass(60 * kSecond - 1);
  CHECK(rig.files->totals().rotations == 0);
  rig.refuse = true;
  rig.pass(1);
  CHECK(rig.files->totals().failed_rotations == 1);
  rig.pass(10 * kSecond - 1);
  CHECK(rig.files->totals().failed_rotations == 1);
  rig.pass(1);
  CHECK(rig.files->totals().failed_rotations == 2);
  CHECK(rig.errors.size() == 1);
  rig.refuse = false;
  rig.pass(10 * kSecond);
  CHECK(rig.files->totals().rotations == 1);
  rig.frame(1, "b");
  rig.pass(59 * kSecond);
  CHECK(rig.files->totals().rotations == 1);
  rig.refuse = true;
  rig.pass(kSecond);
  CHECK(rig.files->totals().failed_rotations == 3);
  CHECK(rig.errors.size() == 2);  // it is the first failure after a success
}

TEST_CASE("rotation: an order begins a new file for each session, and says if one could not be begun") {
  Rig rig({.each_session = true});
  rig.open(1);
  rig.open(2);
  REQUIRE(rig.files->rotate(rig.now).ok());
  CHECK(rig.files->totals().rotations == 2);
  CHECK(rig.files->status().paths == Lines{rig.folder.file("2-2.mcap"), rig.folder.file("1-2.mcap")});
  rig.refuse = true;
  const auto refused = rig.files->rotate(rig.now);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().text == "no room");
  rig.frame(1, "goes on");
  REQUIRE(rig.files->close(rig.now).ok());
  CHECK(rig.read("1-2.mcap").back() == "1 frame goes on");
}

TEST_CASE("a player's name is in the summary of each file that has the player's link") {
  Rig rig;
  rig.open(1);
  rig.files->player(1, "anna");
  rig.files->player(9, "nobody");  // not known
  REQUIRE(rig.files->rotate(rig.now).ok());
  REQUIRE(rig.files->close(rig.now).ok());
  for (const char* const name : {"a.mcap", "a-2.mcap"}) {
    CAPTURE(name);
    const auto end = trace::read_end(rig.folder.file(name));
    REQUIRE(end.ok());
    REQUIRE(*end);
    REQUIRE((*end)->info);
    const trace::RecordingInfo& info = *(*end)->info;
    CHECK(info.players == std::set<std::string>{"anna"});
    CHECK(info.games == std::set<std::string>{"toy"});
  }
}

TEST_CASE("a geometry for all links is in the file of all of them, also if no link has a world yet") {
  Rig rig;
  trace::Geometry geometry;
  geometry.set_hash("shared");
  rig.files->geometry(0, geometry);
  rig.open(1);
  trace::Snapshot world;
  world.set_link(1);
  world.set_geometry("shared");
  rig.files->world(rig.now, world);
  REQUIRE(rig.files->close(rig.now).ok());
  CHECK(rig.read("a.mcap") == Lines{"open 1", "geometry shared", "1 world"});
}

TEST_CASE("a message of a client that only greeted has its name in the file once the client plays") {
  Rig rig({.each_session = true});
  trace::Opened opened;
  opened.set_link(1);
  opened.set_game("toy");
  rig.files->opened(rig.now, opened, 1, true);
  {
    const std::string name(40, 'H');  // is gone when the client plays
    rig.files->frame(rig.now, {1, trace::TO_SERVER, trace::STREAM, as_bytes("TOY!"), name, false});
  }
  rig.files->player(1, "anna");
  REQUIRE(rig.files->close(rig.now).ok());
  const auto recording = opened_file(rig.folder.file("1.mcap"));
  std::vector<std::string> names;
  for (auto next = recording->next(); next.ok() && *next != nullptr; next = recording->next())
    if ((*next)->frame) names.push_back((*next)->frame->name());
  CHECK(names == Lines{std::string(40, 'H')});
}

TEST_CASE("a geometry, a world and a name of a link that is not known, or has no file, are in no file") {
  for (const bool on : {true, false}) {
    CAPTURE(on);
    Rig rig({.each_session = true}, on);
    rig.open(1);
    const LinkId link = on ? 2 : 1;
    rig.world(link);
    rig.world(0);
    rig.files->player(link, "anna");
    REQUIRE(rig.files->close(rig.now).ok());
    CHECK(rig.files->totals().files == (on ? 1 : 0));
    if (on) CHECK(rig.read("1.mcap") == Lines{"open 1"});
  }
}

}  // namespace
}  // namespace entente::relay::recording_files_test
