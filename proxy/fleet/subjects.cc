#include "proxy/fleet/subjects.h"

#include <algorithm>

#include "proxy/base/text.h"

namespace entente::fleet {
namespace {

constexpr std::size_t kLongestToken = 64;

bool is_of_token(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

}  // namespace

std::optional<std::string> objection_to_token(std::string_view token) {
  if (token.empty() || token.size() > kLongestToken || !std::all_of(token.begin(), token.end(), is_of_token))
    return "'" + std::string(whole_characters(token, kLongestToken)) + "' is not 1 to " +
           std::to_string(kLongestToken) + " letters, digits, '-' and '_'";
  return std::nullopt;
}

std::string as_token(std::string_view text) {
  std::string token(text.substr(0, kLongestToken));
  std::replace_if(
      token.begin(), token.end(), [](char c) { return !is_of_token(c); }, '-');
  return token;
}

std::optional<std::string> Subjects::node_of_state(std::string_view subject) const {
  const auto begin = subject.find('.', fleet_.size() + 1);
  const auto end = subject.rfind('.');
  if (begin == subject.npos || end <= begin) return std::nullopt;
  std::string node(subject.substr(begin + 1, end - begin - 1));
  if (objection_to_token(node) || subject != state(node)) return std::nullopt;
  return node;
}

std::optional<std::string> Subjects::node_of_queue(std::string_view key, std::string_view subject) const {
  std::string node(subject.substr(std::min(subject.rfind('.') + 1, subject.size())));
  if (objection_to_token(node) || subject != queue(key, node)) return std::nullopt;
  return node;
}

}  // namespace entente::fleet
