#include "proxy/program/control/arguments.h"

#include <algorithm>
#include <optional>

#include "proxy/base/text.h"

namespace entente {
namespace {

constexpr std::string_view kBlanks = " \t";

struct Quoted {
  std::string text;
  std::size_t size;  // with its quotes
};

/// The quoted text at the beginning; nullopt if there is none, if it has no closing quote, or if text follows the
/// closing quote without a blank.
std::optional<Quoted> leading_quotes(std::string_view rest) {
  if (!rest.starts_with('"')) return std::nullopt;
  std::string text;
  for (std::size_t i = 1; i < rest.size(); ++i) {
    if (rest[i] == '"') {
      const bool ends = i + 1 == rest.size() || kBlanks.find(rest[i + 1]) != kBlanks.npos;
      return ends ? std::optional(Quoted{std::move(text), i + 1}) : std::nullopt;
    }
    if (rest[i] == '\\' && i + 1 < rest.size()) ++i;
    text += rest[i];
  }
  return std::nullopt;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string_view first_word(std::string_view& rest) {
  rest = trimmed(rest);
  const std::size_t end = std::min(rest.find_first_of(kBlanks), rest.size());
  const std::string_view first = rest.substr(0, end);
  rest = trimmed(rest.substr(end));
  return first;
}

std::string first_argument(std::string_view& rest) {
  rest = trimmed(rest);
  auto found = leading_quotes(rest);
  if (!found) return std::string(first_word(rest));
  rest = trimmed(rest.substr(found->size));
  return std::move(found->text);
}

std::string whole_text(std::string_view rest) {
  rest = trimmed(rest);
  auto found = leading_quotes(rest);
  return found && found->size == rest.size() ? std::move(found->text) : std::string(rest);
}

Outcome<std::string> sayable_text(std::string_view text, std::size_t most) {
  std::string said = clean(text);
  if (said.size() <= most) return said;
  return Error{"the text has " + std::to_string(said.size()) + " bytes; it may have " + std::to_string(most)};
}

std::string as_argument(std::string_view text) {
  const bool plain = !text.empty() && text.find_first_of(" \t\"\\") == text.npos;
  return plain ? std::string(text) : in_quotes(text);
}

std::string in_quotes(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

bool take_flag(std::string_view& rest, std::string_view flag) {
  std::string_view after = rest;
  if (first_word(after) != flag) return false;
  rest = after;
  return true;
}

bool is_vast(const net::Network& who) { return who.bits() < (who.v6() ? 32U : 8U); }

bool take_option(std::string_view& rest, std::string_view option, std::string& value) {
  std::string_view after = rest;
  if (first_word(after) != option) return false;
  value = first_argument(after);
  rest = after;
  return true;
}

bool take_text(std::string_view& rest, std::string_view option, std::string& value) {
  std::string_view after = rest;
  if (first_word(after) != option) return false;
  if (leading_quotes(after)) {
    value = first_argument(after);
  } else {
    value = std::string(after);
    after = {};
  }
  rest = after;
  return true;
}

}  // namespace entente
