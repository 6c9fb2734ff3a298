// The side of an arena where its truth is: tells all nodes what the room tells, once for each node, and seats their
// players.
// What it takes to go on elsewhere is stored each second; a new owner goes on with it: players whose clients are at
// other nodes come back to what they were. Law: a node speaks only for its own players; its name is that of the
// subject. Nothing is said after the lease has run out.
#pragma once

#include <cstdint>
#include <optional>

#include "proxy/core/arena/arena.h"
#include "proxy/fleet/arena/owner_side.h"
#include "proxy/relay/sessions/shared_room_options.h"

namespace entente::fleet {

/// Makes a shared room the owner's: sets its back and its annex. `epoch`: of the lease. `before`: the arena as the last
/// owner stored it; nothing: it begins anew.
void own(const FleetArena& arena, std::uint64_t epoch, OwnedUntil until, core::Arena place,
         std::optional<ReadArena> before, relay::SharedRoomOptions& room);

}  // namespace entente::fleet
