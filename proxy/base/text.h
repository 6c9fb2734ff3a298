// UTF-8 text: whole characters, invalid bytes, ASCII, pieces that fit a field, names that are free.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace entente {

/// At most the first `most` bytes of `text`, never cutting a character.
constexpr std::string_view whole_characters(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80) --end;
  return text.substr(0, end);
}

/// The end of a text that was cut. ASCII, because some games support nothing else.
inline constexpr std::string_view kCutMark = "...";

/// `text` fitted to a field of `most` bytes: whole, or its beginning and kCutMark. REQUIRES: most >=
/// kCutMark.size().
inline std::string fitted(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  return std::string(whole_characters(text, most - kCutMark.size())) += kCutMark;
}

/// Length in bytes of the character at the start of `text`; 0 if there is none (RFC 3629, table of section 4).
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

/// The code point of a character. REQUIRES: `text` is one whole character, by first_character().
constexpr std::uint32_t code_point(std::string_view character) {
  const auto byte = [&](std::size_t at) { return std::uint32_t{static_cast<unsigned char>(character[at])}; };
  if (character.size() == 1) return byte(0);
  std::uint32_t point = byte(0) & (0xffU >> (character.size() + 1));
  for (std::size_t at = 1; at < character.size(); ++at) point = point << 6U | (byte(at) & 0x3fU);
  return point;
}

/// Appends the character of a code point. REQUIRES: below 0x110000 and not a surrogate.
inline void add_character(std::uint32_t point, std::string& to) {
  const auto tail = [&](unsigned shift) { to += static_cast<char>(0x80U | (point >> shift & 0x3fU)); };
  if (point < 0x80) {
    to += static_cast<char>(point);
  } else if (point < 0x800) {
    to += static_cast<char>(0xc0U | point >> 6U);
    tail(0);
  } else if (point < 0x10000) {
    to += static_cast<char>(0xe0U | point >> 12U);
    tail(6), tail(0);
  } else {
    to += static_cast<char>(0xf0U | point >> 18U);
    tail(12), tail(6), tail(0);
  }
}

/// Where to cut a text that is too long for one field: after any character, or after a blank if there is one.
enum class CutAt : std::uint8_t { kCharacter, kBlank };

/// Removes from the front of `left` what fits into a field of `most` bytes, and returns it. It prefers to cut at a
/// blank in the second half of the field. Of invalid text it takes `most` bytes. The result is empty only if `left`
/// is. REQUIRES: most > 0.
constexpr std::string_view take_piece(std::string_view& left, std::size_t most, CutAt cut) {
  std::size_t size = whole_characters(left, most).size();
  if (size == 0) size = std::min(most, left.size());
  if (cut == CutAt::kBlank && size < left.size()) {
    const std::size_t blank = left.substr(0, size).rfind(' ');
    if (blank != std::string_view::npos && blank > size / 2) size = blank + 1;
  }
  const std::string_view piece = left.substr(0, size);
  left.remove_prefix(size);
  return piece;
}

/// Whether all of it is valid UTF-8 (RFC 3629).
constexpr bool is_text(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = first_character(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

constexpr bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

/// Valid UTF-8 for a word: each invalid byte becomes U+FFFD.
inline std::string well_formed(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t size = first_character(text);
    out += size != 0 ? text.substr(0, size) : "\xef\xbf\xbd";
    text.remove_prefix(size != 0 ? size : 1);
  }
  return out;
}

/// Removes control characters, including those of two bytes in UTF-8 (U+0080 to U+009F), which some terminals obey.
inline void erase_controls(std::string& text) {
  for (std::size_t at = text.find('\xc2'); at != text.npos; at = text.find('\xc2', at + 1))
    if (at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) - 0x80U < 0x20) text[at] = text[at + 1] = 0;
  std::erase_if(text, is_control);
}

/// well_formed() without control characters: for a name, or a line on a screen.
inline std::string clean(std::string_view text) {
  std::string out = well_formed(text);
  erase_controls(out);
  return out;
}

/// Printable ASCII: each character that is not from ' ' to '~', and each invalid byte, becomes '?'.
inline std::string ascii(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    out += text[0] >= ' ' && text[0] <= '~' ? text[0] : '?';
    text.remove_prefix(std::max<std::size_t>(first_character(text), 1));
  }
  return out;
}

/// The first of "anna", "anna 2", "anna 3" … (counted from `first`) for which `taken(const std::string&)` is false.
/// At most `most` bytes: the name is cut, never the number. REQUIRES: most > 24, first > 0.
template <class Taken>
std::string free_name(std::string_view wish, std::size_t most, std::size_t first, Taken&& taken) {
  for (std::size_t nth = first;; ++nth) {
    const std::string number = nth == 1 ? "" : " " + std::to_string(nth);
    const std::string name = fitted(wish, most - number.size()) + number;
    if (!taken(name)) return name;
  }
}

/// The same. `taken`: in any order; what it views stays until the end.
inline std::string free_name_among(std::vector<std::string_view> taken, std::string_view wish, std::size_t most,
                                   std::size_t first) {
  std::sort(taken.begin(), taken.end());
  return free_name(wish, most, first, [&](const std::string& name) {
    return std::binary_search(taken.begin(), taken.end(), std::string_view(name));
  });
}

}  // namespace entente
