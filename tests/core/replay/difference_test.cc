// What a client is told when one world takes the place of another: what is different, and nothing else.
#include "proxy/core/replay/difference.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/core/replay/replay_show.h"

namespace entente::testing::difference_test {

using namespace replay_show;

namespace {

words::Token token(Id id, double x) {
  words::Token token;
  token.set_id(id);
  token.set_x(x);
  return token;
}

words::Score score(Id player, std::uint32_t wins) {
  words::Score score;
  score.set_player(player);
  score.set_wins(wins);
  return score;
}

words::TeamScore team_score(words::Team team, std::uint32_t wins) {
  words::TeamScore score;
  score.set_team(team);
  score.set_wins(wins);
  return score;
}

words::Rule rule(const char* name, const char* value) {
  words::Rule rule;
  rule.set_name(name);
  rule.set_value(value);
  return rule;
}

words::World land(const char* hash) {
  words::World land;
  land.set_hash(hash);
  return land;
}

words::WorldEdit built(double x) {
  words::WorldEdit built;
  built.mutable_edit()->set_x(x);
  return built;
}

words::Room room(const char* name) {
  words::Room room;
  room.set_name(name);
  return room;
}

words::Round round(double left) {
  words::Round round;
  round.set_left_s(left);
  return round;
}

words::Board board(const char* first) {
  words::Board board;
  board.add_rows()->set_name(first);
  return board;
}

words::Shot shot(std::uint32_t number) {
  words::Shot shot;
  shot.set_shooter(1);
  shot.set_shot(number);
  shot.set_life(9);
  return shot;
}

words::Owns steers(Id player, std::initializer_list<Id> units, Id active) {
  words::Owns owns;
  owns.set_player(player);
  for (const Id id : units) owns.add_units(id);
  owns.set_active(active);
  return owns;
}

template <class Word>
Word of_unit(Id id) {
  Word word;
  word.set_unit(id);
  return word;
}

words::PlayerGone gone(Id player) {
  words::PlayerGone gone;
  gone.set_id(player);
  return gone;
}

/// A world with something of each kind, and then `more`.
WorldState world_with(const std::vector<Fact>& more) {
  const std::vector<Fact> facts{room("a"),           rule("speed", "25"),
                                land("hills"),       built(1),
                                player(1),           player(2),
                                unit(11, 1),         unit(12, 1),
                                unit(13, 2),         steers(1, {11, 12}, 11),
                                steers(2, {13}, 13), score(1, 1),
                                token(50, 5),        team_score(words::RED, 3),
                                board("p1"),         round(10)};
  WorldState world;
  for (const Fact& fact : facts) world.fold(fact);
  for (const Fact& fact : more) world.fold(fact);
  return world;
}

std::vector<Fact> difference(const WorldState& from, const WorldState& to, Id stays = 0) {
  std::vector<Fact> facts;
  tell_difference(
      from, to, [&](Id id) { return id == stays; }, [&](Fact fact) { facts.push_back(std::move(fact)); });
  return facts;
}

std::string names(const std::vector<Fact>& facts) {
  std::string all;
  for (const Fact& fact : facts) all += (all.empty() ? "" : " ") + std::string(name_of(fact));
  return all;
}

std::string all_of(const WorldState& world) {
  std::string all;
  world.tell([&](const Fact& fact) {
    Buffer bytes;
    write(fact, bytes);
    all += std::string(name_of(fact)) + std::string(as_text(bytes)) + "\n";
  });
  return all;
}

}  // namespace

TEST_CASE(
    "of two worlds that differ in one thing, only that is told, and a client that knew one then knows the other") {
  words::UnitChanged painted = of_unit<words::UnitChanged>(11);
  painted.set_colour(0x102030);
  words::Health hurt = of_unit<words::Health>(11);
  hurt.set_now(7);
  words::Player renamed = player(1);
  renamed.set_name("anna");
  struct Case {
    const char* what;
    std::vector<Fact> change;
    const char* told;
  };
  const Case cases[] = {
      {"nothing", {}, ""},
      {"the room's name", {room("b")}, "Room"},
      {"the value of a rule", {rule("speed", "30")}, "Rule"},
      {"another rule", {rule("reload", "2")}, "Rule"},
      {"a new map", {land("plains")}, "World"},
      {"one more edit of the map", {built(2)}, "WorldEdit"},
      {"a player's name", {renamed}, "Player"},
      {"one more player", {player(3)}, "Player Owns Score"},
      {"one more unit", {unit(14, 0)}, "Unit"},
      {"a unit's looks", {painted}, "Unit"},
      {"a unit's life", {of_unit<words::Died>(11)}, "Unit"},
      {"a unit's health", {hurt}, "Health"},
      {"a unit's place", {pose(11, 9)}, "Pose"},
      {"a unit's health and place", {hurt, pose(11, 9)}, "Health Pose"},
      {"a unit is hidden", {of_unit<words::Hidden>(11)}, "Hidden"},
      {"the unit that a player steers", {steers(1, {11, 12}, 12)}, "Owns"},
      {"the units that a player has", {steers(1, {11}, 11)}, "Owns"},
      {"a player's score", {score(1, 2)}, "Score"},
      {"a shot", {shot(7)}, "Shot"},
      {"a token's place", {token(50, 6)}, "Token"},
      {"one more token", {token(51, 6)}, "Token"},
      {"a team's score", {team_score(words::RED, 4)}, "TeamScore"},
      {"the score of one more team", {team_score(words::BLUE, 0)}, "TeamScore"},
      {"the board", {board("p2")}, "Board"},
      {"the round", {round(5)}, "Round"},
      {"one unit less", {of_unit<words::Gone>(12)}, "Gone Owns"},
      {"one player less", {gone(2)}, "Gone PlayerGone"},
  };
  const WorldState from = world_with({});
  for (const Case& one : cases) {
    CAPTURE(one.what);
    const WorldState to = world_with(one.change);
    const std::vector<Fact> told = difference(from, to);
    CHECK(names(told) == one.told);
    WorldState client = world_with({});
    for (const Fact& fact : told) client.fold(fact);
    CHECK(all_of(client) == all_of(to));
  }
}

TEST_CASE("what only the first of two worlds has is taken from a client: shots, tokens, units and players") {
  words::Token taken = token(51, 6), nowhere = token(52, 0);
  taken.set_state(words::Token::CARRIED);
  taken.set_carrier(1);
  nowhere.set_state(words::Token::NOWHERE);
  const WorldState from = world_with({shot(7), Fact(taken), Fact(nowhere), unit(15, 0), unit(14, 0), player(3)});
  const std::vector<Fact> told = difference(from, world_with({}));
  REQUIRE(names(told) == "ShotEnded Token Gone Gone PlayerGone");
  CHECK(as<words::ShotEnded>(told[0])->shooter() == 1);
  CHECK(as<words::ShotEnded>(told[0])->shot() == 7);
  CHECK(as<words::Token>(told[1])->id() == 51);  // nobody sees the other one
  CHECK(as<words::Token>(told[1])->state() == words::Token::NOWHERE);
  CHECK(as<words::Token>(told[1])->carrier() == 0);
  CHECK(as<words::Gone>(told[2])->unit() == 14);  // in the order of their ids
  CHECK(as<words::Gone>(told[3])->unit() == 15);
  CHECK(as<words::PlayerGone>(told[4])->id() == 3);
  CHECK(names(difference(from, world_with({}), 3)) == "ShotEnded Token Gone Gone");
}

TEST_CASE("a shot that two worlds have ends and begins again, because it may be elsewhere") {
  const WorldState one = world_with({shot(7)}), other = world_with({shot(7)});
  CHECK(names(difference(one, other)) == "ShotEnded Shot");
}

TEST_CASE("a map with fewer edits is sent as a whole, because no word takes an edit back") {
  const WorldState more = world_with({built(2)}), fewer = world_with({});
  const std::vector<Fact> told = difference(more, fewer);
  CHECK(names(told) == "World WorldEdit");
  WorldState client = world_with({built(2)});
  for (const Fact& fact : told) client.fold(fact);
  CHECK(all_of(client) == all_of(fewer));
  CHECK(resends_land(more, fewer));
  CHECK_FALSE(resends_land(fewer, more));
}

TEST_CASE("the most facts of a difference are those of two full worlds that have nothing in common") {
  constexpr WorldLimits kLimits{.units = 100, .players = 7, .tokens = 8, .rules = 9, .shots = 11};
  WorldState from(kLimits), to(kLimits);
  const auto fill = [&](WorldState& world, Id first) {
    const auto each = [first](std::size_t most, const auto& tell) {
      for (std::size_t i = 0; i < most; ++i) tell(static_cast<Id>(first + i));
    };
    const std::string name = std::to_string(first);
    world.fold(room(name.c_str()));
    world.fold(land(name.c_str()));
    each(kLimits.rules, [&](Id id) { world.fold(rule(std::to_string(id).c_str(), "on")); });
    for (int i = 0; i < 1'000; ++i) world.fold(built(i));
    each(kLimits.players, [&](Id id) { world.fold(player(id)); });
    each(kLimits.players, [&](Id id) { world.fold(score(id, 1)); });
    each(kLimits.units, [&](Id id) {
      world.fold(unit(id + 1'000, 0));
      words::Hidden hidden;
      hidden.set_unit(id + 1'000);
      world.fold(hidden);
    });
    each(kLimits.shots, [&](Id id) { world.fold(shot(id)); });
    each(kLimits.tokens, [&](Id id) {
      words::Token lies = token(id + 2'000, 1);
      lies.set_state(words::Token::GROUND);
      world.fold(lies);
    });
    for (const words::Team team : {words::RED, words::BLUE}) world.fold(team_score(team, first));
    world.fold(board(name.c_str()));
    world.fold(round(first));
  };
  fill(from, 1);
  fill(to, 10'001);
  std::size_t facts = 0;
  tell_difference(
      from, to, [](Id) { return false; }, [&](const Fact&) { ++facts; });
  facts += kLimits.units * 3 / 2 + EditList::kFew - to.edits().size();  // edits that could be there
  facts += words::Team_ARRAYSIZE - 2;                                   // and scores of teams
  facts += 1;                                                           // and Ready
  CHECK(facts == most_facts_of_difference(kLimits));
}

}  // namespace entente::testing::difference_test
