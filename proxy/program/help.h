// `entente help [COMMAND]`: what `--help` prints, for those who ask by a word.
#pragma once

#include <string>

#include "proxy/program/command.h"

namespace entente {

struct HelpOptions {
  const CLI::App* program = nullptr;  ///< whose commands are explained; it outlives this
  std::string command;                ///< empty: the program
};

/// REQUIRES: `app` is a command of the whole program.
void declare_help(CLI::App& app, HelpOptions& options);
int run_help(const HelpOptions& options);

}  // namespace entente
