// What a recorded file is in, told from its first bytes: the game, and its dialect.
#pragma once

#include <functional>
#include <optional>

#include "adapters/wire/game.h"
#include "proxy/program/import.h"

namespace entente {

struct Speech {
  const wire::Game* game = nullptr;
  std::size_t dialect = 0;  ///< index into game->dialects()
};

/// Reads a file into a sink, as far as the sink wants it.
using ImportFile = std::function<Outcome<Done>(ImportSink&)>;

/// What the first connection speaks that shows it; nothing if none does. `game`: it is known to be that one; null =
/// any.
std::optional<Speech> shown_speech(const wire::Game* game, const ImportFile& read);

}  // namespace entente
