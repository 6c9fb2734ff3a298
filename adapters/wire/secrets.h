// Passwords and tokens in messages, and how they are blanked before a frame is recorded.
// Law: a blanked message has the same fields, and texts of the same length in bytes; only characters differ. So it
// still decodes, and encodes to its own bytes.
#pragma once

#include <span>
#include <string>

#include "adapters/wire/codec.h"

namespace entente::wire {

/// A text field that holds a secret, in messages from clients.
struct Secret {
  std::string message;  ///< as in its Row
  std::string field;    ///< its name
  bool line = false;    ///< a line of chat: only the arguments of a command are secret
};

/// Replaces secrets by '*' in the message that `codec` decoded by `row`. False: there were none.
bool blank_secrets(const Row& row, Codec& codec, std::span<const Secret> secrets);

}  // namespace entente::wire
