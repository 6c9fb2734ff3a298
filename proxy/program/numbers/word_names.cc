#include "proxy/program/numbers/word_names.h"

#include <string_view>

#include "proxy/base/lower_case.h"

namespace entente::numbers {
namespace {

std::string named(const std::string& name, int number) {
  return name.empty() ? std::to_string(number) : lower_case(name);
}
std::string without(std::string_view part, std::string name) {
  if (const auto at = name.find(part); at != std::string::npos) name.erase(at, part.size());
  return name;
}
bool is_letter(std::uint32_t byte) { return byte > ' ' && byte < 0x7f; }

}  // namespace

std::string name_of(words::Team team) { return team == words::TEAM_ANY ? "" : named(words::Team_Name(team), team); }
std::string name_of(words::Role role) { return named(words::Role_Name(role), role); }
std::string name_of(words::ShotKind kind) { return named(words::ShotKind_Name(kind), kind); }
std::string name_of(words::DeathCause why) {
  return without("_death", without("by_", named(words::DeathCause_Name(why), why)));
}
std::string name_of(words::DropReason why) {
  return without("_drop", without("drop_", named(words::DropReason_Name(why), why)));
}
std::string name_of(words::Token::Kind kind) { return named(words::Token::Kind_Name(kind), kind); }
std::string name_of(words::Token::State state) { return named(words::Token::State_Name(state), state); }
std::string name_of(words::Say::Scope scope) { return named(words::Say::Scope_Name(scope), scope); }
std::string name_of(words::Say::Kind kind) { return named(words::Say::Kind_Name(kind), kind); }

std::string weapon_text(std::uint32_t weapon) {
  if (weapon == 0) return "";
  const std::uint32_t first = weapon >> 8U, second = weapon & 0xffU;
  if (!is_letter(first) || (second != 0 && !is_letter(second))) return std::to_string(weapon);
  std::string letters(1, static_cast<char>(first));
  if (second != 0) letters += static_cast<char>(second);
  return letters;
}

}  // namespace entente::numbers
