// The leaderboard of a client: the server's own if it has one, else the ten best by wins and losses. In team games the
// teams are shown at times, as the pie of Ogar's teams.
#pragma once

#include <vector>

#include "adapters/ogar/wire/messages.h"
#include "proxy/core/world.h"

namespace entente::ogar {

class Scoreboard {
 public:
  /// Returns whether the board has changed.
  bool refresh(const core::WorldState& world, core::Id me, core::Micros now);
  const Board& board() const { return shown_; }
  /// The client has forgotten the board.
  void forget() { known_ = false; }

 private:
  void copy(const words::Board& board);
  void rank(const core::WorldState& world, core::Id me);
  void slice(const core::WorldState& world);
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
