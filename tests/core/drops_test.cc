// The tables of what rooms, arenas and replays drop: no line is in none of them, and each gives its reason.
#include "proxy/core/drops.h"

#include <doctest/doctest.h>

#include <fstream>
#include <set>
#include <string>
#include <utility>

#include "tests/support/paths.h"

namespace entente::core::drops_test {
namespace {

/// How many lines the header has, without those that each game has in a table of its own.
std::size_t lines_of_header() {
  std::ifstream file(testing::source_dir() + "/proxy/core/drops.h");
  std::size_t found = 0;
  bool own_section = false, own_line = false;
  for (std::string line; std::getline(file, line);) {
    const bool own = line.find("in its own table") != line.npos;
    if (line.starts_with("// -- ")) own_section = own;
    if (line.starts_with("/// ")) own_line = own;
    if (!line.starts_with("inline constexpr MappingLine k")) continue;
    if (!std::exchange(own_line, false) && !own_section) ++found;
  }
  return found;
}

TEST_CASE("each drop is in one of the tables, with a reason") {
  std::set<std::pair<std::string, std::string>> all;
  for (const auto table : {room_mapping(), arena_mapping(), replay_mapping()})
    for (const MappingLine& line : table) {
      CHECK_FALSE(std::string(line.reason).empty());
      CHECK_MESSAGE(all.emplace(line.word, line.reason).second, line.word << ": " << line.reason);
    }
  CHECK(lines_of_header() > 20);
  CHECK(all.size() == lines_of_header());
}

}  // namespace
}  // namespace entente::core::drops_test
