// The end of a player who visits an arena of this process, and the passage between the two: what is passed on, in which
// order, and who is told.
#include "proxy/relay/ends/arena_end.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace entente::relay::arena_end_test {
namespace {

/// Logs what its end tells it.
struct Session final : End::User {
  void opened(End&, const core::Peer&) override {}
  void on_frames(End& end, const Frames& frames) override {
    calls.push_back(frames.count());
    if (turns != nullptr) *turns += name;
    heard += as_text(frames.bytes);
    if (frames.count() == stops_at) end.set_reading(false);
    if (hangs_up) end.hang_up();
  }
  void wrote(End&) override { ++times_wrote; }
  void departed(End&, const End::Departure& departure) override { heard += "<" + departure.why + ">"; }
  void over(End&) override {}
  WorkerRoute* route_for(std::string_view) override { return nullptr; }

  char name = 'a';
  std::string* turns = nullptr;  // gets the name of the session for each call
  std::string heard;
  std::vector<std::size_t> calls;  // frames of each
  std::size_t stops_at = 0;        // frames of a call after which it stops reading
  bool hangs_up = false;
  int times_wrote = 0;
};

WaitingFrames frames(std::string_view letters) {
  WaitingFrames all;
  for (const char& one : letters) all.add(as_bytes({&one, 1}));
  return all;
}

std::string text_of(WaitingFrames& all) {
  std::string text;
  while (!all.empty()) text += as_text(all.pop(1).bytes);
  all.clear();
  return text;
}

struct Visit {
  explicit Visit(net::Schedule::Clock nanos = net::Loop::clock()) : loop(std::move(nanos)) {}
  /// The arena sends these, and announces them.
  void arena_sends(std::string_view letters) {
    WaitingFrames all = frames(letters);
    if (passage->to_session.put(all)) end.look();
  }
  void arena_closes(std::string_view why) {
    if (passage->to_session.close(why)) end.look();
  }
  /// What the arena reads.
  std::string arena_reads() {
    WaitingFrames all;
    goes_on = passage->to_room.take(all);
    return text_of(all);
  }
  void send(std::string_view text) { end.send(Lane::kStream, as_bytes(text)); }

