// Makes foreign text safe for a terminal, which takes control characters as commands.
#pragma once

#include <string>
#include <string_view>

namespace entente {

/// Whether this is a control character, including those of two bytes, which also move a terminal's cursor, and those
/// that change the direction of text, so that a line looks like another one. REQUIRES: it is one whole character, by
/// first_character().
bool is_terminal_control(std::string_view character);

/// Replaces control characters and invalid bytes by "\x1b", except those in `keep`.
std::string screen_text(std::string_view text, std::string_view keep = "");

}  // namespace entente
