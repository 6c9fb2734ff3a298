// What becomes of each field of each message on its way to a word, and of each word on its way to a message: the one
// table of a game, from which the explanations of a pair, its documents and its loss counters are made.
// Law: complete. A test fails for a field of a message, or a kind of word, that no line is about.
#pragma once

#include <cstdint>
#include <span>

#include "adapters/wire/frame.h"

namespace entente::wire {

enum class Fidelity : std::uint8_t {
  kExact,        ///< the same value comes out on the other side, or the nearest that the wire can hold
  kLossy,        ///< something like it
  kSynthesised,  ///< no word is behind it: the face makes it up from what it knows (an order, a checksum, a default)
  kDropped,      ///< nobody is told
};

struct Mapping {
  const char* message;  ///< as in its Row; "" for a word that no message says
  std::uint8_t ways;    ///< sum of Way: the directions in which the message travels when this holds
  const char* field;    ///< its path without indices ("flags.owner"); "*": all that no other line is about; "": none
  const char* word;     ///< "Fire.x", or "Fire" for one that its being there says; "" for none
  Fidelity fidelity;
  const char* reason = "";  ///< REQUIRED unless exact: one clause, for people
};

// Lines as tables write them.
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
/// A kind of word that no message says.
constexpr Mapping no_intent(const char* word, const char* reason) {
  return up("", "", word, Fidelity::kDropped, reason);
}
constexpr Mapping no_fact(const char* word, const char* reason) {
  return down("", "", word, Fidelity::kDropped, reason);
}

}  // namespace entente::wire
