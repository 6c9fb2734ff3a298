// Checks what the folders of a floor use: no folder uses one that uses it, and each README says what its folders use.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/program/source_tree.h"
#include "tests/support/paths.h"

namespace entente::layout_test {
namespace {

using Uses = std::map<std::string, std::set<std::string>>;

std::string folder_of(const std::string& path) { return fs::path(path).parent_path().generic_string(); }

/// The sources below proxy/ and adapters/, and the folders that each folder includes.
Uses uses_in(const fs::path& root) {
  Uses uses;
  for (const std::string& path : sources(root)) {
    if (path.starts_with("tests/") || path.starts_with("schema/")) continue;
    auto& used = uses[folder_of(path)];
    for (const Include& include : includes_of(text_of(root / path)))
      if (include.ours && !include.name.starts_with("schema/") && folder_of(include.name) != folder_of(path))
        used.insert(folder_of(include.name));
  }
  return uses;
}

// -- Circles ----------------------------------------------------------------------------------------------------------

/// Searches depth first. A folder that is reached again while its own search is under way closes a circle.
class Circles {
 public:
  explicit Circles(const Uses& uses) : uses_(uses) {
    for (const auto& [folder, used] : uses) visit(folder);
  }
  const Findings& found() const { return found_; }

 private:
  void visit(const std::string& folder) {
    const auto at = std::find(way_.begin(), way_.end(), folder);
    if (at != way_.end()) return report(at);
    if (!seen_.insert(folder).second || !uses_.contains(folder)) return;
    way_.push_back(folder);
    for (const std::string& used : uses_.at(folder)) visit(used);
    way_.pop_back();
  }
  void report(std::vector<std::string>::const_iterator from) {
    std::string circle;
    for (auto one = from; one != way_.cend(); ++one) circle += *one + " -> ";
    found_.push_back(circle + *from);
  }

  const Uses& uses_;
  std::set<std::string> seen_;
  std::vector<std::string> way_;
  Findings found_;
};

// -- What the READMEs say ---------------------------------------------------------------------------------------------

/// The README with the table for this folder.
std::string readme_of(const std::string& path) {
  return (path.starts_with("adapters/") ? "adapters" : folder(path + "/")) + "/README.md";
}

/// How the table calls this folder: "ends/"; "own files" if it is the folder of the floor. All games share a table.
std::string row_of(const std::string& path) {
  const std::string floor = folder(path + "/");
  return path == floor ? "own files" : path.substr(floor.size() + 1) + "/";
}

/// The folders of the same floor that each row's folders use, by README and row.
std::map<std::string, Uses> rows_of(const Uses& uses) {
  std::map<std::string, Uses> rows;
  for (const auto& [path, used] : uses) {
    if (path == "adapters" || path == "adapters/wire") continue;  // the registry, and a floor without folders
    auto& row = rows[readme_of(path)][row_of(path)];
    for (const std::string& one : used)
      if (folder(one + "/") == folder(path + "/")) row.insert(row_of(one));
  }
  std::erase_if(rows, [](const auto& one) { return one.second.size() < 2; });  // there is nothing to tell
  return rows;
}

/// The rows after "| folder | uses |".
Uses table_in(const std::string& readme) {
  Uses table;
  const std::string head = "| folder | uses |\n|---|---|\n";
  const auto begin = readme.find(head);
  if (begin == readme.npos) return table;
  std::istringstream lines(readme.substr(begin + head.size()));
  for (std::string line; std::getline(lines, line) && line.starts_with("|");) {
    const auto cells = testing::matched(line, R"(\| `?([^`|]+?)`? \| (.*) \|)");
    if (!cells) continue;
    auto& used = table[(*cells)[1]];
    for (const auto& one : testing::all_matches((*cells)[2], R"(own files|`([^`]+)`)"))
      used.insert(one[1].empty() ? one[0] : one[1]);
  }
  return table;
}

/// The table as it must be, with the folders that use nothing first.
std::string table_of(const Uses& rows) {
  std::string table = "| folder | uses |\n|---|---|\n";
  std::set<std::string> written;
  const auto shown = [](const std::string& row) { return row == "own files" ? row : "`" + row + "`"; };
  while (written.size() < rows.size()) {
    const std::size_t before = written.size();
    for (const auto& [row, used] : rows) {
      const auto below = [&](const std::string& one) { return written.contains(one) || !rows.contains(one); };
      if (written.contains(row) || !std::all_of(used.begin(), used.end(), below)) continue;
      std::string list;
      for (const std::string& one : used) list += (list.empty() ? "" : ", ") + shown(one);
      table += "| " + shown(row) + " | " + (list.empty() ? "-" : list) + " |\n";
      written.insert(row);
    }
    if (written.size() == before) return table + "(a circle)\n";
  }
  return table;
}

}  // namespace

TEST_CASE("folders do not use each other in a circle") {
  CHECK(all(Circles(uses_in(testing::source_dir())).found()) == "");

  SUBCASE("a circle is found") {
    SourceTree tree;
    tree.keep("proxy/net/web/a.h", "#include \"proxy/net/b.h\"\n");
    tree.keep("proxy/net/b.h", "#include \"proxy/net/enet/c.h\"\n");
    tree.keep("proxy/net/enet/c.h", "#include \"proxy/net/web/a.h\"\n");
    CHECK(all(Circles(uses_in(tree.root())).found()) == "proxy/net -> proxy/net/enet -> proxy/net/web -> proxy/net\n");
  }
}

TEST_CASE("each README says what the folders of its floor use") {
  const fs::path root = testing::source_dir();
  for (const auto& one : rows_of(uses_in(root))) {
    const std::string& readme = one.first;
    CAPTURE(readme);
    const std::string wanted = table_of(one.second);
    CAPTURE(wanted);
    CHECK((table_in(text_of(root / readme)) == one.second));
  }
}

}  // namespace entente::layout_test
