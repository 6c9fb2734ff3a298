// Connects a shared room with rooms on other nodes, on the shared room's worker: receives the room's facts, gives its
// back orders, or brings it guests.
// Invariant: told(), announced() and room_ends() do not call the room. It ends with the room.
#pragma once

#include <string_view>

#include "proxy/core/word.h"
#include "proxy/relay/base/reason.h"

namespace entente::relay {

class SharedRoom;

class Annex {
 public:
  virtual ~Annex() = default;
  /// During a call of the room: a fact, after the world has taken it.
  virtual void told(const core::Fact& fact) = 0;
  /// At the end of a turn of the loop in which the room was called.
  virtual void turn_ends() = 0;
  /// A guest was sent a message in the server's name.
  virtual void announced(core::Id, std::string_view) {}
  /// The room is about to end: all players are still in its world.
  virtual void room_ends(Reason) {}
};

}  // namespace entente::relay
