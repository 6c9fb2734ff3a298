#include "adapters/ogar/text.h"

#include <algorithm>

namespace entente::ogar {

std::string heard(const ZText& text) {
  std::string_view chars = text.chars;
  if (text.open && !chars.empty()) chars.remove_suffix(1);
  return clean(chars);
}

std::string_view cut(std::string_view text, std::size_t most) {
  std::size_t units = 0, at = 0;
  while (at < text.size()) {
    const std::size_t size = std::max<std::size_t>(1, first_character(text.substr(at)));
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
