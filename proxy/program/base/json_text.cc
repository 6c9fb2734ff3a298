#include "proxy/program/base/json_text.h"

#include <cstdint>
#include <cstdio>

#include "proxy/base/text.h"
#include "proxy/program/base/screen_text.h"

namespace entente {

namespace {

/// Appends each character, or what stands for it. `add`: appends one that is no control character.
template <class Add>
void escape_controls(std::string_view text, std::string_view keep, std::string& out, Add&& add) {
  while (!text.empty()) {
    const std::size_t size = first_character(text);
    const std::string_view first = size != 0 ? text.substr(0, size) : "\xef\xbf\xbd";
    if (is_terminal_control(first) && keep.find(first) == keep.npos) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(code_point(first)));
      out += escaped;
    } else {
      add(first);
    }
    text.remove_prefix(size != 0 ? size : 1);
  }
}

}  // namespace

void json_text(std::string_view text, std::string& out) {
  out += '"';
  escape_controls(text, "", out, [&](std::string_view first) {
    if (first == "\"" || first == "\\") out += '\\';
    out += first;
  });
  out += '"';
}

std::string screen_json(std::string_view json) {
  std::string out;
  escape_controls(json, "\n\t", out, [&](std::string_view first) { out += first; });
  return out;
}

void json_member(const char* name, std::string_view text, std::string& out) {
  ((out += ",\"") += name) += "\":";
  json_text(text, out);
}

}  // namespace entente
