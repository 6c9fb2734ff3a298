// Chat commands: a line that begins with '/' is an order to the server ("/password sesame", "/kick anna").
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "proxy/base/text.h"

namespace entente {

/// Whether servers or their scripts strip this code point from the beginning of a line, or split a line at it: control
/// characters, what JavaScript's trim() removes (ECMA-262, WhiteSpace and LineTerminator), and zero-width characters,
/// because they are invisible.
constexpr bool is_cut_off(std::uint32_t point) {
  return point <= ' ' || (point >= 0x7f && point <= 0xa0) || point == 0x1680 || (point >= 0x2000 && point <= 0x200f) ||
         point == 0x2028 || point == 0x2029 || point == 0x202f || point == 0x205f || point == 0x2060 ||
         point == 0x3000 || point == 0xfeff;
}

/// `line` without what servers strip from its beginning.
constexpr std::string_view without_indent(std::string_view line) {
  for (std::size_t size = 0; (size = first_character(line)) != 0 && is_cut_off(code_point(line.substr(0, size)));)
    line.remove_prefix(size);
  return line;
}

/// Whether `line` is a command, or would be one without its indentation.
constexpr bool is_command(std::string_view line) { return without_indent(line).starts_with('/'); }

/// Where the arguments of a command begin: after its first word, including the blank. REQUIRES: is_command(line).
constexpr std::size_t arguments_of(std::string_view line) {
  std::string_view rest = without_indent(line);
  while (!rest.empty()) {
    const std::size_t size = first_character(rest);
    if (size != 0 && is_cut_off(code_point(rest.substr(0, size)))) break;
    rest.remove_prefix(std::max<std::size_t>(size, 1));  // an invalid byte is part of the word
  }
  return line.size() - rest.size();
}

}  // namespace entente
