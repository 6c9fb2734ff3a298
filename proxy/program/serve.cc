#include "proxy/program/serve.h"

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>

#include <atomic>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "adapters/registry.h"
#include "proxy/program/command.h"
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

// A session takes two descriptors or three; a shell's soft limit is meant for a person's programs.
void use_all_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// What is taken for the dialect until a client names its own.
std::size_t assumed_dialect(const ListenEnd& listen, const Endpoint& to) {
  const bool open = !listen.named && clients_name_dialect(*listen.game) && listen.game == to.game;
  return open ? to.dialect.value_or(listen.dialect) : listen.dialect;
}

/// The faces that bridge the two.
std::optional<relay::BridgeOptions> bridge_of(const ListenEnd& listen, const Endpoint& to, bool record_secrets) {
  relay::BridgeOptions bridge;
  bridge.server_game = to.game;
  bridge.front = [make = faces_of(*listen.game).front, settings = listen.settings](std::size_t dialect) {
    return make({dialect, settings});
  };
  bridge.back = back_maker(to);
  bridge.chat.commands = listen.game == to.game;
  bridge.record_secrets = record_secrets;
  return bridge;
}

class Service {
 public:
  explicit Service(const config::Config& config)
      : config_(config), taps_(config.recording(), [this] { give_up(); }), server_(config.workers(), events_) {}

  /// Everything that can fail before the first player comes.
  Outcome<Done> open() {
    for (const config::Route& route : config_.route())
      if (auto added = add(route); !added) {
        taps_.abandon();
        return added;
      }
    return Done{};
  }

  void run() {
    const StopOnSignal signals(server_);
    announce();
    server_.run();
  }

  /// Makes the recordings whole.
  Outcome<Done> close() {
    auto closed = taps_.stop();
    if (closed.ok() && gave_up_) return Error{"stopped, as a recording could not go on"};
    return closed;
  }

  /// What was served, a line a listener.
  void sum_up() const {
    for (const Served& served : served_) std::puts(summary(served).c_str());
    std::fflush(stdout);
  }

 private:
  struct Served {
    std::size_t relay;
    std::string name;                   // "bzflag 2.4 127.0.0.1:40123"
    const relay::TapThread* recording;  // null if it is not recorded
    bool bridge = false;
  };

  void give_up() {
    gave_up_ = true;
    server_.stop();
  }

  // The tap of the route with this number.
  Outcome<relay::TapThread*> tap_for(const config::Route& route, const wire::Game& game) {
    if (route.record().empty()) return taps_.counting();
    const std::size_t number = served_.size() + 1;
    return taps_.recording(
        recording_path(route.record(), config_.recording().directory(), {game.name(), number, started_}));
  }

  Outcome<Done> add(const config::Route& route) {
    const auto listen = parse_listen(route.listen(), games());
    if (!listen) return listen.error();
    const auto to = parse_to(route.to(), games());
    if (!to) return to.error();
    const auto web = web_options(listen->web.value_or(WebEnd{}), to->web.value_or(WebEnd{}));
    if (!web) return web.error();
    const auto joint = can_join(*listen, *to);
    if (!joint) return joint.error();
    const auto tap = tap_for(route, *listen->game);
    if (!tap) return tap.error();
    const bool secrets = config_.recording().secrets() == config::Recording::keep;
    const auto bridge = *joint == Joint::kBridge ? bridge_of(*listen, *to, secrets) : std::nullopt;
    const auto listening = server_.add({.game = listen->game,
                                        .listen_dialect = assumed_dialect(*listen, *to),
                                        .server_dialect = to->dialect,
                                        .listen = listen->address,
                                        .server_host = to->host,
                                        .server_port = to->port,
                                        .enet = listen->enet,
                                        .web = *web,
                                        .bridge = bridge,
                                        .clients_name_dialect = !listen->named && clients_name_dialect(*listen->game),
                                        .strict = listen->strict,
                                        .limits = limits_of(config_.limits()),
                                        .tap = *tap});
    if (!listening) return listening.error();
    served_.push_back({listening->relay, listen->spoken() + " " + listening->address.text(),
                       route.record().empty() ? nullptr : *tap, *joint == Joint::kBridge});
    if (!listen->named && !clients_name_dialect(*listen->game))
      spdlog::info("{} has no dialect in its URL, so its clients are taken to speak {}", route.listen(),
                   speech(*listen->game, listen->dialect));
    if (*joint == Joint::kBridge) tell_bridge(*listen, *to);
    return Done{};
  }

  static void tell_bridge(const ListenEnd& listen, const Endpoint& to) {
    const bool guessed = !to.dialect && to.game->probe() != wire::Probe::kSilentConnection;
    const std::string server = to.dialect || guessed
                                   ? speech(*to.game, to.dialect.value_or(0))
                                   : std::string(to.game->name()) + " (its dialect will be found out)";
    spdlog::info("bridging {} to {}{}", listen.spoken(), server,
                 guessed ? ", which its URL could name by ?dialect=" : "");
  }

  void announce() const {
    for (const Served& served : served_) std::printf("listening %s\n", served.name.c_str());
    std::fflush(stdout);
  }

  std::string summary(const Served& served) const {
    const relay::Totals all = server_.totals(served.relay);
    std::string line =
        fmt::format("served {} sessions={} refused={} bytes={} messages={} datagrams={}", served.name, all.opened,
                    all.refused(), all.to_server.bytes + all.to_client.bytes,
                    all.to_server.frames + all.to_client.frames, all.to_server.datagrams + all.to_client.datagrams);
    std::uint64_t untold = 0;
    for (const auto& one : server_.losses(served.relay)) untold += one.times;
    if (served.bridge) line += fmt::format(" untold={}", untold);
    if (!served.recording) return line;
    const relay::TapTotals taped = served.recording->totals();
    return line +
           fmt::format(" recorded={} unrecorded={}", taped.recorded_frames, taped.unrecorded_frames + taped.dropped);
  }

  const config::Config& config_;
  const std::time_t started_ = std::time(nullptr);
  std::atomic<bool> gave_up_{false};
  LogEvents events_;
  Taps taps_;
  relay::Server server_;
  std::vector<Served> served_;
};

int serve_logged(const config::Config& config) {
  use_all_descriptors();
  Service service(config);
  if (const auto opened = service.open(); !opened) return failed(opened.error());
  service.run();
  const auto closed = service.close();
  service.sum_up();
  return closed ? kOk : failed(closed.error());
}

}  // namespace

int serve(const config::Config& config) {
  if (const auto started = start_log(config.log()); !started) return failed(started.error());
  const int code = serve_logged(config);
  stop_log();
  return code;
}

}  // namespace entente
