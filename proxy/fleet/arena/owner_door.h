// The side of an arena where its truth is: tells all nodes what the room tells, once for each node, and seats their
// players.
// Law: a node speaks only for its own players; its name is that of the subject. Nothing is said after the lease has
// run out.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "proxy/fleet/arena/fleet_arena.h"
#include "proxy/relay/sessions/shared_room_options.h"

namespace entente::fleet {

/// Until when this node owns an arena, by Loop::nanos. Its lease moves it on.
using OwnedUntil = std::shared_ptr<std::atomic<std::uint64_t>>;

/// Makes a shared room the owner's: sets its annex. `epoch`: of the lease.
void own(const FleetArena& arena, std::uint64_t epoch, OwnedUntil until, relay::SharedRoomOptions& room);

}  // namespace entente::fleet
