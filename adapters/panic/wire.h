// Panic's layouts and framing, for its Game. Law: a message's length is told by its first bytes alone, and a type whose
// length nobody said loses the stream.
#pragma once

#include <memory>

#include "adapters/panic/messages.h"
#include "adapters/wire/codec.h"
#include "adapters/wire/frame.h"
#include "adapters/wire/speech.h"

namespace entente::panic {

/// A Game State with 255 tanks and padding.
inline constexpr std::size_t kLargestFrame = 8 + 4 * 255;

std::unique_ptr<wire::Codec> make_codec(std::size_t dialect);
/// The same, typed.
std::unique_ptr<wire::Speech<Message>> make_speech(std::size_t dialect);

/// The frame at the start of `bytes`, sent `way`.
wire::Cut cut(wire::Way way, std::size_t dialect, Bytes bytes);

}  // namespace entente::panic
