// For fronts of tank games whose clients take a capture for the death of the captured flag's team. The room may agree,
// or not: in an arena nobody dies.
// Invariant: a client is told of such a death once, by the capture.
#pragma once

#include "proxy/core/word.h"

namespace entente::core {

class LastCapture {
 public:
  /// The client was told that this team's flag was captured.
  void told(words::Team team, Micros now) {
    team_ = team;
    at_ = now;
  }
  /// Whether the client knows already that players of this team have just died by a capture.
  bool has_killed(words::Team team, Micros now) const {
    return team != words::TEAM_ANY && team == team_ && now < at_ + kSecond;
  }

 private:
  words::Team team_ = words::TEAM_ANY;
  Micros at_ = 0;
};

}  // namespace entente::core
