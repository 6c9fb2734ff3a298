// `entente rules`: checks files with rules, prints their reference, and their types for editors.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "proxy/program/base/command.h"

namespace entente {

struct RulesOptions {
  std::vector<std::string> files;
  bool types = false, reference = false;
};

void declare_rules(CLI::App& app, RulesOptions& options);
int run_rules(const RulesOptions& options);

/// Returns an Exit.
int rules_command(const RulesOptions& options, std::ostream& out, std::ostream& err);

}  // namespace entente
