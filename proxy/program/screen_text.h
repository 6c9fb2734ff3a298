// What somebody else wrote, as a terminal may have it: it takes control characters for orders.
#pragma once

#include <string>
#include <string_view>

namespace entente {

/// A control character, also one of two bytes: those move a terminal's cursor all the same. REQUIRES: it is one
/// character, whole, as first_character() says.
bool is_terminal_control(std::string_view character);

/// Control characters, and bytes of no character, become "\x1b"; but not those in `keep`.
std::string screen_text(std::string_view text, std::string_view keep = "");

}  // namespace entente
