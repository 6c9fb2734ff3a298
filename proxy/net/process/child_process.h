// Runs one command at a time, by /bin/sh, and reports how it ended.
// Invariant: the command comes from the configuration, never from a peer. It inherits none of our files but standard
// error, where its output goes, and outlives us.
#pragma once

#include <string>

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

  /// `loop` and `user` outlive it.
  ChildProcess(Loop& loop, User& user) : loop_(loop), user_(user) {}

  /// REQUIRES: no command runs.
  Outcome<Done> start(const std::string& command);
  bool runs() const { return process_ != nullptr; }
  /// Does not wait for the command any longer.
  void detach() { process_.reset(); }

 private:
  void end(std::int64_t code, int signal);

  Loop& loop_;
  User& user_;
  Handle<uv_process_t> process_;
};

}  // namespace entente::net
