// How a command that serves may be asked while it runs; the flags win over the configuration.
#pragma once

#include <string>

#include "proxy/net/address.h"
#include "proxy/program/command.h"
#include "schema/config.pb.h"

namespace entente {

struct ControlFlags {
  std::string socket, metrics;  ///< empty: as configured
};

inline void declare_control_flags(CLI::App& app, ControlFlags& flags) {
  app.add_option("--control", flags.socket, "A socket by which `entente ctl` asks and tells it things while it runs")
      ->type_name("PATH");
  app.add_option("--metrics", flags.metrics, "Where Prometheus gets its numbers, at /metrics; port 0 takes a free one")
      ->type_name("ADDRESS:PORT")
      ->check([](const std::string& at) {
        const auto address = net::Address::parse(at);
        return address ? std::string() : address.error().text;
      });
}

inline void apply(const ControlFlags& flags, config::Config& config) {
  if (!flags.socket.empty()) config.mutable_control()->set_socket(flags.socket);
  if (!flags.metrics.empty()) config.mutable_metrics()->set_listen(flags.metrics);
}

}  // namespace entente
