// `entente replay`: replays a recorded session to clients of any game with a front, or its player to a server.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proxy/program/base/command.h"
#include "proxy/program/control/control_options.h"
#include "proxy/program/import/file.h"
#include "proxy/program/log/log_options.h"

namespace entente {

struct ReplayCommandOptions {
  std::vector<std::string> files;
  FileOptions input;                  ///< how to read the first
  std::vector<std::string> set = {};  ///< settings of the games' backs: "key=value"
  std::vector<std::string> listen;
  std::string to, as;       ///< the server that the session is played to, and the player's name there
  std::uint32_t count = 1;  ///< of players who play it
  std::uint32_t link = 0;  ///< 0: the longest session's
  std::string at = "0";
  double speed = 1;
  bool paused = false;
  bool loop = false;
  bool shared = false;
  std::string fleet;  ///< configuration of a node, for "fleet:NAME"; empty: none
  ControlOptions control;
  LogOptions log;
};

void declare_replay(CLI::App& app, ReplayCommandOptions& options);
int run_replay(const ReplayCommandOptions& options);

}  // namespace entente
