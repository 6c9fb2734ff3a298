#include "proxy/program/json_text.h"

#include <cstdint>
#include <cstdio>

namespace entente {

void json_text(std::string_view text, std::string& out) {
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (byte < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", byte);
      out += escaped;
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  out += '"';
}

void json_member(const char* name, std::string_view text, std::string& out) {
  ((out += ",\"") += name) += "\":";
  json_text(text, out);
}

}  // namespace entente
