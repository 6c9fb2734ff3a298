#include "proxy/program/control/control_options.h"

#include <CLI/CLI.hpp>

#include "proxy/net/address.h"

namespace entente {

void declare_control_options(CLI::App& app, ControlOptions& options, bool configured) {
  const std::string otherwise = configured ? "as in CONFIG" : "none";
  app.add_option("--control", options.socket, "Control socket to open, for `entente ctl` (default: " + otherwise + ")")
      ->type_name("PATH");
  app.add_option("--metrics", options.metrics,
                 "Address of the Prometheus metrics, at /metrics (port 0: any free port; default: " + otherwise + ")")
      ->type_name("ADDRESS:PORT")
      ->check([](const std::string& at) {
        const auto address = net::Address::parse(at);
        return address ? std::string() : address.error().text;
      });
}

void apply(const ControlOptions& options, config::Config& config) {
  if (!options.socket.empty()) config.mutable_control()->set_socket(options.socket);
  if (!options.metrics.empty()) config.mutable_metrics()->set_listen(options.metrics);
}

}  // namespace entente
