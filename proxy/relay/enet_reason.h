// What an ENet client is told when its session ends for a reason of the relay's.
#pragma once

#include "adapters/wire/game.h"
#include "proxy/relay/reason.h"

namespace entente::relay {

/// The data that a disconnect carries for this end, in the game's own numbers.
std::uint32_t enet_parting(const wire::Game& game, Reason reason);

}  // namespace entente::relay
