// The game's text: code page 437, or UTF-8 behind a first byte of 0xFF (OpenSpades' way).
// Law: every CP437 byte string becomes UTF-8 and comes back to the same bytes.
#pragma once

#include <string>
#include <string_view>

namespace entente::aos {

/// What a person reads, as UTF-8. Control bytes stay what they are.
std::string to_utf8(std::string_view wire);

/// As the wire carries it: CP437 where every character has a place there, else 0xFF and UTF-8.
std::string to_wire(std::string_view utf8);

}  // namespace entente::aos
