// The leaderboard that a client is shown: the server's own, where it has one, or else the ten best by wins and losses;
// where sides matter, now and then theirs, as the pie of Ogar's teams.
#pragma once

#include <vector>

#include "adapters/ogar/messages.h"
#include "proxy/core/world.h"

namespace entente::ogar {

class Scoreboard {
 public:
  /// True if it is another one than before.
  bool refresh(const core::World& world, core::Id me, core::Micros now);
  const Board& board() const { return shown_; }
  /// The client forgot it.
  void forget() { known_ = false; }

 private:
  void copy(const words::Board& board);
  void rank(const core::World& world, core::Id me);
  void slice(const core::World& world);
  void add_row(std::size_t place, unsigned flags, std::string_view name);

  struct Ranked {
    std::int64_t points;
    core::Id player;
    const std::string* name;
  };
  bool known_ = false;
  Board shown_, next_;
  std::size_t rows_ = 0;
  std::vector<Ranked> ranked_;
};

}  // namespace entente::ogar
