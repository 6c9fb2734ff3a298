// The laws of wire/, for every game and dialect of the registry.
#include <doctest/doctest.h>

#include "adapters/registry.h"
#include "tests/support/laws.h"

namespace entente::every_game_test {
namespace {

TEST_CASE("every invented message of every dialect survives decode and encode") {
  for (const wire::Game* game : games()) check_invented_messages_survive(*game, 50);
}

TEST_CASE("every damaged message is a fault, or exact") {
  for (const wire::Game* game : games()) check_damaged_messages_are_faults_or_exact(*game, 50);
}

TEST_CASE("what a listener says by itself is a message of its dialect, at every stage and for every end") {
  const wire::ClientStage stages[] = {wire::ClientStage::kNew, wire::ClientStage::kJoining,
                                      wire::ClientStage::kPlaying};
  for (const wire::Game* game : games())
    for (std::size_t dialect = 0; dialect < game->dialects().size(); ++dialect) {
      const std::string_view name = game->dialects()[dialect].name;
      CAPTURE(game->name());
      CAPTURE(name);
      for (const wire::ClientStage stage : stages)
        for (int why = 0; why <= static_cast<int>(wire::Parting::kBanned); ++why)
          for (const Buffer& frame : game->last_words(dialect, stage, static_cast<wire::Parting>(why), "be nice"))
            CHECK_FALSE(frame.empty());
      for (const wire::Query& query : game->queries()) {
        const std::string said = game->answer(
            query, {.name = "home", .map = "flat", .mode = "ctf", .dialect = name, .players = 1, .most_players = 300});
        CHECK(said.size() <= query.largest_answer);
      }
      const Buffer greeting = game->greeting(dialect, 3);
      if (!greeting.empty()) CHECK(game->greeted_as(greeting) == 3);
      CHECK(game->only_asks({}, dialect) == !greeting.empty());
    }
}

TEST_CASE("every FORMAT.md matches the layouts") {
  for (const wire::Game* game : games())
    if (game->name() != "native") check_format_is_true(*game);  // its layout is schema/game.proto itself
}

}  // namespace
}  // namespace entente::every_game_test
