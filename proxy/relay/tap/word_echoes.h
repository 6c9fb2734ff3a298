// What the players of a room wrote that is secret, and the facts that repeat it.
// Invariant: at most kMostPlayers are remembered, and SecretEchoes::kMost secrets of each.
#pragma once

#include <map>
#include <optional>

#include "proxy/base/secret_echoes.h"
#include "proxy/core/word.h"

namespace entente::relay {

class WordEchoes {
 public:
  static constexpr std::size_t kMostPlayers = 1024;

  /// Remembers the secrets in it: passwords, tokens, the arguments of commands.
  void hear(const core::Intent& intent);
  /// The fact with stars in place of what repeats a secret; nothing if it repeats none. Looked at is what only the one
  /// who wrote the secret is told, and his own chat. `alone`: the room has one player, so all that the server says,
  /// too.
  std::optional<core::Fact> without(const core::Fact& fact, bool alone) const;

 private:
  std::map<core::Id, SecretEchoes> players_;
};

}  // namespace entente::relay
