// Typed reading and writing of the draft's messages, for its front and back.
#pragma once

#include <memory>

#include "adapters/bzdraft/wire/messages.h"
#include "adapters/wire/message_codec.h"

namespace entente::bzdraft {

std::unique_ptr<wire::MessageCodec<Message>> make_message_codec();

/// The code with which MsgTeleport is sent. The draft's own code is also MsgScore's, and is read as that.
inline constexpr std::uint32_t kTeleportCode = 0x7470;

std::unique_ptr<wire::Codec> make_codec();

}  // namespace entente::bzdraft
