// Text in 16-bit units, converted to UTF-8.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "proxy/base/text.h"

namespace entente {

/// Converts little-endian 16-bit units to UTF-8. An unpaired surrogate becomes U+FFFD; an odd byte at the end is
/// ignored.
inline std::string utf8_of_units(std::string_view units) {
  constexpr std::uint32_t kReplacement = 0xfffd;
  const auto is_high = [](std::uint32_t unit) { return unit >= 0xd800 && unit < 0xdc00; };
  const auto is_low = [](std::uint32_t unit) { return unit >= 0xdc00 && unit < 0xe000; };
  const auto unit = [&](std::size_t at) -> std::uint32_t {
    if (at + 1 >= units.size()) return 0;
    return static_cast<unsigned char>(units[at]) | static_cast<std::uint32_t>(static_cast<unsigned char>(units[at + 1]))
                                                       << 8U;
  };
  std::string text;
  for (std::size_t at = 0; at + 1 < units.size(); at += 2) {
    const std::uint32_t first = unit(at), second = unit(at + 2);
    const bool pair = is_high(first) && is_low(second);
    if (pair) at += 2;
    const bool half = !pair && (is_high(first) || is_low(first));
    add_character(pair ? 0x10000 + ((first - 0xd800) << 10U) + (second - 0xdc00) : half ? kReplacement : first, text);
  }
  return text;
}

}  // namespace entente
