// `entente arena`: hosts a match for players of all games, without a game server.
#pragma once

#include <string>

#include "proxy/program/command.h"
#include "proxy/program/control/control_flags.h"
#include "proxy/program/log/log_flags.h"
#include "schema/config.pb.h"

namespace entente {

struct ArenaCommandOptions {
  config::Arena arena;  ///< keys that are not given have their defaults
  std::vector<std::string> listen;
  ControlFlags control;
  LogFlags log;
};

/// Declares a flag for each key of an arena in the configuration.
void declare_arena(CLI::App& app, ArenaCommandOptions& options);
int run_arena(const ArenaCommandOptions& options);

}  // namespace entente
