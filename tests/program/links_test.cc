// Checks the links of the documents.
#include <doctest/doctest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/program/folder.h"
#include "tests/program/source_tree.h"
#include "tests/support/paths.h"
#include "tests/support/pattern.h"
#include "tests/support/process.h"

namespace entente::links_test {

namespace fs = std::filesystem;

namespace {

/// The name of a heading in a link, as GitHub makes it: small letters, '-' for a blank, no punctuation.
std::string anchor(const std::string& heading) {
  std::string name;
  for (const char c : testing::replaced(heading, R"(\[([^\]]*)\]\([^)]*\))", "$1")) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ') name += '-';
    if (std::isalnum(byte) || c == '-' || c == '_' || byte >= 0x80) name += static_cast<char>(std::tolower(byte));
  }
  return name;
}

struct Document {
  std::set<std::string> anchors;
  std::vector<std::string> links;  // without links to other sites
};

Document read(const fs::path& path) {
  Document document;
  std::ifstream file(path);
  bool code = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) code = !code;
    if (code || line.starts_with("    ")) continue;
    if (const auto heading = testing::matched(line, "#+ (.*)")) document.anchors.insert(anchor((*heading)[1]));
    for (const auto& link : testing::all_matches(line, R"(\]\(([^)\s]+)\))"))
      if (!testing::contains_match(link[1], "^[a-z]+:")) document.links.push_back(link[1]);
  }
  return document;
}

std::map<fs::path, Document> documents(const fs::path& root) {
  std::map<fs::path, Document> all;
  for (auto it = fs::recursive_directory_iterator(root); it != fs::recursive_directory_iterator(); ++it) {
    const std::string name = it->path().filename();
    if (it->is_directory() && (name == "build" || name == "node_modules" || name.starts_with(".")))
      it.disable_recursion_pending();
    else if (it->path().extension() == ".md")
      all[it->path().lexically_normal()] = read(it->path());
  }
  return all;
}

/// Links of the documents below `root` that lead nowhere, one on a line: "FILE: LINK".
std::string broken(const fs::path& root) {
  const auto all = documents(root);
  std::ostringstream found;
  for (const auto& [path, document] : all) {
    for (const std::string& link : document.links) {
      const std::size_t hash = link.find('#');
      const std::string to = link.substr(0, hash);
      const fs::path target = to.empty() ? path : (path.parent_path() / to).lexically_normal();
      const auto other = all.find(target);
      const bool right = hash == std::string::npos
                             ? fs::exists(target)
                             : other != all.end() && other->second.anchors.contains(link.substr(hash + 1));
      if (!right) found << path.lexically_relative(root).string() << ": " << link << "\n";
    }
  }
  return found.str();
}

/// Tests that the page of promises names, and that are not there, one on a line. Also promises without a test.
std::string missing_tests(const fs::path& page) {
  std::string found;
  bool rows = false;
  std::istringstream lines(layout_test::text_of(page));
  for (std::string line; std::getline(lines, line); rows = line.starts_with("|")) {
    if (!rows || !line.starts_with("| ")) continue;  // the first row of a table is its head
    const auto tests = testing::all_matches(line, R"(“([^”]+)” \(\[[^\]]+\]\(([^)]+_test\.cc)\)\))");
    if (tests.empty() && line.find("tests/lab") == std::string::npos) found += "no test: " + line + "\n";
    for (const auto& test : tests) {
      const std::string source = layout_test::text_of(page.parent_path() / std::string(test[2]));
      const std::string whole = testing::replaced(source, R"("\s*\n\s*")", "");  // a long name is cut in the source
      if (whole.find("\"" + std::string(test[1]) + "\"") == std::string::npos) found += std::string(test[1]) + "\n";
    }
  }
  return found;
}

}  // namespace

TEST_CASE("each promise of the manual has tests that are there") {
  CHECK(missing_tests(testing::source_dir() + "/proxy/manual/promises.md") == "");
  const Folder folder;
  folder.write("one_test.cc", "TEST_CASE(\"this is \"\n    \"there\") {}\n");
  const std::string table = "| promise | test |\n|---|---|\n", link = "([one](one_test.cc)) |\n";
  CHECK(missing_tests(folder.write("good.md", table + "| A. | “this is there” " + link)) == "");
  CHECK(missing_tests(folder.write("bad.md", table + "| A. | “this is” " + link)) == "this is\n");
  CHECK(missing_tests(folder.write("none.md", table + "| A. | none |\n")) == "no test: | A. | none |\n");
}

TEST_CASE("each link of a document leads to a file and, after '#', to one of its headings") {
  CHECK(broken(testing::source_dir()) == "");
}

TEST_CASE("each link of the package's documents leads to a document of the package") {
  const Folder folder;
  const Ended made = run({testing::source_dir() + "/deploy/docs", folder.file("docs")});
  CHECK_MESSAGE(made.code == 0, made.err);
  CHECK(broken(folder.file("docs")) == "");
  CHECK(fs::exists(folder.file("docs") + "/proxy/manual/control.md"));
}

TEST_CASE("a link that leads nowhere is found") {
  const Folder folder;
  folder.write("b.md", "# `b`: the *second*\n");
  folder.write("a.md",
               "# The first\n[1](b.md) [2](b.md#b-the-second) [3](#the-first) [4](https://example.org/x)\n"
               "[5](c.md) [6](b.md#third) [7](#second)\n    [8](code.md)\n");
  CHECK(broken(folder.path()) == "a.md: c.md\na.md: b.md#third\na.md: #second\n");
}

}  // namespace entente::links_test
