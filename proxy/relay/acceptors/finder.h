// What a route's server speaks, where that must be found out before a player is let through to it: once at the start,
// and again when a player came in vain. Connects to the server and listens.
// Law: not one byte is sent to it; bad news is believed for a second, so that a crowd costs one connection.
#pragma once

#include <string>

#include "proxy/base/limits.h"
#include "proxy/net/tcp.h"
#include "proxy/relay/route.h"
#include "proxy/relay/sessions/reason.h"

namespace entente::relay {

/// What the log says where `server` does not show which dialect of the game it speaks.
std::string cannot_tell_dialect(const wire::Game& game, const std::string& server);

class Finder final : private net::LinkUser {
 public:
  class User {
   public:
    virtual ~User() = default;
    /// known() or failed() from now on: whoever waits may be answered.
    virtual void found_out() = 0;
  };

  Finder(WorkerRoute& worker_route, User& user);

  bool known() const { return state_ == State::kKnown; }
  bool failed() const { return state_ == State::kFailed; }
  std::size_t dialect() const { return dialect_; }  ///< as far as it is known()
  Reason why() const { return why_; }               ///< while failed()

  /// Somebody wants in: goes and finds out, unless it is known, being found out, or was in vain a moment ago.
  void want(const Limits& limits);
  /// The server could not be reached: it may come back as something else.
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
  Millis good_until_ = 0;  // what was found out is believed, if it was bad news
  // While it is being found out.
  Buffer said_;
  std::size_t next_server_ = 0, most_said_ = 0;
  Millis until_ = 0;
  bool reached_ = false;
};

}  // namespace entente::relay
