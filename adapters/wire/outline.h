// Generates FORMAT.md: the layout of every message of a game, from the same fields() that reads and writes it.
// Invariant: a test compares the committed file with this text.
#pragma once

#include <string>

#include "adapters/wire/game.h"

namespace entente::wire {

/// The whole FORMAT.md of `game`, all dialects.
std::string outline(const Game& game);

}  // namespace entente::wire
