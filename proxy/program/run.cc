#include "proxy/program/run.h"

#include <cstdio>

#include "adapters/registry.h"
#include "proxy/program/config.h"
#include "proxy/program/control_flag.h"
#include "proxy/program/serve.h"

namespace entente {

void declare_run(CLI::App& app, RunOptions& options) {
  app.add_option("CONFIG", options.config, "The configuration (TOML); `entente check --example` prints one")
      ->type_name("FILE")
      ->required();
  declare_control_flag(app, options.control);
  declare_log_flags(app, options.log);
}

int run_run(const RunOptions& options) {
  auto config = load_config(options.config, games());
  if (!config) {
    tell(config.error());
    return kFailed;
  }
  apply(options.log, *config->mutable_log());
  apply_control(options.control, *config->mutable_control());
  return serve(*config);
}

}  // namespace entente
