// The side of an arena where its truth is: tells all nodes what the room tells, once for each node, and seats their
// players.
// What it takes to go on elsewhere is stored each second, and when the room is stopped. A new owner goes on with it:
// players whose clients are at other nodes are what they were. Law: a node speaks only for its own players; its name is
// that of the subject. Nothing is said after the lease has run out.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "proxy/core/arena/arena.h"
#include "proxy/fleet/arena/owner_side.h"
#include "proxy/relay/sessions/shared_room_options.h"

namespace entente::fleet {

/// Is given the arena as it is when the room is stopped, to store it for the next owner, on the room's thread. Empty:
/// what was stored last counts. This owner has said its last word.
using HandOver = std::function<void(Bytes saved)>;

/// Makes a shared room the owner's: sets its back and its annex. `epoch`: of the lease. `before`: the arena as the last
/// owner stored it; nothing: it begins anew. `hand_over` is not called if the lease has run out.
void own(const FleetArena& arena, std::uint64_t epoch, OwnedUntil until, core::Arena place,
         std::optional<ReadArena> before, HandOver hand_over, relay::SharedRoomOptions& room);

}  // namespace entente::fleet
