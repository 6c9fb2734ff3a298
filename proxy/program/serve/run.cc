#include "proxy/program/serve/run.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <optional>
#include <utility>

#include "adapters/registry.h"
#include "proxy/program/base/misuse.h"
#include "proxy/program/config/config.h"
#include "proxy/program/serve/serve.h"
#include "proxy/program/serve/signals.h"
#include "proxy/program/take_over/take_over.h"

namespace entente {
namespace {

std::string text_of(const ConfigErrors& errors) {
  std::string text;
  for (const std::string& error : errors) text += (text.empty() ? "" : "\n") + error;
  return text;
}

}  // namespace

void declare_run(CLI::App& app, RunOptions& options) {
  app.add_option("CONFIG", options.config, "Configuration file (TOML); `entente check --example` prints one")
      ->required();
  app.add_option(
         "--take-over", options.take_over,
         "Take over from the running program that has this control socket. New clients go to the new program. The old "
         "one serves its open sessions until they end, for at most `drain_s` of its own configuration (0: no "
         "limit)")
      ->type_name("SOCKET");
  declare_control_options(app, options.control, true);
  declare_log_options(app, options.log, true);
}

int run_run(const RunOptions& options) {
  keep_hang_ups();  // `systemctl reload` may come before the program is ready
  const auto read = [&options](const Machine& machine, Pipes pipes) {
    auto loaded = load_config(options.config, games(), &machine, pipes);
    if (loaded) {
      apply(options.log, *loaded->config.mutable_log());
      apply(options.control, loaded->config);
    }
    return loaded;
  };
  std::optional<TakeOver> take_over;  // before the file is judged: its addresses may be among the passed sockets
  if (!options.take_over.empty()) {
    auto begun = TakeOver::begin(options.take_over);
    if (!begun) return report_failure(begun.error());
    take_over.emplace(std::move(*begun));
  }
  const auto loaded = read(Machine{}, Pipes::kRead);
  if (!loaded) {
    print_errors(loaded.error());
    if (take_over) take_over->fail(text_of(loaded.error()));
    return kFailed;
  }
  if (take_over)
    if (const auto why = take_over->objection_to_socket(loaded->config.control().socket())) {
      const Error error = with_place(loaded->places.before("control.socket"), *why);
      take_over->fail(error.text);
      return report_failure(error);
    }
  // The commands wait for a reload, and so does the stop.
  const auto reread = [&read](const Machine& machine) { return read(machine, Pipes::kRefused); };
  return serve(*loaded, reread, take_over ? &*take_over : nullptr);
}

}  // namespace entente
