// Several sessions of one server whose players did not see everything: one is played, and the others add to it.
#include "proxy/program/playback/merged_sessions.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "proxy/program/playback/playable.h"
#include "proxy/program/playback/session_view.h"
#include "tests/program/folder.h"
#include "tests/program/recorded.h"

namespace entente::merged_sessions_test {
namespace {

using core::Id, core::Micros, core::kSecond, core::kMillisecond;

constexpr WallTime kStart = 1'700'000'000'000'000'000;

/// Writes the words of one session. Times are those of the evening.
class Session {
 public:
  Session(trace::Recorder& to, std::uint32_t link, Micros from, const char* server = "192.0.2.1:5154")
      : to_(to), link_(link), from_(from) {
    trace::Opened opened = opening(link, "aos", "0.75");
    opened.set_server(server);
    to.opened(kStart + from * 1000, opened);
    at(from, words::Room());
    at(from, words::World());
  }
  template <class T>
  void at(Micros time, const T& word) {
    core::Fact fact(word);
    fact.at = time - from_;
    Buffer bytes;
    core::write(fact, bytes);
    to_.word(kStart + time * 1000, link_, trace::WordKind::kFact, bytes);
  }
  void player(Micros time, Id id, const char* name) {
    words::Player player;
    player.set_id(id);
    player.set_name(name);
    at(time, player);
  }
  void man(Micros time, Id id, Id owner, double x) {
    unit(time, id, owner, words::Unit::MAN, x, 1);
    words::Owns owns;
    owns.set_player(owner);
    owns.add_units(id);
    owns.set_active(id);
    at(time, owns);
  }
  void unit(Micros time, Id id, Id owner, words::Unit::Kind kind, double x, double radius) {
    words::Unit unit;
    unit.set_id(id);
    unit.set_owner(owner);
    unit.set_kind(kind);
    unit.set_radius(radius);
    unit.set_alive(true);
    unit.mutable_pose()->set_unit(id);
    unit.mutable_pose()->set_x(x);
    at(time, unit);
  }
  void pose(Micros time, Id id, double x) {
    words::Pose pose;
    pose.set_unit(id);
    pose.set_x(x);
    at(time, pose);
  }
  void hidden(Micros time, Id id) {
    words::Hidden hidden;
    hidden.set_unit(id);
    at(time, hidden);
  }
  void gone(Micros time, Id id) {
    words::Gone gone;
    gone.set_unit(id);
    at(time, gone);
  }
  void said(Micros time, Id from, const char* text) {
    words::Said said;
    said.set_from(from);
    said.set_text(text);
    at(time, said);
  }
  void died(Micros time, Id player, Id unit, Id killer) {
    words::Died died;
    died.set_player(player);
    died.set_unit(unit);
    died.set_killer(killer);
    at(time, died);
  }
  void score(Micros time, Id player, std::uint32_t wins) {
    words::Score score;
    score.set_player(player);
    score.set_wins(wins);
    at(time, score);
  }

