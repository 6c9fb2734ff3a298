// What an owner stores of the players in its arena.
#include "proxy/fleet/arena/saved_arena.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <utility>

namespace entente::fleet::saved_arena_test {
namespace {

TEST_CASE("a player who moves is stored where it is now, not where its last pose was told") {
  core::WorldState world;
  const auto tell = [&](core::Fact fact) {
    fact.at = core::kSecond;
    world.fold(fact);
  };
  words::Player anna;
  anna.set_id(1);
  anna.set_name("anna");
  tell(anna);
  words::Unit tank;
  tank.set_id(11);
  tank.set_owner(1);
  tank.set_alive(true);
  tank.mutable_pose()->set_unit(11);
  tank.mutable_pose()->set_x(3);
  tank.mutable_pose()->set_vx(10);
  tell(tank);
  words::Owns owns;
  owns.set_player(1);
  owns.add_units(11);
  owns.set_active(11);
  tell(owns);
  REQUIRE(world.player(1) != nullptr);
  const auto saved = save(world, *world.player(1), core::kSecond + core::kSecond / 2);
  CHECK(saved.pose().x() == doctest::Approx(8));
  CHECK(saved.pose().y() == 0);
}

TEST_CASE(
    "the stream of stored arenas keeps only the last one of each, for ten minutes, on as many servers as it is told") {
  const StreamOptions options = saved_arenas(Subjects("entente"), 3);
  CHECK(options.name == "entente-snapshots");
  CHECK(options.subjects == std::vector<std::string>{"entente.snapshot.*"});
  CHECK(options.most_per_subject == 1);
  CHECK(options.keep == 600'000);
  CHECK(options.replicas == 3);
}

/// A world with a player `anna` and her tank.
core::WorldState with_anna(bool alive, const std::string& motto = "") {
  core::WorldState world;
  words::Player anna;
  anna.set_id(1);
  anna.set_name("anna");
  anna.set_motto(motto);
  world.fold(core::Fact(std::move(anna)));
  words::Score score;
  score.set_player(1);
  score.set_losses(3);
  world.fold(core::Fact(score));
  words::Unit tank;
  tank.set_id(11);
  tank.set_owner(1);
  tank.set_alive(alive);
  tank.set_health(40);
  tank.mutable_pose()->set_unit(11);
  tank.mutable_pose()->set_x(3);
  world.fold(core::Fact(std::move(tank)));
  words::Owns owns;
  owns.set_player(1);
  owns.add_units(11);
  owns.set_active(11);
  world.fold(core::Fact(std::move(owns)));
  words::Token flag;
  flag.set_id(20);
  flag.set_kind(words::Token::TEAM_FLAG);
  world.fold(core::Fact(std::move(flag)));
  words::TeamScore team;
  team.set_team(words::RED);
  team.set_wins(5);
  world.fold(core::Fact(team));
  return world;
}

TEST_CASE("an arena is stored with its players, flags and scores; a player who is not in play has no place") {
  for (const bool alive : {false, true}) {
    CAPTURE(alive);
    const bus::SavedArena saved =
        save(with_anna(alive), 0, [](core::Id id, bus::SavedArena::Player& player) { player.set_seat(id + 7); });
    REQUIRE(saved.players_size() == 1);
    const auto& anna = saved.players(0);
    CHECK(anna.who().name() == "anna");
    CHECK(anna.score().losses() == 3);
    CHECK(anna.seat() == 8);
    CHECK(anna.has_pose() == alive);
    CHECK(anna.health() == (alive ? 40 : 0));
    CHECK(start_of(anna).pose.has_value() == alive);
    CHECK(saved.tokens_size() == 1);
    REQUIRE(saved.teams_size() == 1);
    CHECK(saved.teams(0).wins() == 5);
  }
}

TEST_CASE("an arena that would be too large to store is stored without its players") {
  const auto stored = [](std::size_t motto) {
    return save(with_anna(true, std::string(motto, 'x')), 0, [](core::Id, bus::SavedArena::Player&) {});
  };
  const std::size_t empty = stored(kMostSaved - 1'000).ByteSizeLong() - (kMostSaved - 1'000);
  const bus::SavedArena most = stored(kMostSaved - empty), more = stored(kMostSaved - empty + 1);
  CHECK(most.ByteSizeLong() == kMostSaved);
  CHECK(most.players_size() == 1);
  CHECK(more.players_size() == 0);
  CHECK(more.tokens_size() == 1);
  CHECK(more.teams_size() == 1);
}

TEST_CASE("a round is stored with the time that is left now, not with the time that was told last") {
  for (const bool paused : {false, true}) {
    CAPTURE(paused);
    core::WorldState world;
    words::Round round;
    round.set_state(words::Round::RUNNING);
    round.set_paused(paused);
    round.set_left_s(100);
    core::Fact fact(std::move(round));
    fact.at = core::kSecond;
    world.fold(fact);
    const auto saved = save(world, 31 * core::kSecond, [](core::Id, bus::SavedArena::Player&) {});
    CHECK(saved.round().left_s() == doctest::Approx(paused ? 100 : 70));
  }
}

Outcome<ReadArena> read(const bus::SavedArena& saved) { return read_arena(as_bytes(saved.SerializeAsString())); }

TEST_CASE("a stored arena is refused if it does not decode, has numbers that are not finite, or is too large") {
  CHECK_FALSE(read_arena(as_bytes("\xff")).ok());
  bus::SavedArena saved;
  CHECK(read(saved).ok());
  saved.add_players()->mutable_who()->set_name("anna");
  saved.mutable_players(0)->mutable_pose()->set_x(std::numeric_limits<double>::infinity());
  CHECK_FALSE(read(saved).ok());
  saved.clear_players();
  for (int i = 0; i < 10'000; ++i) saved.add_players();
  for (int i = 0; i < 2'000; ++i) saved.add_tokens();
  CHECK(read(saved).ok());
  saved.add_players();
  CHECK_FALSE(read(saved).ok());
  saved.mutable_players()->RemoveLast();
  saved.add_tokens();
  CHECK_FALSE(read(saved).ok());
}

TEST_CASE("of a stored arena, players without a name are left out, and of two with one name the second") {
  bus::SavedArena saved;
  const auto add = [&](const std::string& name, const std::string& node, std::uint32_t seat) {
    auto& player = *saved.add_players();
    player.mutable_who()->set_name(name);
    player.mutable_score()->set_losses(seat);
    player.set_node(node);
    player.set_run(9);
    player.set_seat(seat);
  };
  add("anna", "edge", 1);
  add("", "edge", 2);
  add("anna", "edge", 3);
  add("bot", "", 4);
  saved.mutable_round()->set_winning_team(words::RED);
  saved.add_teams()->set_wins(5);
  saved.set_closed(true);
  const auto arena = read(saved);
  REQUIRE(arena.ok());
  REQUIRE(arena->starts.size() == 2);
  CHECK(arena->starts[0].name == "anna");
  CHECK(arena->starts[0].score.losses() == 1);
  CHECK(arena->starts[0].held);  // until its node asks for it
  CHECK(arena->starts[1].name == "bot");
  CHECK_FALSE(arena->starts[1].held);
  REQUIRE(arena->seats.size() == 1);
  CHECK(arena->seats.begin()->first == SeatOf("edge", 9, 1));
  CHECK(arena->in_play.round.winning_team() == words::RED);
  CHECK(arena->in_play.closed);
  REQUIRE(arena->in_play.team_scores.size() == 1);
  CHECK(arena->in_play.team_scores[0].wins() == 5);
}

TEST_CASE("a player begins at the next owner with all that was stored of it, and finds its flag by its former id") {
  bus::SavedArena saved;
  auto& anna = *saved.add_players();
  anna.mutable_who()->set_id(7);
  anna.mutable_who()->set_name("anna");
  anna.mutable_who()->set_team(words::BLUE);
  anna.mutable_pose()->set_x(3);
  anna.set_health(40);
  anna.mutable_score()->set_losses(2);
  anna.set_node("edge");
  auto& flag = *saved.add_tokens();
  flag.set_id(20);
  flag.set_carrier(7);
  const auto arena = read(saved);
  REQUIRE(arena.ok());
  REQUIRE(arena->starts.size() == 1);
  const core::SavedPlayer& start = arena->starts[0];
  CHECK(start.id == 7);
  CHECK(start.name == "anna");
  CHECK(start.team == words::BLUE);
  REQUIRE(start.pose.has_value());
  CHECK(start.pose->x() == 3);
  CHECK(start.health == 40);
  CHECK(start.score.losses() == 2);
  CHECK(start.held);
  REQUIRE(arena->in_play.tokens.size() == 1);
  CHECK(arena->in_play.tokens[0].id() == 20);
  CHECK(arena->in_play.tokens[0].carrier() == 7);
  CHECK_FALSE(arena->in_play.closed);
}

}  // namespace
}  // namespace entente::fleet::saved_arena_test
