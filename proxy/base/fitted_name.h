// Texts for fields that are shorter: names that can still be told apart, and lines none of which is a scrap.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "proxy/base/text.h"

namespace entente {

/// A name fitted to a field of `most` bytes: whole, or its beginning and its end, because names that begin alike often
/// differ at the end: "evening_..r_two". REQUIRES: most > 8.
inline std::string fitted_name(std::string_view name, std::size_t most) {
  constexpr std::string_view kMiddle = "..";
  if (name.size() <= most) return std::string(name);
  std::size_t tail = name.size() - most / 3;
  while (tail < name.size() && (static_cast<unsigned char>(name[tail]) & 0xc0U) == 0x80) ++tail;
  const std::string_view end = name.substr(tail);
  return std::string(whole_characters(name, most - kMiddle.size() - end.size())) += std::string(kMiddle) += end;
}

/// How long each line should be if a text of so many bytes is sent in lines of at most `most`: about equally long, so
/// that the last one is not a few letters. REQUIRES: most > 0.
constexpr std::size_t even_line(std::size_t text, std::size_t most) {
  constexpr std::size_t kForBlanks = 16;  // bytes of all lines, which end at blanks
  const std::size_t lines = std::max<std::size_t>((text + most - 1) / most, 1);
  return lines == 1 ? most : std::min(most, (text + lines - 1) / lines + kForBlanks / (lines - 1));
}

}  // namespace entente