  net::Loop loop;
  std::shared_ptr<Passage> passage = std::make_shared<Passage>();
  Session session;
  int announced = 0;    // to the arena
  bool goes_on = true;  // what the arena reads
  ArenaEnd end{loop, std::make_shared<net::Party>(), session, passage, [this] { ++announced; }};
};

TEST_CASE("arena end: what the arena sent while it was not read comes when it is read again") {
  Visit visit;
  visit.end.set_reading(false);
  visit.arena_sends("ab");
  visit.loop.run();
  CHECK(visit.session.heard == "");
  visit.end.set_reading(true);
  visit.loop.run();
  CHECK(visit.session.heard == "ab");
}

TEST_CASE("arena end: who stops reading while it is told hears the rest later, and nothing twice") {
  Visit visit;
  visit.session.stops_at = kFramesAtOnce;
  visit.arena_sends(std::string(kFramesAtOnce, 'a') + "b");
  visit.loop.run();
  CHECK(visit.session.heard == std::string(kFramesAtOnce, 'a'));
  visit.arena_sends("c");
  visit.loop.run();
  CHECK(visit.session.heard == std::string(kFramesAtOnce, 'a'));
  visit.end.set_reading(true);
  visit.loop.run();
  CHECK(visit.session.heard == std::string(kFramesAtOnce, 'a') + "bc");
}

TEST_CASE("arena end: the arena's end comes after all that it sent, once, with the first reason") {
  Visit visit;
  visit.end.set_reading(false);
  visit.arena_sends("ab");
  visit.arena_closes("closing time");
  visit.arena_closes("another reason");
  visit.loop.run();
  CHECK(visit.session.heard == "");
  visit.end.set_reading(true);
  visit.loop.run();
  visit.end.look();
  visit.loop.run();
  CHECK(visit.session.heard == "ab<closing time>");
}

TEST_CASE("arena end: much that the arena sends at once is passed on in parts, all of it and in order") {
  const auto steps = std::make_shared<std::uint64_t>(0);
  Visit visit([steps] { return *steps += net::Schedule::kJobTime; });  // each part takes all of a job's time
  std::string all;
  for (char letter = 'a'; letter <= 'z'; ++letter) all += std::string(3, letter);
  visit.arena_sends(all);
  visit.loop.run();
  CHECK(visit.session.heard == all);
  CHECK(visit.session.calls == std::vector<std::size_t>{16, 16, 16, 16, 14});
}

TEST_CASE("arena end: much that the arena sends to one session does not hold up another one") {
  const auto steps = std::make_shared<std::uint64_t>(0);
  Visit visit([steps] { return *steps += net::Schedule::kJobTime; });
  std::string turns;
  Session other;
  other.name = 'b';
  visit.session.turns = other.turns = &turns;
  const auto passage = std::make_shared<Passage>();
  ArenaEnd end(visit.loop, std::make_shared<net::Party>(), other, passage, [] {});
  visit.arena_sends(std::string(4 * kFramesAtOnce, 'x'));
  WaitingFrames one = frames("y");
  if (passage->to_session.put(one)) end.look();
  visit.loop.run();
  CHECK(std::count(turns.begin(), turns.end(), 'a') == 4);
  CHECK(turns.find('b') < turns.rfind('a'));
}

TEST_CASE("arena end: who stops reading with the last frame hears of the arena's end when it reads again") {
  Visit visit;
  visit.session.stops_at = 2;
  visit.arena_sends("ab");
  visit.arena_closes("closing time");
  visit.loop.run();
  CHECK(visit.session.heard == "ab");
  visit.end.set_reading(true);
  visit.loop.run();
  CHECK(visit.session.heard == "ab<closing time>");
}

TEST_CASE("arena end: who hangs up hears nothing more, and the arena is told why, after all that was flushed") {
  Visit visit;
  visit.send("a");
  visit.end.flush();
  visit.send("b");  // not flushed
  visit.session.hangs_up = true;
  visit.arena_sends(std::string(kFramesAtOnce, 'x') + "y");
  visit.loop.run();
  CHECK(visit.session.heard == std::string(kFramesAtOnce, 'x'));
  CHECK_FALSE(visit.end.is_open());
  CHECK(visit.end.waiting() == 1);
  CHECK(visit.arena_reads() == "a");
  CHECK_FALSE(visit.goes_on);
  CHECK(visit.passage->to_room.why() == "the player left");
  visit.send("c");
  CHECK(visit.end.waiting() == 0);
  visit.end.flush();
  CHECK(visit.arena_reads() == "");
}

TEST_CASE("arena end: an end that shuts down sends what waits, and the arena is told why") {
  Visit visit;
  visit.send("a");
  visit.end.shut_down("kicked", 0);
  visit.end.hang_up();
  CHECK(visit.announced == 1);
  CHECK(visit.arena_reads() == "a");
  CHECK_FALSE(visit.goes_on);
  CHECK(visit.passage->to_room.why() == "kicked");
}

TEST_CASE("arena end: an end that is destroyed tells the arena that the player left") {
  net::Loop loop;
  Session session;
  const auto passage = std::make_shared<Passage>();
  int announced = 0;
  {
    const ArenaEnd end(loop, std::make_shared<net::Party>(), session, passage, [&announced] { ++announced; });
  }
  CHECK(announced == 1);
  WaitingFrames all;
  CHECK_FALSE(passage->to_room.take(all));
  CHECK(passage->to_room.why() == "the player left");
}

TEST_CASE("arena end: the arena is told once of what waits for it, and again after it has looked") {
  Visit visit;
  visit.end.flush();  // nothing waits
  CHECK(visit.announced == 0);
  for (const char* text : {"a", "b"}) {
    visit.send(text);
    visit.end.flush();
  }
  CHECK(visit.announced == 1);
  CHECK(visit.arena_reads() == "ab");
  visit.send("c");
  visit.end.flush();
  CHECK(visit.announced == 2);
  CHECK(visit.arena_reads() == "c");
}

TEST_CASE(
    "arena end: what waits for the arena counts until it is read, and only then its session hears that it is gone") {
  Visit visit;
  visit.send("abc");
  CHECK(visit.end.waiting() == 3);
  visit.end.flush();
  visit.send("de");
  CHECK(visit.end.waiting() == 5);
  visit.end.flush();
  visit.end.look();
  visit.loop.run();
  CHECK(visit.session.times_wrote == 0);
  CHECK(visit.end.waiting() == 5);
  CHECK(visit.arena_reads() == "abcde");
  CHECK(visit.end.waiting() == 0);
  visit.end.look();
  visit.loop.run();
  CHECK(visit.session.times_wrote == 1);
}

TEST_CASE("passage: the reader is told once until it looks; what comes after the end is dropped, and tells nobody") {
  PassageWay way;
  WaitingFrames some = frames("ab"), more = frames("cd"), late = frames("e"), none;
  CHECK_FALSE(way.put(none));
  CHECK(way.put(some));
  CHECK(some.empty());
  CHECK_FALSE(way.put(more));
  CHECK(way.waiting() == 4);
  CHECK_FALSE(way.close("over"));  // the reader is told already
  CHECK_FALSE(way.put(late));
  CHECK(late.empty());
  WaitingFrames got;
  CHECK_FALSE(way.take(got));
  CHECK(way.waiting() == 0);
  CHECK(text_of(got) == "abcd");
  CHECK_FALSE(way.close("again"));
  CHECK(way.why() == "over");
}

TEST_CASE("passage: an end that nobody has looked for is told") {
  PassageWay way;
  WaitingFrames some = frames("a"), got;
  CHECK(way.put(some));
  CHECK(way.take(got));
  CHECK(way.close("over"));
}

TEST_CASE("passage: waiting frames come out whole, so many at a time, and their bytes are counted until then") {
  WaitingFrames first, second;
  for (const char* text : {"one", "to", "three"}) first.add(as_bytes(text));
  for (const char* text : {"four", "5"}) second.add(as_bytes(text));
  CHECK(first.size() == 10);
  const Frames two = first.pop(2);
  CHECK(as_text(two.bytes) == "oneto");
  CHECK(two.count() == 2);
  CHECK(first.size() == 5);
  first.take(second);
  CHECK(second.empty());
  CHECK(second.size() == 0);
  CHECK(first.size() == 10);
  const Frames rest = first.pop(9);
  CHECK(as_text(rest.bytes) == "threefour5");
  CHECK(rest.count() == 3);
  CHECK(first.empty());
  CHECK(first.size() == 0);
}

}  // namespace
}  // namespace entente::relay::arena_end_test
