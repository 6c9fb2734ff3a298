// A player whose server is lost or full waits for the next one, instead of being disconnected.
// When: the route has `hold_s`, or the server is drained and another one is ready. The player was not turned away, and
// its room can go on (may_begin()). A player who never was let in waits for at most kMostLostOutside servers.
// Where to: any server of the route. How long: hold_s, however often the connection breaks meanwhile. A server that is
// lost again and again is tried less and less often. What is told: what the player waits for, and that it is back.
#pragma once

#include <cstdint>
#include <string>

#include "proxy/base/time.h"
#include "proxy/core/room/room.h"
#include "proxy/relay/base/texts.h"

namespace entente::relay {

class BridgeSession;

/// A part of BridgeSession, whose calls it shares.
class Hold {
 public:
  explicit Hold(BridgeSession& session) : session_(session) {}

  /// Whether a player whose server is lost now may wait for the next one.
  bool may_begin() const;
  /// The server is lost, or has no seat: the player waits from now on. False: it may not, and the session ends.
  bool begin(const std::string& why, std::uint32_t code = 0);
  /// The same for a server that the operator drains, if another one is ready. False: the player does not wait.
  bool begin_drained();
  /// The player is in, or in again.
  void end();
  /// The player has been on a server, or in an arena.
  void note_in() { was_in_ = true; }

  // Times.
  /// How long a player waits, from now on.
  Millis most() const;
  /// The player's time begins, and ends then.
  void start(Millis until);
  Millis until() const { return until_; }
  void set_until(Millis until) { until_ = until; }
  /// Another server was lost, or not reached.
  void count_loss() { ++lost_; }
  /// When to connect again: at once after the first loss, later after the next ones. A player who can play elsewhere
  /// meanwhile is not taken from there so often.
  Millis next_try(bool plays_meanwhile) const;

  /// Tells the player: the operator's text, or ours.
  void announce(std::string Texts::*which);

 private:
  void tell_wait(core::Wait wait, const std::string& server, const std::string& why);

  BridgeSession& session_;
  Millis since_ = 0, until_ = 0;
  Millis ended_ = 0;                        // when the player was in again
  unsigned lost_ = 0;                       // servers in a row
  core::Wait told_ = core::Wait::kNothing;  // what the player was last told that it waits for
  bool drained_ = false;                    // the server is drained, and there was another one
  bool was_in_ = false;
};

}  // namespace entente::relay
