// The game's text: code page 437, or UTF-8 after a first byte of 0xFF (as OpenSpades sends it).
// Invariant: every CP437 byte string converts to UTF-8 and back to the same bytes.
#pragma once

#include <string>
#include <string_view>

namespace entente::aos {

/// Converts text from the wire to UTF-8. Control bytes stay unchanged.
std::string to_utf8(std::string_view wire);

/// Converts UTF-8 to the wire: CP437 if it has every character, otherwise 0xFF and UTF-8.
std::string to_wire(std::string_view utf8);

}  // namespace entente::aos
