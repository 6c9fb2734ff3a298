// Facts become rows: one for each event, with its place, its life and its match.
#include "proxy/program/numbers/row_builder.h"

#include <doctest/doctest.h>

#include <cmath>
#include <ctime>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "proxy/core/arena/referee.h"
#include "proxy/core/bot/stand_ins.h"
#include "proxy/program/bounds.h"
#include "proxy/program/numbers/tables.h"
#include "tests/support/deaf_host.h"
#include "tests/support/steps.h"

namespace entente::numbers::row_builder_test {
namespace {

using core::Fact, core::Id, core::Micros, core::kSecond;

struct Rows final : RowSink {
  void take(const Row& row) override { all.push_back(row); }
  template <class R>
  std::vector<R> of() const {
    std::vector<R> some;
    for (const Row& row : all)
      if (const auto* one = std::get_if<R>(&row)) some.push_back(*one);
    return some;
  }
  std::vector<Row> all;
};

/// A match whose facts have times in seconds. The unit of player N is N + 10.
class Telling {
 public:
  explicit Telling(Micros every = 0) : builder(rows, {every, 0}) {}

  template <class T>
  void tell(double at_s, const T& word) {
    Fact fact(word);
    fact.at = static_cast<Micros>(at_s * 1e6);
    builder.take(fact);
  }
  void come(double at_s, Id player, const char* name, words::Team team = words::ROGUE) {
    words::Player word;
    word.set_id(player);
    word.set_name(name);
    word.set_team(team);
    tell(at_s, word);
    words::Unit unit;
    unit.set_id(player + 10);
    unit.set_owner(player);
    tell(at_s, unit);
  }
  words::Pose pose(Id player, double x, double y) const {
    words::Pose word;
    word.set_unit(player + 10);
    word.set_x(x);
    word.set_y(y);
    return word;
  }
  void spawn(double at_s, Id player, double x, double y) {
    words::Spawned word;
    word.set_unit(player + 10);
    *word.mutable_pose() = pose(player, x, y);
    tell(at_s, word);
  }
  void die(double at_s, Id player, Id killer, words::DeathCause why = words::BY_SHOT, std::uint32_t shot = 0) {
    words::Died word;
    word.set_player(player);
    word.set_unit(player + 10);
    word.set_killer(killer);
    word.set_why(why);
    word.set_shot(shot);
    tell(at_s, word);
  }
  void end(double at_s) { builder.end(static_cast<Micros>(at_s * 1e6)); }

