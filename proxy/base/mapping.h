// A line of a mapping: what becomes of a message, a field or a word on its way between a game and the vocabulary.
// `entente explain`, the documents, the log and the metrics all show these lines.
// Invariant: the texts are literals, and a line lives as long as the program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace entente {

enum class Fidelity : std::uint8_t {
  kExact,             ///< the same value arrives, or the nearest that the wire can hold
  kLossy,             ///< an approximation arrives
  kSynthesised,       ///< no word has it; Entente generates it (a sequence number, a checksum, a default)
  kDropped,           ///< never arrives
  kDroppedSometimes,  ///< is dropped in the situation that the reason names; another line says what happens otherwise
};

struct MappingLine {
  const char* message;  ///< as in its Row; "" for a word that no message carries; "*": any message
  std::uint8_t ways;    ///< sum of wire::Way: the directions in which the message travels when this holds
  const char* field;    ///< its path without indices ("flags.owner"); "*": all fields without a line; "": none
  const char* word;     ///< "Fire.x"; "Fire" if the message's presence means the word; "": none; "*": any word
  Fidelity fidelity;
  const char* reason = "";  ///< required unless exact: one clause, for people
  bool tells = false;       ///< whoever drops by this line tells the player itself, in words of its own
};

inline constexpr std::uint8_t kUp = 1;    // wire::Way::kToServer
inline constexpr std::uint8_t kDown = 2;  // wire::Way::kToClient

// A kDroppedSometimes line is about a message that did not become a word, or a word that did not become a message.

/// A message of a client, or a field of it.
constexpr MappingLine dropped_up(const char* message, const char* field, const char* reason) {
  return {message, kUp, field, "", Fidelity::kDroppedSometimes, reason};
}
/// A message of a server, or a field of it.
constexpr MappingLine dropped_down(const char* message, const char* field, const char* reason) {
  return {message, kDown, field, "", Fidelity::kDroppedSometimes, reason};
}
constexpr MappingLine dropped_intent(const char* word, const char* reason) {
  return {"", kUp, "", word, Fidelity::kDroppedSometimes, reason};
}
/// For code that tells the player itself.
constexpr MappingLine dropped_and_told(const char* word, const char* reason) {
  return {"", kUp, "", word, Fidelity::kDroppedSometimes, reason, true};
}
constexpr MappingLine dropped_fact(const char* word, const char* reason) {
  return {"", kDown, "", word, Fidelity::kDroppedSometimes, reason};
}

/// What the line is about: "MsgShotBegin.dt" or "Fire". `word`: the word's name, for a line about any word.
inline std::string subject(const MappingLine& line, const char* word = nullptr) {
  const std::string_view message = line.message, field = line.field, any = "*";
  if (message.empty()) return word != nullptr ? word : line.word == any ? "a word" : line.word;
  const std::string name(message == any ? "a message" : message);
  return field.empty() || field == any ? name : name + "." + std::string(field);
}

}  // namespace entente
