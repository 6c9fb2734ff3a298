// Texts in UTF-8, as sizes in bytes limit them.
#pragma once

#include <cstddef>
#include <string_view>

namespace entente {

/// The first `most` bytes of `text` at the longest, never ending within a character.
constexpr std::string_view whole_characters(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80) --end;
  return text.substr(0, end);
}

}  // namespace entente
