// The words of a session are found and played, however old its room was when the session or the file began.
#include "proxy/program/conversion/recorded_session.h"

#include <doctest/doctest.h>

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

}  // namespace
}  // namespace entente::recorded_session_test
