#include "tests/support/pattern.h"

#include <functional>
#include <iterator>
#include <map>
#include <regex>

namespace entente::testing {
namespace {

/// Kept, because tests use the same patterns in loops.
const std::regex& compiled(std::string_view pattern) {
  thread_local std::map<std::string, std::regex, std::less<>> all;
  auto at = all.find(pattern);
  if (at == all.end()) at = all.emplace(pattern, std::regex(pattern.begin(), pattern.end())).first;
  return at->second;
}

const char* end_of(std::string_view text) { return text.data() + text.size(); }

std::vector<std::string> groups_of(const std::cmatch& match) { return {match.begin(), match.end()}; }

}  // namespace

std::optional<std::vector<std::string>> matched(std::string_view text, std::string_view pattern) {
  std::cmatch match;
  if (!std::regex_match(text.data(), end_of(text), match, compiled(pattern))) return std::nullopt;
  return groups_of(match);
}

bool contains_match(std::string_view text, std::string_view pattern) {
  return std::regex_search(text.data(), end_of(text), compiled(pattern));
}

std::vector<std::vector<std::string>> all_matches(std::string_view text, std::string_view pattern) {
  std::vector<std::vector<std::string>> all;
  for (std::cregex_iterator at(text.data(), end_of(text), compiled(pattern)), end; at != end; ++at)
    all.push_back(groups_of(*at));
  return all;
}

std::string replaced(std::string_view text, std::string_view pattern, const std::string& with) {
  std::string result;
  std::regex_replace(std::back_inserter(result), text.data(), end_of(text), compiled(pattern), with);
  return result;
}

}  // namespace entente::testing
