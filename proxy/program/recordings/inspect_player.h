// The players that `inspect --player` names, and the words that concern them.
// Invariant: a word concerns a player if it has the player's id or the id of one of the player's units, or if it is
// from or to the player alone.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "proxy/core/word.h"
#include "proxy/program/import/import.h"

namespace entente {

class WantedPlayers {
 public:
  static constexpr std::size_t kMostNames = 8;

  /// `players`: names, ignoring case, or ids. None: everybody.
  explicit WantedPlayers(const std::vector<std::string>& players);

  bool everybody() const { return players_.empty(); }

  /// Whether the word concerns one of them. Each word of the file must be given, because they tell names and units.
  bool concerns(ConnectionId id, const words::Intent& intent);
  bool concerns(ConnectionId id, const words::Fact& fact);
  void learn(ConnectionId id, const trace::Snapshot& world);
  void gone(ConnectionId id) { ids_.erase(id); }

  /// Names of players of the file, at most kMostNames.
  const std::set<std::string>& names() const { return names_; }

 private:
  using Ids = std::set<core::Id>;  // of the players and of their units

  bool named(std::string_view name) const;
  Ids& ids_of(ConnectionId id);
  void learn(Ids& ids, const words::Fact& fact);

  const std::vector<std::string>& players_;
  Ids numbers_;  // those given as ids
  std::map<ConnectionId, Ids> ids_;
  std::set<std::string> names_;
};

}  // namespace entente
