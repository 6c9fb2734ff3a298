// FORMAT.md: the layout of every message of a game, made from the same fields() that reads and writes it.
// Law: a test keeps the committed file equal to this text.
#pragma once

#include <string>

#include "adapters/wire/game.h"

namespace entente::wire {

/// The whole FORMAT.md of `game`, all dialects.
std::string outline(const Game& game);

}  // namespace entente::wire
