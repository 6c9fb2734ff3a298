// A player plays in an arena of this process while no server of its route is up.
// When: the route has `while_down`, no server is up, and the player could wait for one (hold.h); also a player who has
// not been on a server yet. The client must be able to load another world.
// Where to: the route's arena, as a visitor (visitor.h). How long: until a server accepts the connection, which is
// tried meanwhile. If the arena does not take the player, or ends, the player waits for a server as without an arena:
// one who was let in there for up to hold_s again, others for what was left of their time. What is told: where the
// player is.
#pragma once

#include <memory>
#include <string>

#include "proxy/base/time.h"
#include "proxy/relay/ends/end.h"
#include "proxy/relay/route/route.h"

namespace entente::relay {

class BridgeSession;

/// A part of BridgeSession, whose calls it shares.
class Meanwhile {
 public:
  explicit Meanwhile(BridgeSession& session) : session_(session) {}

  /// Sends the player to the arena if it is time. REQUIRES: called regularly.
  void tick();
  /// The player is in the arena.
  void arrive();
  /// The arena has no place for the player, or ends. False: the session ends.
  bool lose(const std::string& why);
  /// A server has accepted the connection: the player leaves the arena.
  void go_to_server(const core::Peer& peer);
  /// The server does not want the connection. The player stays in the arena.
  void server_departed(const std::string& why);
  /// Connects again later.
  void dial_later(Millis from);
  /// The delay until a player who cannot leave the arena yet is tried again.
  static constexpr Millis kAgain = 1'000;

 private:
  void enter(std::size_t arena, const BridgeOptions::ArenaPlace& place);

  BridgeSession& session_;
  std::size_t tried_ = 0;  // the arena that was tried last
  Millis again_ = 0;       // when to try it again
};

}  // namespace entente::relay
