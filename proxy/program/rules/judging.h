// Plays a recording to rules, and keeps what they report and who has played.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "proxy/program/numbers/source.h"
#include "proxy/rules/room_rules.h"

namespace entente {

/// A player of a recording. Players with the same name are one.
struct JudgedPlayer {
  std::string name;
  core::Micros played = 0;  ///< the time that it was in the game, not as a spectator
};

struct JudgedRecording {
  std::string path;  ///< as given on the command line
  std::vector<rules::Action> reports;
  std::vector<JudgedPlayer> players;  ///< by name
};

/// The files of a rule, or of a folder with several.
Outcome<std::shared_ptr<const rules::RuleSet>> rules_at(const std::string& path);

/// At most 100,000 reports and 10,000 players; no others are kept. Rules that are switched off, and what is wrong with
/// the file, are printed to `err` after `command`. An Interruption ends it with an error.
Outcome<JudgedRecording> judge_words(PlayedWords& words, std::shared_ptr<const rules::RuleSet> set, const char* command,
                                     std::ostream& err);

}  // namespace entente
