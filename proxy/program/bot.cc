#include "proxy/program/bot.h"

#include <spdlog/fmt/fmt.h>

#include <cstdio>
#include <thread>

#include "adapters/native/native.h"
#include "adapters/registry.h"
#include "proxy/program/bot_crowd.h"
#include "proxy/program/config.h"
#include "proxy/program/limits.h"
#include "proxy/program/log.h"
#include "proxy/program/log_events.h"
#include "proxy/program/misuse.h"
#include "proxy/program/route.h"
#include "proxy/program/signals.h"
#include "proxy/program/taps.h"
#include "proxy/program/web.h"
#include "proxy/relay/server.h"

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

relay::BridgeOptions bridge_of(const Endpoint& to, BotCrowd& crowd, std::uint32_t count) {
  relay::BridgeOptions bridge;
  bridge.server_game = to.game;
  bridge.front = [&crowd](std::size_t) { return crowd.next(); };
  bridge.back = back_maker(to);
  bridge.bots = count;
  return bridge;
}

void sum_up(const BotCrowd::Sum& sum, std::uint32_t count) {
  std::puts(fmt::format("bots {} of {} were let in, {} refused or kicked; spawns={} shots={} kills={} deaths={}",
                        sum.came, count, sum.turned, sum.spawns, sum.shots, sum.kills, sum.deaths)
                .c_str());
  if (!sum.refused.empty()) std::fprintf(stderr, "entente: the server said: %s\n", sum.refused.c_str());
}

/// Plays until the crowd is done, the seconds are over, or a signal comes.
int play(const BotCommandOptions& options, const Endpoint& to, const config::Config& config) {
  const auto web = web_options(WebEnd{}, to.web.value_or(WebEnd{}));
  if (!web) return failed(web.error());
  BotCrowd crowd(options.count, each_of(options));
  LogEvents events;
  Taps taps(config.recording(), [&] { crowd.give_up(); });
  relay::Server server(config.workers(), events);
  relay::Tap* tap = taps.counting();
  if (!options.record.empty()) {
    const auto recording =
        taps.recording(recording_path(options.record, ".", {to.game->name(), 1, std::time(nullptr)}));
    if (!recording) return failed(recording.error());
    tap = *recording;
  }
  relay::RelayOptions plays;
  plays.game = &native::game();
  plays.server_dialect = to.dialect.value_or(0);
  plays.server_host = to.host;
  plays.server_port = to.port;
  plays.web = *web;
  plays.bridge = bridge_of(to, crowd, options.count);
  plays.limits = limits_of(config.limits());
  plays.tap = tap;
  const auto added = server.add(plays);
  if (!added) {
    taps.abandon();
    return failed(added.error());
  }
  std::thread clock([&] {
    crowd.wait(options.seconds);
    server.stop();
  });
  {
    const StopOnSignal signals(server);
    server.run();
  }
  crowd.give_up();
  clock.join();
  const auto closed = taps.stop();
  const BotCrowd::Sum sum = crowd.sum();
  sum_up(sum, options.count);
  if (!closed) return failed(closed.error());
  return sum.came > 0 && sum.turned == 0 ? kOk : kFailed;
}

}  // namespace

void declare_bot(CLI::App& app, BotCommandOptions& options) {
  app.add_option("server", options.server, "The server: game://host:port?dialect=name")->type_name("URL")->required();
  app.add_option("--count", options.count, "How many; one comes in every 100 ms")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--behaviour", options.behaviour, "What they do: idle, wander or hunt")
      ->check(CLI::IsMember({"idle", "wander", "hunt"}))
      ->capture_default_str();
  app.add_option("--seconds", options.seconds, "They leave after so long; 0: when stopped")->capture_default_str();
  app.add_option("--name", options.name, "Their name; more than one are numbered")->capture_default_str();
  app.add_option("--record", options.record, "Where to record (MCAP); {time} and {game} are filled in")
      ->type_name("FILE");
  declare_log_flags(app, options.log);
}

int run_bot(const BotCommandOptions& options) {
  const auto to = parse_to(options.server, games());
  if (!to) return misused("entente bot", to.error().text);
  if (!faces_of(*to->game).has_back(to->dialect.value_or(0)))
    return misused("entente bot", "bots cannot play " + speech(*to->game, to->dialect.value_or(0)) +
                                      " yet; `entente games` says which games have a back");
  config::Config config = preset_config();
  apply(options.log, *config.mutable_log());
  if (const auto started = start_log(config.log()); !started) return failed(started.error());
  const int code = play(options, *to, config);
  stop_log();
  return code;
}

}  // namespace entente
