// The table of a game that says what each field of each message becomes as a word, and what each word becomes as a
// message. `entente explain`, the documents, the log and the metrics are made from it.
// Invariant: complete. A test fails for a field of a message, or a kind of word, without a line, and for a drop that is
// counted by a line that is not in the table.
#pragma once

#include "adapters/wire/frame.h"
#include "proxy/base/mapping.h"

namespace entente::wire {

using entente::dropped_and_told, entente::dropped_down, entente::dropped_fact, entente::dropped_intent;
using entente::dropped_up;
using entente::Fidelity, entente::MappingLine, entente::kDown, entente::kUp;
static_assert(kUp == static_cast<std::uint8_t>(Way::kToServer) && kDown == static_cast<std::uint8_t>(Way::kToClient));

// These make lines of a table.
constexpr MappingLine up(const char* message, const char* field, const char* word, Fidelity fidelity = Fidelity::kExact,
                         const char* reason = "") {
  return {message, kUp, field, word, fidelity, reason};
}
constexpr MappingLine down(const char* message, const char* field, const char* word,
                           Fidelity fidelity = Fidelity::kExact, const char* reason = "") {
  return {message, kDown, field, word, fidelity, reason};
}
/// A line about a kind of word without a message.
constexpr MappingLine no_intent(const char* word, const char* reason) {
  return up("", "", word, Fidelity::kDropped, reason);
}
constexpr MappingLine no_fact(const char* word, const char* reason) {
  return down("", "", word, Fidelity::kDropped, reason);
}

}  // namespace entente::wire
