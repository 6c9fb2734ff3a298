// Regular expressions, of ECMAScript's syntax, for tests. Only pattern.cc includes <regex>, which takes seconds to
// compile.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace entente::testing {

/// If the whole text matches: the text, then the text of each group, "" for a group that took no part.
std::optional<std::vector<std::string>> matched(std::string_view text, std::string_view pattern);
/// Whether some part of the text matches.
bool contains_match(std::string_view text, std::string_view pattern);
/// Each part that matches, in order, with its groups as in matched().
std::vector<std::vector<std::string>> all_matches(std::string_view text, std::string_view pattern);
/// The text with each part that matches replaced. `with` may name groups, as in "$1".
std::string replaced(std::string_view text, std::string_view pattern, const std::string& with);

}  // namespace entente::testing
