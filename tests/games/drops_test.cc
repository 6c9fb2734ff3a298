// A session counts everything that it drops by a named line of the mapping. The types ensure that drop() takes a line
// and no text. This test reads the sources, and ensures that each line is in its own game's table.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "adapters/registry.h"
#include "tests/support/paths.h"
#include "tests/support/pattern.h"

namespace entente::drops_test {

namespace fs = std::filesystem;

namespace {

using Names = std::set<std::string>;

struct Source {
  std::string path;  // from the root
  std::string code;  // without comments
};

std::string code_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return testing::replaced(text.str(), R"(//[^\n]*)", "");
}

std::vector<Source> sources(const std::string& folder) {
  const fs::path root = testing::source_dir();
  std::vector<Source> all;
  for (const auto& entry : fs::recursive_directory_iterator(root / folder))
    if (entry.path().extension() == ".cc" || entry.path().extension() == ".h")
      all.push_back({fs::relative(entry.path(), root).generic_string(), code_of(entry.path())});
  return all;
}

std::vector<std::string> found(const char* what, const std::string& code) {
  std::vector<std::string> all;
  for (const auto& groups : testing::all_matches(code, what)) all.push_back(groups[1]);
  return all;
}

// The folders whose sessions drop something, each with the file that has its table.
struct Place {
  std::string folder, table;
};

const std::vector<Place>& places() {
  static const std::vector<Place> all = [] {
    std::vector<Place> places{{"proxy/core", "proxy/core/drops.cc"}};
    for (const wire::Game* game : games()) {
      const std::string folder = "adapters/" + std::string(game->name());
      if (mapping_of(*game).empty()) continue;
      places.push_back({folder, folder + (game->name() == "native" ? "/native.cc" : "/wire/mapping.cc")});
    }
    return places;
  }();
  return all;
}

std::vector<std::string> in_drops(const Place& place, const char* what) {
  return found(what, code_of((fs::path(testing::source_dir()) / place.table).replace_filename("drops.h")));
}

// The lines that the place defines, and those that it shares with others.
std::vector<std::string> own_lines(const Place& place) {
  return in_drops(place, R"(inline constexpr MappingLine (k\w+))");
}
std::vector<std::string> shared_lines(const Place& place) { return in_drops(place, R"(using core::drops::(k\w+))"); }

// The lines that this code names, without "drops::".
Names named_lines(const std::string& code) {
  const auto all = found(R"(\bdrops::(k\w+))", code);
  return {all.begin(), all.end()};
}

bool makes_lines(const std::string& path) {
  return path.ends_with("/drops.h") || path.ends_with("/mapping.h") || path.ends_with("/mapping.cc") ||
         path == "proxy/core/drops.cc" || path == "adapters/native/native.cc" || path == "adapters/registry.cc";
}

// The calls in this code whose argument is not a line of the table. A line is given by its name, as a choice of two, or
// by a pointer.
std::vector<std::string> bad_calls(const std::string& code) {
  constexpr const char* kCall = R"(out_?(?:\.|->)drop\s*\(([^;]*?)\)\s*[;,}])";
  constexpr const char* kLine = R"((?:[^?,]*\?\s*drops::k\w+\s*:\s*)?(?:(?:core::)?drops::k\w+|\*\w+)\s*(?:,[^"]*)?)";
  constexpr const char* kRefusal = R"(\brefuse_(?:shot|claim)\s*\(([^;{]*?)\)\s*;)";
  constexpr const char* kRefused = R"([^;]*,\s*(?:(?:core::)?drops::k\w+|\*\w+)\s*,\s*out)";
  std::vector<std::string> bad;
  for (const std::string& call : found(kRefusal, code))
    if (!testing::matched(call, kRefused) && call.find("const MappingLine& why") == call.npos) bad.push_back(call);
  const bool refuses = code.find("const MappingLine& why") != code.npos;  // those who call it name the line
  for (const std::string& call : found(kCall, code))
    if (!testing::matched(call, kLine) && !(refuses && call.starts_with("why"))) bad.push_back(call);
  return bad;
}

}  // namespace

TEST_CASE("each drop() names a line, and only the file of a table defines lines") {
  constexpr const char* kMade =
      R"(\b(dropped_(?:up|down|intent|fact)|no_intent|no_fact|MappingLine k\w+|MappingLine\s*\{)\s*[\(=\{\["])";
  for (const char* top : {"adapters", "proxy/core"})
    for (const Source& source : sources(top)) {
      for (const std::string& call : bad_calls(source.code)) FAIL_CHECK(source.path, ": drop(", call, ")");
      if (makes_lines(source.path)) continue;
      for (const std::string& made : found(kMade, source.code)) FAIL_CHECK(source.path, ": makes a line: ", made);
    }
}

TEST_CASE("each named line is in its table, and is used") {
  const auto in_table = [](const Place& place) {
    return named_lines(code_of(fs::path(testing::source_dir()) / place.table));
  };
  Names all_listed;
  for (const Place& place : places()) all_listed.merge(in_table(place));
  for (const Place& place : places()) {
    Names used;
    for (const Source& source : sources(place.folder))
      if (!makes_lines(source.path)) used.merge(named_lines(source.code));
    const Names listed = in_table(place);
    const auto lines = own_lines(place);
    CHECK_FALSE(lines.empty());
    for (const std::string& line : lines) {
      // Games share some lines of a room.
      CHECK_MESSAGE((place.folder == "proxy/core" ? all_listed : listed).contains(line), place.table, ": lacks ", line);
      CHECK_MESSAGE(used.contains(line), place.folder, ": nothing is dropped by ", line);
    }
    for (const std::string& line : shared_lines(place))
      CHECK_MESSAGE(listed.contains(line), place.table, ": lacks ", line);
  }
}

TEST_CASE("a call without a line is found") {
  CHECK(bad_calls("out.drop(drops::kFull);") == std::vector<std::string>{});
  CHECK(bad_calls("return out.drop(drops::kFull), std::nullopt;").empty());
  CHECK(bad_calls("if (why) out.drop(*why, intent);").empty());
  CHECK(bad_calls("[&](auto&) { out.drop(far ? drops::kFar : drops::kFull); }").empty());
  CHECK(bad_calls("out.drop(\"Say\", \"no chat\");").size() == 1);
  CHECK(bad_calls("out.drop(MappingLine(a, b));").size() == 1);
  CHECK(bad_calls("out.drop(kFull);").size() == 1);
  CHECK(bad_calls("core::refuse_shot(shooting, me_, drops::kFull, out);").empty());
  CHECK(bad_calls("core::refuse_shot(shooting, me_, \"full\", out);").size() == 1);
}

}  // namespace entente::drops_test
