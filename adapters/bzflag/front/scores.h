// Scores. New ones are sent together in one message.
#pragma once

#include <algorithm>
#include <vector>

#include "adapters/bzflag/front/player_table.h"

namespace entente::bzflag {

inline std::uint16_t to_u16(std::uint32_t number) { return static_cast<std::uint16_t>(std::min(number, 65535U)); }

class Scores {
 public:
  Scores(Client& client, const PlayerTable& players) : client_(client), players_(players) {}

  void hear(const words::Score& score, FrontOut& out);
  void hear(const words::TeamScore& score, FrontOut& out);

  /// The client enters: sends the scores of all teams.
  void send_teams(FrontOut& out) const;
  void send_new(FrontOut& out);

 private:
  Client& client_;
  const PlayerTable& players_;
  std::vector<core::Id> changed_;  // whose scores are new
  std::vector<words::Team> teams_;
};

}  // namespace entente::bzflag