  Rows rows;
  RowBuilder builder;
};

TEST_CASE("a death has both places, the weapon, the life and the distance") {
  Telling telling;
  telling.come(0, 1, "anna");
  telling.come(0, 2, "bob");
  telling.spawn(1, 1, 0, 0);
  telling.spawn(2, 2, 30, 40);
  words::Shot shot;
  shot.set_shooter(1);
  shot.set_unit(11);
  shot.set_shot(7);
  shot.set_weapon('G' << 8 | 'M');
  shot.set_life(3);
  telling.tell(3, shot);
  telling.die(4, 2, 1, words::BY_SHOT, 7);
  telling.end(10);

  const auto deaths = telling.rows.of<Death>();
  REQUIRE(deaths.size() == 1);
  const Death& death = deaths[0];
  CHECK(death.time_s == 4);
  CHECK(death.victim.number == 2);
  CHECK(death.killer.number == 1);
  CHECK(death.why == "shot");
  CHECK(death.weapon == "GM");
  CHECK(death.at.x == 30);
  CHECK(death.killer_at.y == 0);
  CHECK(death.distance_m == 50);
  CHECK_FALSE(death.team_kill);

  const auto hits = telling.rows.of<Hit>();
  REQUIRE(hits.size() == 1);
  CHECK(hits[0].deadly);
  CHECK(hits[0].shooter.number == 1);

  const auto lives = telling.rows.of<Life>();
  REQUIRE(lives.size() == 2);
  CHECK(lives[0].life == death.life.number);
  CHECK(lives[0].end == "died");
  CHECK(lives[0].length_s == 2);
  CHECK(lives[1].end == "recording");
  CHECK(lives[1].kills == 1);
  CHECK(lives[1].shots == 1);
  CHECK(lives[1].length_s == 9);

  const auto shots = telling.rows.of<Shot>();
  REQUIRE(shots.size() == 1);
  CHECK(shots[0].weapon == "GM");
}

TEST_CASE("the distance of a life excludes teleports, corrections and impossible jumps") {
  Telling telling;
  telling.come(0, 1, "anna");
  telling.spawn(0, 1, 0, 0);
  telling.tell(1, telling.pose(1, 30, 40));  // 50 m
  words::Teleported teleported;
  teleported.set_unit(11);
  telling.tell(2, teleported);
  telling.tell(2, telling.pose(1, 100, 40));
  telling.tell(3, telling.pose(1, 100, 50));   // 10 m
  telling.tell(4, telling.pose(1, 5000, 50));  // 4900 m in a second
  telling.tell(5, telling.pose(1, 5000, 55));  // 5 m
  words::Corrected corrected;
  *corrected.mutable_pose() = telling.pose(1, 5000, 100);
  telling.tell(6, corrected);
  telling.tell(7, telling.pose(1, 5000, 101));  // 1 m
  telling.end(8);
  const auto lives = telling.rows.of<Life>();
  REQUIRE(lives.size() == 1);
  CHECK(lives[0].distance_m == doctest::Approx(66));
  CHECK(lives[0].to.y == 101);
}

TEST_CASE("a loss of health is a hit; the hit that kills is one row") {
  Telling telling;
  telling.come(0, 1, "anna");
  telling.come(0, 2, "bob");
  telling.spawn(0, 2, 0, 0);
  words::Health health;
  health.set_unit(12);
  health.set_now(100);
  health.set_max(100);
  telling.tell(0, health);
  health.set_by(1);
  health.set_now(60);
  telling.tell(1, health);
  health.set_by(0);
  health.set_now(90);  // healed
  telling.tell(2, health);
  health.set_by(2);
  health.set_now(80);  // hit by himself: not a row
  telling.tell(3, health);
  health.set_by(1);
  health.set_now(0);
  telling.tell(4, health);
  telling.die(4, 2, 1);
  telling.end(5);
  const auto hits = telling.rows.of<Hit>();
  REQUIRE(hits.size() == 2);
  CHECK(hits[0].damage == 40);
  CHECK_FALSE(hits[0].deadly);
  CHECK(hits[1].damage == 80);
  CHECK(hits[1].deadly);
}

TEST_CASE("a kill within a team is a team kill, but not among rogues") {
  Telling telling;
  telling.come(0, 1, "anna", words::RED);
  telling.come(0, 2, "bob", words::RED);
  telling.come(0, 3, "carl");
  telling.come(0, 4, "dora");
  for (const Id id : {1U, 2U, 3U, 4U}) telling.spawn(0, id, 0, 0);
  telling.die(1, 2, 1);
  telling.die(2, 4, 3);
  telling.die(3, 3, 3, words::BY_ITSELF);
  telling.end(4);
  const auto deaths = telling.rows.of<Death>();
  REQUIRE(deaths.size() == 3);
  CHECK(deaths[0].team_kill);
  CHECK_FALSE(deaths[1].team_kill);
  CHECK_FALSE(deaths[2].team_kill);
  CHECK(telling.rows.of<Hit>().size() == 2);
}

TEST_CASE("positions are extrapolated at their rate, but not through a long silence") {
  Telling telling(kSecond / 2);
  telling.come(0, 1, "anna");
  telling.spawn(1, 1, 0, 0);
  words::Pose pose = telling.pose(1, 0, 0);
  pose.set_vx(10);
  telling.tell(1, pose);
  telling.end(3);
  const auto positions = telling.rows.of<Position>();
  REQUIRE(positions.size() == 4);  // 1.0, 1.5, 2.0, 2.5
  CHECK(positions[1].time_s == 1.5);
  CHECK(positions[1].at.x == 5);
  CHECK(positions[3].at.x == 10);  // extrapolated for a second
  CHECK(positions[0].speed_mps == 10);

  Telling silent(kSecond);
  silent.come(0, 1, "anna");
  silent.spawn(0, 1, 0, 0);
  silent.end(86'400);
  CHECK(silent.rows.of<Position>().size() == 60);
}

struct Counting final : RowSink {
  void take(const Row& row) override { positions += std::holds_alternative<Position>(row) ? 1U : 0U; }
  std::uint64_t positions = 0;
};

/// Of so many units, one each minute tells something; otherwise nothing happens.
void tell_minutes(RowBuilder& builder, Id units, int minutes, bool hidden = false) {
  const auto take = [&builder](core::Fact fact, Micros at) {
    fact.at = at;
    builder.take(fact);
  };
  words::Player player;
  player.set_id(1);
  take(player, 0);
  for (Id id = 100; id < 100 + units; ++id) {
    words::Unit unit;
    unit.set_id(id);
    unit.set_owner(1);
    unit.set_alive(true);
    take(unit, 0);
    words::Hidden hides;
    hides.set_unit(id);
    if (hidden) take(hides, 0);
  }
  words::Lag lag;
  lag.set_player(1);
  for (int minute = 1; minute <= minutes; ++minute) take(lag, static_cast<Micros>(minute) * 60 * kSecond);
}

TEST_CASE("positions end when there are too many for the facts, though each of few facts is about a long time") {
  const Bound* const bound = find_bound("positions");
  REQUIRE(bound != nullptr);
  constexpr Id kUnits = 500;
  constexpr int kMinutes = 60;
  for (const bool hidden : {false, true}) {
    CAPTURE(hidden);
    Counting counted;
    RowBuilder builder(counted, {kSecond, 0});
    const std::uint64_t began = testing::steps();
    tell_minutes(builder, kUnits, kMinutes, hidden);
    constexpr std::uint64_t kFacts = 2 * kUnits + kMinutes + 1;
    CHECK(counted.positions <= RowBuilder::kPositionsAtOnce + kFacts * RowBuilder::kPositionsPerFact + kUnits);
    CHECK((counted.positions == 0) == hidden);
    CHECK(testing::steps() - began <= bound->most_steps(kFacts * 10));
    REQUIRE(builder.positions_end());
    const Micros end = *builder.positions_end();
    const std::uint64_t told = counted.positions;
    tell_minutes(builder, kUnits, 2 * kMinutes, hidden);
    CHECK(builder.positions_end() == end);
    CHECK(counted.positions == told);
  }
  Counting counted;
  RowBuilder builder(counted, {kSecond, 0});
  tell_minutes(builder, 50, kMinutes);
  CHECK_FALSE(builder.positions_end());
  CHECK(counted.positions == 50U * 60 * kMinutes);
}

TEST_CASE("the life of a player is found without looking at the lives of others") {
  const auto cpu_time = [] {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1'000'000'000 + now.tv_nsec;
  };
  const auto time_of = [&](Id units) {
    Counting counted;
    RowBuilder builder(counted, {0, 0});
    tell_minutes(builder, units, 0);
    words::Shot shot;
    shot.set_shooter(777);  // has no life
    const core::Fact fact(shot);
    const auto began = cpu_time();
    for (int i = 0; i < 1'000; ++i) builder.take(fact);
    return cpu_time() - began;
  };
  CHECK(time_of(20'000) <= 8 * time_of(2));
}

TEST_CASE("nobody lives between two sessions, and who is not in the second one has left at the end of the first") {
  Telling telling(kSecond);
  telling.come(0, 1, "anna");
  telling.come(0, 2, "ben");
  telling.spawn(1, 1, 0, 0);
  telling.spawn(1, 2, 0, 0);
  core::WorldState world;
  world.copy(telling.builder.world(), 0);
  words::PlayerGone gone;
  gone.set_id(1);
  world.fold(gone);
  telling.builder.become(std::move(world), 3'600 * kSecond, 10 * kSecond);
  telling.end(3'620);
  const auto players = telling.rows.of<Player>();
  REQUIRE(players.size() == 2);
  CHECK(players[0].name == "anna");
  CHECK(players[0].left_s == 10);
  CHECK(std::isnan(players[1].left_s));
  double alive = 0;
  for (const Life& life : telling.rows.of<Life>()) {
    CHECK(life.end == "recording");
    alive += life.length_s;
  }
  CHECK(alive == 9 + 9 + 20);
  CHECK(telling.rows.of<Position>().size() < 60);
}

TEST_CASE("facts of a resync are not events") {
  Telling telling;
  telling.come(0, 1, "anna");
  telling.come(0, 2, "bob");
  telling.spawn(0, 1, 0, 0);
  telling.tell(1, core::resync_clock(5));
  telling.die(1, 1, 2);
  words::PlayerGone gone;
  gone.set_id(2);
  telling.tell(1, gone);
  telling.come(1, 3, "carl");
  words::Clock clock;
  clock.set_speed(1);
  telling.tell(1, clock);
  telling.end(2);
  CHECK(telling.rows.of<Death>().empty());
  std::set<std::string> names;
  for (const Player& player : telling.rows.of<Player>()) names.insert(player.name);
  CHECK(names == std::set<std::string>{"anna", "bob", "carl"});
  const auto lives = telling.rows.of<Life>();
  REQUIRE(lives.size() == 1);
  CHECK(lives[0].end == "unknown");
}

TEST_CASE("a match ends with its round, or when the map changes") {
  Telling telling;
  words::World land;
  land.set_hash("one");
  land.set_name("First");
  telling.tell(0, land);
  telling.come(0, 1, "anna");
  words::Round round;
  round.set_state(words::Round::OVER);
  round.set_winner(1);
  telling.tell(10, round);
  telling.tell(11, round);
  round.Clear();
  telling.tell(20, round);
  telling.tell(25, land);
  land.set_hash("two");
  land.set_name("Second");
  telling.tell(30, land);
  telling.end(40);
  const auto matches = telling.rows.of<Match>();
  REQUIRE(matches.size() == 3);
  CHECK(matches[0].ended_s == 20);
  CHECK(matches[0].over);
  CHECK(matches[0].winner.number == 1);
  CHECK(matches[0].map == "First");
  CHECK(matches[1].ended_s == 30);
  CHECK_FALSE(matches[1].over);
  CHECK(matches[1].map == "First");
  CHECK(matches[2].map == "Second");
}

TEST_CASE("a match that an observer ended has no winner") {
  Telling telling;
  words::Player op;
  op.set_id(1);
  op.set_name("op");
  op.set_role(words::WATCH);
  telling.tell(0, op);
  words::Round round;
  round.set_state(words::Round::OVER);
  round.set_winner(1);
  telling.tell(10, round);
  telling.end(20);
  const auto matches = telling.rows.of<Match>();
  REQUIRE(matches.size() == 1);
  CHECK(matches[0].over);
  CHECK(matches[0].winner.number == 0);
}

TEST_CASE("scores and items have a row when they change") {
  Telling telling;
  telling.come(0, 1, "anna");
  words::Score score;
  score.set_player(1);
  telling.tell(1, score);
  telling.tell(2, score);
  score.set_wins(1);
  telling.tell(3, score);
  words::Token flag;
  flag.set_id(5);
  flag.set_code("GM");
  flag.set_state(words::Token::GROUND);
  telling.tell(4, flag);
  telling.tell(5, flag);
  words::TokenTaken taken;
  *taken.mutable_token() = flag;
  taken.mutable_token()->set_state(words::Token::CARRIED);
  taken.set_by(1);
  telling.tell(6, taken);
  words::TokenCaptured captured;
  captured.set_token(5);
  captured.set_by(1);
  captured.set_team(words::RED);
  telling.tell(7, captured);
  telling.end(8);
  const auto scores = telling.rows.of<Score>();
  REQUIRE(scores.size() == 2);
  CHECK(scores[0].wins == 0);
  CHECK(scores[1].wins == 1);
  const auto items = telling.rows.of<Item>();
  REQUIRE(items.size() == 3);
  CHECK(items[0].event == "told");
  CHECK(items[1].event == "taken");
  CHECK(items[1].state == "carried");
  CHECK(items[2].event == "captured");
  CHECK(items[2].code == "GM");
  const auto captures = telling.rows.of<Capture>();
  REQUIRE(captures.size() == 1);
  CHECK(captures[0].team == "red");
  CHECK(captures[0].player.number == 1);
}

TEST_CASE("cells of a player are one life") {
  Telling telling(kSecond);
  words::Player player;
  player.set_id(1);
  telling.tell(0, player);
  words::Unit cell;
  cell.set_owner(1);
  cell.set_kind(words::Unit::CELL);
  cell.set_alive(true);
  words::Owns owns;
  owns.set_player(1);
  for (const Id id : {21U, 22U}) {
    cell.set_id(id);
    cell.mutable_pose()->set_x(id);
    telling.tell(0, cell);
    owns.add_units(id);
  }
  owns.set_active(22);
  telling.tell(0, owns);
  words::Gone gone;
  gone.set_unit(21);
  telling.tell(2, gone);
  words::Pose pose;
  pose.set_unit(22);
  pose.set_x(52);
  telling.tell(3, pose);
  gone.set_unit(22);
  telling.tell(4, gone);
  words::Died died;
  died.set_player(1);
  died.set_unit(22);
  died.set_why(words::BY_TOUCH);
  telling.tell(4, died);
  telling.end(5);
  const auto lives = telling.rows.of<Life>();
  REQUIRE(lives.size() == 1);
  CHECK(lives[0].end == "died");
  CHECK(lives[0].length_s == 4);
  const auto deaths = telling.rows.of<Death>();
  REQUIRE(deaths.size() == 1);
  CHECK(deaths[0].life.number == lives[0].life);
  CHECK(deaths[0].at.x == 52);
  CHECK(telling.rows.of<Position>().size() == 2 + 2 + 1 + 1);
}

/// Passes an arena's facts to the row builder and to the bots.
class Listening final : public testing::DeafHost {
 public:
  Listening(RowBuilder& builder, core::StandIns& bots) : builder_(builder), bots_(bots) {}
  void told(const Fact& fact) override {
    builder_.take(fact);
    bots_.heard(fact);
    deaths += core::as<words::Died>(fact) != nullptr ? 1 : 0;
    captures += core::as<words::TokenCaptured>(fact) != nullptr ? 1 : 0;
  }
  std::size_t deaths = 0, captures = 0;

 private:
  RowBuilder& builder_;
  core::StandIns& bots_;
};

TEST_CASE("the rows of a match of bots agree with the referee's scores") {
  for (const auto mode : {core::ArenaMode::kFreeForAll, core::ArenaMode::kTeams}) {
    Rows rows;
    RowBuilder builder(rows, {kSecond, 0});
    core::BotOptions each;
    each.behaviour = core::Behaviour::kHunt;
    core::StandIns bots({8, each, {}});
    Listening host(builder, bots);
    core::ArenaRules rules;
    rules.mode = mode;
    rules.friendly_fire = true;
    core::RoomOptions options;
    options.seed = 5;
    options.shared = true;
    core::Room room(host, std::make_unique<core::Referee>(core::Arena{rules, core::courtyard(60)}), options);
    room.back_opened({}, 0);
    Micros now = 0;
    while (now < 120 * kSecond) {
      bots.look_after(room, now);
      now = std::max(now, room.next_wake());
      room.tick(now);
    }
    std::map<std::string, words::Score> own;  // the referee's
    for (const auto& [id, player] : room.world().players()) own[player.player.name()] = player.score;
    builder.end(now);

    struct Count {
      std::uint32_t kills = 0, team_kills = 0, deaths = 0;
    };
    std::map<std::int64_t, Count> counted;
    for (const Death& death : rows.of<Death>()) {
      ++counted[death.victim.number].deaths;
      Count& killer = counted[death.killer.number];
      if (death.killer.number != 0 && death.killer.number != death.victim.number)
        ++(death.team_kill ? killer.team_kills : killer.kills);
    }
    CHECK(host.deaths > 10);
    CHECK(rows.of<Death>().size() == host.deaths);
    CHECK(rows.of<Capture>().size() == host.captures);
    CHECK(rows.of<Player>().size() == 8);
    std::int64_t shots = 0;
    for (const Player& player : rows.of<Player>()) {
      const words::Score& score = own.at(player.name);
      const Count& count = counted[player.player];
      CHECK(count.kills == score.wins());
      CHECK(count.deaths == score.losses());
      CHECK(count.team_kills == score.team_kills());
      CHECK(player.wins == score.wins());
    }
    for (const Life& life : rows.of<Life>()) shots += life.shots;
    CHECK(static_cast<std::size_t>(shots) == rows.of<Shot>().size());
    // A shot takes half of the health, so two hits kill.
    CHECK(rows.of<Hit>().size() >= 2 * host.deaths);
    for (const Hit& hit : rows.of<Hit>()) CHECK(hit.damage == 50);
  }
}

TEST_CASE("column names are unique in their table, and every reference names a table") {
  std::set<std::string> names;
  for (const Table& table : tables()) names.insert(table.name);
  CHECK(names.size() == tables().size());
  for (const Table& table : tables()) {
    std::set<std::string> columns;
    for (const Column& column : table.columns) {
      columns.insert(column.name);
      const bool known = *column.refers == '\0' || names.contains(column.refers);
      CHECK_MESSAGE(known, column.name);
    }
    CHECK(columns.size() == table.columns.size());
  }
  CHECK(unit_of("time_s") == "s");
  CHECK(unit_of("rtt_ms") == "ms");
  CHECK(unit_of("team_kills") == "");
}

TEST_CASE("a row of chat has the speaker, and to whom it was said") {
  Telling telling;
  telling.come(0, 1, "anna", words::RED);
  telling.come(0, 2, "bob");
  words::Said said;
  said.set_from(1);
  said.set_name("not her name");
  said.set_text("hi");
  telling.tell(1, said);
  said.set_scope(words::Say::ONE);
  said.set_to(2);
  said.set_kind(words::Say::ACTION);
  telling.tell(2, said);
  said.set_scope(words::Say::MY_TEAM);
  said.set_to(words::GREEN);
  telling.tell(3, said);
  said.set_to(900);  // no team
  telling.tell(4, said);
  Fact to_team(said);
  to_team.at = 5 * kSecond;
  to_team.audience = words::TEAM;
  to_team.to = words::BLUE;
  telling.builder.take(to_team);
  said.Clear();
  said.set_name("a watcher");
  said.set_text("boo");
  telling.tell(6, said);
  const auto rows = telling.rows.of<Chat>();
  REQUIRE(rows.size() == 6);
  CHECK(rows[0].time_s == 1);
  CHECK(rows[0].match == 1);
  CHECK(rows[0].player.number == 1);
  CHECK(rows[0].name == "anna");
  CHECK(rows[0].scope == "everybody");
  CHECK(rows[0].to_player.number == 0);
  CHECK(rows[0].to_team == "");
  CHECK(rows[0].text == "hi");
  CHECK(rows[1].scope == "one");
  CHECK(rows[1].to_player.number == 2);
  CHECK(rows[1].to_team == "");
  CHECK(rows[1].kind == "action");
  CHECK(rows[2].to_player.number == 0);
  CHECK(rows[2].to_team == "green");
  CHECK(rows[3].to_team == "");
  CHECK(rows[4].to_team == "blue");
  CHECK(rows[5].player.number == 0);
  CHECK(rows[5].name == "a watcher");
}

TEST_CASE("a row of an item has its place, its players, and why it was dropped") {
  Telling telling;
  telling.come(0, 1, "anna");
  telling.come(0, 2, "bob");
  telling.spawn(0, 2, 70, 80);
  words::Token flag;
  flag.set_id(5);
  flag.set_kind(words::Token::TEAM_FLAG);
  flag.set_team(words::RED);
  flag.set_x(1);
  flag.set_y(2);
  flag.set_z(3);
  flag.set_state(words::Token::CARRIED);
  flag.set_carrier(1);
  telling.tell(1, flag);
  words::TokenTaken taken;
  *taken.mutable_token() = flag;
  taken.set_by(2);
  taken.set_from(1);
  telling.tell(2, taken);
  words::TokenDropped dropped;
  *dropped.mutable_token() = flag;
  dropped.mutable_token()->clear_carrier();
  dropped.set_by(2);
  dropped.set_why(words::DROP_KILLED);
  telling.tell(3, dropped);
  words::TokenCaptured captured;
  captured.set_token(5);
  captured.set_by(2);
  captured.set_team(words::GREEN);
  captured.set_winning(true);
  telling.tell(4, captured);
  const auto items = telling.rows.of<Item>();
  REQUIRE(items.size() == 4);
  for (const Item& one : items) {
    CHECK(one.item == 5);
    CHECK(one.kind == "team_flag");
    CHECK(one.match == 1);
  }
  CHECK(items[0].team == "red");
  CHECK(items[0].player.number == 1);
  CHECK(items[0].at.x == 1);
  CHECK(items[0].at.y == 2);
  CHECK(items[0].at.z == 3);
  CHECK(items[1].player.number == 2);
  CHECK(items[1].from_player.number == 1);
  CHECK(items[2].event == "dropped");
  CHECK(items[2].player.number == 2);
  CHECK(items[2].why == "killed");
  CHECK(items[3].team == "green");
  CHECK(items[3].player.number == 2);
  CHECK(items[3].at.x == 70);
  const auto captures = telling.rows.of<Capture>();
  REQUIRE(captures.size() == 1);
  CHECK(captures[0].item == 5);
  CHECK(captures[0].winning);
  CHECK(captures[0].at.y == 80);
}

TEST_CASE("rows of pings, of the scores of teams, and of players have all that was told") {
  Telling telling;
  telling.come(1, 1, "anna", words::RED);
  words::Lag lag;
  lag.set_player(1);
  lag.set_ping_s(0.25);
  telling.tell(2, lag);
  words::TeamScore team;
  team.set_team(words::RED);
  team.set_wins(3);
  team.set_losses(4);
  team.set_size(5);
  telling.tell(3, team);
  telling.tell(4, team);
  team.set_losses(6);
  telling.tell(5, team);
  words::Score score;
  score.set_player(1);
  score.set_wins(1);
  score.set_losses(2);
  score.set_team_kills(7);
  telling.tell(6, score);
  score.set_losses(8);
  telling.tell(7, score);
  words::Round round;
  round.set_state(words::Round::OVER);
  round.set_winning_team(words::RED);
  telling.tell(8, round);
  words::PlayerGone gone;
  gone.set_id(1);
  telling.tell(9, gone);
  telling.end(10);
  const auto pings = telling.rows.of<Latency>();
  REQUIRE(pings.size() == 1);
  CHECK(pings[0].player.number == 1);
  CHECK(pings[0].rtt_ms == 250);
  const auto teams = telling.rows.of<TeamScore>();
  REQUIRE(teams.size() == 2);
  CHECK(teams[0].team == "red");
  CHECK(teams[0].wins == 3);
  CHECK(teams[0].losses == 4);
  CHECK(teams[0].size == 5);
  CHECK(teams[1].losses == 6);
  const auto scores = telling.rows.of<Score>();
  REQUIRE(scores.size() == 2);
  CHECK(scores[0].player.number == 1);
  CHECK(scores[0].losses == 2);
  CHECK(scores[0].team_kills == 7);
  CHECK(scores[1].losses == 8);
  const auto players = telling.rows.of<Player>();
  REQUIRE(players.size() == 1);
  CHECK(players[0].id == 1);
  CHECK(players[0].name == "anna");
  CHECK(players[0].team == "red");
  CHECK(players[0].role == "play");
  CHECK(players[0].joined_s == 1);
  CHECK(players[0].left_s == 9);
  CHECK(players[0].wins == 1);
  CHECK(players[0].losses == 8);
  CHECK(players[0].team_kills == 7);
  const auto matches = telling.rows.of<Match>();
  REQUIRE(matches.size() == 1);
  CHECK(matches[0].winning_team == "red");
}

TEST_CASE("a hit has both players and both places; who gains health is not hit") {
  Telling telling;
  telling.come(0, 1, "anna");
  telling.come(0, 2, "bob");
  telling.spawn(0, 1, 3, 4);
  telling.spawn(0, 2, 30, 40);
  words::Health health;
  health.set_unit(12);
  health.set_now(50);
  health.set_max(100);
  telling.tell(0, health);
  health.set_by(1);
  health.set_now(70);
  telling.tell(1, health);
  health.set_now(20);
  telling.tell(2, health);
  telling.end(3);
  const auto hits = telling.rows.of<Hit>();
  REQUIRE(hits.size() == 1);
  CHECK(hits[0].time_s == 2);
  CHECK(hits[0].victim.number == 2);
  CHECK(hits[0].shooter.number == 1);
  CHECK(hits[0].damage == 50);
  CHECK(hits[0].health == 20);
  CHECK(hits[0].at.x == 30);
  CHECK(hits[0].at.y == 40);
  CHECK(hits[0].shooter_at.x == 3);
  CHECK(hits[0].shooter_at.y == 4);
}

TEST_CASE("a row of a shot has its shooter, its kind and its way; a kill that no loss of health told is a hit, too") {
  Telling telling;
  telling.come(0, 1, "anna");
  telling.come(0, 2, "bob");
  telling.spawn(0, 1, 3, 4);
  telling.spawn(0, 2, 30, 40);
  words::Shot shot;
  shot.set_shooter(1);
  shot.set_shot(7);
  shot.set_x(5);
  shot.set_y(6);
  shot.set_z(7);
  shot.set_vx(8);
  shot.set_vy(9);
  shot.set_vz(10);
  telling.tell(1, shot);
  shot.set_life(3.5);
  shot.set_range(350);
  telling.tell(2, shot);
  telling.die(3, 2, 1);
  telling.end(4);
  const auto shots = telling.rows.of<Shot>();
  REQUIRE(shots.size() == 2);
  CHECK(shots[0].time_s == 1);
  CHECK(shots[0].player.number == 1);
  CHECK(shots[0].shot == 7);
  CHECK_FALSE(shots[0].kind.empty());
  CHECK(shots[0].at.x == 5);
  CHECK(shots[0].at.y == 6);
  CHECK(shots[0].at.z == 7);
  CHECK(shots[0].vx_mps == 8);
  CHECK(shots[0].vy_mps == 9);
  CHECK(shots[0].vz_mps == 10);
  CHECK(std::isnan(shots[0].life_s));
  CHECK(std::isnan(shots[0].range_m));
  CHECK(shots[1].life_s == 3.5);
  CHECK(shots[1].range_m == 350);
  const auto hits = telling.rows.of<Hit>();
  REQUIRE(hits.size() == 1);
  CHECK(hits[0].victim.number == 2);
  CHECK(hits[0].at.y == 40);
  CHECK(hits[0].shooter_at.y == 4);
  const auto lives = telling.rows.of<Life>();
  REQUIRE(lives.size() == 2);
  CHECK(lives[1].shots == 2);  // also those that do not tell which unit shot
}

}  // namespace
}  // namespace entente::numbers::row_builder_test
