// The table of a game that says what each field of each message becomes as a word, and what each word becomes as a
// message. `entente explain`, the documents and the counters of losses are made from it.
// Law: complete. A test fails for a field of a message, or a kind of word, without a line.
#pragma once

#include <cstdint>
#include <span>

#include "adapters/wire/frame.h"

namespace entente::wire {

enum class Fidelity : std::uint8_t {
  kExact,        ///< the same value arrives, or the nearest that the wire can hold
  kLossy,        ///< a similar value arrives
  kSynthesised,  ///< made by the face without a word (an order, a checksum, a default)
  kDropped,      ///< not forwarded
};

struct Mapping {
  const char* message;  ///< as in its Row; "" for a word without a message
  std::uint8_t ways;    ///< sum of Way: the directions of the message to which the line applies
  const char* field;    ///< its path without indices ("flags.owner"); "*": all fields without a line; "": none
  const char* word;     ///< "Fire.x", or "Fire" if only its existence counts; "" for none
  Fidelity fidelity;
  const char* reason = "";  ///< REQUIRED unless exact: one clause, for people
};

// Makes lines of a table.
inline constexpr auto kUp = static_cast<std::uint8_t>(Way::kToServer);
inline constexpr auto kDown = static_cast<std::uint8_t>(Way::kToClient);

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
