// The states of a room's transition, as the README draws them.
#include "proxy/core/room/transition.h"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "tests/support/paths.h"

namespace entente::core::transition_test {
namespace {

const char* name_of(Transition::State state) {
  switch (state) {
    case Transition::State::kHere:
      return "here";
    case Transition::State::kAnew:
      return "anew";
    case Transition::State::kLost:
      return "lost";
    case Transition::State::kMoves:
      return "moves";
  }
  return "";
}

TEST_CASE("the README draws all changes of a transition's state, and no others") {
  std::string drawing = "```mermaid\nstateDiagram-v2\n  [*] --> here\n";
  for (const Transition::Step& step : Transition::kSteps)
    drawing += "  " + std::string(name_of(step.from)) + " --> " + name_of(step.to) + ": " + step.when + "\n";
  drawing += "```\n";
  std::ifstream file(testing::source_dir() + "/proxy/core/README.md");
  std::ostringstream text;
  text << file.rdbuf();
  CHECK_MESSAGE(text.str().find(drawing) != std::string::npos, drawing);
}

}  // namespace
}  // namespace entente::core::transition_test
