#include "proxy/program/serve/serve.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "adapters/native/native.h"
#include "adapters/registry.h"
#include "proxy/core/arena/referee.h"
#include "proxy/program/command.h"
#include "proxy/program/config/access.h"
#include "proxy/program/config/arena_rules.h"
#include "proxy/program/config/route.h"
#include "proxy/program/config/web.h"
#include "proxy/program/log/log.h"
#include "proxy/program/misuse.h"
#include "proxy/program/serve/arena_scene.h"
#include "proxy/program/serve/service.h"
#include "proxy/program/serve/shared_room.h"
#include "proxy/program/serve/signals.h"

namespace entente {
namespace {

// The dialect that is assumed until a client names its own.
std::size_t assumed_dialect(const ListenEnd& listen, const Endpoint& to) {
  const bool open = !listen.named && clients_name_dialect(*listen.game) && listen.game == to.game;
  return open ? to.dialect.value_or(listen.dialect) : listen.dialect;
}

/// The faces that bridge the two.
std::optional<relay::BridgeOptions> bridge_of(const ListenEnd& listen, const Endpoint& to, bool record_secrets) {
  relay::BridgeOptions bridge;
  bridge.server_game = to.game;
  bridge.front = front_maker(listen);
  bridge.back = back_maker(to);
  bridge.chat.commands = listen.game == to.game;
  bridge.record_secrets = record_secrets;
  return bridge;
}

/// The routes and arenas of a configuration.
class Routes {
 public:
  Routes(const config::Config& config, Reread reread) : config_(config), reread_(std::move(reread)), service_(config) {}

  /// Everything that can fail before the first player comes.
  Outcome<Done> open() {
    Outcome<Done> done = Done{};
    for (const config::Route& route : config_.route())
      if (done) done = add(route);
    for (const config::Arena& arena : config_.arena())
      if (done) done = add(arena);
    if (reread_)
      service_.control().add_order("reload", kAboutReload, [this](std::string_view rest) {
        return rest.empty() ? reload() : Error{"reload takes no arguments"};
      });
    if (done) done = service_.open_acceptors();
    if (!done) service_.abandon();
    return done;
  }

  void run() {
    std::optional<CallOnHangUp> hang_up;
    if (reread_) hang_up.emplace([this] { (void)reload(); });  // the log has what came of it
    service_.run([this] { announce(); });
  }

  /// Applies what can change while the program runs. If the file has an error, nothing changes. From any thread.
  Outcome<std::string> reload() {
    const std::lock_guard lock(reloading_);
    const Notifier::Reloading reloading;
    const auto fresh = reread_();
    service_.set_reload_failed(!fresh);
    if (!fresh) {
      for (const std::string& error : fresh.error()) spdlog::error("configuration not reloaded: {}", error);
      return Error{"configuration not reloaded: " + fresh.error().front()};
    }
    for (int i = 0; i < config_.route_size(); ++i)
      if (const config::Route* now = now_of(*fresh, i))
        own_[route_numbers_[static_cast<std::size_t>(i)]] = access_of(*now);
    service_.set_rules(*fresh, own_);
    config::Log log = config_.log();
    log.set_level(fresh->log().level());
    const auto renewed = renew_log(log);
    std::string told = "reloaded: limits, allow and deny lists, log level\n";
    spdlog::info("{}", told.substr(0, told.size() - 1));
    if (!renewed) {
      spdlog::error("{}", renewed.error().text);
      told += renewed.error().text + "; the log still goes to the old file\n";
    }
    for (const std::string& line : takes_restart(config_, *fresh)) {
      spdlog::warn("needs a restart: {}", line);
      told += "needs a restart: " + line + "\n";
    }
    return told;
  }

  Outcome<Done> close() { return service_.close(); }

  /// Prints one line for each listener: what it served.
  void sum_up() const {
    std::fputs(service_.summary().c_str(), stdout);
    std::fflush(stdout);
  }

