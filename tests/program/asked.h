// A running program that a test asks by its control socket, `c.sock` in the test's folder.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "tests/program/folder.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace entente {

struct Asked {
  /// What `entente ctl` with these words ends with.
  Ended ctl(std::vector<std::string> words) const {
    words.insert(words.begin(), {testing::entente_binary(), "ctl", "--socket", folder.file("c.sock")});
    return run(words);
  }
  /// Waits until a player of this name is listed.
  bool has(const std::string& name) const {
    const auto until = std::chrono::steady_clock::now() + Process::kPatience;
    while (std::chrono::steady_clock::now() < until)
      if (!link_of(name).empty()) return true;
    return false;
  }
  /// The link of the player of this name; empty: none is listed.
  std::string link_of(const std::string& name) const {
    const std::string list = ctl({"list"}).out;
    const auto found = list.find("\t" + name + "\n");
    if (found == std::string::npos) return {};
    const auto line = list.rfind('\n', found) + 1;
    return list.substr(line, list.find('\t', line) - line);
  }

  Folder folder;
};

}  // namespace entente
