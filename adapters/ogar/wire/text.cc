#include "adapters/ogar/wire/text.h"

#include <algorithm>

#include "proxy/base/text.h"
#include "proxy/base/utf16.h"
#include "proxy/core/texts.h"

namespace entente::ogar {
namespace {

void add_unit(std::uint32_t unit, std::string& to) {
  to += static_cast<char>(unit & 0xffU);
  to += static_cast<char>(unit >> 8U & 0xffU);
}

constexpr std::uint32_t kReplacement = 0xfffd;

}  // namespace

std::string narrow(std::string_view units) { return utf8_of_units(units); }

std::string widen(std::string_view text) {
  std::string units;
  while (!text.empty()) {
    const std::size_t size = first_character(text);
    const std::uint32_t c = size != 0 ? code_point(text.substr(0, size)) : kReplacement;
    if (c >= 0x10000) add_unit(0xd800 + ((c - 0x10000) >> 10U), units);
    add_unit(c >= 0x10000 ? 0xdc00 + ((c - 0x10000) & 0x3ffU) : c, units);
    text.remove_prefix(size != 0 ? size : 1);
  }
  return units;
}

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

std::string fitted_units(std::string_view text, std::size_t most) {
  if (cut(text, most).size() == text.size()) return std::string(text);
  return std::string(cut(text, most - kCutMark.size())) += kCutMark;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::string shortened(std::string_view told) { return fitted(told, core::kMostName); }

std::string told_name(std::string_view told) { return clean(shortened(told)); }

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

std::string text_of(const ZText& text, bool ucs2) { return ucs2 ? narrow(text.chars) : text.chars; }

void set(ZText& to, std::string_view text, bool ucs2) { ucs2 ? set(to, widen(text)) : set(to, text); }

}  // namespace entente::ogar
