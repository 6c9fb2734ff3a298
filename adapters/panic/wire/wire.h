// Panic's layouts and framing, for its Game.
// Invariant: the first bytes of a message determine its length. After a type of unknown length, framing is lost.
#pragma once

#include <memory>

#include "adapters/panic/wire/messages.h"
#include "adapters/wire/codec.h"
#include "adapters/wire/frame.h"
#include "adapters/wire/message_codec.h"

namespace entente::panic {

/// A Game State with 255 tanks and padding.
inline constexpr std::size_t kLargestFrame = 8 + 4 * 255;

std::unique_ptr<wire::Codec> make_codec(std::size_t dialect);
/// A typed codec, for the front and back.
std::unique_ptr<wire::MessageCodec<Message>> make_message_codec(std::size_t dialect);

/// Cuts the frame at the start of `bytes`, which were sent in direction `way`.
wire::Cut cut(wire::Way way, std::size_t dialect, Bytes bytes);

}  // namespace entente::panic
