// The log options that several commands have; they override the configuration.
#pragma once

#include <string>

#include "proxy/program/base/command.h"
#include "schema/config.pb.h"

namespace entente {

struct LogOptions {
  std::string level;   ///< empty: as configured
  std::string format;  ///< empty: as configured
};

/// `configured`: the command reads a configuration file.
void declare_log_options(CLI::App& app, LogOptions& options, bool configured = false);
void apply(const LogOptions& options, config::Log& log);

}  // namespace entente
