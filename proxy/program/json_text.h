// Text in JSON.
#pragma once

#include <string>
#include <string_view>

namespace entente {

/// Appends a JSON string. REQUIRES: what peers sent is escaped already, so that bytes above ASCII are our own.
void json_text(std::string_view text, std::string& out);

/// Appends ,"name":"text".
void json_member(const char* name, std::string_view text, std::string& out);

}  // namespace entente
