// `entente join`: makes one recording of several.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "proxy/program/command.h"

namespace entente {

struct JoinOptions {
  std::vector<std::string> files;
  std::string out;
};

void declare_join(CLI::App& app, JoinOptions& options);
int run_join(const JoinOptions& options);

/// Prints what was written to `out`, errors to `err`. Returns an Exit.
int join(const JoinOptions& options, std::ostream& out, std::ostream& err);

}  // namespace entente
