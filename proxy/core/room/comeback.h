// Moves a player whose server was lost from that server's world to the next server's world.
// Invariant: the player receives ordinary facts. When the server is lost, the player dies, and all other players and
// all units disappear. Later, the player receives the difference between what is left and the new world
// (replay/difference.h).
#pragma once

#include <memory>
#include <vector>

#include "proxy/core/world.h"

namespace entente::core {

class Comeback {
 public:
  /// `world`: of the lost server, as `player` knows it.
  Comeback(const WorldState& world, Id player);

  /// The facts that the player receives when the server is lost.
  static std::vector<Fact> loss(const WorldState& world, Id player);

  /// A connection to the next server begins: forgets the facts of an earlier one.
  void start_again() { next_ = std::make_unique<WorldState>(); }
  /// A fact of the next server's world.
  void fold(const Fact& fact) { next_->fold(fact); }
  /// The next server's world, as far as it is known.
  const WorldState& next() const { return *next_; }

  /// The player asks to spawn there.
  void ask_spawn() { spawns_ = true; }
  bool spawns() const { return spawns_; }

  /// Whether a client that loads a world only when it joins can go on in the next one.
  bool is_same_place(const WorldState& world) const;
  /// The next world is complete, and `player` is in it. Returns the facts that turn `world` into it.
  std::vector<Fact> arrive(const WorldState& world, Id player);
  /// REQUIRES: arrive() was called.
  WorldState take() { return std::move(*next_); }

 private:
  std::unique_ptr<WorldState> next_ = std::make_unique<WorldState>();
  bool spawns_;
};

}  // namespace entente::core
