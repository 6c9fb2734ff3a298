// The vocabulary as a game, for bots and tools, as the registry sees it.
#pragma once

#include "adapters/wire/game.h"
#include "adapters/wire/mapping.h"
#include "proxy/core/faces.h"

namespace entente::native {

/// The game over TCP. Its over_web() is the same over WebSocket.
const wire::Game& game();

const core::Faces& faces();
std::span<const wire::MappingLine> mapping();

}  // namespace entente::native
