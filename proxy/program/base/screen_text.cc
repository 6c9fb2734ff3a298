#include "proxy/program/base/screen_text.h"

#include <algorithm>

#include "proxy/base/bytes.h"
#include "proxy/base/text.h"

namespace entente {

bool is_terminal_control(std::string_view character) {
  const std::uint32_t point = code_point(character);
  const bool turns = (point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);
  return point < 0x20 || (point >= 0x7f && point < 0xa0) || turns;
}

std::string screen_text(std::string_view text, std::string_view keep) {
  std::string out;
  while (!text.empty()) {
    const std::size_t size = first_character(text);
    const std::string_view first = text.substr(0, std::max<std::size_t>(size, 1));
    if (size != 0 && (!is_terminal_control(first) || keep.find(first) != keep.npos)) {
      out += first;
    } else {
      for (const std::uint8_t byte : as_bytes(first)) add_hex({&byte, 1}, out += "\\x");
    }
    text.remove_prefix(first.size());
  }
  return out;
}

}  // namespace entente
