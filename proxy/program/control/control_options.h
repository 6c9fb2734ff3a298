// The options --control and --metrics of commands that serve; they override the configuration.
#pragma once

#include <string>

#include "proxy/program/base/command.h"
#include "schema/config.pb.h"

namespace entente {

struct ControlOptions {
  std::string socket, metrics;  ///< empty: as configured
};

/// `configured`: the command reads a configuration file.
void declare_control_options(CLI::App& app, ControlOptions& options, bool configured = false);

void apply(const ControlOptions& options, config::Config& config);

}  // namespace entente