 private:
  Outcome<Done> add(const config::Route& route) {
    const auto listen = parse_listen(route.listen(), games());
    if (!listen) return listen.error();
    const auto servers = parse_servers(std::vector<std::string>(route.to().begin(), route.to().end()), games());
    if (!servers) return servers.error();
    const Endpoint* const to = &servers->first;
    const auto web = web_options(listen->web.value_or(WebEnd{}), to->web.value_or(WebEnd{}));
    if (!web) return web.error();
    const auto kind = can_join(*listen, *servers);
    if (!kind) return kind.error();
    const auto tap = service_.tap(route.record(), listen->game->name());
    if (!tap) return tap.error();
    const bool checks = servers->servers.size() > 1 || route.hold_s() != 0;
    const bool secrets = config_.recording().secrets() == config::Recording::keep;
    const auto bridge = *kind == RouteKind::kBridge ? bridge_of(*listen, *to, secrets) : std::nullopt;
    const auto listening = service_.add({.game = listen->game,
                                         .listen_dialect = assumed_dialect(*listen, *to),
                                         .listen = listen->address,
                                         .servers = servers->servers,
                                         .policy = static_cast<relay::Policy>(route.policy()),
                                         .hold_ms = 1000 * route.hold_s(),
                                         .check_ms = checks ? 1000 * route.check_s() : 0,
                                         .slow_start_ms = 1000 * route.slow_start_s(),
                                         .enet = listen->enet,
                                         .web = *web,
                                         .bridge = bridge,
                                         .clients_name_dialect = !listen->named && clients_name_dialect(*listen->game),
                                         .fallback = listen->fallback,
                                         .access = {access_of(route)},
                                         .proxies = listen->proxies,
                                         .send_proxy = to->send_proxy,
                                         .source = to->source,
                                         .strict = listen->strict,
                                         .announce = route.announce(),
                                         .limits = {},  // the service knows them
                                         .tap = *tap},
                                        listen->dialect_text());
    if (!listening) return listening.error();
    route_numbers_.push_back(listening->route);
    own_[listening->route] = access_of(route);
    lines_ += "listening " + listen->dialect_text() + " " + listening->address.text() + "\n";
    if (!listen->named && !clients_name_dialect(*listen->game))
      spdlog::info("{} names no dialect; clients must speak {}", route.listen(),
                   dialect_text(*listen->game, listen->dialect));
    if (*kind == RouteKind::kBridge) tell_bridge(*listen, *to);
    return Done{};
  }

  Outcome<Done> add(const config::Arena& arena) {
    const auto place = open_arena(arena);
    if (!place) return place.error();
    const auto tap = service_.tap(arena.record(), "arena");
    if (!tap) return tap.error();
    relay::SharedRoomOptions shared_room;
    shared_room.name = "the arena '" + arena.name() + "'";
    shared_room.game = &native::game();
    shared_room.back = [place = *place] { return std::make_unique<core::Referee>(place); };
    shared_room.stand_ins = stand_ins_of(arena, place->starts);
    shared_room.record_secrets = config_.recording().secrets() == config::Recording::keep;
    shared_room.tap = *tap;
    const std::size_t number = service_.add_arena(shared_room);
    for (const std::string& url : arena.listen()) {
      const auto end = parse_shared_listen(url, games());
      if (!end) return end.error();
      const auto line = listen_in_shared_room(service_, {number, arena.name(), *tap}, *end);
      if (!line) return line.error();
      lines_ += *line;
    }
    return Done{};
  }

  /// Route `i` in the configuration that was read again, found by its `listen`; null: it is gone. Routes with the same
  /// `listen` are matched in order.
  const config::Route* now_of(const config::Config& fresh, int i) const {
    const std::string& listen = config_.route(i).listen();
    auto before = std::count_if(config_.route().begin(), config_.route().begin() + i,
                                [&](const config::Route& one) { return one.listen() == listen; });
    for (const config::Route& route : fresh.route())
      if (route.listen() == listen && before-- == 0) return &route;
    return nullptr;
  }

  static void tell_bridge(const ListenEnd& listen, const Endpoint& to) {
    const char* more = to.dialect                ? ""
                       : shows_dialect(*to.game) ? ", detecting its dialect"
                                                 : " (default dialect; ?dialect= in its URL chooses another)";
    spdlog::info("bridging {} to {}{}", listen.dialect_text(), dialect_text(to), more);
  }

  void announce() const {
    std::fputs(lines_.c_str(), stdout);
    std::fflush(stdout);
  }

  static constexpr const char* kAboutReload =
      "Reads the configuration again, as SIGHUP does. Limits, allow and deny lists and the log level apply at once, "
      "the "
      "log file is reopened, and keys that need a restart are listed.";

  const config::Config& config_;
  const Reread reread_;
  Service service_;
  std::mutex reloading_;
  std::vector<std::size_t> route_numbers_;    // of routes
  std::map<std::size_t, relay::Access> own_;  // access lists in force, by the route's number
  std::string lines_;                         // where it listens
};

int serve_logged(const config::Config& config, Reread reread) {
  Routes routes(config, std::move(reread));
  if (const auto opened = routes.open(); !opened) return failed(opened.error());
  routes.run();
  const auto closed = routes.close();
  routes.sum_up();
  return closed ? kOk : failed(closed.error());
}

}  // namespace

int serve(const config::Config& config, Reread reread) {
  if (const auto started = start_log(config.log()); !started) return failed(started.error());
  const int code = serve_logged(config, std::move(reread));
  stop_log();
  return code;
}

}  // namespace entente
