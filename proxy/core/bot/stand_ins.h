// Bots that fill the missing seats of a shared room.
// Invariant: a player who joins replaces the bot that joined last; the other bots stay.
#pragma once

#include <vector>

#include "proxy/core/bot/bot.h"
#include "proxy/core/room/room.h"

namespace entente::core {

struct StandInOptions {
  std::size_t least = 0;             ///< minimum number of players
  BotOptions each;                   ///< their names are numbered
  std::vector<std::string> names{};  ///< names of the first bots, instead of numbered ones
};

class StandIns {
 public:
  explicit StandIns(const StandInOptions& options) : options_(options) {}

  /// Called with every fact of the room.
  void heard(const Fact& fact);
  /// Adds or removes bots if players have joined or left. REQUIRES: not called from within the room.
  void look_after(Room& room, Micros now);
  bool has(Id player) const;
  std::size_t count() const { return there_.size(); }

 private:
  struct One {
    Id id;
    std::uint32_t number;
  };
  std::size_t people(const WorldState& world) const;
  void invite(Room& room, Micros now);
  std::uint32_t free_number() const;

  const StandInOptions options_;
  std::vector<One> there_;  // in the order in which they joined
  bool changed_ = true;
};

}  // namespace entente::core
