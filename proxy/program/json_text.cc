#include "proxy/program/json_text.h"

#include <cstdint>
#include <cstdio>

#include "proxy/base/text.h"
#include "proxy/program/screen_text.h"

namespace entente {

void json_text(std::string_view text, std::string& out) {
  out += '"';
  while (!text.empty()) {
    const std::size_t size = first_character(text);
    const std::string_view first = size != 0 ? text.substr(0, size) : "\xef\xbf\xbd";
    if (is_terminal_control(first)) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(code_point(first)));
      out += escaped;
    } else {
      if (first == "\"" || first == "\\") out += '\\';
      out += first;
    }
    text.remove_prefix(size != 0 ? size : 1);
  }
  out += '"';
}

void json_member(const char* name, std::string_view text, std::string& out) {
  ((out += ",\"") += name) += "\":";
  json_text(text, out);
}

}  // namespace entente
