// `entente proxy`: one listener in front of one server.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proxy/program/base/command.h"
#include "proxy/program/control/control_options.h"
#include "proxy/program/log/log_options.h"

namespace entente {

struct ProxyOptions {
  std::string listen;
  std::vector<std::string> to;
  std::string policy = "first";
  std::uint32_t hold_s = 0;
  std::string record;
  std::string lab, lab_file;
  ControlOptions control;
  LogOptions log;
};

void declare_proxy(CLI::App& app, ProxyOptions& options);
int run_proxy(const ProxyOptions& options);

}  // namespace entente
