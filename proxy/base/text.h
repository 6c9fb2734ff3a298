// Texts in UTF-8: whole characters, and what becomes of bytes that are none.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace entente {

/// The first `most` bytes of `text` at the longest, never ending within a character.
constexpr std::string_view whole_characters(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80) --end;
  return text.substr(0, end);
}

/// Bytes of the character that `text` starts with; 0 if it starts with none (RFC 3629, table of section 4).
constexpr std::size_t first_character(std::string_view text) {
  const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U; };
  const auto tails = [&](std::size_t count) {
    for (std::size_t at = 1; at <= count; ++at)
      if ((byte(at) & 0xc0U) != 0x80) return false;
    return true;
  };
  const unsigned first = byte(0), second = byte(1);
  if (text.empty()) return 0;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  if (first < 0xe0) return tails(1) ? 2 : 0;
  if (first < 0xf0) {
    const bool overlong = first == 0xe0 && second < 0xa0, surrogate = first == 0xed && second >= 0xa0;
    return tails(2) && !overlong && !surrogate ? 3 : 0;
  }
  const bool overlong = first == 0xf0 && second < 0x90, beyond = first == 0xf4 && second >= 0x90;
  return tails(3) && !overlong && !beyond ? 4 : 0;
}

/// As a word may hold it: each byte that is of no character is U+FFFD.
inline std::string well_formed(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t size = first_character(text);
    out += size != 0 ? text.substr(0, size) : "\xef\xbf\xbd";
    text.remove_prefix(size != 0 ? size : 1);
  }
  return out;
}

/// The same, without control characters: a name, or a line for a screen.
inline std::string clean(std::string_view text) {
  std::string out = well_formed(text);
  std::erase_if(out, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  return out;
}

}  // namespace entente
