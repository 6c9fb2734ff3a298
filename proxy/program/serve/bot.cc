#include "proxy/program/serve/bot.h"

#include <spdlog/fmt/fmt.h>
#include <CLI/CLI.hpp>

#include <cmath>
#include <cstdio>

#include "adapters/registry.h"
#include "proxy/program/base/checked_option.h"
#include "proxy/program/base/misuse.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/base/time_option.h"
#include "proxy/program/config/config.h"
#include "proxy/program/log/log.h"
#include "proxy/program/serve/bot_run.h"
#include "proxy/program/settings/route.h"

namespace entente {
namespace {

constexpr const char* kBehaviours[] = {"idle", "wander", "hunt"};  // in the order of core::Behaviour

core::BotOptions each_of(const BotCommandOptions& options) {
  core::BotOptions each;
  each.name = options.name;
  for (std::size_t i = 0; i < std::size(kBehaviours); ++i)
    if (options.behaviour == kBehaviours[i]) each.behaviour = static_cast<core::Behaviour>(i);
  return each;
}

void sum_up(const BotCrowd::Sum& sum, std::uint32_t count) {
  std::puts(
      fmt::format(
          "bots {} of {} were let in, {} refused or kicked, {} disconnected; spawns={} shots={} kills={} deaths={}{}",
          sum.came, count, sum.turned, sum.lost, sum.spawns, sum.shots, sum.kills, sum.deaths,
          sum.reconnects != 0 ? fmt::format(" reconnects={}", sum.reconnects) : "")
          .c_str());
  for (const BotCrowd::BotFailure& one : sum.failures)
    std::fprintf(stderr, "entente: bot %u %s%s\n", one.bot, screen_text(one.what).c_str(),
                 one.more != 0 ? fmt::format(" (and {} more)", one.more).c_str() : "");
}

int code_of(const BotCrowd::Sum& sum, const BotCommandOptions& options) {
  const bool all_came = sum.came == options.count, none_turned = sum.turned == 0;
  return options.reconnect ? (all_came ? kOk : kFailed) : sum.came > 0 && none_turned ? kOk : kFailed;
}

}  // namespace

void declare_bot(CLI::App& app, BotCommandOptions& options) {
  app.add_option("URL", options.server, "Server to join: game://host:port?dialect=name")->required();
  app.add_option("--count", options.count, "Number of bots; one joins every 100 ms (1 to 1000, default: 1)")
      ->check(integer_from(1, 1000))
      ->type_name("N");
  allow_only(app.add_option("--behaviour", options.behaviour,
                            "What the bots do. idle: stand still. wander: drive around. hunt: drive at the nearest "
                            "enemy and shoot. (default: wander)"),
             {"idle", "wander", "hunt"});
  add_time(
      app, "--seconds", [&options](double time) { options.seconds = static_cast<std::uint32_t>(std::ceil(time)); },
      "How long to play. 0: until stopped, or until no bot is left (default: 0)");
  app.add_flag("--reconnect", options.reconnect,
               "Join again when refused, kicked or disconnected. The delay is 1 s and doubles each time, up to 60 s; "
               "a minute of play resets it");
  app.add_option("--name", options.name, "Name of the bot; with --count, a number follows it (default: bot)");
  app.add_option("--record", options.record,
                 "File to record to (MCAP). In the file name, {time} is replaced by the time at which the file begins, "
                 "{game} by the game")
      ->type_name("FILE");
  declare_control_options(app, options.control);
  declare_log_options(app, options.log);
}

int run_bot(const BotCommandOptions& options) {
  const auto to = parse_to(options.server, games());
  if (!to) return usage_error("entente bot", to.error().text);
  if (const auto why = objection_to_playing(*to)) return usage_error("entente bot", why->text);
  config::Config config = default_config();
  config.mutable_limits()->set_ready_ms(kServerPatience);
  apply(options.log, *config.mutable_log());
  apply(options.control, config);
  if (const auto started = start_log(config.log()); !started) return report_failure(started.error());
  const auto played =
      play({*to, options.count, options.seconds, options.reconnect, each_of(options), options.record}, config);
  stop_log();
  if (!played) return report_failure(played.error());
  sum_up(played->sum, options.count);
  if (played->lacks) return report_failure(*played->lacks);
  return code_of(played->sum, options);
}

}  // namespace entente
