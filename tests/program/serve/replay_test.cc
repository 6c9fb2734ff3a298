// Replay of a recorded session: which one is chosen, from what time, and what a client of `entente replay` receives.
#include <doctest/doctest.h>

#include <csignal>
#include <thread>

#include "proxy/program/base/time_text.h"
#include "proxy/program/playback/playable.h"
#include "tests/program/folder.h"
#include "tests/program/native_client.h"
#include "tests/program/recorded.h"
#include "tests/support/listening.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace entente::replay_test {

namespace {

const std::string kEntente = testing::entente_binary();
constexpr WallTime kStart = 1'700'000'000'000'000'000;

template <class T>
void say(trace::Recorder& to, std::uint32_t link, core::Micros at, const T& word) {
  core::Fact fact(word);
  fact.at = at;
  Buffer bytes;
  core::write(fact, bytes);
  to.word(kStart + at * 1000, link, trace::WordKind::kFact, bytes);
}

void enter(trace::Recorder& to, std::uint32_t link, const char* name) {
  words::Enter word;
  word.set_name(name);
  Buffer bytes;
  core::write(core::Intent(word), bytes);
  to.word(kStart, link, trace::WordKind::kIntent, bytes);
}

words::Pose pose(core::Id unit, double x) {
  words::Pose pose;
  pose.set_unit(unit);
  pose.set_x(x);
  return pose;
}

/// Player 1 drives unit 2 east for two seconds, in 20 steps. The facts begin at one second of the room's time.
void drive(trace::Recorder& to, std::uint32_t link, const char* name) {
  to.opened(kStart, opening(link, "bzflag", "2.4"));
  enter(to, link, name);
  words::Player player;
  player.set_id(1);
  player.set_name(name);
  words::Unit unit;
  unit.set_id(2);
  unit.set_owner(1);
  unit.set_alive(true);
  say(to, link, core::kSecond, words::Room());
  say(to, link, core::kSecond, words::World());
  say(to, link, core::kSecond, player);
  say(to, link, core::kSecond, unit);
  say(to, link, core::kSecond, words::Ready());
  for (int i = 1; i <= 20; ++i) {
    record(to, link, trace::TO_SERVER, "0102", kStart);  // a frame, which is not a word
    say(to, link, core::kSecond + static_cast<core::Micros>(i) * 100'000, pose(2, i));
  }
}

auto session_of(const std::string& path, std::uint32_t link = 0) {
  return open_playable({.input = {.file = path}, .link = link, .terminal = nullptr});
}

std::string one_session(const Folder& folder) {
  const std::string path = folder.file("one.mcap");
  auto to = recorder(path);
  drive(*to, 1, "anna");
  REQUIRE(to->close(kStart + 3'000'000'000).ok());
  return path;
}

std::string two_sessions(const Folder& folder) {
  const std::string path = folder.file("two.mcap");
  auto to = recorder(path);
  drive(*to, 1, "anna");
  drive(*to, 3, "ben");
  REQUIRE(to->close(kStart + 3'000'000'000).ok());
  return path;
}

std::vector<std::string> replay(const std::string& file, std::vector<std::string> more = {}) {
  std::vector<std::string> words = {kEntente, "replay", file, "--listen", "native://127.0.0.1:0?dialect=json"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::vector<double> places(const std::vector<words::Fact>& facts) {
  std::vector<double> all;
  for (const words::Fact& fact : facts)
    if (fact.has_pose()) all.push_back(fact.pose().x());
  return all;
}

}  // namespace

TEST_CASE("players' names cannot control a terminal or break a line of the list of sessions") {
  const Folder folder;
  const std::string path = folder.file("names.mcap");
  auto to = recorder(path);
  drive(*to, 1, "an\x1b[31mna");
  drive(*to, 2, "ben\n  link 7  bzflag 2.4");
  REQUIRE(to->close(kStart + 3'000'000'000).ok());
  const Ended told = run(replay(path, {"--link", "7"}));
  CHECK(told.code == 1);
  CHECK(told.err.find("these links have words:\n  link 1  bzflag 2.4, player 'an\\x1b[31mna', ") != std::string::npos);
  CHECK(told.err.find("\n  link 2  bzflag 2.4, player 'ben\\x0a  link 7  bzflag 2.4', ") != std::string::npos);
}

TEST_CASE("a time is seconds, minutes:seconds, hours:minutes:seconds, or a number with a unit") {
  const auto micros = [](const char* text) { return static_cast<std::int64_t>(*parse_time(text)); };
  CHECK(micros("0") == 0);
  CHECK(micros("75.5") == 75'500'000);
  CHECK(micros("1:15.25") == 75'250'000);
  CHECK(micros("100:00") == 6'000'000'000);
  CHECK(micros("1:02:05.5") == 3'725'500'000);
  CHECK(micros("90s") == 90'000'000);
  CHECK(micros("1.5m") == 90'000'000);
  CHECK(micros("2h") == 7'200'000'000);
  CHECK(micros("7d") == 604'800'000'000);
  for (const char* wrong : {"", ":", "1:", ":5", "-1", "1:60", "1.5:00", "1:-5", "x", "1:60:00", "1:2:3:4", "1:30m",
                            "1e9", "nan", "315360001", "3651d", "s", "5y", "5 s"})
    CHECK_FALSE(parse_time(wrong).ok());
  CHECK(*parse_time("31d", 40 * 86'400 * core::kSecond) == 31 * 86'400 * core::kSecond);
  CHECK(time_text(75'900'000) == "1:15");
  CHECK(time_text(0) == "0:00");
}

TEST_CASE("a session is played with its words; times count from the beginning of the file") {
  const Folder folder;
  auto session = session_of(one_session(folder));
  REQUIRE_MESSAGE(session.ok(), session.error().text);
  CHECK((*session)->end_time() == 3 * core::kSecond);
  CHECK((*session)->about().dialect == "bzflag 2.4");
  CHECK((*session)->about().player == "anna");
  CHECK((*session)->about().facts == 25);
  std::size_t told = 0;
  core::WorldState all;
  for (; const auto at = (*session)->next_at(); ++told) {
    const core::Fact fact = (*session)->next();
    CHECK(fact.at == *at);
    all.fold(fact);
  }
  CHECK(told == 25);
  CHECK(all.unit(2)->unit.pose().x() == 20);
  for (const int i : {7, 20, 0, 3}) {
    core::WorldState world;
    REQUIRE((*session)->seek(core::kSecond + static_cast<core::Micros>(i) * 100'000, world).ok());
    REQUIRE(world.unit(2) != nullptr);
    CHECK(world.unit(2)->unit.pose().x() == i);
    CHECK((*session)->next_at().has_value() == (i < 20));
    if (i < 20) CHECK(core::as<words::Pose>((*session)->next())->x() == i + 1);
  }
}

/// The same with 20 more steps and a world after every fifth of them. The unit's name in a world is in no other word.
std::string with_worlds(const Folder& folder) {
  const std::string path = folder.file("worlds.mcap");
  auto to = recorder(path);
  drive(*to, 1, "anna");
  for (int i = 21; i <= 40; ++i) {
    const core::Micros at = core::kSecond + static_cast<core::Micros>(i) * 100'000;
    say(*to, 1, at, pose(2, i));
    if (i % 5 != 0) continue;
    trace::Snapshot snapshot;
    snapshot.set_link(1);
    snapshot.set_at_us(at);
    words::Unit unit;
    unit.set_id(2);
    unit.set_name("at " + std::to_string(i));
    *unit.mutable_pose() = pose(2, i);
    core::to_message(core::Fact(unit), *snapshot.add_facts());
    to->world(kStart + at * 1000, snapshot);
  }
  REQUIRE(to->close(kStart + 6'000'000'000).ok());
  return path;
}

TEST_CASE("a seek starts from the last world before the time") {
  const Folder folder;
  auto session = session_of(with_worlds(folder));
  REQUIRE_MESSAGE(session.ok(), session.error().text);
  for (const auto& [step, name] : std::map<int, std::string>{{40, "at 40"}, {24, ""}, {25, "at 25"}, {29, "at 25"}}) {
    core::WorldState world;
    REQUIRE((*session)->seek(core::kSecond + static_cast<core::Micros>(step) * 100'000, world).ok());
    REQUIRE(world.unit(2) != nullptr);
    CHECK(world.unit(2)->unit.name() == name);
    CHECK(world.unit(2)->unit.pose().x() == step);
    CHECK((*session)->next_at().has_value() == (step < 40));
  }
}

TEST_CASE("an error about a link says which links have words") {
  const Folder folder;
  const std::string path = two_sessions(folder);
  const auto none = session_of(path, 2);
  REQUIRE_FALSE(none.ok());
  CHECK(none.error().exit == kFailed);
  CHECK(none.error().text == path +
                                 ": link 2 has no words; these links have words:\n"
                                 "  link 1  bzflag 2.4, player 'anna', 25 facts, 0:02\n"
                                 "  link 3  bzflag 2.4, player 'ben', 25 facts, 0:02");
  const auto ben = session_of(path, 3);
  REQUIRE(ben.ok());
  CHECK((*ben)->about().player == "ben");
}

TEST_CASE("a recording that was cut off is played up to the damage") {
  const Folder folder;
  const std::string path = one_session(folder);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 40);
  const auto session = session_of(path);
  REQUIRE(session.ok());
  CHECK_FALSE((*session)->damage().empty());
  CHECK((*session)->about().facts == 25);
}

TEST_CASE("a client sees the recording, and is disconnected at its end") {
  const Folder folder;
  Process replays(replay(one_session(folder), {"--speed", "4", "--shared"}));
  NativeClient client(testing::listening_port(replays, "native json"));
  client.says("{\"enter\":{\"name\":\"watcher\"}}\n");
  const auto facts = client.hears();
  const auto seen = places(facts);
  REQUIRE(seen.size() >= 20);
  const std::vector<double> last(seen.end() - 20, seen.end());
  for (int i = 0; i < 20; ++i) CHECK(last[static_cast<std::size_t>(i)] == i + 1);
  const auto kicked = std::find_if(facts.begin(), facts.end(), [](const auto& fact) { return fact.has_kicked(); });
  REQUIRE(kicked != facts.end());
  CHECK(kicked->kicked().text() == "the recording is over");
  CHECK(replays.wait() == 0);
}

TEST_CASE("a replay begins at --at, waits with --paused, and ends by a signal") {
  const Folder folder;
  Process replays(replay(two_sessions(folder), {"--link", "3", "--at", "0:02.05", "--paused"}));
  const int port = testing::listening_port(replays, "native json");
  std::thread later([&] {
    CHECK(replays.err_has("paused, 1 watching"));
    replays.signal(SIGTERM);
  });
  NativeClient client(port);
  client.says("{\"enter\":{\"name\":\"watcher\"}}\n");
  const auto facts = client.hears();
  later.join();
  CHECK(replays.wait() == 0);
  const auto units = std::count_if(facts.begin(), facts.end(), [](const auto& fact) { return fact.has_unit(); });
  CHECK(units == 1);
  for (const auto& fact : facts)
    if (fact.has_unit()) CHECK(fact.unit().pose().x() == 10);
  CHECK(places(facts).empty());
}

TEST_CASE("wrong options are errors that say what is possible") {
  const Folder folder;
  const std::string file = one_session(folder);
  CHECK(run({kEntente, "replay", file}).code == 2);
  CHECK(run(replay(file, {"--at", "soon"})).code == 2);
  const Ended late = run(replay(file, {"--at", "9:00"}));
  CHECK(late.code == 1);
  CHECK_MESSAGE(late.err.find("--at 9:00 is after the end of the recording, which is ") != std::string::npos, late.err);
  CHECK(run(replay(file, {"--speed", "99"})).code == 2);
  CHECK(run(replay(file, {"--game", "chess"})).code == 2);
  CHECK(run(replay(file, {"--set", "maps"})).code == 2);
  const Ended other = run(replay(two_sessions(folder), {"--link", "2"}));
  CHECK(other.code == 1);
  CHECK(other.err.find("  link 3") != std::string::npos);
}

}  // namespace entente::replay_test
