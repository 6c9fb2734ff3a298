#include "proxy/program/serve/record.h"

#include <spdlog/fmt/fmt.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <cmath>
#include <cstdio>

#include "adapters/registry.h"
#include "proxy/program/base/misuse.h"
#include "proxy/program/base/time_option.h"
#include "proxy/program/config/config.h"
#include "proxy/program/log/log.h"
#include "proxy/program/serve/bot_run.h"
#include "proxy/program/settings/route.h"

namespace entente {
namespace {

constexpr const char* kRecord = "entente record";

std::string amount(const relay::TapTotals& tap) {
  return fmt::format("{} frames, {} words, {:.1f} KiB", tap.recorded_frames, tap.words,
                     static_cast<double>(tap.file_bytes) / 1024);
}

/// One line that is written over again and again.
void tell_progress(std::uint32_t second, const relay::TapTotals& tap) {
  std::fprintf(stderr, "\r%u s: %s ", second, amount(tap).c_str());
}

Outcome<BotRunResult> record(const RecordOptions& options, const Endpoint& server, const config::Config& config) {
  BotRun looks_on;
  looks_on.to = server;
  looks_on.seconds = options.seconds;
  looks_on.each.name = options.name;
  looks_on.each.behaviour = core::Behaviour::kWatch;
  looks_on.record = options.file;
  const bool to_a_person = ::isatty(STDERR_FILENO) != 0;
  auto played = play(looks_on, config, to_a_person ? EachSecond(tell_progress) : nullptr);
  if (to_a_person) std::fputs("\n", stderr);
  return played;
}

int report(const BotRunResult& played) {
  const bool nothing = played.tap.frames == 0;
  if (!nothing) std::puts(("recorded " + amount(played.tap)).c_str());
  const std::string left = nothing ? "nothing was recorded: " : "recording ended early: ";
  if (played.sum.turned > 0) return report_failure({left + played.sum.refused});
  if (!played.sum.failures.empty()) return report_failure({left + "the recorder " + played.sum.failures[0].what});
  if (nothing) return report_failure({left + "the server sent nothing; is it running?"});
  if (played.lacks) return report_failure(*played.lacks);
  return kOk;
}

}  // namespace

void declare_record(CLI::App& app, RecordOptions& options) {
  app.add_option("--from", options.server, "Server to join: game://host:port?dialect=name")
      ->type_name("URL")
      ->required();
  app.add_option("FILE", options.file,
                 "File to record to (MCAP). In the file name, {time} is replaced by the time at which the file begins, "
                 "{game} by the game")
      ->required();
  app.add_option("--name", options.name, "Name of the spectator (default: recorder)");
  add_time(
      app, "--seconds", [&options](double time) { options.seconds = static_cast<std::uint32_t>(std::ceil(time)); },
      "How long to record. 0: until stopped, or until the server closes the connection (default: 0)");
  declare_control_options(app, options.control);
  declare_log_options(app, options.log);
}

int run_record(const RecordOptions& options) {
  const auto server = parse_to(options.server, games());
  if (!server) return usage_error(kRecord, server.error().text);
  if (const auto why = objection_to_playing(*server)) return usage_error(kRecord, why->text);
  config::Config config = default_config();
  config.mutable_limits()->set_ready_ms(kServerPatience);
  apply(options.log, *config.mutable_log());
  apply(options.control, config);
  if (const auto started = start_log(config.log()); !started) return report_failure(started.error());
  const auto recorded = record(options, *server, config);
  stop_log();
  return recorded ? report(*recorded) : report_failure(recorded.error());
}

}  // namespace entente
