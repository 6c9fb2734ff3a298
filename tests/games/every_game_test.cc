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

TEST_CASE("every FORMAT.md matches the layouts") {
  for (const wire::Game* game : games())
    if (game->name() != "native") check_format_is_true(*game);  // its layout is schema/game.proto itself
}

}  // namespace
}  // namespace entente::every_game_test
