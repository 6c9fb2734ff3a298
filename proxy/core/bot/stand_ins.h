// Players that nobody sits at, in a room for many: as many as its people are short of.
// Law: who comes takes the place of the stand-in that came last; all others are left alone.
#pragma once

#include <vector>

#include "proxy/core/bot/bot.h"
#include "proxy/core/room.h"

namespace entente::core {

struct StandInOptions {
  std::size_t least = 0;             ///< so many play at least
  BotOptions each;                   ///< their names are numbered
  std::vector<std::string> names{};  ///< of the first of them, instead of numbers
};

class StandIns {
 public:
  explicit StandIns(const StandInOptions& options) : options_(options) {}

  /// Of every fact that the room told.
  void heard(const Fact& fact);
  /// Who is missing comes, who is too many goes, if anybody came or went since. REQUIRES: not within the room.
  void look_after(Room& room, Micros now);
  bool has(Id player) const;
  std::size_t count() const { return there_.size(); }

 private:
  struct One {
    Id id;
    std::uint32_t number;
  };
  std::size_t people(const World& world) const;
  void invite(Room& room, Micros now);
  std::uint32_t free_number() const;

  const StandInOptions options_;
  std::vector<One> there_;  // in the order in which they came
  bool changed_ = true;
};

}  // namespace entente::core
