// Typed reading and writing of Ogar's messages, for its front and back.
#pragma once

#include <memory>

#include "adapters/ogar/messages.h"
#include "adapters/wire/speech.h"

namespace entente::ogar {

using Speech = wire::Speech<Message>;

/// Reads and writes messages of the dialect with index `dialect` in game().dialects().
std::unique_ptr<Speech> make_speech(std::size_t dialect);

}  // namespace entente::ogar
