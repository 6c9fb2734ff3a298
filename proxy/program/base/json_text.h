// JSON text.
#pragma once

#include <string>
#include <string_view>

namespace entente {

/// Appends a JSON string of any text: control characters are escaped (they would reach a terminal), and invalid
/// bytes become U+FFFD.
void json_text(std::string_view text, std::string& out);

/// JSON that another program wrote, for a terminal: control characters are escaped as in strings, where alone they can
/// stand, except line ends and tabs. Invalid bytes become U+FFFD.
std::string screen_json(std::string_view json);

/// Appends ,"name":"text".
void json_member(const char* name, std::string_view text, std::string& out);

}  // namespace entente
