// A world is the result of its facts, and its facts recreate it.
#include "proxy/core/world.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tests/support/steps.h"

namespace entente::core::world_test {
namespace {

Fact player(Id id, const char* name) {
  words::Player word;
  word.set_id(id);
  word.set_name(name);
  return word;
}

Fact unit(Id id, Id owner, double x = 0, double y = 0) {
  words::Unit word;
  word.set_id(id);
  word.set_owner(owner);
  word.set_max_health(100);
  word.mutable_pose()->set_x(x);
  word.mutable_pose()->set_y(y);
  return word;
}

Fact owns(Id player, std::initializer_list<Id> units, Id active) {
  words::Owns word;
  word.set_player(player);
  for (const Id id : units) word.add_units(id);
  word.set_active(active);
  return word;
}

Fact pose(Id unit, double x, double y, Micros at = 0, double vx = 0) {
  words::Pose word;
  word.set_unit(unit);
  word.set_x(x);
  word.set_y(y);
  word.set_vx(vx);
  Fact fact(word);
  fact.at = at;
  return fact;
}

Fact rule(const char* name, const char* value) {
  words::Rule word;
  word.set_name(name);
  word.set_value(value);
  return word;
}

Fact ball(Id shooter, Id shot, double life, Micros at) {
  words::Shot word;
  word.set_shooter(shooter);
  word.set_shot(shot);
  word.set_life(life);
  Fact fact(word);
  fact.at = at;
  return fact;
}

template <class Word>
Fact of_unit(Id id) {
  Word word;
  word.set_unit(id);
  return word;
}

WorldState made_of(std::initializer_list<Fact> facts) {
  WorldState world;
  for (const Fact& fact : facts) world.fold(fact);
  return world;
}

std::vector<std::string> told(const WorldState& world) {
  std::vector<std::string> lines;
  world.tell([&](const Fact& fact) {
    Buffer bytes;
    write(fact, bytes);
    lines.push_back(std::string(name_of(fact)) + std::string(as_text(bytes)));
  });
  return lines;
}

std::vector<Id> seen(const WorldState& world, double west, double east, double south, double north) {
  std::vector<Id> ids;
  world.in_box(west, east, south, north, [&](const UnitState& state) { ids.push_back(state.unit.id()); });
  std::sort(ids.begin(), ids.end());
  return ids;
}

TEST_CASE("the facts of a world recreate the same world") {
  words::World map;
  map.set_hash("abc");
  words::Token flag;
  flag.set_id(50);
  words::Score score;
  score.set_player(1);
  score.set_wins(4);
  const WorldState first =
      made_of({rule("speed", "25"), Fact(map), player(1, "anna"), player(2, "ben"), unit(11, 1, 5, 6),
               unit(12, 2, 7, 8), owns(1, {11}, 11), owns(2, {12}, 12), pose(11, 9, 9), Fact(flag), Fact(score),
               of_unit<words::Hidden>(12), Fact(words::Ready())});
  WorldState again;
  first.tell([&](const Fact& fact) { again.fold(fact); });
  CHECK(told(again) == told(first));
  CHECK(again.orphaned() == 0);
  CHECK(again.player(1)->score.wins() == 4);
  CHECK(again.active_unit(1)->unit.pose().x() == 9);
  CHECK(again.unit(12)->hidden);
  CHECK(again.ready());
}

TEST_CASE("what changes about a unit is told to those who come later") {
  WorldState world = made_of({player(1, "anna"), unit(11, 1)});
  words::UnitChanged change;
  change.set_unit(11);
  change.set_radius(3);
  change.set_colour(0x102030);
  change.set_name("ben");
  change.set_skin("tiger");
  change.set_team(words::BLUE);
  change.set_model(5);
  world.fold(Fact(change));
  words::Unit told;
  world.tell([&](const Fact& fact) {
    if (const auto* unit = as<words::Unit>(fact)) told = *unit;
  });
  CHECK(told.radius() == 3);
  CHECK(told.colour() == 0x102030);
  CHECK(told.name() == "ben");
  CHECK(told.skin() == "tiger");
  CHECK(told.team() == words::BLUE);
  CHECK(told.model() == 5);
  change.Clear();
  change.set_unit(11);
  world.fold(Fact(change));
  CHECK(world.unit(11)->unit.team() == words::BLUE);
}

TEST_CASE("those who come later are told the owner of a zone as the team of its token") {
  words::Token mine, other;
  mine.set_id(50);
  mine.set_team(words::BLUE);
  other.set_id(51);
  other.set_team(words::BLUE);
  words::Zone zone, unknown;
  zone.set_id(50);
  zone.set_owner(words::GREEN);
  unknown.set_id(52);
  const WorldState world = made_of({Fact(mine), Fact(other), Fact(zone), Fact(unknown)});
  mine.set_team(words::GREEN);
  CHECK(told(world) == told(made_of({Fact(mine), Fact(other)})));
}

TEST_CASE("a copy of a world tells the same facts") {
  words::TeamScore red;
  red.set_team(words::RED);
  red.set_wins(3);
  words::Token flag;
  flag.set_id(50);
  words::Score score;
  score.set_player(1);
  score.set_wins(4);
  words::World map;
  map.set_hash("abc");
  words::WorldEdit built;
  built.mutable_edit()->set_x(3);
  words::Board board;
  board.add_rows()->set_name("anna");
  words::Round round;
  round.set_left_s(10);
  words::Room room;
  room.set_most_players(5);
  const WorldState world =
      made_of({Fact(room), rule("speed", "25"), Fact(map), Fact(built), player(1, "anna"), unit(11, 1, 5, 6),
               unit(12, 1, 7, 8), owns(1, {11, 12}, 11), pose(11, 9, 9), Fact(flag), Fact(score), Fact(red),
               Fact(board), Fact(round), ball(1, 3, 2, 0), of_unit<words::Hidden>(12), Fact(words::Ready())});
  WorldState copy;
  copy.copy(world, 0);
  CHECK(told(copy) == told(world));
  CHECK(copy.team_scores().at(words::RED).wins() == 3);
  CHECK(seen(copy, 8, 10, 8, 10) == std::vector<Id>{11});
}

TEST_CASE("a round's clock advances, unless it is paused or over") {
  words::Round round;
  round.set_left_s(10);
  Fact told(round);
  told.at = 2 * kSecond;
  const auto left = [&](Micros now) {
    told.content = round;
    return made_of({told}).round_at(now).left_s();
  };
  CHECK(left(5 * kSecond) == 7);
  CHECK(left(kSecond) == 10);
  CHECK(left(50 * kSecond) == 0);
  WorldState copied;
  copied.copy(made_of({told}), 0);
  CHECK(copied.round_at(5 * kSecond).left_s() == 7);
  round.set_paused(true);
  CHECK(left(5 * kSecond) == 10);
  CHECK_FALSE(made_of({Fact(words::Round())}).round_at(5 * kSecond).has_left_s());
}

TEST_CASE("units are found by place") {
  WorldState world = made_of({unit(1, 0, 10, 10), unit(2, 0, -200, 30), unit(3, 0, 11, 12)});
  CHECK(seen(world, 0, 20, 0, 20) == std::vector<Id>{1, 3});
  world.fold(pose(2, 15, 15));
  world.fold(pose(1, 500, 500));
  CHECK(seen(world, 0, 20, 0, 20) == std::vector<Id>{2, 3});
  world.fold(of_unit<words::Hidden>(2));
  CHECK(seen(world, 0, 20, 0, 20) == std::vector<Id>{3});
  world.fold(pose(2, 15, 15));  // visible again
  CHECK(seen(world, 0, 20, 0, 20) == std::vector<Id>{2, 3});
  world.fold(of_unit<words::Gone>(3));
  CHECK(seen(world, -1e9, 1e9, -1e9, 1e9) == std::vector<Id>{1, 2});
}

TEST_CASE("a unit on the edge of a box is in it") {
  // 0 and 100 are also edges of the grid's cells.
  for (const double west : {-100.0, -40.0, 0.0, 30.0})
    for (const double side : {10.0, 100.0, 170.0}) {
      CAPTURE(west);
      CAPTURE(side);
      const double east = west + side, south = west - 7, north = south + side, beyond = 1e-6;
      const WorldState inside = made_of({unit(1, 0, west, south), unit(2, 0, east, south), unit(3, 0, west, north),
                                         unit(4, 0, east, north), unit(5, 0, west + 1, north)});
      CHECK(seen(inside, west, east, south, north) == std::vector<Id>{1, 2, 3, 4, 5});
      const WorldState outside = made_of({unit(1, 0, west - beyond, south), unit(2, 0, east + beyond, south),
                                          unit(3, 0, west, south - beyond), unit(4, 0, west, north + beyond)});
      CHECK(seen(outside, west, east, south, north).empty());
    }
}

TEST_CASE("the ground is known from the west and north edges up to, but not including, the east and south edges") {
  words::World geometry;
  set_sides(geometry, 20, 20);
  geometry.set_block(0.5);
  geometry.set_ground(std::string("\x02\x04\x06\x08", 4));  // rows from the north, columns from the west
  CHECK(ground_at(geometry, -10, 10) == 1);
  CHECK(ground_at(geometry, 9.999, 10) == 2);
  CHECK(ground_at(geometry, -10, -9.999) == 3);
  CHECK(ground_at(geometry, 9.999, -9.999) == 4);
  CHECK(ground_at(geometry, 0, 0) == 4);
  CHECK(ground_at(geometry, 10, 10) == 0);
  CHECK(ground_at(geometry, -10.001, 10) == 0);
  CHECK(ground_at(geometry, -10, -10) == 0);
  CHECK(ground_at(geometry, -10, 10.001) == 0);
}

TEST_CASE("units with no bounds or no valid place are kept apart") {
  const WorldState world = made_of({unit(1, 0, 1e300, 0), unit(2, 0, std::nan(""), 0), unit(3, 0, 1, 1)});
  CHECK(seen(world, 0, 2, 0, 2) == std::vector<Id>{3});
}

TEST_CASE("a player that leaves takes its units along") {
  WorldState world =
      made_of({player(1, "anna"), unit(11, 1), unit(12, 1), unit(13, 1), owns(1, {11, 12, 13}, 11), unit(14, 0)});
  words::PlayerGone gone;
  gone.set_id(1);
  world.fold(gone);
  CHECK(world.player(1) == nullptr);
  for (const Id id : {11U, 12U, 13U}) CHECK(world.unit(id) == nullptr);
  CHECK(world.unit(14) != nullptr);
}

TEST_CASE("a player that only one player knows is known, but is not counted among the players") {
  WorldState world;
  Fact hidden = player(7, "anna");
  hidden.audience = words::PLAYER;
  hidden.to = 7;
  world.fold(hidden);
  world.fold(player(1, "otto"));
  REQUIRE(world.player(7) != nullptr);
  CHECK(world.player(7)->player.name() == "anna");
  CHECK(world.players().size() == 1);
  world.tell([&](const Fact& fact) {
    if (const auto* told = as<words::Player>(fact)) CHECK(told->id() == 1);
    if (const auto* told = as<words::Owns>(fact)) CHECK(told->player() == 1);
    if (const auto* told = as<words::Score>(fact)) CHECK(told->player() == 1);
  });
  WorldState copy;
  copy.copy(world, 0);
  CHECK(copy.player(7) == nullptr);
  SUBCASE("once another player knows it, it is among the players") {
    hidden.to = 1;
    world.fold(hidden);
    CHECK(world.players().size() == 2);
  }
  SUBCASE("once all know it, it is among the players") {
    world.fold(owns(7, {}, 9));
    world.fold(player(7, "anna"));
    CHECK(world.players().size() == 2);
    CHECK(world.player(7)->active == 9);
  }
  SUBCASE("it leaves") {
    words::PlayerGone gone;
    gone.set_id(7);
    world.fold(gone);
    CHECK(world.player(7) == nullptr);
    CHECK(world.orphaned() == 0);
  }
}

TEST_CASE("a life begins and ends with its facts") {
  WorldState world = made_of({player(1, "anna"), unit(11, 1), owns(1, {11}, 11)});
  CHECK_FALSE(world.unit(11)->unit.alive());
  world.fold(of_unit<words::Spawned>(11));
  CHECK(world.unit(11)->unit.alive());
  CHECK(world.unit(11)->unit.health() == 100);
  world.fold(of_unit<words::Died>(11));
  CHECK_FALSE(world.unit(11)->unit.alive());
}

TEST_CASE("a unit that is gone is nobody's, and a player who steered it steers none") {
  WorldState world = made_of({player(1, "anna"), unit(11, 1), unit(12, 1), owns(1, {11, 12}, 11)});
  REQUIRE(world.active_unit(1) != nullptr);
  world.fold(of_unit<words::Gone>(11));
  CHECK(world.player(1)->active == 0);
  CHECK(world.player(1)->units == std::vector<Id>{12});
  CHECK(seen(world, -1, 1, -1, 1) == std::vector<Id>{12});
  world.fold(unit(11, 1));  // its number is given again
  CHECK(world.active_unit(1) == nullptr);
}

TEST_CASE("a hidden unit is visible again as soon as anything is told of where it is") {
  for (const Fact& shows : {unit(11, 1), pose(11, 0, 0), of_unit<words::Spawned>(11)}) {
    CAPTURE(name_of(shows));
    WorldState world = made_of({player(1, "anna"), unit(11, 1), of_unit<words::Hidden>(11)});
    REQUIRE(world.unit(11)->hidden);
    world.fold(shows);
    CHECK_FALSE(world.unit(11)->hidden);
  }
}

TEST_CASE("a shot whose number is given again replaces the old one, which rays and blows never are") {
  WorldState world = made_of({ball(1, 5, 3.0, 0), ball(1, 5, 2.0, kSecond)});
  CHECK(world.shots().size() == 1);
  CHECK(world.shot(1, 5)->shot.life() == 2);
  for (const words::ShotKind kind : {words::RAY, words::MELEE}) {
    words::Shot at_once;
    at_once.set_shooter(1);
    at_once.set_shot(9);
    at_once.set_kind(kind);
    at_once.set_life(3);
    world.fold(at_once);
  }
  CHECK(world.shot(1, 9) == nullptr);
}

TEST_CASE("a shot exists until it ends or its life is over") {
  WorldState world = made_of({ball(1, 5, 3.0, 0), ball(1, 6, 1.0, 0)});
  CHECK(world.shots().size() == 2);
  world.fold(ball(2, 1, 3.0, 2 * kSecond));
  CHECK(world.shot(1, 6) == nullptr);
  words::ShotEnded ended;
  ended.set_shooter(1);
  ended.set_shot(5);
  world.fold(ended);
  CHECK(world.shots().size() == 1);
}

TEST_CASE("a shot that is moved lives as long as before, however often that happens, and no other one moves") {
  WorldState world = made_of({ball(1, 6, 3.0, 0), ball(2, 5, 3.0, 0), ball(1, 5, 3.0, 0)});
  words::ShotMoved moved;
  moved.set_shooter(1);
  moved.set_shot(5);
  moved.set_x(7);
  for (const double second : {1.0, 2.0, 2.5}) {
    Fact fact(moved);
    fact.at = static_cast<Micros>(second * kSecond);
    world.fold(fact);
    REQUIRE(world.shot(1, 5) != nullptr);
    CHECK(world.shot(1, 5)->shot.life() == doctest::Approx(3 - second));
    CHECK(world.shot(1, 5)->shot.x() == 7);
    for (const ShotState* other : {world.shot(1, 6), world.shot(2, 5)}) {
      REQUIRE(other != nullptr);
      CHECK(other->shot.life() == 3);
      CHECK(other->shot.x() == 0);
    }
  }
}

TEST_CASE("facts about unknown players or units change nothing and are counted") {
  WorldState world;
  world.fold(pose(1, 2, 3));
  world.fold(owns(4, {1}, 1));
  CHECK(world.orphaned() == 2);
  CHECK(world.units().empty());
}

TEST_CASE("a version changes with every player who comes, changes or leaves, and with every change of looks") {
  WorldState world;
  std::uint32_t players = world.players_version();
  const auto changed = [&] { return std::exchange(players, world.players_version()) != world.players_version(); };
  world.fold(player(1, "anna"));
  CHECK(changed());
  world.fold(player(1, "anne"));
  CHECK(changed());
  Fact hidden = player(7, "viewer");
  hidden.audience = words::PLAYER;
  hidden.to = 7;
  world.fold(hidden);
  CHECK(changed());
  for (const Id id : {1U, 7U}) {
    words::PlayerGone gone;
    gone.set_id(id);
    world.fold(gone);
    CHECK(changed());
    world.fold(gone);  // nobody is left to go
    CHECK_FALSE(changed());
  }
  world.fold(unit(11, 0));
  const std::uint32_t looks = world.unit(11)->looks_version;
  CHECK(looks != 0);
  world.fold(pose(11, 3, 4));
  CHECK(world.unit(11)->looks_version == looks);
  world.fold(of_unit<words::UnitChanged>(11));
  CHECK(world.unit(11)->looks_version != looks);
}

TEST_CASE("each limit of a world is reached, and not exceeded") {
  WorldLimits limits;
  limits.units = limits.players = limits.tokens = limits.rules = limits.shots = 3;
  words::World map;
  map.set_voxels("12345678");
  limits.geometry_bytes = map.ByteSizeLong();
  WorldState world(limits);
  for (Id id = 1; id <= 4; ++id) {
    words::Token token;
    token.set_id(id);
    token.set_state(words::Token::GROUND);
    words::WorldEdit edit;
    edit.mutable_edit()->set_x(id);
    const std::uint64_t before = world.orphaned();
    world.fold(unit(id, 0));
    world.fold(player(id, "x"));
    world.fold(rule(std::to_string(id).c_str(), "1"));
    world.fold(ball(1, id, 9, 0));
    world.fold(Fact(token));
    world.fold(Fact(edit));
    CHECK(world.orphaned() - before == (id <= 3 ? 0 : 6));
  }
  CHECK(world.units().size() == 3);
  CHECK(world.players().size() == 3);
  CHECK(world.rules().size() == 3);
  CHECK(world.shots().size() == 3);
  CHECK(world.tokens().size() == 3);
  CHECK(world.edits().size() == 3);
  const std::uint64_t before = world.orphaned();
  world.fold(Fact(map));
  CHECK(world.geometry() != nullptr);
  CHECK(world.orphaned() == before);
  map.set_voxels("123456789");
  world.fold(Fact(map));
  CHECK(world.geometry()->voxels().size() == 8);
  CHECK(world.orphaned() == before + 1);
  // What is known can be changed while the world is full.
  world.fold(unit(3, 5));
  world.fold(player(3, "y"));
  world.fold(rule("3", "2"));
  world.fold(ball(1, 3, 9, 0));
  CHECK(world.orphaned() == before + 1);
  CHECK(world.player(3)->player.name() == "y");
}

TEST_CASE("a full world forgets a token that is nowhere in favour of a new one, and no other token") {
  const auto token = [](Id id, words::Token::State state) {
    words::Token made;
    made.set_id(id);
    made.set_state(state);
    return Fact(made);
  };
  WorldLimits limits;
  limits.tokens = 3;
  WorldState world(limits);
  for (const Id id : {1U, 2U, 3U}) world.fold(token(id, words::Token::GROUND));
  world.fold(token(4, words::Token::GROUND));
  CHECK(world.orphaned() == 1);
  world.fold(token(1, words::Token::NOWHERE));
  world.fold(token(2, words::Token::NOWHERE));
  world.fold(token(2, words::Token::GROUND));
  world.fold(token(4, words::Token::GROUND));
  CHECK(world.orphaned() == 1);
  CHECK(world.token(1) == nullptr);
  CHECK(world.token(4) != nullptr);
  world.fold(token(3, words::Token::NOWHERE));
  WorldState same(limits);
  same.copy(world, 0);
  same.fold(token(5, words::Token::CARRIED));
  CHECK(same.tokens().size() == 3);
  CHECK(same.token(3) == nullptr);
  same.fold(token(6, words::Token::GROUND));
  CHECK(same.orphaned() == 1);
}

TEST_CASE("players of whom only they themselves are told take no place of others") {
  WorldLimits limits;
  limits.players = 2;
  WorldState world(limits);
  const auto alone = [](Id id) {
    Fact fact = player(id, "x");
    fact.audience = words::PLAYER;
    fact.to = id;
    return fact;
  };
  for (const Id id : {1U, 2U}) world.fold(player(id, "x"));
  for (const Id id : {3U, 4U}) world.fold(alone(id));
  CHECK(world.orphaned() == 0);
  CHECK(world.player(4) != nullptr);
  world.fold(alone(5));
  world.fold(player(6, "x"));
  world.fold(player(3, "x"));
  CHECK(world.orphaned() == 3);
  CHECK(world.players().size() == 2);
  world.fold(alone(4));
  CHECK(world.orphaned() == 3);
}

TEST_CASE("nothing grows without bound") {
  WorldLimits limits;
  limits.units = 2;
  limits.players = 1;
  limits.rules = 1;
  WorldState world(limits);
  for (Id id = 1; id <= 3; ++id) {
    world.fold(unit(id, 0));
    world.fold(player(id, "x"));
    world.fold(rule(std::to_string(id).c_str(), "1"));
  }
  CHECK(world.units().size() == 2);
  CHECK(world.players().size() == 1);
  CHECK(world.rules().size() == 1);
  CHECK(world.orphaned() == 5);
}

words::Owns owns_many(Id player, Id unit, int times, bool same) {
  words::Owns owns;
  owns.set_player(player);
  for (int i = 0; i < times; ++i) owns.add_units(same ? unit : unit + static_cast<Id>(i));
  return owns;
}

TEST_CASE("a player owns a unit once, and no more units than the limits allow, alone and with all others") {
  WorldLimits limits;
  limits.units = 5;
  limits.owned = 3;
  WorldState world(limits);
  for (const Id id : {1U, 2U, 3U}) world.fold(player(id, "x"));
  world.fold(owns(1, {11, 11, 12, 11}, 12));
  CHECK(world.player(1)->units == std::vector<Id>{11, 12});
  CHECK(world.orphaned() == 2);
  world.fold(owns(1, {11, 12, 13, 14}, 13));
  CHECK(world.player(1)->units == std::vector<Id>{11, 12, 13});
  CHECK(world.orphaned() == 3);
  world.fold(owns(2, {12, 21, 22}, 21));
  CHECK(world.player(2)->units == std::vector<Id>{12, 21});
  CHECK(world.player(2)->active == 21);
  CHECK(world.orphaned() == 4);
  world.fold(owns(3, {}, 31));
  CHECK(world.player(3)->active == 0);
  CHECK(world.orphaned() == 5);
  world.fold(owns(1, {}, 0));
  world.fold(owns(3, {31}, 31));
  CHECK(world.player(3)->active == 31);
  CHECK(world.orphaned() == 5);
}

TEST_CASE("a unit that is gone leaves all who own or steer it, also in a copy of the world") {
  WorldState original = made_of({player(1, "a"), player(2, "b"), player(3, "c"), unit(11, 1), owns(1, {11, 12}, 12),
                                 owns(2, {12, 11}, 11), owns(3, {}, 11)});
  WorldState copy;
  copy.copy(original, 0);
  for (WorldState* const world : {&original, &copy}) {
    world->fold(of_unit<words::Gone>(11));
    CHECK(world->player(1)->units == std::vector<Id>{12});
    CHECK(world->player(1)->active == 12);
    CHECK(world->player(2)->units == std::vector<Id>{12});
    CHECK(world->player(2)->active == 0);
    CHECK(world->player(3)->active == 0);
    words::PlayerGone gone;
    gone.set_id(1);
    world->fold(gone);
    CHECK(world->player(2)->units.empty());
  }
}

TEST_CASE("a player who owns very much leaves in few steps, and so does each unit, however many players there are") {
  constexpr int kMany = 1'000'000;
  for (const bool same : {false, true}) {
    CAPTURE(same);
    WorldState world;
    for (Id id = 1; id <= 1'000; ++id) world.fold(player(id, "x"));
    world.fold(owns_many(2, 7, kMany, same));
    world.fold(owns_many(3, 8, kMany, same));
    CHECK(world.player(2)->units.size() == (same ? 1 : WorldLimits().owned));
    CHECK(world.orphaned() == 2 * (kMany - world.player(2)->units.size()));
    words::PlayerGone gone;
    gone.set_id(2);
    std::uint64_t before = testing::steps();
    world.fold(gone);
    CHECK(testing::steps() - before < 20'000'000);
    before = testing::steps();
    for (Id id = 100'000; id < 101'000; ++id) world.fold(of_unit<words::Gone>(id));
    CHECK(testing::steps() - before < 200'000);
  }
}

TEST_CASE("a geometry without a hash gets one, which is that of its content") {
  words::World map;
  map.set_kind(words::World::TILES);
  map.set_tiles("123");
  WorldState one, same, other;
  one.fold(Fact(map));
  same.fold(Fact(map));
  map.set_tiles("124");
  other.fold(Fact(map));
  CHECK_FALSE(one.geometry()->hash().empty());
  CHECK(one.geometry()->hash() == same.geometry()->hash());
  CHECK(one.geometry()->hash() != other.geometry()->hash());
  map.set_hash("its own");
  one.fold(Fact(map));
  CHECK(one.geometry()->hash() == "its own");
}

TEST_CASE("matching units are returned in the order of their ids") {
  const WorldState world = made_of({unit(3, 1), unit(9, 0), unit(7, 1), unit(1, 1)});
  CHECK(world.sorted_units([](const UnitState& state) { return state.unit.owner() == 1; }) == std::vector<Id>{1, 3, 7});
}

TEST_CASE("the sides of a geometry are centered on the origin") {
  words::World geometry;
  set_sides(geometry, 800, 600);
  CHECK(geometry.ShortDebugString() == "west: -400 east: 400 south: -300 north: 300");
}

TEST_CASE("a rule is a finite number, or the caller's default") {
  const WorldState world = made_of({rule("speed", "12.5"), rule("reload", "often"), rule("range", "inf")});
  CHECK(world.rule("speed", 25) == 12.5);
  CHECK(world.rule("reload", 3.5) == 3.5);
  CHECK(world.rule("range", 350) == 350);
  CHECK(world.rule("turn_rate", 0.785) == 0.785);
}

TEST_CASE("a moving unit is extrapolated for a while") {
  const WorldState world = made_of({unit(1, 0), pose(1, 10, 0, kSecond, 25)});
  const UnitState& state = *world.unit(1);
  CHECK(place_at(state.unit.pose(), state.posed_at, kSecond + kSecond / 2).x() == doctest::Approx(22.5));
  CHECK(place_at(state.unit.pose(), state.posed_at, 10 * kSecond).x() == doctest::Approx(35));
  CHECK(place_at(state.unit.pose(), state.posed_at, 0).x() == 10);
  words::Pose turning;
  turning.set_yaw(1);
  turning.set_yaw_rate(0.5);
  CHECK(place_at(turning, kSecond, 2 * kSecond).yaw() == doctest::Approx(1.5));
}

TEST_CASE("what is told of a unit's size and health stays until something else is told") {
  WorldState world = made_of({unit(11, 1)});
  words::Pose grown;
  grown.set_unit(11);
  grown.set_radius(7);
  world.fold(Fact(grown));
  world.fold(pose(11, 1, 1));  // says nothing of the size
  CHECK(world.unit(11)->unit.radius() == 7);
  words::Health health;
  health.set_unit(11);
  health.set_now(30);
  world.fold(Fact(health));
  CHECK(world.unit(11)->unit.health() == 30);
  CHECK(world.unit(11)->unit.max_health() == 100);
  health.set_max(200);
  world.fold(Fact(health));
  CHECK(world.unit(11)->unit.max_health() == 200);
  world.fold(of_unit<words::Died>(11));
  CHECK(world.unit(11)->unit.health() == 0);
  world.fold(of_unit<words::Spawned>(11));
  CHECK(world.unit(11)->unit.health() == 200);
}

TEST_CASE("a player's ammunition and the delay of its link are known, each player's for itself") {
  words::Ammo ammo;
  ammo.set_player(1);
  ammo.set_clip(5);
  words::Lag lag;
  lag.set_player(1);
  lag.set_ping_s(0.25);
  const WorldState world = made_of({player(1, "anna"), player(2, "ben"), Fact(ammo), Fact(lag)});
  CHECK(world.player(1)->ammo.clip() == 5);
  CHECK(world.player(1)->ping_s == 0.25);
  CHECK(world.player(2)->ammo.clip() == 0);
  CHECK(world.player(2)->ping_s == 0);
}

TEST_CASE("a shot that is moved flies on from its new place, on its new course") {
  WorldState world = made_of({ball(1, 5, 3.0, 0)});
  words::ShotMoved moved;
  moved.set_shooter(1);
  moved.set_shot(5);
  moved.set_x(1);
  moved.set_y(2);
  moved.set_z(3);
  moved.set_vx(4);
  moved.set_vy(5);
  moved.set_vz(6);
  Fact fact(moved);
  fact.at = kSecond;
  world.fold(fact);
  const ShotState* state = world.shot(1, 5);
  REQUIRE(state != nullptr);
  CHECK(state->fired_at == kSecond);
  CHECK(state->shot.x() == 1);
  CHECK(state->shot.y() == 2);
  CHECK(state->shot.z() == 3);
  CHECK(state->shot.vx() == 4);
  CHECK(state->shot.vy() == 5);
  CHECK(state->shot.vz() == 6);
}

TEST_CASE("a map's version changes with each map and each edit, and only then") {
  words::World map;
  map.set_hash("abc");
  words::WorldEdit built;
  built.mutable_edit()->set_x(3);
  WorldState world;
  std::uint64_t version = world.map_version();
  const auto changed = [&] { return std::exchange(version, world.map_version()) != world.map_version(); };
  world.fold(Fact(map));
  CHECK(changed());
  world.fold(Fact(built));
  CHECK(changed());
  world.fold(player(1, "anna"));
  world.fold(unit(11, 1));
  CHECK_FALSE(changed());
  WorldState same;
  same.share_map(world);
  CHECK(same.map_version() == world.map_version());
  same.copy(world, 0);
  CHECK(same.map_version() == world.map_version());
  WorldState other;
  other.share_map(world, [](Id id) { return id; });  // its builders may have other ids
  CHECK(other.map_version() != world.map_version());
  const std::uint64_t before = other.map_version();
  other.share_map(world, [](Id id) { return id + 1; });
  CHECK(other.map_version() != before);
  world.fold(Fact(map));
  CHECK(changed());
  CHECK(world.edits().size() == 0);  // they were of the map before
}

TEST_CASE("a map that is taken from another world has its edits, with the builders' ids of this one") {
  words::World map;
  map.set_hash("abc");
  WorldState world = made_of({Fact(map)});
  for (const Id by : {4U, 0U}) {
    words::WorldEdit built;
    built.set_by(by);
    built.mutable_edit()->set_x(by);
    world.fold(Fact(built));
  }
  words::WorldEdit old;
  old.mutable_edit()->set_x(99);
  WorldState taken = made_of({Fact(old)});
  taken.share_map(world, [](Id id) { return id + 100; });
  CHECK(taken.geometry() == world.geometry());
  const std::vector<BlockEdit> edits = taken.edits().all();
  REQUIRE(edits.size() == 2);
  CHECK(edits[0].by == 104);
  CHECK(edits[1].by == 0);  // nobody stays nobody
}

TEST_CASE("with a new server's world, versions and counts go on, so that nobody takes the new for the old") {
  WorldState world = made_of({unit(11, 0), player(1, "anna"), pose(99, 0, 0)});
  WorldState next = made_of({unit(11, 0), player(1, "ben"), pose(98, 0, 0)});
  const std::uint32_t looks = world.unit(11)->looks_version, players = world.players_version();
  world.become(std::move(next));
  CHECK(world.player(1)->player.name() == "ben");
  CHECK(world.players_version() > players);
  CHECK(world.orphaned() == 2);
  world.fold(of_unit<words::UnitChanged>(11));
  CHECK(world.unit(11)->looks_version > looks);
  CHECK(world.unit(11)->looks_version == 3);
}

TEST_CASE("a copy of a world counts its versions from elsewhere, so that later changes of the two differ") {
  const WorldState world = made_of({unit(11, 0), player(1, "anna")});
  WorldState copy;
  copy.copy(world, 1'000);
  CHECK(copy.unit(11)->looks_version == world.unit(11)->looks_version);
  CHECK(copy.players_version() == world.players_version() + 1'000);
  copy.fold(of_unit<words::UnitChanged>(11));
  CHECK(copy.unit(11)->looks_version == 1'002);
}

TEST_CASE("in flat land a man who stands is on the ground, and one who falls as high above it as he is") {
  words::World geometry;
  set_sides(geometry, 20, 20);
  geometry.set_block(0.5);
  geometry.set_ground("\x04");  // 2 metres everywhere
  const WorldState hills = made_of({Fact(geometry)});
  words::Pose man;
  const auto height = [&](double z, std::uint32_t state) {
    man.set_z(z);
    man.set_state(state);
    return hills.flattened(man).z();
  };
  CHECK(height(2.7, words::Pose::NONE) == 0);
  CHECK(height(2.7, words::Pose::FALLING) == doctest::Approx(0.7));
  CHECK(height(3.5, words::Pose::CROUCHING) == doctest::Approx(1.5));  // on something
  CHECK(height(1, words::Pose::FALLING) == 0);
  man.set_x(50);  // outside
  CHECK(height(2.7, words::Pose::FALLING) == doctest::Approx(2.7));
  CHECK(made_of({}).flattened(man).z() == doctest::Approx(2.7));
}

TEST_CASE("land whose hills are taken away has what stands on it at the height above the ground") {
  words::World geometry;
  set_sides(geometry, 20, 20);
  geometry.set_block(0.5);
  geometry.set_ground("\x04");
  geometry.add_solids()->set_z(2);
  geometry.add_solids()->set_z(6);
  geometry.add_bases()->mutable_solid()->set_z(2);
  geometry.add_teleporters()->mutable_frame()->set_z(2);
  const words::World flat = flattened(geometry);
  CHECK(flat.solids(0).z() == 0);
  CHECK(flat.solids(1).z() == 4);
  CHECK(flat.bases(0).solid().z() == 0);
  CHECK(flat.teleporters(0).frame().z() == 0);
  CHECK(flat.ground().empty());
}

TEST_CASE("the score of a team that does not exist is counted, and not kept") {
  words::TeamScore score;
  score.set_team(static_cast<words::Team>(99));
  const WorldState world = made_of({Fact(score)});
  CHECK(world.team_scores().empty());
  CHECK(world.orphaned() == 1);
}

}  // namespace
}  // namespace entente::core::world_test
