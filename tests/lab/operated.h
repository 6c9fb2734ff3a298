// A simulation of the whole program: `entente run CONFIG` as it is installed, with a service manager that starts it
// again, and an operator who reloads, upgrades and gives commands on the control socket, while players play through it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/lab/games.h"
#include "tests/lab/kernel/process.h"

namespace entente::lab {

class Operated final : private Games {
 public:
  Operated(Plan& plan, Verdict& verdict);
  void live();
  /// Afterwards: how many sessions the program had.
  std::size_t sessions() const { return sessions_; }

 private:
  // -- The program and its configuration: operated.cc
  /// What a reload may change.
  struct Edition {
    std::string text = "the server is down";
    std::string level = "info";
    bool has_spare_route = false;
    Nanos check = 2 * kSecond;
    bool holds = true;
  };
  std::string configuration(const Edition& edition) const;
  void write_configuration(const std::string& text) const;
  void serve();
  void start_process();
  /// Processes that run, the oldest first.
  std::vector<std::size_t> running() const;
  void hear(std::size_t process, std::string_view text);
  void hear_line(std::size_t process, std::string_view line);
  bool close();
  void stop(std::size_t process);
  void kill(std::size_t process);
  bool await_end(std::size_t process);

  // -- What must hold: operated.cc
  void check_nobody_was_sent_away();
  void check_processes();

  // -- What happens: operated_acts.cc
  struct Act {
    std::string name, kind;
    Nanos at = 0, lasts = 0;
  };
  std::vector<Act> acts();
  void carry_out(const Act& act);
  void restart_server(const Act& act);
  void end(const Act& act);
  void hamper(const Act& act);
  void command(const Act& act);
  void reload(const Act& act);
  void reload_broken(const Act& act);
  void upgrade(const Act& act);
  /// Asks the program. Its answer, or "" if there is none.
  std::string ask(const std::string& line);

  /// What is known of a process by what it has printed.
  struct Known {
    std::uint64_t opened = 0, closed = 0, refused = 0;        ///< sessions and clients that it told of
    std::uint64_t counted_sessions = 0, counted_refused = 0;  ///< in its summary
    std::uint64_t reload_failures = 0;
    bool served = false, stops = false, killed = false;
    std::string line;  ///< that is not complete
  };
  static constexpr const char* kConfig = "/lab/entente.toml";
  static constexpr const char* kSocket = "/lab/control.sock";

  std::map<std::size_t, Known> processes_;
  const bool harsh_, records_;
  Edition edition_;
  std::size_t main_ = 0;       // the process that the service manager follows
  std::size_t reloading_ = 0;  // acts that change the configuration, one at a time
  bool stops_ = false;
  std::set<std::string> sent_away_;  // players whom the operator sent away
  std::size_t sessions_ = 0;
};

}  // namespace entente::lab
