// Converts texts between Ogar and words. Invariant: words hold well-formed UTF-8 without control characters.
#pragma once

#include <string>
#include <string_view>

#include "adapters/ogar/wire/messages.h"
#include "proxy/base/text.h"

namespace entente::ogar {

/// OgarII cuts names to this many 16-bit units, including the skin.
inline constexpr std::size_t kLongestName = 16;

/// The text that OgarII reads: a text without its end loses its last byte (Reader.js:70).
std::string heard(const ZText& text);
/// The first `most` 16-bit units of `text`, in whole characters.
std::string_view cut(std::string_view text, std::size_t most);
/// `text` for a program that accepts `most` 16-bit units: whole, or cut and ending with kCutMark.
std::string fitted_units(std::string_view text, std::size_t most);
std::string_view trimmed(std::string_view text);

/// The name of a player or skin from a server, cut and marked if it is longer than a player's own may be
/// (core::kMostName).
std::string shortened(std::string_view told);
/// The same, cleaned for words.
std::string told_name(std::string_view told);

/// A name as players write it: "<skin>name".
struct Tagged {
  std::string name, skin;
};
Tagged untag(std::string_view tagged);
std::string tag(const std::string& name, const std::string& skin);

void set(ZText& to, std::string_view text);

/// Convert between UTF-8 and the 16-bit units that texts of the older dialects hold as bytes (Dialect::ucs2). Half a
/// surrogate pair becomes U+FFFD.
std::string narrow(std::string_view units);
std::string widen(std::string_view text);

/// Get and set a text in UTF-8, whatever the dialect uses.
std::string text_of(const ZText& text, bool ucs2);
void set(ZText& to, std::string_view text, bool ucs2);

}  // namespace entente::ogar
