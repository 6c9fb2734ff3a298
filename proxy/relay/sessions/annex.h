// What stands beside a shared room, on its worker, and connects it with rooms elsewhere: it hears what the room tells,
// gives its back orders, or brings it guests.
// Law: told() does not call the room. It ends with the room.
#pragma once

#include "proxy/core/word.h"

namespace entente::relay {

class SharedRoom;

class Annex {
 public:
  virtual ~Annex() = default;
  /// During a call of the room: a fact, after the world has taken it.
  virtual void told(const core::Fact& fact) = 0;
  /// At the end of a turn of the loop in which the room was called.
  virtual void turn_ends() = 0;
};

}  // namespace entente::relay
