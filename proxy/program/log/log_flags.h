// The log options that several commands have; they override the configuration.
#pragma once

#include <string>

#include "proxy/program/command.h"
#include "schema/config.pb.h"

namespace entente {

struct LogFlags {
  std::string level;   ///< empty: as configured
  std::string format;  ///< empty: as configured
};

void declare_log_flags(CLI::App& app, LogFlags& flags);
void apply(const LogFlags& flags, config::Log& log);

}  // namespace entente
