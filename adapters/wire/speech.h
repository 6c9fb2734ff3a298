// Typed reading and writing of one game's messages, for its front and back, which are in other files than its layouts.
// Law: the same codec as the tools use; what is written decodes to what was meant.
#pragma once

#include <optional>
#include <string_view>

#include "adapters/wire/frame_reader.h"

namespace entente::wire {

/// `Message`: the game's std::variant of messages. Not thread-safe.
template <class Message>
class Speech {
 public:
  struct Heard {
    const Message* message;  ///< kept until the next read()
    std::uint32_t code;      ///< as it stood on the wire: some games say more with it than which message it is
  };

  virtual ~Speech() = default;

  /// Faults as Codec::decode.
  virtual Result<Heard> read(const Frame& frame) = 0;

  /// Appends `message` as a frame to be sent `way`. `code` chooses one of the codes that it may have; 0: the first in
  /// the table. REQUIRES: this dialect has such a row.
  virtual void write(const Message& message, Way way, Buffer& out, std::uint32_t code = 0) const = 0;
};

/// A message of a code that nobody knows, not one that is wrong.
inline bool unknown_code(const Fault& fault) { return std::string_view(fault.field) == "code"; }

/// Reads all that a peer sent: `take(const Heard&)` says of each message whether to go on, `pass(const Fault&)` of what
/// is none whether to pass it over. Returns the fault that was not, or that of the framing; then nothing more is read.
template <class Message, class Take, class Pass>
std::optional<Fault> hear(FrameReader& reader, Speech<Message>& speech, Lane lane, Bytes bytes, Take&& take,
                          Pass&& pass) {
  std::optional<Fault> wrong;
  const auto framing = reader.feed(lane, bytes, [&](const Frame& frame) {
    const auto heard = speech.read(frame);
    if (heard) return take(*heard);
    if (!pass(heard.error())) wrong = heard.error();
    return !wrong;
  });
  return wrong ? wrong : framing;
}

/// The same, where nothing is passed over.
template <class Message, class Take>
std::optional<Fault> hear(FrameReader& reader, Speech<Message>& speech, Lane lane, Bytes bytes, Take&& take) {
  return hear(reader, speech, lane, bytes, take, [](const Fault&) { return false; });
}

}  // namespace entente::wire
