// `entente judge`: runs rules over recordings, and prints what they report about players.
#pragma once

#include <ostream>
#include <string>

#include "proxy/program/base/command.h"
#include "proxy/program/numbers/source.h"

namespace entente {

struct JudgeOptions {
  std::string rules;  ///< a file, or a folder with files
  numbers::Source source = {};
  std::string labels = {};  ///< a file (labels.h); empty: none
  bool json = false;
};

void declare_judge(CLI::App& app, JudgeOptions& options);
int run_judge(const JudgeOptions& options);

/// Prints the reports to `out`, errors to `err`. Returns an Exit.
int judge(const JudgeOptions& options, std::ostream& out, std::ostream& err);

}  // namespace entente
