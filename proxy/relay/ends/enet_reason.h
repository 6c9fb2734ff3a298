// The numbers that tell a peer why its session ends.
#pragma once

#include "adapters/wire/game.h"
#include "proxy/relay/base/reason.h"
#include "proxy/relay/ends/end.h"

namespace entente::relay {

/// The data that a disconnect carries for this ending, in the game's own numbers.
std::uint32_t enet_parting(const wire::Game& game, Reason reason);

/// The number that tells a peer of a bridge why its link closes: the data of an ENet disconnect, or the code of a
/// WebSocket's close (RFC 6455, 7.4.1). 0: none fits.
std::uint32_t parting_code(const wire::Game& game, Facing side, Reason reason);

}  // namespace entente::relay
