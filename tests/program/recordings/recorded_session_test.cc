// The words of a session are found and played, however old its room was when the session or the file began.
#include "proxy/program/conversion/recorded_session.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "proxy/program/base/time_text.h"
#include "proxy/trace/file.h"
#include "tests/program/clips/clip_match.h"
#include "tests/program/folder.h"

namespace entente::recorded_session_test {
namespace {

constexpr core::Micros kDay = 86'400 * core::kSecond;

RecordedSessions sessions_of(const std::string& path) {
  auto file = trace::FileSource::open(path);
  REQUIRE(file.ok());
  Progress quiet(nullptr);
  return RecordedSessions::find(std::shared_ptr<trace::Source>(std::move(*file)), quiet);
}

/// The times of all facts that are played.
std::vector<core::Micros> played(RecordedSession& session) {
  std::vector<core::Micros> all;
  while (const auto at = session.next_at()) {
    CHECK(session.next().at == *at);
    all.push_back(*at);
  }
  return all;
}

TEST_CASE("recorded sessions: in an old room they are as in a young one") {
  const Folder folder;
  const RecordedSessions young = sessions_of(clip_match::match(folder.file("0.mcap")));
  REQUIRE(young.sessions.size() == 1);
  const auto expected = RecordedSession::open(young, 1);
  REQUIRE(expected.ok());
  const std::vector<core::Micros> times = played(**expected);
  for (const core::Micros age : {31 * kDay, 50 * kDay, 249 * kDay, 3'649 * kDay, 19'000 * kDay}) {
    CAPTURE(age / kDay);
    const std::string path = folder.file(std::to_string(age / kDay) + ".mcap");
    const RecordedSessions found = sessions_of(clip_match::match(path, 1, clip_match::kStart, true, age));
    REQUIRE(found.sessions.size() == 1);
    CHECK(found.sessions[0].unread == 0);
    CHECK(found.sessions[0].facts == young.sessions[0].facts);
    CHECK(found.sessions[0].length() == young.sessions[0].length());
    CHECK(found.sessions[0].moments.size() == young.sessions[0].moments.size());
    const auto session = RecordedSession::open(found, 1);
    REQUIRE(session.ok());
    CHECK((*session)->begins() == (*expected)->begins());
    CHECK(played(**session) == times);
    core::WorldState world;
    REQUIRE((*session)->seek(11 * core::kSecond, world).ok());
    CHECK(world.players().size() == 2);
  }
}

TEST_CASE("recorded sessions: facts that no session can have are not read") {
  const Folder folder;
  const std::string path = folder.file("a.mcap");
  const auto to = recorder(path);
  to->opened(1, opening(1, "panic", "be-packed"));
  const auto say = [&](core::Micros at) {
    core::Fact fact{words::Ready()};
    fact.at = at;
    Buffer bytes;
    core::write(fact, bytes);
    to->word(1, 1, trace::WordKind::kFact, bytes);
  };
  say(5 * kDay);
  say(5 * kDay + kMostRecordingTime);
  say(5 * kDay + kMostRecordingTime + 1);  // too long a session
  say(4 * kDay);                           // the same
  say(11 * kMostRecordingTime);            // too old a room
  say(UINT64_MAX);
  REQUIRE(to->close(2).ok());
  const RecordedSessions found = sessions_of(path);
  REQUIRE(found.sessions.size() == 1);
  CHECK(found.sessions[0].facts == 2);
  CHECK(found.sessions[0].unread == 4);
  const auto session = RecordedSession::open(found, 1);
  REQUIRE(session.ok());
  CHECK(played(**session) == std::vector<core::Micros>{0, kMostRecordingTime});
}

/// Anna's session in a timeline that began 100 s before, where ids are higher by 100.
std::unique_ptr<RecordedSession> as_part(const std::string& path) {
  auto session = clip_match::session_of(path, 1);
  session->become_part(100 * core::kSecond, [](core::Id own) { return own + 100; });
  return session;
}

TEST_CASE("recorded sessions: a seek begins with the recorded world before it, whatever was read before") {
  const Folder folder;
  const auto session = as_part(clip_match::match(folder.file("a.mcap")));
  core::WorldState world;
  const auto is_at = [&](core::Micros at, double x) {
    REQUIRE(session->seek(at, world).ok());
    REQUIRE(world.unit(102) != nullptr);
    CHECK(world.unit(102)->unit.pose().x() == x);
    CHECK(session->next_at() == at + core::kSecond / 10);
  };
  is_at(112 * core::kSecond, 120);
  REQUIRE(world.unit(104) != nullptr);  // it has not moved since the recorded world
  CHECK(world.unit(104)->posed_at >= 105 * core::kSecond);
  CHECK(world.players().size() == 2);
  is_at(111 * core::kSecond, 110);  // the next fact was read already, and is later
  (void)played(*session);
  is_at(111 * core::kSecond, 110);
  is_at(101 * core::kSecond, 10);
}

/// A world in which this player alone is.
core::WorldState world_with(const char* player, bool ready) {
  core::WorldState world;
  words::Player one;
  one.set_id(9);
  one.set_name(player);
  world.fold(core::Fact(one));
  if (ready) world.fold(core::Fact(words::Ready()));
  return world;
}

TEST_CASE("recorded sessions: a world of another session or of a later time is not taken by a seek") {
  const Folder folder;
  const std::string path = folder.file("a.mcap");
  const auto to = recorder(path);
  const auto late = [&](std::uint32_t link, WallTime time, core::Micros at) {
    to->world(clip_match::kStart + time, relay::snapshot_of(link, world_with("late", true), at, ""));
  };
  late(2, 0, 0);
  clip_match::Match match;
  match.open(*to);
  for (int tenths = 1; tenths < 100; ++tenths) {
    if (tenths == 20) late(1, 2 * clip_match::kSecond, 8 * core::kSecond);  // the clock was set back
    match.step(*to, tenths);
  }
  match.close(*to);
  REQUIRE(to->close(clip_match::kStart + 20 * clip_match::kSecond).ok());
  const auto session = clip_match::session_of(path, 1);
  for (const core::Micros at : {core::Micros{0}, 3 * core::kSecond}) {
    CAPTURE(at);
    core::WorldState world;
    REQUIRE(session->seek(at, world).ok());
    CHECK(world.players().size() == 1);
    REQUIRE(world.player(1) != nullptr);
    CHECK(world.player(1)->player.name() == "anna");
  }
}

/// The session of a link of which a file has this world at `at`, recorded at `time`, then facts of these times, and its
/// end.
RecordedSessionInfo with_world(bool ready, WallTime time, core::Micros at, const std::vector<core::Micros>& facts,
                               WallTime end) {
  const Folder folder;
  const std::string path = folder.file("a.mcap");
  const auto to = recorder(path);
  trace::Opened opened = opening(1, "panic", "be-packed");
  opened.set_continues(true);
  to->opened(time, opened);
  to->world(time, relay::snapshot_of(1, world_with("anna", ready), at, ""));
  for (const core::Micros its : facts) {
    core::Fact fact{words::Rule()};
    fact.at = its;
    Buffer bytes;
    core::write(fact, bytes);
    to->word(time, 1, trace::WordKind::kFact, bytes);
  }
  to->closed(end, 1, "client left");
  REQUIRE(to->close(end).ok());
  const RecordedSessions found = sessions_of(path);
  REQUIRE(found.sessions.size() == 1);
  return found.sessions[0];
}

TEST_CASE("recorded sessions: one that began before the file begins with its world there") {
  using core::kSecond;
  constexpr WallTime kAt = clip_match::kStart, kEnd = kAt + 7 * clip_match::kSecond;
  const auto facts = with_world(true, kAt, 40 * kSecond, {41 * kSecond, 45 * kSecond}, kEnd);
  CHECK(facts.begins_with_world);
  CHECK(facts.first == 40 * kSecond);
  CHECK(facts.last == 47 * kSecond);  // its end
  CHECK(facts.ready == 40 * kSecond);
  CHECK(facts.began == kAt - 40 * clip_match::kSecond);
  CHECK(facts.players.at(9) == "anna");

  const auto alone = with_world(true, kAt, 40 * kSecond, {}, kEnd);
  CHECK(alone.begins_with_world);
  CHECK(alone.first == 40 * kSecond);
  CHECK(alone.last == 47 * kSecond);

  const auto unknown = with_world(false, kAt, 40 * kSecond, {41 * kSecond}, kEnd);
  CHECK(unknown.begins_with_world);
  CHECK_FALSE(unknown.ready.has_value());

  // Facts of an earlier time are of another room than that world.
  const auto earlier = with_world(true, kAt, 40 * kSecond, {1 * kSecond, 2 * kSecond}, kEnd);
  CHECK_FALSE(earlier.begins_with_world);
  CHECK(earlier.first == 1 * kSecond);

  const auto without_date = with_world(true, 1, 40 * kSecond, {41 * kSecond}, 2);
  CHECK(without_date.began == 0);
}

}  // namespace
}  // namespace entente::recorded_session_test
