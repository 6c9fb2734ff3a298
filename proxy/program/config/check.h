// `entente check`: checks a configuration file, or prints an example.
#pragma once

#include <string>

#include "proxy/program/base/command.h"

namespace entente {

struct CheckOptions {
  std::string config;
  bool example = false;
};

void declare_check(CLI::App& app, CheckOptions& options);
int run_check(const CheckOptions& options);

}  // namespace entente
