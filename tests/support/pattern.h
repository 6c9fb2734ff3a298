// Regular expressions, of ECMAScript's syntax, for tests. Only pattern.cc includes <regex>, which takes seconds to
// compile.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace entente::testing {

/// Whether the whole text fits: the text itself, then what each group of the pattern has, "" if it took no part.
std::optional<std::vector<std::string>> matched(std::string_view text, std::string_view pattern);
/// Whether some part of the text fits.
bool contains_match(std::string_view text, std::string_view pattern);
/// Each part that fits, from the first on, with its groups as in matched().
std::vector<std::vector<std::string>> all_matches(std::string_view text, std::string_view pattern);
/// The text with each part that fits replaced; `with` may name groups, as in "$1".
std::string replaced(std::string_view text, std::string_view pattern, const std::string& with);

}  // namespace entente::testing