 private:
  trace::Recorder& to_;
  const std::uint32_t link_;
  const Micros from_;
};

/// Link 1, the longest, sees anna until 3 s, and again from 6 s. Link 2 sees her all the time, 0.2 m off, and ben, who
/// dies at 5 s and is gone at 7 s. Both receive anna's chat; only link 2 receives ben's.
std::string evening(const Folder& folder, const char* second_server = "192.0.2.1:5154", bool hides = true) {
  const std::string path = folder.file("evening.mcap");
  auto to = recorder(path);
  Session one(*to, 1, 0), two(*to, 2, 0, second_server);
  one.player(0, 7, "anna"), two.player(0, 3, "anna"), two.player(0, 4, "ben");
  one.man(0, 70, 7, 0), two.man(0, 30, 3, 0.2), two.man(0, 40, 4, 100);
  one.at(0, words::Ready()), two.at(0, words::Ready());
  for (int tenth = 5; tenth <= 100; tenth += 5) {
    const Micros at = static_cast<Micros>(tenth) * 100 * kMillisecond;
    if (tenth < 30 || tenth >= 60) one.pose(at, 70, tenth);
    if (tenth == 30 && hides) one.hidden(at, 70);
    if (tenth < 90) two.pose(at, 30, tenth + 0.2);
    if (tenth == 20) one.said(at, 7, "hello"), two.said(at + 40 * kMillisecond, 3, "hello");
    if (tenth == 25) two.said(at, 4, "here");
    if (tenth == 50) two.died(at, 4, 40, 3);
    if (tenth == 65) one.died(at, 7, 70, 0), two.died(at + 30 * kMillisecond, 3, 30, 0);
    if (tenth == 70) two.gone(at, 40);
    if (tenth == 10) one.score(at, 7, 1), two.score(at, 3, 2);
  }
  REQUIRE(to->close(kStart + 99 * kSecond * 1000).ok());
  return path;
}

std::unique_ptr<PlayedWords> open(const std::string& path) {
  auto opened = open_playable({.input = {.file = path}, .terminal = nullptr});
  REQUIRE(opened.ok());
  return std::move(*opened);
}

std::vector<core::Fact> facts_of(PlayedWords& played) {
  std::vector<core::Fact> all;
  for (auto at = played.next_at(); at; at = played.next_at()) {
    all.push_back(played.next());
    CHECK(all.back().at == *at);
  }
  return all;
}

template <class T>
std::vector<std::pair<Micros, T>> those(const std::vector<core::Fact>& all) {
  std::vector<std::pair<Micros, T>> found;
  for (const core::Fact& fact : all)
    if (const auto* word = core::as<T>(fact)) found.emplace_back(fact.at, *word);
  return found;
}

const core::PlayerState* named(const core::WorldState& world, const std::string& name) {
  for (const auto& [id, state] : world.players())
    if (state.player.name() == name) return &state;
  return nullptr;
}

TEST_CASE("a unit that leaves the sight of the played session stays visible while another session sees it") {
  const Folder folder;
  const auto played = open(evening(folder));
  const auto all = facts_of(*played);
  CHECK(std::is_sorted(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.at < b.at; }));
  CHECK(those<words::Hidden>(all).empty());
  const auto poses = those<words::Pose>(all);
  const auto seen = [&](Micros from, Micros to, double x) {
    return std::any_of(poses.begin(), poses.end(), [&](const auto& one) {
      return one.first >= from && one.first < to && one.second.x() == doctest::Approx(x);
    });
  };
  CHECK(seen(2 * kSecond, 3 * kSecond, 25));  // as the played session has it
  CHECK_FALSE(seen(2 * kSecond, 3 * kSecond, 25.2));
  CHECK(seen(4 * kSecond, 5 * kSecond, 40.2));  // as the other session has it
  CHECK(seen(7 * kSecond, 8 * kSecond, 70));
  CHECK_FALSE(seen(7 * kSecond, 8 * kSecond, 70.2));
}

TEST_CASE("a player of another session joins, chats, dies and leaves; events of both sessions are played once") {
  const Folder folder;
  const auto played = open(evening(folder));
  const auto all = facts_of(*played);
  const auto players = those<words::Player>(all);
  REQUIRE(players.size() == 2);
  CHECK(players[0].second.name() == "anna");
  CHECK(players[1].second.name() == "ben");
  const Id anna = players[0].second.id(), ben = players[1].second.id();
  CHECK(anna != ben);

  const auto units = those<words::Unit>(all);
  const auto his = std::find_if(units.begin(), units.end(), [&](const auto& one) { return one.second.owner() == ben; });
  REQUIRE(his != units.end());
  CHECK(his->second.pose().x() == 100);
  const auto owns = those<words::Owns>(all);
  CHECK(std::any_of(owns.begin(), owns.end(), [&](const auto& one) {
    return one.second.player() == ben && one.second.active() == his->second.id();
  }));

  const auto said = those<words::Said>(all);
  REQUIRE(said.size() == 2);
  CHECK(said[0].second.text() == "hello");
  CHECK(said[0].second.from() == anna);
  CHECK(said[1].second.text() == "here");
  CHECK(said[1].second.from() == ben);

  const auto died = those<words::Died>(all);
  REQUIRE(died.size() == 2);
  CHECK(died[0].second.player() == ben);
  CHECK(died[0].second.killer() == anna);
  CHECK(died[0].second.unit() == his->second.id());
  CHECK(died[1].second.player() == anna);

  const auto gone = those<words::Gone>(all);
  REQUIRE(gone.size() == 1);
  CHECK(gone[0].second.unit() == his->second.id());
  CHECK(gone[0].first >= 7 * kSecond);
  const auto left = those<words::PlayerGone>(all);  // when the other session ended
  REQUIRE(left.size() == 1);
  CHECK(left[0].second.id() == ben);
}

TEST_CASE("a player who left and came back is the one that a later session sees") {
  const Folder folder;
  const std::string path = folder.file("evening.mcap");
  {
    auto to = recorder(path);
    Session one(*to, 1, 0);
    one.player(0, 1, "bob"), one.man(0, 11, 1, 0);
    one.player(0, 2, "anna"), one.man(0, 12, 2, 50);
    one.at(0, words::Ready());
    words::PlayerGone gone;
    gone.set_id(2);
    one.at(10 * kSecond, gone);
    one.player(12 * kSecond, 5, "anna"), one.man(12 * kSecond, 15, 5, 50);
    Session two(*to, 2, 30 * kSecond);
    two.player(30 * kSecond, 1, "bob"), two.man(30 * kSecond, 11, 1, 0);
    two.player(30 * kSecond, 2, "anna"), two.man(30 * kSecond, 12, 2, 50);
    two.at(30 * kSecond, words::Ready());
    one.hidden(50 * kSecond, 15);
    one.said(60 * kSecond, 5, "hello"), two.said(60 * kSecond, 2, "hello");
    one.pose(100 * kSecond, 11, 1), two.pose(90 * kSecond, 11, 1);
    REQUIRE(to->close(kStart + 200 * kSecond * 1000).ok());
  }
  const auto played = open(path);
  const auto all = facts_of(*played);
  CHECK(those<words::Said>(all).size() == 1);
  std::set<Id> annas;
  for (const auto& [at, player] : those<words::Player>(all))
    if (player.name() == "anna") annas.insert(player.id());
  CHECK(annas.size() == 1);
  core::WorldState world;
  REQUIRE(played->seek(70 * kSecond, world).ok());
  CHECK(world.players().size() == 2);
  CHECK(world.units().size() == 2);
}

TEST_CASE("after a seek, the world and the facts that follow are those of both sessions") {
  const Folder folder;
  const auto played = open(evening(folder));
  core::WorldState world;
  REQUIRE(played->seek(4 * kSecond + 50 * kMillisecond, world).ok());
  const auto *anna = named(world, "anna"), *ben = named(world, "ben");
  REQUIRE(anna != nullptr);
  REQUIRE(ben != nullptr);
  REQUIRE(world.active_unit(anna->player.id()) != nullptr);
  CHECK_FALSE(world.active_unit(anna->player.id())->hidden);
  CHECK(world.active_unit(anna->player.id())->unit.pose().x() == doctest::Approx(40.2));
  REQUIRE(world.active_unit(ben->player.id()) != nullptr);
  const Id his = world.active_unit(ben->player.id())->unit.id();

  const auto rest = facts_of(*played);
  CHECK(those<words::Player>(rest).empty());
  REQUIRE(those<words::Gone>(rest).size() == 1);
  CHECK(those<words::Gone>(rest)[0].second.unit() == his);
  CHECK(those<words::Died>(rest).size() == 2);

  REQUIRE(those<words::PlayerGone>(rest).size() == 1);
  CHECK(those<words::PlayerGone>(rest)[0].second.id() == ben->player.id());

  REQUIRE(played->seek(8 * kSecond, world).ok());
  CHECK(world.unit(his) == nullptr);
  for (const Micros at : {4 * kSecond, 2 * kSecond}) {  // the second time, all is known already
    REQUIRE(played->seek(at, world).ok());
    CHECK(world.unit(his) != nullptr);
    REQUIRE(named(world, "ben") != nullptr);
    CHECK(world.active_unit(named(world, "ben")->player.id()) != nullptr);
  }
  const auto again = facts_of(*played);
  REQUIRE(those<words::Died>(again).size() == 2);
  CHECK(those<words::Died>(again)[0].first <= 5'100 * kMillisecond);
}

TEST_CASE("a seek forgets what was about to be told") {
  const Folder folder;
  const auto played = open(evening(folder));
  const auto is_last = [](const core::Fact& fact) {  // before the score
    const auto* pose = core::as<words::Pose>(fact);
    return pose != nullptr && pose->x() == 10;
  };
  for (auto at = played->next_at(); at && !is_last(played->next()); at = played->next_at()) CHECK(*at <= kSecond);
  REQUIRE(played->next_at() == kSecond);
  core::WorldState world;
  REQUIRE(played->seek(kSecond / 2, world).ok());
  REQUIRE(named(world, "anna") != nullptr);
  CHECK(named(world, "anna")->score.wins() == 0);
}

TEST_CASE("after a seek to between the times at which two sessions heard it, a line or a death is told") {
  const Folder folder;
  const std::string path = folder.file("evening.mcap");
  {
    auto to = recorder(path);
    Session one(*to, 1, 0), two(*to, 2, 0);
    one.player(0, 7, "anna"), two.player(0, 3, "anna");
    one.man(0, 70, 7, 0), two.man(0, 30, 3, 0);
    one.at(0, words::Ready()), two.at(0, words::Ready());
    one.hidden(kSecond, 70);
    two.said(2'050 * kMillisecond, 3, "hello"), one.said(2'150 * kMillisecond, 7, "hello");
    two.died(4'050 * kMillisecond, 3, 30, 0), one.died(4'150 * kMillisecond, 7, 70, 0);
    two.pose(9 * kSecond, 30, 1), one.pose(10 * kSecond, 70, 1);
    REQUIRE(to->close(kStart + 99 * kSecond * 1000).ok());
  }
  const auto played = open(path);
  const auto all = facts_of(*played);
  CHECK(those<words::Said>(all).size() == 1);
  CHECK(those<words::Died>(all).size() == 1);
  core::WorldState world;
  REQUIRE(played->seek(4'120 * kMillisecond, world).ok());
  CHECK(those<words::Died>(facts_of(*played)).size() == 1);
  REQUIRE(played->seek(2'120 * kMillisecond, world).ok());
  CHECK(those<words::Said>(facts_of(*played)).size() == 1);
}

/// Link 1 alone sees anna until 1 s. It says something twice a second until 61 s, and then again after `silence`. Link
/// 2 sees anna: she stands until 65 s, walks until 135 s, and appears elsewhere at 150 s.
std::string with_silence(const Folder& folder, Micros silence) {
  const std::string path = folder.file("long.mcap");
  auto to = recorder(path);
  Session one(*to, 1, 0), two(*to, 2, 0);
  one.player(0, 7, "anna"), two.player(0, 3, "anna");
  one.man(0, 70, 7, 0), two.man(0, 30, 3, 0);
  one.at(0, words::Ready()), two.at(0, words::Ready());
  one.hidden(kSecond, 70);
  for (std::uint32_t half = 3; half <= 122; ++half) one.score(static_cast<Micros>(half) * kSecond / 2, 7, half);
  for (int tenth = 650; tenth <= 1'350; ++tenth)
    two.pose(static_cast<Micros>(tenth) * 100 * kMillisecond, 30, tenth / 10.0);
  two.pose(150 * kSecond, 30, 500);
  two.pose(151 * kSecond, 30, 600);
  one.score(61 * kSecond + silence, 7, 1'000);
  REQUIRE(to->close(kStart + (62 * kSecond + silence) * 1000).ok());
  return path;
}

TEST_CASE("what another session sees is shown in time, however long the played session or both are silent") {
  constexpr Micros kSilence = 300 * 86'400 * kSecond;  // looking ten times a second would take minutes
  const Folder folder;
  const auto played = open(with_silence(folder, kSilence));
  const auto all = facts_of(*played);
  const auto poses = those<words::Pose>(all);
  const auto shown = [&](double x) {
    const auto at = std::find_if(poses.begin(), poses.end(), [&](const auto& one) { return one.second.x() == x; });
    return at == poses.end() ? 0 : at->first;
  };
  for (const auto& pose : {std::pair(65.0, 65 * kSecond), {134.0, 134 * kSecond}, {500.0, 150 * kSecond}}) {
    const double x = pose.first;
    const Micros at = pose.second;
    CAPTURE(x);
    CHECK(shown(x) >= at);
    CHECK(shown(x) <= at + 200 * kMillisecond);
  }
  const auto scores = those<words::Score>(all);
  REQUIRE_FALSE(scores.empty());
  CHECK(scores.back().first == 61 * kSecond + kSilence);
}

TEST_CASE("the change to the next played session is told, and a seek goes on with that session") {
  const Folder folder;
  const std::string path = folder.file("evening.mcap");
  {
    auto to = recorder(path);
    Session one(*to, 1, 0), two(*to, 2, 20 * kSecond);
    for (Session* session : {&one, &two}) {
      const Micros from = session == &one ? 0 : 20 * kSecond;
      session->player(from, 7, "anna"), session->man(from, 70, 7, 0);
      session->at(from, words::Ready());
      session->hidden(from + kSecond, 70);
    }
    one.said(30 * kSecond, 7, "first"), two.said(50 * kSecond, 7, "second");
    REQUIRE(to->close(kStart + 99 * kSecond * 1000).ok());
  }
  const auto played = open(path);
  while (played->next_at() && !played->next_is_other_session()) (void)played->next();
  REQUIRE(played->next_is_other_session());
  core::WorldState world;
  REQUIRE(played->seek(*played->next_at(), world).ok());
  const auto rest = those<words::Said>(facts_of(*played));
  REQUIRE_FALSE(rest.empty());
  CHECK(rest.back().second.text() == "second");
}

TEST_CASE(
    "units without an owner are matched if they have the same place, kind and size, and are seen at the same time") {
  const Folder folder;
  const std::string path = folder.file("cells.mcap");
  {
    auto to = recorder(path);
    Session one(*to, 1, 0), two(*to, 2, 0);
    one.at(0, words::Ready()), two.at(0, words::Ready());
    one.unit(0, 5, 0, words::Unit::PELLET, 10, 0.5), two.unit(0, 8, 0, words::Unit::PELLET, 10, 0.5);
    two.unit(0, 9, 0, words::Unit::PELLET, 12, 0.5);  // beside it
    two.unit(0, 10, 0, words::Unit::VIRUS, 10, 0.5);  // another kind
    two.unit(0, 11, 0, words::Unit::PELLET, 10, 3);   // another size
    one.unit(kSecond, 6, 0, words::Unit::CELL, 50, 4), two.unit(kSecond - 1, 12, 0, words::Unit::CELL, 50.3, 4);
    one.gone(2 * kSecond, 6);  // eaten; the other session sees it later
    two.gone(2 * kSecond + 250 * kMillisecond, 12);
    one.hidden(3 * kSecond, 5);
    one.pose(9 * kSecond, 5, 10), two.pose(8 * kSecond, 9, 12);
    REQUIRE(to->close(kStart + 99 * kSecond * 1000).ok());
  }
  const auto played = open(path);
  const auto all = facts_of(*played);
  std::vector<std::string> places;
  for (const auto& [at, unit] : those<words::Unit>(all))
    places.push_back(words::Unit::Kind_Name(unit.kind()) + " " + std::to_string(static_cast<int>(unit.pose().x())));
  std::sort(places.begin(), places.end());
  std::string text;
  for (const std::string& place : places) text += place + ", ";
  CHECK(text == "CELL 50, PELLET 10, PELLET 10, PELLET 10, PELLET 12, VIRUS 10, ");
  const auto hidden = those<words::Hidden>(all);
  REQUIRE(hidden.size() == 1);  // after the end of the other session
  CHECK(hidden[0].first >= 8 * kSecond);
  std::size_t cells = 0;
  for (const auto& [at, gone] : those<words::Gone>(all)) cells += at < 3 * kSecond ? 1 : 0;
  CHECK(cells == 1);
}

/// A cell that the first session sees from `from`, except between 2.5 s and 2.7 s, and the other one from `seen`.
std::string cell(const Folder& folder, Micros from, Micros seen) {
  const std::string path = folder.file("cell.mcap");
  auto to = recorder(path);
  Session one(*to, 1, 0), two(*to, 2, 0);
  one.at(0, words::Ready()), two.at(0, words::Ready());
  one.unit(0, 5, 0, words::Unit::PELLET, 10, 0.5), two.unit(0, 8, 0, words::Unit::PELLET, 10, 0.5);
  one.unit(from, 6, 0, words::Unit::CELL, 50, 4);
  one.gone(2'500 * kMillisecond, 6);
  one.unit(2'700 * kMillisecond, 6, 0, words::Unit::CELL, 50, 4);
  two.unit(seen, 12, 0, words::Unit::CELL, 50, 4);
  if (seen < 2 * kSecond) {
    two.gone(2'500 * kMillisecond, 12);
    two.unit(2'750 * kMillisecond, 12, 0, words::Unit::CELL, 50, 4);
  }
  one.hidden(6 * kSecond, 5);
  one.pose(9 * kSecond, 5, 10), two.pose(8 * kSecond, 8, 10);
  REQUIRE(to->close(kStart + 99 * kSecond * 1000).ok());
  return path;
}

std::size_t cells(const std::vector<core::Fact>& all) {
  const auto units = those<words::Unit>(all);
  return static_cast<std::size_t>(std::count_if(
      units.begin(), units.end(), [](const auto& one) { return one.second.kind() == words::Unit::CELL; }));
}

TEST_CASE("after a seek, too, a unit that another session sees a moment earlier is shown once") {
  const Folder folder;
  const auto played = open(cell(folder, kSecond + 50 * kMillisecond, kSecond - 1));
  CHECK(cells(facts_of(*played)) == 2);  // as the played session has it
  core::WorldState world;
  REQUIRE(played->seek(kSecond / 2, world).ok());
  CHECK(cells(facts_of(*played)) == 2);
}

TEST_CASE("a view whose player does not know the world yet is not shown, and goes on to where it does") {
  const Folder folder;
  const std::string path = folder.file("late.mcap");
  {
    const auto to = recorder(path);
    Session one(*to, 1, 0);
    one.at(5 * kSecond, words::Ready());
    one.at(9 * kSecond, words::Rule());
    REQUIRE(to->close(kStart + 99 * kSecond * 1000).ok());
  }
  auto file = trace::FileSource::open(path);
  REQUIRE(file.ok());
  Progress quiet(nullptr);
  const RecordedSessions found = RecordedSessions::find(std::move(*file), quiet);
  REQUIRE(found.sessions.size() == 1);
  RecordedSessionInfo about = found.sessions[0];
  about.ready = 0;  // as of a session that began before the file, if the world there cannot be read
  SessionView view(found, about, kStart);
  REQUIRE(view.covers(kSecond));
  REQUIRE(view.seek(kSecond));
  CHECK(view.is_placed());
  CHECK_FALSE(view.is_at_world());
  while (const auto fact = view.next(6 * kSecond)) view.fold(*fact);
  CHECK(view.is_at_world());
  view.leave();
  CHECK_FALSE(view.is_placed());
}

TEST_CASE("after a seek back, nothing is known of units that the other session sees later") {
  const Folder folder;
  const auto played = open(cell(folder, kSecond, 3 * kSecond));
  CHECK(cells(facts_of(*played)) == 2);
  core::WorldState world;
  REQUIRE(played->seek(1'500 * kMillisecond, world).ok());
  const auto rest = facts_of(*played);
  CHECK(cells(rest) == 1);
  REQUIRE_FALSE(those<words::Gone>(rest).empty());
  CHECK(those<words::Gone>(rest)[0].first == 2'500 * kMillisecond);
}

TEST_CASE("sessions of other servers are not merged, and neither are sessions that saw everything") {
  const Folder folder;
  const auto elsewhere = open(evening(folder, "192.0.2.2:5154"));
  CHECK(those<words::Hidden>(facts_of(*elsewhere)).size() == 1);
  const Folder other;
  const auto path = evening(other, "192.0.2.1:5154", false);
  const auto all = open(path);
  CHECK(those<words::Player>(facts_of(*all)).size() == 1);
}

}  // namespace
}  // namespace entente::merged_sessions_test
