// Each time constant of rooms, faces and sessions is in time_limits.tsv, which says what it is for:
//   pace   how often something is sent or tried again
//   shown  how long a client is shown something, or how long something is extrapolated
//   kept   how long something is remembered
//   limit  after this time something is refused, cut or assumed; the last column is the code that tells who waits for
//   it
// A new constant fails this test until it has a line, so nobody adds a limit that nobody is told about. Limits that the
// configuration can set end a session, so they have a Reason, which has words.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "proxy/relay/base/reason.h"
#include "tests/support/paths.h"
#include "tests/support/pattern.h"

namespace entente::time_limits_test {

namespace fs = std::filesystem;

namespace {

using Constant = std::pair<std::string, std::string>;  // path, name

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string code_in(const fs::path& path) { return testing::replaced(read(path), R"(//[^\n]*)", ""); }

bool is_listed(const std::string& path) {
  if (path.starts_with("adapters/"))
    return path.find("/front/") != std::string::npos || path.find("/back/") != std::string::npos;
  for (const char* one : {"proxy/core/replay/", "proxy/core/bot/", "proxy/core/word.h", "proxy/relay/tap/",
                          "proxy/relay/broadcast/", "proxy/relay/base/log_limiter.h", "proxy/relay/worker.cc"})
    if (path.starts_with(one)) return false;
  return !path.ends_with("_timer.h") && !path.ends_with("timer_queue.h");
}

std::set<Constant> constants() {
  const fs::path root = testing::source_dir();
  std::set<Constant> all;
  for (const char* top : {"adapters", "proxy/core", "proxy/relay"})
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string path = fs::relative(entry.path(), root).generic_string();
      if ((!path.ends_with(".cc") && !path.ends_with(".h")) || !is_listed(path)) continue;
      for (const auto& found : testing::all_matches(
               code_in(entry.path()), R"(constexpr[[:space:]]+(core::)?(Micros|Millis)[[:space:]]+([^;]*);)"))
        for (const auto& name : testing::all_matches(found[3], R"((k[A-Z][[:alnum:]]*)[[:space:]]*=)"))
          all.insert({path, name[1]});
    }
  return all;
}

struct Row {
  std::string kind, told;
};

std::map<Constant, Row> table() {
  std::istringstream lines(read(fs::path(testing::source_dir()) / "tests/games/time_limits.tsv"));
  std::map<Constant, Row> all;
  std::string line;
  std::getline(lines, line);  // the head
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    std::string path, name, kind, told;
    std::getline(cells, path, '\t');
    std::getline(cells, name, '\t');
    std::getline(cells, kind, '\t');
    std::getline(cells, told, '\t');
    CHECK_MESSAGE(all.insert({{path, name}, {kind, told}}).second, "twice: ", line);
  }
  return all;
}

TEST_CASE("each time constant has a line that says what it is for, and each limit tells who waits") {
  const std::set<std::string> kinds = {"pace", "shown", "kept", "limit"};
  const auto rows = table();
  const auto found = constants();
  REQUIRE(found.size() > 100);
  for (const Constant& one : found)
    CHECK_MESSAGE(rows.contains(one), one.first, ": ", one.second, " has no line in tests/games/time_limits.tsv");
  for (const auto& known : rows) {
    const Constant& one = known.first;
    const auto& row = known.second;
    CAPTURE(one.first);
    CAPTURE(one.second);
    CHECK_MESSAGE(found.contains(one), "there is no such constant any more");
    CHECK(kinds.contains(row.kind));
    CHECK((row.kind == "limit") == !row.told.empty());
    if (row.kind == "limit")
      CHECK_MESSAGE(code_in(fs::path(testing::source_dir()) / one.first).find(row.told) != std::string::npos,
                    "this code is not in the file: ", row.told);
  }
}

TEST_CASE("each time limit of the configuration ends a session for a reason that has words") {
  using relay::Reason;
  const std::map<std::string, std::vector<Reason>> ends = {
      {"greet_ms", {Reason::kGreetTimeout}},
      {"connect_ms", {Reason::kServerTimeout}},
      {"detect_ms", {Reason::kServerTimeout}},
      {"ready_ms", {Reason::kServerTimeout}},
      {"lobby_ms", {Reason::kServerTimeout}},
      {"idle_ms", {Reason::kIdle}},
      {"half_closed_ms", {Reason::kHalfClosed}},
      {"stall_ms", {Reason::kClientStalled, Reason::kServerStalled}},
      {"linger_ms", {}}};  // the goodbye was said before
  std::set<std::string> declared;
  for (const auto& found : testing::all_matches(code_in(fs::path(testing::source_dir()) / "proxy/base/limits.h"),
                                                R"(std::uint32_t[[:space:]]+([a-z_]+_ms)[[:space:]]*=)"))
    declared.insert(found[1]);
  CHECK(declared.size() == ends.size());
  for (const std::string& name : declared) {
    CAPTURE(name);
    REQUIRE(ends.contains(name));
    for (const Reason why : ends.at(name)) CHECK(std::string(relay::telling(why).words) != "");
  }
}

}  // namespace
}  // namespace entente::time_limits_test
