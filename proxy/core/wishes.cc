#include "proxy/core/wishes.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <type_traits>
#include <variant>

namespace entente::core {
namespace {

template <class T>
struct WaitedFor;  // a kind without an entry below does not compile

struct Yes : std::true_type {};
struct No : std::false_type {};

// clang-format off
template <> struct WaitedFor<words::Enter> : Yes {};
template <> struct WaitedFor<words::Change> : Yes {};
template <> struct WaitedFor<words::Spawn> : Yes {};
template <> struct WaitedFor<words::Leave> : No {};
template <> struct WaitedFor<words::Select> : No {};
template <> struct WaitedFor<words::Watch> : No {};
template <> struct WaitedFor<words::Resume> : No {};
template <> struct WaitedFor<words::Step> : No {};
template <> struct WaitedFor<words::Toward> : No {};
template <> struct WaitedFor<words::Keys> : No {};
template <> struct WaitedFor<words::PoseClaim> : No {};
template <> struct WaitedFor<words::Fire> : Yes {};
template <> struct WaitedFor<words::Trigger> : Yes {};
template <> struct WaitedFor<words::Reload> : Yes {};
template <> struct WaitedFor<words::Tool> : No {};
template <> struct WaitedFor<words::Split> : Yes {};
template <> struct WaitedFor<words::Eject> : Yes {};
template <> struct WaitedFor<words::Button> : Yes {};
template <> struct WaitedFor<words::Freeze> : Yes {};
template <> struct WaitedFor<words::HitClaim> : No {};
template <> struct WaitedFor<words::DeathClaim> : No {};
template <> struct WaitedFor<words::ShotMoveClaim> : No {};
template <> struct WaitedFor<words::ShotEndClaim> : No {};
template <> struct WaitedFor<words::TokenWish> : Yes {};
template <> struct WaitedFor<words::TeleportClaim> : No {};
template <> struct WaitedFor<words::ScoreClaim> : No {};
template <> struct WaitedFor<words::Pause> : Yes {};
template <> struct WaitedFor<words::Autopilot> : Yes {};
template <> struct WaitedFor<words::Ping> : No {};
template <> struct WaitedFor<words::Query> : No {};
template <> struct WaitedFor<words::WantWorld> : No {};
template <> struct WaitedFor<words::Edit> : Yes {};
template <> struct WaitedFor<words::Say> : Yes {};
template <> struct WaitedFor<words::Playback> : Yes {};
// clang-format on

struct Entry {
  std::string_view name;
  bool waited_for;
};

template <class... T>
std::array<Entry, sizeof...(T)> entries(std::variant<T...>*) {
  return {Entry{name_of(T()), WaitedFor<T>::value}...};
}

}  // namespace

bool is_wish(const MappingLine& line, const char* word) {
  if ((line.ways & kUp) == 0 || *line.message != '\0' || line.tells) return false;
  static const auto kEntries = entries(static_cast<IntentKind*>(nullptr));
  const std::string_view about = line.word == std::string_view("*") ? (word != nullptr ? word : "") : line.word;
  const std::string_view name = about.substr(0, about.find('.'));
  return std::any_of(kEntries.begin(), kEntries.end(),
                     [&](const Entry& one) { return one.waited_for && one.name == name; });
}

bool is_of_player(const Intent& intent) {
  return as<words::Leave>(intent) == nullptr && as<words::Resume>(intent) == nullptr &&
         as<words::Query>(intent) == nullptr && as<words::WantWorld>(intent) == nullptr &&
         as<words::Ping>(intent) == nullptr;
}

std::string words_for_drop(const MappingLine& line, const char* word) {
  return "not passed on: " + subject(line, word) + ": " + line.reason;
}

void change_wish(words::Enter& wish, const words::Change& change) {
  if (change.has_name()) wish.set_name(change.name());
  if (change.has_team()) wish.set_team(change.team());
  if (change.has_kit()) wish.set_kit(change.kit());
  if (change.has_motto()) wish.set_motto(change.motto());
  if (change.has_skin()) wish.set_skin(change.skin());
}

}  // namespace entente::core
