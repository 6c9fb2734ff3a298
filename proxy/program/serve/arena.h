// `entente arena`: hosts a match for players of all games, without a game server.
#pragma once

#include <string>

#include "proxy/program/base/command.h"
#include "proxy/program/control/control_options.h"
#include "proxy/program/log/log_options.h"
#include "schema/config.pb.h"

namespace entente {

struct ArenaCommandOptions {
  config::Arena arena;  ///< keys that are not given have their defaults
  std::vector<std::string> listen, rules;
  ControlOptions control;
  LogOptions log;
};

/// Declares an option for each key of an arena in the configuration.
void declare_arena(CLI::App& app, ArenaCommandOptions& options);
int run_arena(const ArenaCommandOptions& options);

}  // namespace entente
