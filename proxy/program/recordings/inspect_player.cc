#include "proxy/program/recordings/inspect_player.h"

#include <algorithm>
#include <charconv>

#include "proxy/base/lower_case.h"
#include "proxy/core/ids.h"

namespace entente {
namespace {

constexpr std::size_t kMostIds = 100'000;  // of one connection; a room has fewer

bool has_any(const google::protobuf::Message& word, const std::set<core::Id>& ids) {
  bool found = false;
  core::each_id(word, [&](core::Id id) { found = found || ids.contains(id); });
  return found;
}

}  // namespace

WantedPlayers::WantedPlayers(const std::vector<std::string>& players) : players_(players) {
  for (const std::string& player : players) {
    core::Id id = 0;
    const auto [end, wrong] = std::from_chars(player.data(), player.data() + player.size(), id);
    if (wrong == std::errc{} && end == player.data() + player.size() && id != 0) numbers_.insert(id);
  }
}

bool WantedPlayers::named(std::string_view name) const {
  return std::any_of(players_.begin(), players_.end(),
                     [&](const auto& player) { return equal_but_case(player, name); });
}

WantedPlayers::Ids& WantedPlayers::ids_of(ConnectionId id) { return ids_.try_emplace(id, numbers_).first->second; }

void WantedPlayers::learn(Ids& ids, const words::Fact& fact) {
  if (ids.size() >= kMostIds) return;
  if (fact.has_player()) {
    if (named(fact.player().name())) ids.insert(fact.player().id());
    if (names_.size() < kMostNames) names_.insert(fact.player().name());
  }
  if (fact.has_unit() && ids.contains(fact.unit().owner())) ids.insert(fact.unit().id());
  if (fact.has_owns() && ids.contains(fact.owns().player()))
    ids.insert(fact.owns().units().begin(), fact.owns().units().end());
}

void WantedPlayers::learn(ConnectionId id, const trace::Snapshot& world) {
  if (everybody()) return;
  for (const words::Fact& fact : world.facts()) learn(ids_of(id), fact);
}

bool WantedPlayers::concerns(ConnectionId id, const words::Intent& intent) {
  if (everybody()) return true;
  Ids& ids = ids_of(id);
  const bool enters = intent.has_enter() && named(intent.enter().name());
  if (enters && intent.by() != 0) ids.insert(intent.by());
  return enters || has_any(intent, ids);
}

bool WantedPlayers::concerns(ConnectionId id, const words::Fact& fact) {
  if (everybody()) return true;
  Ids& ids = ids_of(id);
  learn(ids, fact);
  bool concerns = has_any(fact, ids) || (fact.audience() == words::PLAYER && ids.contains(fact.to()));
  if (fact.has_said())
    concerns |= named(fact.said().name()) || (fact.said().scope() == words::Say::ONE && ids.contains(fact.said().to()));
  // Ids are never used again.
  if (fact.has_gone() && !numbers_.contains(fact.gone().unit())) ids.erase(fact.gone().unit());
  if (fact.has_player_gone() && !numbers_.contains(fact.player_gone().id())) ids.erase(fact.player_gone().id());
  return concerns;
}

}  // namespace entente
