// Ace of Spades, as the registry and the tools see it.
#pragma once

#include "adapters/wire/game.h"

namespace entente::aos {

/// The game object. There is only one.
const wire::Game& game();

/// A codec for the dialect with index `dialect` in game().dialects().
std::unique_ptr<wire::Codec> make_codec(std::size_t dialect);

}  // namespace entente::aos
