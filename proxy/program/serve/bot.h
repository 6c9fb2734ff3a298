// `entente bot`: runs bots on a server.
#pragma once

#include <cstdint>
#include <string>

#include "proxy/program/base/command.h"
#include "proxy/program/control/control_options.h"
#include "proxy/program/log/log_options.h"

namespace entente {

struct BotCommandOptions {
  std::string server;
  std::uint32_t count = 1;
  std::string behaviour = "wander";
  std::uint32_t seconds = 0;  ///< 0: until stopped, or no bot is left
  bool reconnect = false;
  std::string name = "bot";
  std::string record;
  ControlOptions control;
  LogOptions log;
};

void declare_bot(CLI::App& app, BotCommandOptions& options);
int run_bot(const BotCommandOptions& options);

}  // namespace entente
