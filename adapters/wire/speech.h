// Typed reading and writing of one game's messages, for its front and back, which are in other files than its layouts.
// Law: the same codec as the tools use; what is written decodes to what was meant.
#pragma once

#include "adapters/wire/frame.h"
#include "proxy/base/fault.h"

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

}  // namespace entente::wire
