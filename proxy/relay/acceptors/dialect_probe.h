// Detects the dialect of a route's server before players are let through: once at the start, and again after a player
// could not reach the server. Connects to the server and reads what it sends.
// Law: it sends nothing. A failure is kept for a second, so that a crowd of players costs one connection.
#pragma once

#include <string>

#include "proxy/base/limits.h"
#include "proxy/net/tcp.h"
#include "proxy/relay/route.h"
#include "proxy/relay/sessions/reason.h"

namespace entente::relay {

/// The log line for a server whose dialect cannot be detected.
std::string cannot_tell_dialect(const wire::Game& game, const std::string& server);

class DialectProbe final : private net::LinkUser {
 public:
  class User {
   public:
    virtual ~User() = default;
    /// The probe is over: known() or failed() is true.
    virtual void probe_done() = 0;
  };

  DialectProbe(WorkerRoute& worker_route, User& user);

  bool known() const { return state_ == State::kKnown; }
  bool failed() const { return state_ == State::kFailed; }
  std::size_t dialect() const { return dialect_; }  ///< as far as it is known()
  Reason why() const { return why_; }               ///< while failed()

  /// A player wants in. Starts a probe, unless the dialect is known, a probe is under way, or one failed a moment ago.
  void want(const Limits& limits);
  /// The server could not be reached. Its dialect must be detected again: it may come back as something else.
  void lost();
  void tick(Millis now, const Limits& limits);
  void close() { link_.close(); }

 private:
  enum class State : std::uint8_t { kUnknown, kProbing, kKnown, kFailed };

  void connected(net::Link& link) override;
  void received(net::Link& link, wire::Lane lane, Bytes bytes) override;
  void wrote(net::Link&) override {}
  void ended(net::Link&) override { fail(Reason::kDialectUnknown); }
  void broken(net::Link&, int error) override;

  void try_next();
  void found(std::size_t dialect);
  void fail(Reason why);

  WorkerRoute& worker_route_;
  User& user_;
  net::Tcp link_;
  State state_;
  std::size_t dialect_;
  bool tried_ = false;
  Reason why_ = Reason::kDialectUnknown;
  Millis good_until_ = 0;  // until then a failure is not retried
  // While it is being found out.
  Buffer said_;
  std::size_t next_server_ = 0, most_said_ = 0;
  Millis until_ = 0;
  bool reached_ = false;
};

}  // namespace entente::relay
