// Checks whether a server is there, and which dialect it speaks, in the way that its game allows: a TCP connection
// (with the server's greeting, if it greets first), a WebSocket upgrade, an HTTP request, or a query by datagram. The
// server's name is looked up first. Its addresses are tried in turn.
// Invariant: a check takes no player's place, and sends nothing of the game but a query. One check runs at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "proxy/base/limits.h"
#include "proxy/relay/base/reason.h"
#include "proxy/relay/route/route.h"

namespace entente::relay {

class Check {
 public:
  struct Result {
    std::optional<Reason> failed = {};        ///< nothing: the server is there
    std::optional<std::size_t> dialect = {};  ///< if its greeting shows it
    std::string why = {};                     ///< of a failure, for the operator
    int lacks = 0;  ///< an errno: this machine lacked what a check needs, and nothing else is known; 0: it did not
  };
  class User {
   public:
    virtual ~User() = default;
    /// Called once for each start(), not from inside it.
    virtual void checked(const Result& result) = 0;
  };

  virtual ~Check() = default;
  /// REQUIRES: no check is under way.
  virtual void start(const Limits& limits) = 0;
  virtual void tick(Millis now) = 0;
  virtual void close() = 0;
};

/// Makes the check of this server. Null: the server cannot be checked, because a connection would take a player's
/// place. `worker_route`, `server` and `user` outlive the check.
std::unique_ptr<Check> make_check(WorkerRoute& worker_route, Upstream& server, Check::User& user);

}  // namespace entente::relay
