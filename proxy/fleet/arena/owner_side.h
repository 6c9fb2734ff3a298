// The owner's part of an arena, without the bus: sends nodes the room's facts, seats their players, and stores the
// arena. owner_annex.h connects it.
// Invariant: a node speaks only for its own players. Nothing is sent after the lease has expired. Messages of nodes are
// checked, because they come from the network.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "proxy/core/arena/referee.h"
#include "proxy/fleet/arena/fleet_arena.h"
#include "proxy/fleet/arena/saved_arena.h"
#include "proxy/net/loop.h"
#include "proxy/relay/sessions/annex.h"

namespace entente::fleet {

/// Until when this node owns an arena, by Loop::nanos. Its lease moves it on.
using OwnedUntil = std::shared_ptr<std::atomic<std::uint64_t>>;

/// The room's back, while the room is there.
using RefereeSlot = std::shared_ptr<core::Referee*>;

/// Where the owner's messages go.
struct OwnerPost {
  std::function<void(const std::string& subject, Bytes bytes)> publish;
  std::function<void(Bytes saved)> store;      ///< OwnerSide::stored() follows
  std::function<void(Bytes saved)> hand_over;  ///< HandOver of owner_annex.h
};

class OwnerSide : public relay::Annex {
 public:
  /// A message of a node (bus::FromNode). `name`: the node's, from the subject.
  virtual void read(const std::string& name, Bytes bytes) = 0;
  /// `done`: false if it failed. The next time is later after each failure.
  virtual void stored(bool done) = 0;
};

/// `seats`: of the last owner's players. They are taken at once; if a node does not ask for them, they are dropped when
/// it is lost. `room`, which is about to open, and `loop` outlive it.
std::unique_ptr<OwnerSide> make_owner_side(const FleetArena& arena, std::uint64_t epoch, OwnedUntil until,
                                           RefereeSlot referee, const SavedSeats& seats, OwnerPost post,
                                           relay::SharedRoom& room, net::Loop& loop);

}  // namespace entente::fleet
