// Texts that are sent in several lines.
#pragma once

#include <algorithm>
#include <cstddef>

namespace entente {

/// How long each line should be if a text of so many bytes is sent in lines of at most `most`: about equally long, so
/// that the last one is not a few letters. REQUIRES: most > 0.
constexpr std::size_t even_line(std::size_t text, std::size_t most) {
  constexpr std::size_t kForBlanks = 16;  // bytes of all lines, which end at blanks
  const std::size_t lines = std::max<std::size_t>((text + most - 1) / most, 1);
  return lines == 1 ? most : std::min(most, (text + lines - 1) / lines + kForBlanks / (lines - 1));
}

}  // namespace entente
