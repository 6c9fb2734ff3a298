// entente arena: a place where players of any games meet, and which needs no server.
#pragma once

#include <string>

#include "proxy/program/command.h"
#include "proxy/program/control/control_flags.h"
#include "proxy/program/log/log_flags.h"
#include "schema/config.pb.h"

namespace entente {

struct ArenaCommandOptions {
  config::Arena arena;  ///< what is not said has its preset
  std::vector<std::string> listen;
  ControlFlags control;
  LogFlags log;
};

/// Each key of an arena in the configuration is a flag.
void declare_arena(CLI::App& app, ArenaCommandOptions& options);
int run_arena(const ArenaCommandOptions& options);

}  // namespace entente
