// What people write, on its way between Ogar and a word. Law: a word holds well-formed UTF-8 without control
// characters.
#pragma once

#include <string>
#include <string_view>

#include "adapters/ogar/messages.h"
#include "proxy/base/text.h"

namespace entente::ogar {

/// OgarII cuts names to this many 16-bit units, the skin's included.
inline constexpr std::size_t kLongestName = 16;

/// What OgarII reads of a client's text: of one without its end the last byte is lost (Reader.js:70).
std::string heard(const ZText& text);
/// The first `most` 16-bit units of it, whole characters only.
std::string_view cut(std::string_view text, std::size_t most);
/// `text` where a program takes `most` 16-bit units: whole, or its beginning and kCutMark.
std::string fitted_units(std::string_view text, std::size_t most);
std::string_view trimmed(std::string_view text);

/// Of a name that a server tells, or a skin's: as many bytes as of a player's own (core::kMostName), whole or marked.
std::string shortened(std::string_view told);
/// The same, as a word holds it.
std::string told_name(std::string_view told);

/// A name as a player gives it: "<skin>name".
struct Tagged {
  std::string name, skin;
};
Tagged untag(std::string_view tagged);
std::string tag(const std::string& name, const std::string& skin);

void set(ZText& to, std::string_view text);

/// Between UTF-8 and 16-bit units, which a text of the older dialects holds as bytes (Dialect::ucs2). Half a pair
/// becomes U+FFFD.
std::string narrow(std::string_view units);
std::string widen(std::string_view text);

/// In UTF-8, whatever the dialect writes.
std::string text_of(const ZText& text, bool ucs2);
void set(ZText& to, std::string_view text, bool ucs2);

}  // namespace entente::ogar
