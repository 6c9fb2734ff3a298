// `entente record`: joins a server as a spectator, and records frames and words.
#pragma once

#include <cstdint>
#include <string>

#include "proxy/program/base/command.h"
#include "proxy/program/control/control_options.h"
#include "proxy/program/log/log_options.h"

namespace entente {

struct RecordOptions {
  std::string server;
  std::string file;
  std::string name = "recorder";
  std::uint32_t seconds = 0;  ///< 0: until stopped, or the server leaves
  ControlOptions control;
  LogOptions log;
};

void declare_record(CLI::App& app, RecordOptions& options);
int run_record(const RecordOptions& options);

}  // namespace entente
