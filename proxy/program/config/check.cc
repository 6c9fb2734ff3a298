#include "proxy/program/config/check.h"

#include <CLI/CLI.hpp>

#include <cstdio>

#include "adapters/registry.h"
#include "proxy/program/base/misuse.h"
#include "proxy/program/config/config.h"
#include "proxy/program/config/name_check.h"

namespace entente {

void declare_check(CLI::App& app, CheckOptions& options) {
  auto* config = app.add_option("CONFIG", options.config, "Configuration file to check (TOML)");
  auto* example = app.add_flag("--example", options.example, "Print a commented example with every key");
  config->excludes(example);
}

int run_check(const CheckOptions& options) {
  if (options.example) {
    std::fputs(example_config().c_str(), stdout);
    return kOk;
  }
  if (options.config.empty()) return usage_error("entente check", "CONFIG or --example is required");
  const Machine machine{.runs_elsewhere = true};
  const auto loaded = load_config(options.config, games(), &machine);
  if (!loaded) {
    print_errors(loaded.error());
    return kFailed;
  }
  const config::Config& config = loaded->config;
  print_errors(loaded->warnings);
  print_errors(names_not_found(*loaded));
  const auto some = [](int count, const char* what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
  };
  std::string holds = config.arena_size() == 0 || config.route_size() != 0 ? some(config.route_size(), "route") : "";
  if (config.arena_size() != 0) holds += (holds.empty() ? "" : ", ") + some(config.arena_size(), "arena");
  std::printf("%s: ok, %s\n", options.config.c_str(), holds.c_str());
  return kOk;
}

}  // namespace entente
