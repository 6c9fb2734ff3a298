// Several sessions of one server played as one: which session is played when, how ids are matched, what a viewer sees.
#include "proxy/program/playback/joined_sessions.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "proxy/program/numbers/source.h"
#include "proxy/program/numbers/statistics.h"
#include "proxy/program/playback/playable.h"
#include "proxy/program/rules/judging.h"
#include "proxy/relay/tap/room_words.h"
#include "tests/program/folder.h"
#include "tests/program/native_client.h"
#include "tests/program/recorded.h"
#include "tests/support/process.h"

namespace entente::joined_sessions_test {
namespace {

using core::Id, core::Micros, core::kSecond;

constexpr WallTime kStart = 1'700'000'000'000'000'000;

/// A session from second `from` to second `to` of the evening. Its world is known after one second.
RecordedSessionInfo session(std::uint32_t link, int from, int to, const char* server = "a:1") {
  RecordedSessionInfo one;
  one.link = link;
  one.dialect = "bzflag 2.4";
  one.server = server;
  one.facts = 9;
  one.began = kStart + static_cast<WallTime>(from) * 1'000'000'000;
  one.last = static_cast<Micros>(to - from) * kSecond;
  one.ready = kSecond;
  return one;
}

/// The parts as "link from-to …", in seconds.
std::string parts(const std::vector<RecordedSessionInfo>& sessions) {
  WallTime begin = 0;
  std::string text;
  for (const SessionPart& part : parts_of(sessions, begin))
    text += (text.empty() ? "" : " ") + std::to_string(sessions[part.session].link) + " " +
            std::to_string(part.from / kSecond) + "-" + std::to_string(part.to / kSecond);
  return text;
}

TEST_CASE("the longest session is played, and others of its server fill the rest") {
  CHECK(parts({}) == "");
  CHECK(parts({session(1, 0, 60)}) == "1 1-60");
  CHECK(parts({session(1, 0, 60), session(2, 10, 50)}) == "1 1-60");
  CHECK(parts({session(1, 0, 60), session(2, 10, 90)}) == "1 1-11 2 11-90");
  CHECK(parts({session(1, 0, 80), session(2, 60, 90)}) == "1 1-80 2 80-90");
  CHECK(parts({session(1, 0, 80), session(2, 40, 90), session(3, 50, 95)}) == "1 1-80 3 80-95");
  CHECK(parts({session(1, 0, 80), session(2, 100, 120), session(3, 90, 130)}) == "1 1-80 3 91-130");
  CHECK(parts({session(1, 0, 80), session(2, 76, 84)}) == "1 1-80");  // four seconds are too short
  CHECK(parts({session(1, 0, 80), session(2, 60, 99, "b:1")}) == "1 1-80");
  CHECK(parts({session(1, 0, 80, ""), session(2, 60, 99, "")}) == "1 1-80");
  auto other = session(2, 60, 99), lost = session(3, 60, 99);
  other.dialect = "bzflag 2.0";
  lost.ready.reset();
  CHECK(parts({session(1, 0, 80), other, lost}) == "1 1-80");
  auto blind = session(4, 0, 99);  // its world was never known
  blind.ready.reset();
  CHECK(parts({blind, session(1, 0, 60), session(2, 40, 90)}) == "1 1-60 2 60-90");
  CHECK(session(1, 0, 60).tells_more_than(blind));
  CHECK_FALSE(blind.tells_more_than(session(1, 0, 60)));
  CHECK(parts({blind}) == "");
  CHECK(parts({session(1, 5000, 5080), session(2, 4000, 4003)}) == "1 1-80");  // a short session, long before the other
}

template <class T>
void say(trace::Recorder& to, std::uint32_t link, int from, Micros at, const T& word) {
  core::Fact fact(word);
  fact.at = at;
  Buffer bytes;
  core::write(fact, bytes);
  to.word(kStart + static_cast<WallTime>(from) * 1'000'000'000 + at * 1000, link, trace::WordKind::kFact, bytes);
}

/// A session from second `from` to second `until`. It sees anna, whose tank is at x = N in second N, and who says
/// something every fifth second, as does the session's own player. `anna` is her id in this session, and the next id is
/// her tank's.
void watch(trace::Recorder& to, std::uint32_t link, int from, int until, Id anna) {
  trace::Opened opened = opening(link, "bzflag", "2.4");
  opened.set_server("192.0.2.1:5154");
  to.opened(kStart + static_cast<WallTime>(from) * 1'000'000'000, opened);
  words::Player player;
  player.set_id(anna);
  player.set_name("anna");
  words::Unit unit;
  unit.set_id(anna + 1);
  unit.set_owner(anna);
  unit.set_alive(true);
  unit.mutable_pose()->set_unit(anna + 1);
  unit.mutable_pose()->set_x(from);
  say(to, link, from, 0, words::Room());
  say(to, link, from, 0, words::World());
  say(to, link, from, 0, player);
  say(to, link, from, 0, unit);
  say(to, link, from, 0, words::Ready());
  for (int second = from + 1; second <= until; ++second) {
    const Micros at = static_cast<Micros>(second - from) * kSecond;
    words::Pose pose;
    pose.set_unit(anna + 1);
    pose.set_x(second);
    say(to, link, from, at, pose);
    if (second % 5 != 0) continue;
    words::Said said;
    said.set_from(anna);
    said.set_text("at " + std::to_string(second));
    say(to, link, from, at + 1, said);
    words::Say wish;
    wish.set_text("wish at " + std::to_string(second));
    core::Intent intent(wish);
    intent.at = at + 1;
    Buffer bytes;
    core::write(intent, bytes);
    to.word(kStart + static_cast<WallTime>(from) * 1'000'000'000 + (at + 1) * 1000, link, trace::WordKind::kIntent,
            bytes);
  }
}

std::string evening(const Folder& folder) {
  const std::string path = folder.file("evening.mcap");
  auto to = recorder(path);
  watch(*to, 1, 0, 22, 7);
  watch(*to, 2, 12, 42, 5);
  watch(*to, 3, 33, 61, 3);
  REQUIRE(to->close(kStart + 99'000'000'000).ok());
  return path;
}

/// The same in three recordings, which are not in order of time.
std::vector<std::string> files_of_evening(const Folder& folder) {
  const std::vector<std::string> paths{folder.file("late.mcap"), folder.file("early.mcap"), folder.file("middle.mcap")};
  const auto write = [](const std::string& path, std::uint32_t link, int from, int until, Id anna) {
    auto to = recorder(path);
    watch(*to, link, from, until, anna);
    REQUIRE(to->close(kStart + 99'000'000'000).ok());
  };
  write(paths[1], 1, 0, 22, 7);
  write(paths[2], 2, 12, 42, 5);
  write(paths[0], 3, 33, 61, 3);
  return paths;
}

TEST_CASE("a longer session whose player never knew the world is not played, although its empty world is recorded") {
  const Folder folder;
  const std::string path = folder.file("evening.mcap");
  auto to = recorder(path);
  to->opened(kStart, opening(9, "bzflag", "2.4"));  // as bzadmin, which does not load a world
  to->world(kStart, relay::snapshot_of(9, core::WorldState(), 0, ""));
  say(*to, 9, 0, 0, words::Rule());
  say(*to, 9, 0, 90 * kSecond, words::Rule());
  watch(*to, 1, 0, 22, 7);
  REQUIRE(to->close(kStart + 99'000'000'000).ok());
  const auto opened = open_playable({.input = {.file = path}, .terminal = nullptr});
  REQUIRE(opened.ok());
  CHECK((*opened)->about().link == 1);
}

TEST_CASE("sessions of an evening are played as one, and players keep their ids") {
  const Folder folder;
  const auto opened = open_playable({.input = {.file = evening(folder)}, .terminal = nullptr});
  REQUIRE(opened.ok());
  PlayedWords& played = **opened;
  CHECK(played.about().link == 2);
  CHECK(played.end_time() == 61 * kSecond);
  std::set<Id> tanks;
  for (const int second : {60, 3, 25, 10, 41, 43, 9, 61, 15}) {
    core::WorldState world;
    REQUIRE(played.seek(static_cast<Micros>(second) * kSecond, world).ok());
    REQUIRE(world.players().size() == 1);
    CHECK(world.players().begin()->second.player.name() == "anna");
    REQUIRE(world.units().size() == 1);
    const auto& [tank, state] = *world.units().begin();
    tanks.insert(tank);
    CHECK(state.unit.owner() == world.players().begin()->first);
    CHECK(state.unit.pose().x() == second);
    const auto next = played.next_at();
    CHECK(next.has_value() == (second < 61));
    if (next) CHECK(*next >= static_cast<Micros>(second) * kSecond);
  }
  CHECK(tanks.size() == 1);
  const auto one = open_playable({.input = {.file = folder.file("evening.mcap")}, .link = 2, .terminal = nullptr});
  REQUIRE(one.ok());
  CHECK((*one)->end_time() - (*one)->first() < 33 * kSecond);
}

TEST_CASE("of joined sessions, the intents of each part are heard") {
  const Folder folder;
  auto file = trace::FileSource::open(evening(folder));
  REQUIRE(file.ok());
  Progress quiet(nullptr);
  const auto joined = JoinedSessions::open(RecordedSessions::find(std::move(*file), quiet), 3);
  REQUIRE(joined != nullptr);
  std::set<std::string> heard;
  joined->hear_intents([&](const core::Intent& intent) {
    if (const auto* said = core::as<words::Say>(intent)) heard.insert(said->text());
  });
  while (joined->next_at()) joined->next();
  for (const char* const text : {"wish at 10", "wish at 35", "wish at 60"})
    CHECK_MESSAGE(heard.contains(text), std::string(text));
}

/// What a bridge recorded of anna, who dies at each of `deaths`, from second `from` to second `until` of the evening.
struct Bridge {
  std::uint32_t link;
  int from, until, ready;
  int ahead;           // seconds; of its machine's clock
  bool begins_before;  // its session began before the file, which has its world every 10 s

  void record(trace::Recorder& to, Id anna, const std::vector<int>& deaths) const {
    trace::Opened opened = opening(link, "bzflag", "2.4");
    opened.set_server("192.0.2.1:5154");
    opened.set_continues(begins_before);
    to.opened(wall(from), opened);
    core::WorldState world;
    const auto tell = [&](int second, const auto& word, bool is_recorded = true) {
      core::Fact fact(word);
      fact.at = room(second);
      world.fold(fact);
      Buffer bytes;
      core::write(fact, bytes);
      if (is_recorded) to.word(wall(second), link, trace::WordKind::kFact, bytes);
    };
    words::World field;
    field.set_hash("field");
    words::Player player;
    player.set_id(anna);
    player.set_name("anna");
    words::Unit unit;
    unit.set_id(anna + 1);
    unit.set_owner(anna);
    tell(from, words::Room(), !begins_before);
    tell(from, field, !begins_before);
    tell(from, player, !begins_before);
    tell(from, unit, !begins_before);
    for (int second = from; second <= until; ++second) {
      if (second == ready) tell(second, words::Ready(), !begins_before);
      if (begins_before && (second - from) % 10 == 0) {
        const trace::Geometry geometry = relay::geometry_of(*world.geometry());
        to.geometry(geometry);
        to.world(wall(second), relay::snapshot_of(link, world, room(second), geometry.hash()));
      }
      words::Pose pose;
      pose.set_unit(anna + 1);
      pose.set_x(second);
      tell(second, pose);
      if (std::find(deaths.begin(), deaths.end(), second) == deaths.end()) continue;
      words::Died died;
      died.set_player(anna);
      died.set_unit(anna + 1);
      tell(second, died);
    }
  }

 private:
  Micros room(int second) const { return static_cast<Micros>(second - from) * kSecond; }
  WallTime wall(int second) const {
    return kStart + static_cast<WallTime>(std::int64_t{second + ahead} * 1'000'000'000);
  }
};

TEST_CASE("a session whose clock was set right has its world after a seek, also if it began before the file") {
  for (const int ahead : {60, -60}) {
    CAPTURE(ahead);
    const Folder folder;
    const std::string path = folder.file("evening.mcap");
    {
      const auto to = recorder(path);
      const std::vector<int> deaths{75, 80, 85, 90};
      Bridge{1, 0, 100, 0, 0, false}.record(*to, 7, deaths);
      Bridge{2, 70, 160, 70, ahead, true}.record(*to, 5, deaths);
      REQUIRE(to->close(kStart + 999'000'000'000).ok());
    }
    const auto opened = open_playable({.input = {.file = path}, .terminal = nullptr});
    REQUIRE(opened.ok());
    CHECK((*opened)->end_time() == 160 * kSecond);
    for (const int second : {50, 105, 128, 155}) {
      CAPTURE(second);
      core::WorldState world;
      REQUIRE((*opened)->seek(static_cast<Micros>(second) * kSecond, world).ok());
      CHECK(world.geometry() != nullptr);
      CHECK(world.ready());
      CHECK(world.players().size() == 1);
      REQUIRE(world.units().size() == 1);
      CHECK(world.units().begin()->second.unit.pose().x() == second);
    }
  }
}

TEST_CASE("the moments of a session whose clock was set right are when they are played") {
  const Folder folder;
  const std::string path = folder.file("evening.mcap");
  {
    const auto to = recorder(path);
    const std::vector<int> deaths{5, 10, 35, 40, 45, 50, 70};
    Bridge{1, 0, 100, 30, 0, false}.record(*to, 7, deaths);
    Bridge{2, -20, 60, -20, 60, false}.record(*to, 5, deaths);  // it began before the first message of the file
    REQUIRE(to->close(kStart + 999'000'000'000).ok());
  }
  const auto opened = open_playable({.input = {.file = path}, .terminal = nullptr});
  REQUIRE(opened.ok());
  std::vector<Micros> played, listed;
  while ((*opened)->next_at()) {
    const core::Fact fact = (*opened)->next();
    if (core::as<words::Died>(fact) != nullptr) played.push_back(fact.at / kSecond);
  }
  for (const core::Moment& one : (*opened)->moments())
    if (one.what == words::Timeline::KILL) listed.push_back(one.at / kSecond);
  CHECK(played == std::vector<Micros>{5, 10, 35, 40, 45, 50, 70});
  CHECK(listed == played);
}

TEST_CASE("the time between two sessions counts neither as played nor as lived, and no rule is called for it") {
  const Folder folder;
  const std::string path = folder.file("evening.mcap");
  auto to = recorder(path);
  watch(*to, 1, 0, 22, 7);
  watch(*to, 2, 600, 630, 5);
  REQUIRE(to->close(kStart + 700'000'000'000).ok());
  const auto opened = open_playable({.input = {.file = path}, .terminal = nullptr});
  REQUIRE(opened.ok());
  auto rule = rules::check_rule("rule.lua", "function on_tick() report(0, 'a second', {}) end");
  REQUIRE(rule.ok());
  std::ostringstream err;
  const auto judged =
      judge_words(**opened, std::make_shared<rules::RuleSet>(rules::RuleSet{std::move(*rule)}), "judge", err);
  REQUIRE(judged.ok());
  REQUIRE(judged->players.size() == 1);
  CHECK(judged->players[0].played / kSecond == 52);
  CHECK(judged->reports.size() > 48);
  CHECK(judged->reports.size() < 56);

  struct Lives final : numbers::RowSink {
    void take(const numbers::Row& row) override {
      if (const auto* life = std::get_if<numbers::Life>(&row)) seconds += life->length_s;
    }
    double seconds = 0;
  } lives;
  const auto again = open_playable({.input = {.file = path}, .terminal = nullptr});
  REQUIRE(again.ok());
  REQUIRE(numbers::read(**again, "evening.mcap", 0, lives).ok());
  CHECK(lives.seconds > 51);
  CHECK(lives.seconds < 53);
}

/// Says that a player with a tank, whose id is 10 more, comes into this session at a second of it.
void join(trace::Recorder& to, std::uint32_t link, int from, int second, Id id, const char* name) {
  const Micros at = static_cast<Micros>(second) * kSecond;
  words::Player player;
  player.set_id(id);
  player.set_name(name);
  words::Unit unit;
  unit.set_id(id + 10);
  unit.set_owner(id);
  unit.set_alive(true);
  say(to, link, from, at, player);
  say(to, link, from, at, unit);
}

void leave(trace::Recorder& to, std::uint32_t link, int from, int second, Id id) {
  words::PlayerGone gone;
  gone.set_id(id);
  say(to, link, from, static_cast<Micros>(second) * kSecond, gone);
}

void score(trace::Recorder& to, std::uint32_t link, int from, int second, Id id, std::uint32_t wins) {
  words::Score score;
  score.set_player(id);
  score.set_wins(wins);
  say(to, link, from, static_cast<Micros>(second) * kSecond, score);
}

TEST_CASE("a player who leaves and comes back keeps an id, also in the next session; a namesake has another one") {
  const Folder folder;
  const std::string path = folder.file("evening.mcap");
  auto to = recorder(path);
  const auto begin = [&](std::uint32_t link, int from) {
    trace::Opened opened = opening(link, "bzflag", "2.4");
    opened.set_server("192.0.2.1:5154");
    to->opened(kStart + static_cast<WallTime>(from) * 1'000'000'000, opened);
    say(*to, link, from, 0, words::Room());
    say(*to, link, from, 0, words::World());
    join(*to, link, from, 0, 1, "bob");
    join(*to, link, from, 0, 2, "anna");
    say(*to, link, from, 0, words::Ready());
  };
  begin(1, 0);
  leave(*to, 1, 0, 10, 2);
  join(*to, 1, 0, 12, 5, "anna");
  score(*to, 1, 0, 20, 5, 10);
  join(*to, 1, 0, 50, 6, "anna");
  leave(*to, 1, 0, 60, 6);
  score(*to, 1, 0, 99, 1, 1);
  begin(2, 90);
  score(*to, 2, 90, 1, 2, 10);
  score(*to, 2, 90, 30, 2, 12);
  score(*to, 2, 90, 60, 1, 2);
  REQUIRE(to->close(kStart + 200'000'000'000).ok());

  const auto opened = open_playable({.input = {.file = path}, .terminal = nullptr});
  REQUIRE(opened.ok());
  PlayedWords& played = **opened;
  const auto seen_at = [&](int second) {
    core::WorldState world;
    REQUIRE(played.seek(static_cast<Micros>(second) * kSecond, world).ok());
    std::map<Id, Id> tanks;  // of annas
    for (const auto& [id, state] : world.units())
      if (const auto* owner = world.player(state.unit.owner()); owner != nullptr && owner->player.name() == "anna")
        tanks[state.unit.owner()] = id;
    return tanks;
  };
  const auto first = seen_at(5);
  REQUIRE(first.size() == 1);
  CHECK(seen_at(30) == first);
  CHECK(seen_at(130) == first);
  CHECK(seen_at(55).size() == 2);

  numbers::Statistics counted;
  const auto again = open_playable({.input = {.file = path}, .terminal = nullptr});
  REQUIRE(again.ok());
  REQUIRE(numbers::read(**again, "evening.mcap", 0, counted).ok());
  counted.finish();
  std::vector<std::int64_t> wins, stays;
  for (const auto& one : counted.players()) {
    if (one.name != "anna") continue;
    wins.push_back(one.wins);
    stays.push_back(one.stays);
  }
  CHECK(wins == std::vector<std::int64_t>{12, 0});
  CHECK(stays == std::vector<std::int64_t>{2, 1});
}

/// Checks that a viewer of these files sees one anna all the time and receives each message once. Returns the replay's
/// log.
std::string view_evening(const std::vector<std::string>& files) {
  std::vector<std::string> command{testing::entente_binary(), "replay"};
  command.insert(command.end(), files.begin(), files.end());
  for (const char* more : {"--listen", "native://127.0.0.1:0?dialect=json", "--speed", "20", "--shared"})
    command.emplace_back(more);
  Process replays(command);
  const auto line = replays.line();
  REQUIRE_MESSAGE(line.has_value(), replays.err());
  NativeClient client(std::stoi(line->substr(line->rfind(':') + 1)));
  client.says("{\"enter\":{\"name\":\"watcher\"}}\n");
  std::vector<std::string> said;
  std::set<Id> annas, gone;
  double east = 0;
  for (const words::Fact& fact : client.hears()) {
    if (fact.has_said()) said.push_back(fact.said().text());
    if (fact.has_player() && fact.player().name() == "anna") annas.insert(fact.player().id());
    if (fact.has_player_gone()) gone.insert(fact.player_gone().id());
    if (fact.has_gone() || fact.has_died() || fact.has_spawned()) CHECK(false);
    if (fact.has_pose()) east = std::max(east, fact.pose().x());
  }
  CHECK(replays.wait() == 0);
  CHECK(annas.size() == 1);
  CHECK(gone.empty());
  CHECK(east >= 61);
  std::vector<std::string> all;
  for (int second = 5; second <= 60; second += 5) all.push_back("at " + std::to_string(second));
  said.erase(std::remove_if(said.begin(), said.end(), [](const auto& text) { return !text.starts_with("at "); }),
             said.end());
  const auto joined = [](const std::vector<std::string>& texts) {
    std::string out;
    for (const std::string& text : texts) out += text + ", ";
    return out;
  };
  CHECK(joined(said) == joined(all));
  return replays.err();
}

constexpr const char* kAsOne =
    " 3 sessions, played as one: link 1 from 0:00, link 2 from 0:12, link 3 from 0:42. --link N plays one alone";

TEST_CASE("a viewer of an evening sees one anna all the time, and receives each message once") {
  const Folder folder;
  CHECK(view_evening({evening(folder)}).find("evening.mcap holds" + std::string(kAsOne)) != std::string::npos);
}

TEST_CASE("an evening of several files is played as one") {
  const Folder folder;
  const std::vector<std::string> files = files_of_evening(folder);
  CHECK(view_evening(files).find("late.mcap and 2 more hold" + std::string(kAsOne)) != std::string::npos);
  const Ended none = run({testing::entente_binary(), "replay", files[0], folder.write("b.jsonl", "{}\n"), "--listen",
                          "native://127.0.0.1:0?dialect=json"});
  CHECK(none.code == 1);
  CHECK_MESSAGE(none.err.find("b.jsonl") != std::string::npos, none.err);
}

}  // namespace
}  // namespace entente::joined_sessions_test
