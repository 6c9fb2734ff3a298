#include "proxy/program/control/control_flags.h"

#include <CLI/CLI.hpp>

#include "proxy/net/address.h"

namespace entente {

void declare_control_flags(CLI::App& app, ControlFlags& flags) {
  app.add_option("--control", flags.socket, "Control socket to open, for `entente ctl`")->type_name("PATH");
  app.add_option("--metrics", flags.metrics, "Address of the Prometheus metrics, at /metrics (port 0: any free port)")
      ->type_name("ADDRESS:PORT")
      ->check([](const std::string& at) {
        const auto address = net::Address::parse(at);
        return address ? std::string() : address.error().text;
      });
}

void apply(const ControlFlags& flags, config::Config& config) {
  if (!flags.socket.empty()) config.mutable_control()->set_socket(flags.socket);
  if (!flags.metrics.empty()) config.mutable_metrics()->set_listen(flags.metrics);
}

}  // namespace entente
