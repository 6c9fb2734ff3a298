#include "proxy/core/names/names.h"

#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/uspoof.h>

#include <utility>

#include "proxy/base/text.h"

namespace entente::core {
namespace {

using icu::UnicodeString;

constexpr const char* kNobody = "player";
constexpr int kMostMarks = 2;     // on one letter
constexpr unsigned kCounted = 9;  // "anna 2" to "anna 9"; then the number is the player's

UnicodeString unicode(std::string_view utf8) {
  return UnicodeString::fromUTF8(icu::StringPiece(utf8.data(), static_cast<std::int32_t>(utf8.size())));
}

std::string utf8(const UnicodeString& text) {
  std::string out;
  return text.toUTF8String(out);
}

UnicodeString composed(const UnicodeString& text) {
  UErrorCode error = U_ZERO_ERROR;
  const icu::Normalizer2* const form = icu::Normalizer2::getNFCInstance(error);
  UnicodeString out = U_SUCCESS(error) ? form->normalize(text, error) : text;
  return U_SUCCESS(error) ? out : text;
}

bool is_blank(UChar32 c) {
  constexpr UChar32 kEmptyBraille = 0x2800;
  return u_isUWhiteSpace(c) != 0 || c == kEmptyBraille;
}

/// Nothing is drawn for it, or it changes how others are drawn.
bool is_invisible(UChar32 c) {
  switch (u_charType(c)) {
    case U_CONTROL_CHAR:
    case U_FORMAT_CHAR:
    case U_SURROGATE:
    case U_PRIVATE_USE_CHAR:
    case U_UNASSIGNED:
      return true;
    default:
      return u_hasBinaryProperty(c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT) != 0 || c == 0xFFFD;
  }
}

bool is_mark(UChar32 c) { return (U_GET_GC_MASK(c) & U_GC_M_MASK) != 0; }

UnicodeString visible(const UnicodeString& text) {
  UnicodeString out;
  int marks = kMostMarks;  // before the first letter there is none
  bool blank = false;
  for (std::int32_t at = 0; at < text.length(); at = text.moveIndex32(at, 1)) {
    const UChar32 c = text.char32At(at);
    if (is_blank(c)) {
      blank = !out.isEmpty();
      marks = kMostMarks;
      continue;
    }
    if (is_invisible(c)) continue;
    if (is_mark(c) && marks >= kMostMarks) continue;
    marks = is_mark(c) ? marks + 1 : 0;
    if (std::exchange(blank, false)) out.append(UChar32{' '});
    out.append(c);
  }
  return out;
}

/// With each character replaced by the one that it can be taken for.
UnicodeString skeleton(const UnicodeString& text) {
  static const USpoofChecker* const checker = [] {
    UErrorCode error = U_ZERO_ERROR;
    const USpoofChecker* const opened = uspoof_open(&error);
    return U_SUCCESS(error) ? opened : nullptr;
  }();
  UErrorCode error = U_ZERO_ERROR;
  UnicodeString out;
  if (checker != nullptr) uspoof_getSkeletonUnicodeString(checker, 0, text, out, &error);
  return checker != nullptr && U_SUCCESS(error) ? out : text;
}

/// Without differences of case and of mere form, such as wide letters (NFKC_Casefold).
UnicodeString folded(const UnicodeString& text) {
  UErrorCode error = U_ZERO_ERROR;
  const icu::Normalizer2* const form = icu::Normalizer2::getNFKCCasefoldInstance(error);
  UnicodeString out = U_SUCCESS(error) ? form->normalize(text, error) : text;
  return U_SUCCESS(error) ? out : text;
}

/// Whether its letters and digits alone read as "server".
bool is_server(const UnicodeString& name) {
  UnicodeString letters;
  for (std::int32_t at = 0; at < name.length(); at = name.moveIndex32(at, 1))
    if (u_isalnum(name.char32At(at))) letters.append(name.char32At(at));
  static const UnicodeString kServer = skeleton(UnicodeString("server"));
  return skeleton(folded(letters)) == kServer || folded(skeleton(letters)) == kServer;
}

}  // namespace

std::string plain_name(std::string_view name) {
  const UnicodeString plain = visible(composed(unicode(name)));
  return plain.isEmpty() || is_server(plain) ? kNobody : utf8(plain);
}

NameBook::Likeness NameBook::likeness(std::string_view name) {
  const UnicodeString text = unicode(name);
  return {"a" + utf8(skeleton(folded(text))), "b" + utf8(folded(skeleton(text)))};
}

bool NameBook::is_free(const Likeness& name, Id whose) const {
  for (const std::string& one : name) {
    const auto at = owners_.find(one);
    if (at != owners_.end() && at->second != whose) return false;
  }
  return true;
}

std::string NameBook::give(Id whose, std::string_view wish, std::size_t most, const Taken& taken) {
  const std::string plain = plain_name(wish);
  for (std::uint64_t nth = 1;; nth = nth < kCounted ? nth + 1 : nth + kCounted + whose) {
    const std::string number = nth == 1 ? "" : " " + std::to_string(nth);
    std::string name = fitted(plain, most - number.size()) + number;
    const Likeness its = likeness(name);
    if (!is_free(its, whose) || (taken && taken(name))) continue;
    forget(whose);
    for (const std::string& one : its) owners_[one] = whose;
    names_[whose] = its;
    return name;
  }
}

void NameBook::forget(Id whose) {
  const auto found = names_.find(whose);
  if (found == names_.end()) return;
  for (const std::string& one : found->second) owners_.erase(one);
  names_.erase(found);
}

}  // namespace entente::core
