// Runs one command at a time, and reports how it ended: a line for /bin/sh, or a program with its arguments, which is
// given a text and whose output is kept.
// Invariant: the command comes from the configuration, never from a peer. It inherits none of our files but standard
// error. A line's output goes there, and the line outlives us; a program ends with its ChildProcess, with all that it
// has started. Each is reaped when it ends, also if nobody waits for it any more, as long as the loop runs.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "proxy/base/fault.h"
#include "proxy/net/handle.h"
#include "proxy/net/loop.h"

namespace entente::net {

class ChildProcess {
 public:
  class User {
   public:
    virtual ~User() = default;
    /// The command has ended with this exit code, or by a signal (not 0).
    virtual void exited(ChildProcess& child, std::int64_t code, int signal) = 0;
  };
  static constexpr std::size_t kMostOutput = 16 * 1024;  ///< bytes that are kept of a program's output

  /// `loop` and `user` outlive it.
  ChildProcess(Loop& loop, User& user) : loop_(loop), user_(user) {}
  ~ChildProcess() { kill(); }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// A line for /bin/sh. REQUIRES: no command runs.
  Outcome<Done> start(const std::string& command);
  /// A program, found as execvp finds it, without a shell. Its standard input is `input`. REQUIRES: no command runs;
  /// `arguments` begins with the program.
  Outcome<Done> start(const std::vector<std::string>& arguments, std::string input);
  bool runs() const { return process_ != nullptr; }
  /// What the last program wrote to standard output and error: the first kMostOutput bytes. The rest is thrown away.
  const std::string& output() const { return output_; }
  /// Ends a program that runs, and what it has started in its process group. It is not reported any more.
  void kill();
  /// Does not wait for the command any longer. It is not reported any more.
  void detach();

 private:
  struct Input;
  Outcome<Done> spawn(std::vector<char*> arguments, uv_stdio_container_t (&files)[3]);
  void feed(std::string input);
  void keep(const char* bytes, std::size_t size);
  void end_group() const;
  void end(std::int64_t code, int signal);

  Loop& loop_;
  User& user_;
  Handle<uv_process_t> process_;
  Handle<uv_pipe_t> input_, written_;  // of a program
  std::array<char, 4096> buffer_{};
  std::string output_;
  bool is_program_ = false;  // else a line for the shell
};

}  // namespace entente::net
