// Starts the servers of a route when a player waits for one, and stops them when the route has been empty for a while,
// by commands of the configuration.
// Invariant: lives on the route's home worker. A command never runs twice at once, also on a route that replaces this
// one or has the same servers. Nothing from a peer becomes part of a command.
#pragma once

#include "proxy/net/process/child_process.h"
#include "proxy/relay/route/route.h"

namespace entente::relay {

class Launcher final : private net::ChildProcess::User {
 public:
  /// The route outlives it.
  explicit Launcher(WorkerRoute& worker_route);

  /// REQUIRES: called regularly.
  void tick(Millis now);
  /// A player waits who has no session yet, for about a second from now.
  void player_waits(Millis now) { wanted_until_ = now + 1'000; }
  /// Runs no more commands. Running commands are watched until they end.
  void retire() { closed_ = true; }
  /// As retire(), but running commands are no longer watched.
  void close();

 private:
  bool is_wanted(Millis now) const;
  void start(Millis now);
  void stop(Millis now);
  bool run(net::ChildProcess& child, const std::string& command, const std::string& why);
  void exited(net::ChildProcess& child, std::int64_t code, int signal) override;

  WorkerRoute& worker_route_;
  const LaunchRules& rules_;
  net::ChildProcess starting_, stopping_;
  CommandRuns &starts_, &stops_;  // of the same commands; also by other routes
  Millis wanted_until_ = 0;
  Millis up_at_ = 0;        // when a server was last up, or not known to be down
  Millis empty_since_ = 0;  // 0: somebody plays, or no server is up
  bool stopped_ = false;    // since the route is empty
  bool closed_ = false;
};

}  // namespace entente::relay
