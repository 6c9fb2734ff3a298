// `entente ctl`: sends a command to a running program's control socket.
#pragma once

#include <string>
#include <vector>

#include "proxy/program/command.h"

namespace entente {

struct CtlOptions {
  std::string socket;
  std::vector<std::string> words;
  std::string time, why, say, route;   // --for, --why, --say, --route
  std::vector<std::string> referrals;  // --refer
  bool json = false, fleet = false;
};

void declare_ctl(CLI::App& app, CtlOptions& options);
int run_ctl(const CtlOptions& options);

}  // namespace entente
