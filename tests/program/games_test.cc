#include "proxy/program/games.h"

#include <doctest/doctest.h>

#include <array>
#include <fstream>
#include <sstream>

#include "adapters/registry.h"
#include "tests/support/paths.h"
#include "tests/support/toy_game.h"

namespace entente::games_test {

TEST_CASE("the table has a row for each dialect, in columns") {
  const std::array<const wire::Game*, 1> known = {&toy::game()};
  CHECK(games_table(known, false) ==
        "game  dialect  port  transport    roles                           about\n"
        "toy   big      7     TCP and UDP  relay, record, inspect, verify  big endian\n"
        "toy   little   7     TCP and UDP  relay, record, inspect, verify  little endian, stamped\n"
        "\n"
        "A client of any game with a front can play on a server of any game with a back; `entente explain CLIENT "
        "SERVER`\n"
        "lists what works. Without a dialect, a listener speaks the first one of its game; an Ogar listener accepts "
        "all.\n");
}

TEST_CASE("the table in the README is the output of `entente games --markdown`") {
  std::ifstream file(testing::source_dir() + "/README.md");
  std::ostringstream readme;
  readme << file.rdbuf();
  const std::string text = readme.str(), begin = "<!-- games -->\n", end = "<!-- /games -->";
  const std::size_t from = text.find(begin), to = text.find(end);
  REQUIRE(from != std::string::npos);
  REQUIRE(to != std::string::npos);
  CHECK(text.substr(from + begin.size(), to - from - begin.size()) == games_table(games(), true));
}

TEST_CASE("every dialect has a front and a back, as the README says") {
  for (const wire::Game* game : games())
    for (std::size_t dialect = 0; dialect < game->dialects().size(); ++dialect) {
      CAPTURE(game->name());
      CAPTURE(dialect);
      CHECK(faces_of(*game).has_front(dialect));
      CHECK(faces_of(*game).has_back(dialect));
    }
}

TEST_CASE("every game has a unique name, by which it is found") {
  for (const wire::Game* game : games()) CHECK(find_game(game->name()) == game);
  CHECK(find_game("quake") == nullptr);
}

}  // namespace entente::games_test
