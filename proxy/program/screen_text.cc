#include "proxy/program/screen_text.h"

#include "proxy/base/text.h"

namespace entente {
namespace {

/// C1 controls are two bytes in UTF-8 and move a terminal's cursor all the same.
bool is_order(std::string_view character) {
  const std::uint32_t point = code_point(character);
  return point < 0x20 || (point >= 0x7f && point < 0xa0);
}

void put_hex(std::string_view bytes, std::string& out) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    ((out += "\\x") += kDigits[byte >> 4U]) += kDigits[byte & 15U];
  }
}

}  // namespace

std::string screen_text(std::string_view text, std::string_view keep) {
  std::string out;
  while (!text.empty()) {
    const std::size_t size = first_character(text);
    const std::string_view first = text.substr(0, std::max<std::size_t>(size, 1));
    if (size != 0 && (!is_order(first) || keep.find(first) != keep.npos))
      out += first;
    else
      put_hex(first, out);
    text.remove_prefix(first.size());
  }
  return out;
}

}  // namespace entente
