// `entente run`: serves a configuration file.
#pragma once

#include <string>

#include "proxy/program/base/command.h"
#include "proxy/program/control/control_options.h"
#include "proxy/program/log/log_options.h"

namespace entente {

struct RunOptions {
  std::string config;
  std::string take_over;  ///< the control socket of the process to take over from
  ControlOptions control;
  LogOptions log;
};

void declare_run(CLI::App& app, RunOptions& options);
int run_run(const RunOptions& options);

}  // namespace entente
