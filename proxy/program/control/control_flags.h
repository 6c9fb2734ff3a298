// The options --control and --metrics of commands that serve; they override the configuration.
#pragma once

#include <string>

#include "proxy/program/command.h"
#include "schema/config.pb.h"

namespace entente {

struct ControlFlags {
  std::string socket, metrics;  ///< empty: as configured
};

void declare_control_flags(CLI::App& app, ControlFlags& flags);

void apply(const ControlFlags& flags, config::Config& config);

}  // namespace entente
