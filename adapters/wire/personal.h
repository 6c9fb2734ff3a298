// The fields of a game's messages that may reveal who played, or where. `entente redact` replaces them.
// Invariant: complete. A test fails for a text, an address or bytes without a line; at run time a message with such a
// field is left out.
#pragma once

#include <cstdint>

namespace entente::wire {

/// What a field holds, as far as people are concerned.
enum class Personal : std::uint8_t {
  kUnlisted,  ///< the table has no line for the field
  kHarmless,  ///< reveals nothing: numbers
  kCode,      ///< a code of the game, of at most three letters ("GM", "R*")
  kGame,      ///< the name of a game or dialect
  kVersion,   ///< of a program or protocol
  kHash,      ///< of a world or file, in hexadecimal digits
  kName,      ///< of a player
  kChat,      ///< chat text
  kPassword,
  kToken,
  kAddress,  ///< of a computer: text, or the bytes of an IPv4 address
  kPort,
  kHost,        ///< a URL, or the name of a computer
  kMotto,       ///< what players write about themselves: motto, e-mail address, skin
  kText,        ///< what operators or programs wrote: names of servers and maps, reasons
  kVariable,    ///< the name of a rule of the game
  kValue,       ///< its value
  kStatistics,  ///< a server's, as JSON
  kFiller,      ///< bytes without meaning
  kWorld,       ///< a piece of a world, which may be packed
  kUnknown,     ///< bytes whose meaning is not known
};

/// A line of a game's table.
struct PersonalField {
  const char* message;  ///< as in its Row; "": any
  const char* field;    ///< its path ("players.ip"), or only its name
  Personal kind;
};

}  // namespace entente::wire
