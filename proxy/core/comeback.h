// A player whose server was lost, on the way from the world of that server into the world of the next one.
// Law: the player hears ordinary facts. When the server is lost, the player dies and everybody else and all units go;
// later, the new world comes as the difference to what is left (replay/difference.h).
#pragma once

#include <memory>
#include <vector>

#include "proxy/core/world.h"

namespace entente::core {

class Comeback {
 public:
  /// `world`: of the lost server, as `player` knows it.
  Comeback(const WorldState& world, Id player);

  /// What the player hears because the server is lost.
  static std::vector<Fact> loss(const WorldState& world, Id player);

  /// A connection to the next server begins: what an earlier one said is forgotten.
  void start_again() { next_ = std::make_unique<WorldState>(); }
  /// A fact of the next server's world.
  void fold(const Fact& fact) { next_->fold(fact); }
  /// What the next server has said of its world so far.
  const WorldState& next() const { return *next_; }

  /// The player wants to be put into play there.
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
