// `entente help [COMMAND]`: the same as `--help`, or the whole as manual pages and as completions for shells.
#pragma once

#include <string>

#include "proxy/program/base/command.h"

namespace entente {

struct HelpOptions {
  const CLI::App* program = nullptr;  ///< the whole program; outlives this
  std::string command;                ///< empty: the whole program
  std::string format = "text";
};

/// REQUIRES: `app` is a command of the whole program.
void declare_help(CLI::App& app, HelpOptions& options);
int run_help(const HelpOptions& options);

}  // namespace entente
