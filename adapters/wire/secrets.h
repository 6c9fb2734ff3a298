// Passwords and tokens in messages, and how they are blanked before a frame is recorded: where clients write them, and
// where servers repeat them.
// Invariant: a blanked message has the same fields, and texts of the same length in bytes; only characters differ. So
// it still decodes, and encodes to its own bytes.
#pragma once

#include <span>
#include <string>

#include "adapters/wire/codec.h"
#include "proxy/base/secret_echoes.h"

namespace entente::wire {

/// A text field that holds a secret, in messages from clients.
struct Secret {
  std::string message;  ///< as in its Row
  std::string field;    ///< its name
  bool line = false;    ///< a line of chat: only the arguments of a command are secret
};

/// A text field of messages to clients in which a server may repeat what its client wrote.
struct EchoField {
  std::string message;  ///< as in its Row; "": any
  std::string field;    ///< its name
};

/// Replaces secrets by '*' in the message that `codec` decoded by `row`. False: there were none. `heard`: remembers
/// them; may be null.
bool blank_secrets(const Row& row, Codec& codec, std::span<const Secret> secrets, SecretEchoes* heard = nullptr);

/// The same for a message to the client that repeats a secret.
bool blank_echoes(const Row& row, Codec& codec, std::span<const EchoField> fields, const SecretEchoes& heard);

}  // namespace entente::wire
