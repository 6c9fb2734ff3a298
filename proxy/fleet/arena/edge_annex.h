// The clients' side of an arena: passes the owner's messages to the room's Mirror, and the Mirror's messages to the
// owner, once each turn of the loop.
#pragma once

#include <memory>

#include "proxy/fleet/arena/fleet_arena.h"
#include "proxy/fleet/arena/mirror.h"
#include "proxy/relay/sessions/shared_room_options.h"

namespace entente::fleet {

/// Makes a shared room an edge of the arena: sets its back and its annex.
void lead_to_owner(const FleetArena& arena, relay::SharedRoomOptions& room);

}  // namespace entente::fleet
