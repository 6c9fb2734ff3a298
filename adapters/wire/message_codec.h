// Typed reading and writing of one game's messages, for its front and back. They do not see the layouts, which are in
// wire.cc.
// Invariant: it uses the same codec as the tools, so what is written decodes to the same message.
#pragma once

#include <optional>
#include <string_view>

#include "adapters/wire/codec.h"

namespace entente::wire {

/// `Message`: the game's std::variant of messages. Not thread-safe.
template <class Message>
class MessageCodec {
 public:
  struct Heard {
    const Message* message;  ///< kept until the next read()
    std::uint32_t code;      ///< as on the wire: in some games it carries information
  };

  virtual ~MessageCodec() = default;

  /// Faults as Codec::decode.
  virtual Result<Heard> read(const Frame& frame) = 0;

  /// Appends `message` as a frame to be sent `way`. `code` chooses one of its codes; 0: the first in the table.
  /// REQUIRES: this dialect has such a row.
  virtual void write(const Message& message, Way way, Buffer& out, std::uint32_t code = 0) const = 0;
};

/// Whether the fault is an unknown code, not an invalid message.
inline bool unknown_code(const Fault& fault) { return std::string_view(fault.field) == "code"; }

/// Reads the messages that a peer sent in the direction `way`. `take(const Heard&)` gets each and returns whether to
/// continue. `pass(const Fault&)` returns whether to skip a frame that is not a message. Returns the fault that was not
/// skipped; then nothing more is read.
template <class Message, class Take, class Pass>
std::optional<Fault> hear(MessageCodec<Message>& codec, Way way, const Frames& frames, Take&& take, Pass&& pass) {
  std::optional<Fault> wrong;
  each_frame(frames, way, [&](const Frame& frame) {
    const auto heard = codec.read(frame);
    if (heard) return take(*heard);
    if (!pass(heard.error())) wrong = heard.error();
    return !wrong;
  });
  return wrong;
}

/// As above, but any frame that does not decode ends the reading.
template <class Message, class Take>
std::optional<Fault> hear(MessageCodec<Message>& codec, Way way, const Frames& frames, Take&& take) {
  return hear(codec, way, frames, take, [](const Fault&) { return false; });
}

}  // namespace entente::wire
