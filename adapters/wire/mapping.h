// The lines of a game's table: what becomes of each field of each message on its way to a word, and of each word on its
// way to a message. Law: a table is complete. A test fails for a field or a word without a line, and for a loss that a
// session counts by a line that is not in the table.
#pragma once

#include "adapters/wire/frame.h"
#include "proxy/base/mapping.h"

namespace entente::wire {

using entente::Fidelity, entente::Mapping, entente::kDown, entente::kUp;
using entente::lost_down, entente::lost_fact, entente::lost_intent, entente::lost_up;
static_assert(kUp == static_cast<std::uint8_t>(Way::kToServer) && kDown == static_cast<std::uint8_t>(Way::kToClient));

// Lines as tables write them.
constexpr Mapping up(const char* message, const char* field, const char* word, Fidelity fidelity = Fidelity::kExact,
                     const char* reason = "") {
  return {message, kUp, field, word, fidelity, reason};
}
constexpr Mapping down(const char* message, const char* field, const char* word, Fidelity fidelity = Fidelity::kExact,
                       const char* reason = "") {
  return {message, kDown, field, word, fidelity, reason};
}
/// A kind of word that no message says.
constexpr Mapping no_intent(const char* word, const char* reason) {
  return up("", "", word, Fidelity::kDropped, reason);
}
constexpr Mapping no_fact(const char* word, const char* reason) {
  return down("", "", word, Fidelity::kDropped, reason);
}

}  // namespace entente::wire
