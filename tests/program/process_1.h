// Programs as process 1 of a container. The kernel does not end that process by a signal, and ends all others with it.
#pragma once

#include <unistd.h>

#include <csignal>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/process.h"

namespace entente::testing {

/// What goes before the program's path; empty: this machine does not allow it.
inline const std::vector<std::string>& as_process_1() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> unshare = {"/usr/bin/unshare", "--pid", "--fork", "--kill-child"};
    if (::geteuid() != 0) unshare.insert(unshare.end(), {"--user", "--map-root-user"});
    std::vector<std::string> tried = unshare;
    tried.emplace_back("/bin/true");
    return run(tried).code == 0 ? unshare : std::vector<std::string>();
  }();
  return words;
}

/// A program that runs as process 1. REQUIRES: as_process_1() is not empty.
class Process1 {
 public:
  explicit Process1(const std::vector<std::string>& argv) : unshare_(in_front_of(argv)) {}

  /// unshare, which ends as the program does.
  Process& unshare() { return unshare_; }
  /// Its process id here; 0: it has not started.
  pid_t pid() const {
    const std::string of = std::to_string(unshare_.pid());
    std::ifstream children("/proc/" + of + "/task/" + of + "/children");
    pid_t program = 0;
    children >> program;
    return program;
  }
  /// REQUIRES: the program has written something.
  void signal(int number) const { ::kill(pid(), number); }
  /// Runs another program in its container. REQUIRES: as for signal().
  Ended beside(const std::vector<std::string>& argv) const {
    std::vector<std::string> words = {"/usr/bin/nsenter", "--target", std::to_string(pid()), "--pid"};
    if (::geteuid() != 0) words.insert(words.end(), {"--user", "--preserve-credentials"});
    words.insert(words.end(), argv.begin(), argv.end());
    return run(words);
  }

 private:
  static std::vector<std::string> in_front_of(const std::vector<std::string>& argv) {
    std::vector<std::string> words = as_process_1();
    words.insert(words.end(), argv.begin(), argv.end());
    return words;
  }

  Process unshare_;
};

}  // namespace entente::testing
