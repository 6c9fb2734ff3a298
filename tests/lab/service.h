// A service of a simulation: `entente run CONFIG` on a host, a service manager (deploy/entente.service) that starts it
// again, and what its log tells.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/lab/kernel/process.h"
#include "tests/lab/plan.h"
#include "tests/lab/programs.h"

namespace entente::lab {

class Service {
 public:
  struct Its {
    std::string name;  ///< before its lines when they are told; may be empty
    std::uint32_t host = 0;
    std::string config, socket;  ///< paths
    /// Called with each line of its log; may be empty.
    std::function<void(std::size_t process, std::string_view line)> heard = nullptr;
    std::string log{};  ///< the path of its log; empty: it goes to standard error
    /// Runs a line of the shell; returns its exit code. May be empty, if the program runs none.
    std::function<int(const std::string& line)> shell = nullptr;
    /// Runs the command of a hook, with these descriptors for its standard input, output and error. May be empty.
    std::function<int(const std::array<int, 3>& descriptors)> tool = nullptr;
  };

  Service(Plan& plan, Verdict& verdict, Its its) : plan_(plan), verdict_(verdict), its_(std::move(its)) {}

  /// The processes on its host run the program, and these services hear what they print. REQUIRES: before the first
  /// start(); they outlive the simulation.
  static void prepare(std::vector<Service*> all);

  void configure(const std::string& text) const;
  void start();
  /// Players of Ace of Spades come: the process's first thread, which is a worker, keeps their last map.
  void expect_maps() { has_maps_ = true; }
  /// Follows the main process until end(): if it has ended, what is left is ended, too, and the program starts again.
  void serve();
  /// From now on, it is not started again.
  void end() { stops_ = true; }

  /// Processes of the program that run, the oldest first.
  std::vector<std::size_t> running() const;
  /// The only one; nothing: none runs, or several.
  std::optional<std::size_t> alone() const;
  /// Whether the first process has told that it listens.
  bool served() const { return !processes_.empty() && processes_.begin()->second.served; }
  void stop(std::size_t process);
  void kill(std::size_t process);
  /// The machine crashes. Its peers are told nothing.
  void crash();
  /// False: it goes on.
  bool await_end(std::size_t process) const;
  /// Stops what runs. Without players, processes from before an upgrade must have ended by themselves. False: something
  /// does not end.
  bool close(bool has_players = false);
  /// Waits until `until` for the end of all sessions. False: some go on.
  bool await_empty(Nanos until);
  /// An operator reloads, or upgrades by this command. `must`: it succeeds, unless an upgrade is on its way.
  /// reload() returns whether the one process that runs has done it.
  bool reload(const std::string& configuration, bool must);
  /// An operator moves the log away. The next reload begins a new one.
  void move_log();
  void upgrade(const std::string& command, bool must);
  /// Asks at the control socket. Its answer, or "" if there is none. `must`: it answers, and in time.
  std::string ask(const std::string& line, bool must);

  /// When it has ended: exit codes, what was counted and told, and what is left.
  void check();
  /// Whether its log may lack lines, because the disk was full.
  bool lost_lines() const;
  bool killed_any() const;
  std::uint64_t reload_failures() const;
  /// Sessions that the summary of this process counts.
  std::uint64_t counted_sessions(std::size_t process) const { return processes_.at(process).counted_sessions; }
  /// Sessions that its log tells of.
  std::size_t sessions() const;
  const Its& its() const { return its_; }

 private:
  /// What is known of a process by what it has printed.
  struct Known {
    std::uint64_t opened = 0, closed = 0, refused = 0;        ///< sessions and clients that it told of
    std::uint64_t counted_sessions = 0, counted_refused = 0;  ///< in its summary
    std::uint64_t reload_failures = 0;
    bool served = false, stops = false, killed = false;
    Nanos alive_at = 0;        ///< when it last told the service manager that it is, or became the main process
    std::string prints, logs;  ///< lines that are not complete
  };
  void hear(std::size_t process, const std::string& path, std::string_view text);
  void hear_line(std::size_t process, std::string_view line);
  void hear_state(std::size_t process, std::string_view state);
  void check(std::size_t process, const Known& its);
  void check_log() const;
  std::string called(std::size_t process) const;
  void wrong(const std::string& what) const;

  Plan& plan_;
  Verdict& verdict_;
  const Its its_;
  std::map<std::size_t, Known> processes_;
  std::size_t main_ = 0;  // the process that the service manager follows
  bool stops_ = false, has_maps_ = false;
  std::multiset<std::string> logged_;         // lines of the log, as they were written
  std::size_t logged_bytes_ = 0, moves_ = 0;  // of the log
  std::map<std::string, std::size_t> moved_;  // logs that nobody writes to any more, and their sizes
};

/// A URL of the configuration: "bzflag://10.0.1.1:5154?dialect=2.4".
std::string url(const Speech& its, const Place& at);
/// As a string of the configuration.
inline std::string quoted(const std::string& text) { return "\"" + text + "\""; }
/// The first field of each line of an answer that is a table.
std::set<std::string> first_fields(const std::string& answer);
/// The number after `key` in a line; 0: there is none.
std::uint64_t number_after(std::string_view line, std::string_view key);

}  // namespace entente::lab
