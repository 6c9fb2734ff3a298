// What rules have found in recordings whose players are labelled: hits, misses and false alarms.
#pragma once

#include <string>
#include <vector>

#include "proxy/program/rules/intervals.h"
#include "proxy/program/rules/judging.h"
#include "proxy/program/rules/labels.h"

namespace entente {

/// The cheats of a kind that a rule has reported. A cheat is a player of a recording.
struct Found {
  std::string kind, rule;  ///< empty: all kinds; any rule
  std::size_t cheats = 0, found = 0;
  Interval share = {};
};

/// The reports about honest players.
struct FalseAlarms {
  std::string rule;  ///< empty: any rule
  std::size_t reports = 0, players = 0;
  double per_1000_minutes = 0;  ///< of honest players in the game
  Interval interval = {};       ///< of the same
};

struct Score {
  std::vector<Found> found;         ///< by kind, then by rule; of rules that found any
  std::vector<FalseAlarms> alarms;  ///< by rule
  double honest_minutes = 0;
  std::vector<Label> missed;                   ///< cheats that no rule has reported
  std::vector<std::string> labels_of_reports;  ///< of each report, recording by recording: "honest", the kind of the
                                               ///< cheat, or "" if the player has no label
  std::size_t unlabelled = 0;                  ///< players without a label, who are not counted
};

/// An error: a label is about a recording or a player that is not there, or a recording has no labels.
Outcome<Score> score_of(const std::vector<JudgedRecording>& recordings, const std::vector<Label>& labels,
                        const std::vector<std::string>& rules);

/// As two tables, and a list of the cheats that were missed. Ends with a line break.
std::string text_of_score(const Score& score);
/// As members of a JSON object: "cheats":[…],"false_alarms":[…],"honest_minutes":…,"missed":[…],"unlabelled":….
std::string json_of_score(const Score& score);

}  // namespace entente
