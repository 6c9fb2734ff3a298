// `entente ctl`: sends a command to a running program's control socket.
#pragma once

#include <string>
#include <vector>

#include "proxy/program/base/command.h"

namespace entente {

/// Where the packaged service listens (deploy/entente.service).
inline constexpr const char* kPackagedSocket = "/run/entente/control.sock";

struct CtlOptions {
  std::string socket;  ///< empty: kPackagedSocket
  std::vector<std::string> words;
  std::string time, why, say, route;   // --for, --why, --say, --route
  std::vector<std::string> referrals;  // --refer
  bool json = false, fleet = false, yes = false;
};

void declare_ctl(CLI::App& app, CtlOptions& options);
int run_ctl(const CtlOptions& options);

}  // namespace entente
