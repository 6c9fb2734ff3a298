// The states of a bridge's player, as the README draws them.
#include "proxy/relay/sessions/whereabouts.h"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "tests/support/paths.h"

namespace entente::relay::whereabouts_test {
namespace {

const char* name_of(Standing standing) {
  switch (standing) {
    case Standing::kGreets:
      return "greets";
    case Standing::kJoins:
      return "joins";
    case Standing::kPlays:
      return "plays";
    case Standing::kWaits:
      return "waits";
    case Standing::kEntersArena:
      return "enters_arena";
    case Standing::kVisits:
      return "visits";
    case Standing::kMoves:
      return "moves";
    case Standing::kLeaves:
      return "leaves";
  }
  return "";
}

TEST_CASE("the README draws all changes of where a player is, and no others") {
  std::string drawing = "```mermaid\nstateDiagram-v2\n  [*] --> greets\n";
  for (const Whereabouts::Step& step : Whereabouts::kSteps)
    drawing += "  " + std::string(name_of(step.from)) + " --> " + name_of(step.to) + ": " + step.when + "\n";
  drawing += "```\n";
  std::ifstream file(testing::source_dir() + "/proxy/relay/README.md");
  std::ostringstream text;
  text << file.rdbuf();
  CHECK_MESSAGE(text.str().find(drawing) != std::string::npos, drawing);
}

}  // namespace
}  // namespace entente::relay::whereabouts_test
