// Reads the source tree, for the tests that check it.
#pragma once

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/pattern.h"

namespace entente::layout_test {

namespace fs = std::filesystem;

/// What is wrong, a sentence each.
using Findings = std::vector<std::string>;

inline std::string all(const Findings& found) {
  std::string text;
  for (const std::string& finding : found) text += finding + "\n";
  return text;
}

inline bool is_source(const fs::path& path) { return path.extension() == ".cc" || path.extension() == ".h"; }

inline std::vector<std::string> sources(const fs::path& root) {
  std::vector<std::string> all;
  for (const char* top : {"proxy", "adapters", "schema", "tests"})
    for (auto it = fs::recursive_directory_iterator(root / top, fs::directory_options::skip_permission_denied);
         it != fs::recursive_directory_iterator(); ++it) {
      if (it->path().filename() == "node_modules") it.disable_recursion_pending();
      if (is_source(it->path())) all.push_back(fs::relative(it->path(), root).generic_string());
    }
  std::sort(all.begin(), all.end());
  return all;
}

inline std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// The code without comments and literals, so that words in them are not taken for code.
inline std::string code_of(const std::string& text) {
  return testing::replaced(text, R"(//[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+')", "");
}

struct Include {
  std::string name;
  bool ours;  // in quotes
};

inline std::vector<Include> includes_of(const std::string& text) {
  constexpr const char* kInclude = R"re((?:^|\n)[ \t]*#[ \t]*include[ \t]*(<([^>\n]+)>|"([^"\n]+)"))re";
  std::vector<Include> all;
  for (const auto& found : testing::all_matches(text, kInclude))
    all.push_back(found[2].empty() ? Include{found[3], true} : Include{found[2], false});
  return all;
}

// The folder of a floor: proxy/relay, adapters/aos. Folders below it are on the same floor.
inline std::string folder(const std::string& path) {
  const auto end = path.find('/', path.find('/') + 1);
  return path.substr(0, end == path.npos ? path.rfind('/') : end);
}

// A temporary source tree that is removed at the end of the test.
class SourceTree {
 public:
  SourceTree() {
    for (const char* top : {"proxy", "adapters", "schema", "tests"}) fs::create_directories(root_ / top);
  }
  ~SourceTree() { fs::remove_all(root_); }
  SourceTree(const SourceTree&) = delete;
  SourceTree& operator=(const SourceTree&) = delete;

  void keep(const std::string& path, const std::string& text = "") {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  void remove(const std::string& path) { fs::remove(root_ / path); }
  const fs::path& root() const { return root_; }

 private:
  static fs::path fresh() {
    std::string name = (fs::temp_directory_path() / "entente_layout_XXXXXX").string();
    return mkdtemp(name.data());
  }
  fs::path root_ = fresh();
};

}  // namespace entente::layout_test
