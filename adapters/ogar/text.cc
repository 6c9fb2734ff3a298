#include "adapters/ogar/text.h"

#include <cstdint>

namespace entente::ogar {
namespace {

std::uint8_t byte(std::string_view text, std::size_t at) { return static_cast<std::uint8_t>(text[at]); }

/// Bytes of the character that starts at `at`; 0 if it is broken.
std::size_t character(std::string_view text, std::size_t at) {
  const std::uint8_t first = byte(text, at);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || at + size > text.size()) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((byte(text, at + i) & 0xc0U) != 0x80) return 0;
  const std::uint8_t second = byte(text, at + 1);  // overlong forms, surrogates, and what is beyond Unicode
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0)) return 0;
  if ((first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90)) return 0;
  return size;
}

}  // namespace

std::string clean(std::string_view chars) {
  std::string out;
  for (std::size_t at = 0; at < chars.size();) {
    const std::size_t size = character(chars, at);
    if (size == 0)
      out += "\xef\xbf\xbd";
    else if (size > 1 || (byte(chars, at) >= 0x20 && byte(chars, at) != 0x7f))
      out += chars.substr(at, size);
    at += size != 0 ? size : 1;
  }
  return out;
}

std::string heard(const ZText& text) {
  std::string_view chars = text.chars;
  if (text.open && !chars.empty()) chars.remove_suffix(1);
  return clean(chars);
}

std::string_view cut(std::string_view text, std::size_t most) {
  std::size_t units = 0, at = 0;
  while (at < text.size()) {
    const std::size_t size = std::max<std::size_t>(1, character(text, at));
    units += size == 4 ? 2 : 1;
    if (units > most) break;
    at += size;
  }
  return text.substr(0, at);
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

Tagged untag(std::string_view tagged) {
  const auto end = tagged.rfind('>');
  if (!tagged.starts_with('<') || end == std::string_view::npos) return {std::string(tagged), {}};
  return {std::string(tagged.substr(end + 1)), std::string(tagged.substr(1, end - 1))};
}

std::string tag(const std::string& name, const std::string& skin) {
  return skin.empty() ? name : "<" + skin + ">" + name;
}

void set(ZText& to, std::string_view text) {
  to.chars.assign(text);
  to.open = false;
}

}  // namespace entente::ogar
