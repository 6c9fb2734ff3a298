// What a rule wants to be done. It is done once the room's call is over.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "proxy/core/word.h"

namespace entente::rules {

struct Action {
  enum class Kind : std::uint8_t {
    kTell,         ///< `text` to `player`
    kTellAll,      ///< `text` to all players of the room
    kKick,         ///< `player`; `text`: why
    kBan,          ///< the address of `player`, for `minutes`; `text`: why
    kMove,         ///< `player` to the route `text`
    kSetScore,     ///< of `player` to `wins` and `losses`. Only in an arena, as the next three
    kSetTeam,      ///< of `player` to `team`
    kOpenRound,    ///< a new round begins
    kCloseRound,   ///< the round ends; `team`: the winner. The next does not begin by itself
    kLog,          ///< `text`
    kReport,       ///< `player` did `text`, by these numbers
    kSwitchedOff,  ///< the rule; `text`: why
    kLost,         ///< a relay's rules hear `player` no more; `text`: why
  } kind = Kind::kLog;
  core::Id player = 0;
  std::string text = {};
  std::uint32_t wins = 0, losses = 0;
  std::uint32_t minutes = 0;
  words::Team team = words::TEAM_ANY;
  std::vector<std::pair<std::string, double>> numbers = {};
  // Filled in by the rule.
  std::string rule = {};  ///< its name
  core::Micros at = 0;    ///< the room's time
  std::string name = {};  ///< of `player`
};

}  // namespace entente::rules
