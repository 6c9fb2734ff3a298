// Keeps the known state of a route's servers current: detects the dialect of servers that show one before players are
// let through, and checks regularly whether each server is there, if the route wants that. Starts and stops servers
// (launcher.h).
// Invariant: lives on the route's home worker. A failure is believed for a moment, so that a crowd of players costs one
// connection.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "proxy/relay/probes/check.h"
#include "proxy/relay/probes/launcher.h"

namespace entente::relay {

/// The log line for a server whose dialect cannot be detected.
std::string cannot_tell_dialect(const wire::Game& game, const std::string& server);

class ServerProbes {
 public:
  class User {
   public:
    virtual ~User() = default;
    /// The results of known() and failed() may have changed.
    virtual void probed() = 0;
  };

  /// The route outlives it.
  explicit ServerProbes(WorkerRoute& worker_route);
  ~ServerProbes();

  /// Null: nobody is told.
  void set_user(User* user) { user_ = user; }

  /// Whether a player may be let through: some server's dialect is known, or need not be. With Policy::kFirst, the
  /// servers before it must have answered or failed.
  bool known() const;
  /// Whether no dialect is known(), and each server has failed or is drained.
  bool failed() const;
  /// REQUIRES: failed().
  Reason why() const;
  /// As failed(), but also while the servers are asked again.
  bool away() const;

  /// A player wants in: detects the dialects that are not known but must be, unless that failed a moment ago.
  void want();
  /// Players wait until a dialect is known: the servers are started for them, if the route does that. REQUIRES: called
  /// regularly while they wait.
  void players_wait();
  void tick(Millis now);
  /// The route is over: runs no more checks and starts no more commands. Running commands are watched until they end,
  /// because other routes may have the same ones.
  void retire();
  /// The program stops: as retire(), and running commands go on unwatched.
  void close();

 private:
  class One;

  WorkerRoute& worker_route_;
  User* user_ = nullptr;
  bool tried_ = false;
  Millis want_at_ = 0;
  std::vector<std::unique_ptr<One>> all_;
  Launcher launcher_;
};

}  // namespace entente::relay
