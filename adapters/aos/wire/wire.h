// Typed reading and writing of Ace of Spades' messages, for its front and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "adapters/aos/wire/messages.h"
#include "adapters/wire/message_codec.h"

namespace entente::aos {

/// Reads and writes the dialect with index `dialect` in game().dialects().
std::unique_ptr<wire::MessageCodec<Message>> make_message_codec(std::size_t dialect);

/// Whether a client's packet of this id has a layout in that dialect.
bool clients_say(std::uint8_t id, std::size_t dialect);

/// A codec for the dialect with index `dialect` in kDialects.
std::unique_ptr<wire::Codec> make_codec(std::size_t dialect);

}  // namespace entente::aos
