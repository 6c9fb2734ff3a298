// A running program that a test controls through its control socket, `c.sock` in the test's folder.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "proxy/net/local_acceptor.h"
#include "tests/program/folder.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace entente {

inline bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// Waits until `is` is true. The pauses leave the cores to the other processes.
inline bool eventually(const std::function<bool()>& is,
                       std::chrono::milliseconds pause = std::chrono::milliseconds(50)) {
  const auto until = std::chrono::steady_clock::now() + Process::kPatience;
  while (!is()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(pause);
  }
  return true;
}

/// A control socket's answer to a line, or "". Use it for polling: running `entente ctl` costs a fifth of a second of
/// CPU time.
inline std::string answer_of(const std::string& socket, std::string_view line) {
  const auto answer = net::ask_local(socket, line);
  return answer ? *answer : "";
}

struct Asked {
  /// Runs `entente ctl` with these words.
  Ended ctl(std::vector<std::string> words) const {
    words.insert(words.begin(), {testing::entente_binary(), "ctl", "--socket", folder.file("c.sock")});
    return run(words);
  }
  std::string answer(std::string_view line) const { return answer_of(folder.file("c.sock"), line); }
  /// Waits until the answer to this line has `text`.
  bool answers(std::string_view line, std::string_view text) const {
    return eventually([&] { return entente::has(answer(line), text); });
  }
  /// Waits until a player of this name is listed.
  bool has(const std::string& name) const {
    return eventually([&] { return !link_of(name).empty(); });
  }
  /// The link of the player of this name, or "" if no such player is listed.
  std::string link_of(const std::string& name) const {
    const std::string list = answer("list");
    const auto found = std::min(list.find("\t" + name + "\n"), list.find("\t" + name + "\t"));
    if (found == std::string::npos) return {};
    const auto line = list.rfind('\n', found) + 1;
    return list.substr(line, list.find('\t', line) - line);
  }

  Folder folder;
};

}  // namespace entente
