// The table of a game that says what each field of each message becomes as a word, and what each word becomes as a
// message. `entente explain`, the documents, the log and the metrics are made from it.
// Law: complete. A test fails for a field of a message, or a kind of word, without a line, and for a loss that is
// counted by a line that is not in the table.
#pragma once

#include "adapters/wire/frame.h"
#include "proxy/base/mapping.h"

namespace entente::wire {

using entente::Fidelity, entente::Mapping, entente::kDown, entente::kUp;
using entente::lost_down, entente::lost_fact, entente::lost_intent, entente::lost_up;
static_assert(kUp == static_cast<std::uint8_t>(Way::kToServer) && kDown == static_cast<std::uint8_t>(Way::kToClient));

// These make lines of a table.
constexpr Mapping up(const char* message, const char* field, const char* word, Fidelity fidelity = Fidelity::kExact,
                     const char* reason = "") {
  return {message, kUp, field, word, fidelity, reason};
}
constexpr Mapping down(const char* message, const char* field, const char* word, Fidelity fidelity = Fidelity::kExact,
                       const char* reason = "") {
  return {message, kDown, field, word, fidelity, reason};
}
/// A line about a kind of word without a message.
constexpr Mapping no_intent(const char* word, const char* reason) {
  return up("", "", word, Fidelity::kDropped, reason);
}
constexpr Mapping no_fact(const char* word, const char* reason) {
  return down("", "", word, Fidelity::kDropped, reason);
}

}  // namespace entente::wire
