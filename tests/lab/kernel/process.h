// Programs of a simulation that run `main`: their arguments, exit codes, signals, what they print, and their global
// variables.
// Invariant: each process has the global variables of the program (kOwn in process.cc) for itself, as if it were alone.
#pragma once

#include <array>
#include <csignal>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/lab/kernel/kernel.h"

namespace entente::lab {

class Processes {
 public:
  using Main = std::function<int(int, const char* const*)>;
  using Handler = void (*)(int);
  static constexpr std::int32_t kFirstPid = 1'000;
  /// Where the executable is, by what it says of itself.
  static constexpr const char* kExecutable = "/usr/bin/entente";
  static constexpr const char* kShell = "/bin/sh";
  static constexpr const char* kManager = "service manager";   ///< the "path" of what it is told (sd_notify(3))
  static constexpr Nanos kWatchdog = 30'000 * kMilli;          ///< it wants to hear from a process so often
  static constexpr const char* kTool = "/usr/local/bin/tell";  ///< reads an event

  explicit Processes(Kernel& kernel);
  ~Processes();
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  /// Finds the program's global variables in its files, which may be replaced later. REQUIRES: before the first
  /// set_main().
  static void find_globals();

  /// Takes what a process prints, or has appended to the file at `path`; "": its standard output or error; kManager:
  /// what it tells the service manager.
  using Prints = std::function<void(std::size_t program, const std::string& path, std::string_view text)>;
  /// What each process runs. `prints` may be empty. REQUIRES: before the first start().
  void set_main(Main main, Prints prints);
  /// Standard input, output and error; null: there is none.
  using Standard = std::array<std::shared_ptr<File>, 3>;
  /// Starts a process. The first argument is its name. Returns its program.
  std::size_t start(std::uint32_t host, std::vector<std::string> arguments, Standard standard = {});
  bool has(std::size_t program) const { return all_.contains(program); }
  const std::vector<std::string>& arguments(std::size_t program) const { return all_.at(program).arguments; }
  /// The process's descriptors for its standard input, output and error; -1: it has none.
  const std::array<int, 3>& descriptors(std::size_t program) const { return all_.at(program).descriptors; }
  /// Its exit code, or 128 and the signal that ended it; nothing while it runs.
  std::optional<int> ended(std::size_t program) const;
  /// How many of its threads had not ended a second after `main`.
  std::size_t threads_left(std::size_t program) const { return all_.at(program).threads_left; }
  /// How many descriptors it had then.
  std::size_t files_left(std::size_t program) const { return all_.at(program).files_left; }
  /// What was left on its heap when `main` returned.
  std::size_t heap_left(std::size_t program) const { return all_.at(program).heap_left; }
  static std::int32_t pid_of(std::size_t program) { return kFirstPid + static_cast<std::int32_t>(program); }

  void signal(std::size_t program, int number);
  /// The machine crashes: all its programs end, and their peers are told nothing.
  void crash(std::uint32_t host);
  // For the calls of the C library, on a thread of a process:
  Handler handler(int number) const;
  void set_handler(int number, Handler to) { all_.at(kernel_.program()).handlers[number] = to; }
  void print(const std::string& path, std::string_view text) const;

  /// A thread of this program is about to run.
  void enter(std::size_t program);
  /// The process whose global variables are in place; nothing: none.
  std::optional<std::size_t> here() const { return here_; }

 private:
  struct Process {
    std::vector<std::string> arguments;
    Standard standard;
    std::array<int, 3> descriptors{-1, -1, -1};
    std::optional<int> code;
    std::size_t threads_left = 0, files_left = 0, heap_left = 0;
    std::map<int, Handler> handlers;
    std::vector<char> globals;
  };
  void run(std::size_t program);

  Kernel& kernel_;
  Main main_;
  Prints prints_;
  std::map<std::size_t, Process> all_;
  std::optional<std::size_t> here_;
  std::vector<char> outside_, fresh_;  // globals: of everything else; of a process that begins
};

}  // namespace entente::lab
