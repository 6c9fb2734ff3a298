// The owner's side of an arena: sends the room's facts to all nodes, once for each node, and seats their players.
// The state that another owner needs is stored each second, and when the room is stopped. A new owner continues from
// it: players whose clients are on other nodes keep their state. Invariant: a node speaks only for its own players; its
// name is taken from the subject. Nothing is sent after the lease has expired.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "proxy/core/arena/arena.h"
#include "proxy/fleet/arena/owner_side.h"
#include "proxy/relay/sessions/shared_room_options.h"

namespace entente::fleet {

/// Receives the arena when the room is stopped, to store it for the next owner. Called on the room's thread. Empty: the
/// arena that was stored last counts. This owner sends nothing more.
using HandOver = std::function<void(Bytes saved)>;

/// Makes a shared room the owner's: sets its back and its annex. `epoch`: of the lease. `before`: the arena as the last
/// owner stored it; nothing: it begins anew. `hand_over` is not called if the lease has expired.
void own(const FleetArena& arena, std::uint64_t epoch, OwnedUntil until, core::Arena place,
         std::optional<ReadArena> before, HandOver hand_over, relay::SharedRoomOptions& room);

}  // namespace entente::fleet
