// Typed reading and writing of Ogar's messages, for its front and back.
#pragma once

#include <memory>

#include "adapters/ogar/wire/messages.h"
#include "adapters/wire/message_codec.h"

namespace entente::ogar {

using MessageCodec = wire::MessageCodec<Message>;

/// Reads and writes messages of the dialect with index `dialect` in game().dialects().
std::unique_ptr<MessageCodec> make_message_codec(std::size_t dialect);

/// A codec for the dialect with index `dialect` in kDialects.
std::unique_ptr<wire::Codec> make_codec(std::size_t dialect);

}  // namespace entente::ogar
