// What a route's server speaks, where that must be found out before a player is let through to it: once at the start,
// and again when a player came in vain. Law: bad news is believed for a second, so that a crowd costs one probe.
#pragma once

#include <string>

#include "proxy/relay/acceptors/probe.h"

namespace entente::relay {

/// What the log says where `server` does not show which dialect of the game it speaks.
std::string cannot_tell_dialect(const wire::Game& game, const std::string& server);

class Finder final : private SilentProbe::User {
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
  void close() { probe_.close(); }

 private:
  enum class State : std::uint8_t { kUnknown, kProbing, kKnown, kFailed };

  void probed(std::size_t dialect) override;
  void probe_failed(Reason why) override;

  WorkerRoute& worker_route_;
  User& user_;
  SilentProbe probe_;
  State state_;
  std::size_t dialect_;
  bool tried_ = false;
  Reason why_ = Reason::kDialectUnknown;
  Millis good_until_ = 0;  // what was found out is believed, if it was bad news
};

}  // namespace entente::relay
