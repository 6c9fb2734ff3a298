// Typed reading and writing of one game's messages, for its front and back. They do not see the layouts, which are in
// wire.cc.
// Law: it uses the same codec as the tools, so what is written decodes to the same message.
#pragma once

#include <optional>
#include <string_view>

#include "adapters/wire/frame_reader.h"

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

/// Reads everything that a peer sent. `take(const Heard&)` gets each message and returns whether to continue.
/// `pass(const Fault&)` returns whether to skip what is not a message. Returns the fault that was not skipped, or
/// that of the framing; then nothing more is read.
template <class Message, class Take, class Pass>
std::optional<Fault> hear(FrameReader& reader, MessageCodec<Message>& codec, Lane lane, Bytes bytes, Take&& take,
                          Pass&& pass) {
  std::optional<Fault> wrong;
  const auto framing = reader.feed(lane, bytes, [&](const Frame& frame) {
    const auto heard = codec.read(frame);
    if (heard) return take(*heard);
    if (!pass(heard.error())) wrong = heard.error();
    return !wrong;
  });
  return wrong ? wrong : framing;
}

/// As above, but any message that does not decode ends the reading.
template <class Message, class Take>
std::optional<Fault> hear(FrameReader& reader, MessageCodec<Message>& codec, Lane lane, Bytes bytes, Take&& take) {
  return hear(reader, codec, lane, bytes, take, [](const Fault&) { return false; });
}

}  // namespace entente::wire
