// --control PATH, which every command that serves has; it wins over the configuration.
#pragma once

#include <string>

#include "proxy/program/command.h"
#include "schema/config.pb.h"

namespace entente {

inline void declare_control_flag(CLI::App& app, std::string& path) {
  app.add_option("--control", path, "A socket by which `entente ctl` asks and tells it things while it runs")
      ->type_name("PATH");
}

inline void apply_control(const std::string& path, config::Control& control) {
  if (!path.empty()) control.set_socket(path);
}

}  // namespace entente
