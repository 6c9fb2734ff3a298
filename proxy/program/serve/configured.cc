#include "proxy/program/serve/configured.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "adapters/native/native.h"
#include "adapters/registry.h"
#include "proxy/core/arena/referee.h"
#include "proxy/program/log/say.h"
#include "proxy/program/playback/arena_from_recording.h"
#include "proxy/program/settings/access.h"
#include "proxy/program/settings/arena_rules.h"
#include "proxy/program/settings/web.h"

namespace entente {
namespace {

// The dialect that is assumed until a client names its own.
std::size_t assumed_dialect(const ListenEnd& listen, const Endpoint& to) {
  const bool open = !listen.named && clients_name_dialect(*listen.game) && listen.game == to.game;
  return open ? to.dialect.value_or(listen.dialect) : listen.dialect;
}

/// The faces that bridge the two.
relay::BridgeOptions bridge_of(const ListenEnd& listen, const Endpoint& to, bool record_secrets) {
  relay::BridgeOptions bridge;
  bridge.server_game = to.game;
  bridge.front = front_maker(listen);
  bridge.back = back_maker(to);
  bridge.front_settings = front_settings_of(listen);
  bridge.back_settings = back_settings_of(to);
  bridge.chat.commands = listen.game == to.game;
  bridge.record_secrets = record_secrets;
  return bridge;
}

}  // namespace

relay::BridgeOptions::ArenaPlace place_in(const std::string& arena) {
  const core::Faces& native = faces_of(native::game());
  return {arena, [&native] { return native.front({0, {}}); }, [&native] { return native.back({0, {}}); }};
}

Outcome<ConfiguredRoute> configured(const config::Route& route, bool record_secrets) {
  const auto listen = parse_listen(route.listen(), games());
  if (!listen) return listen.error();
  const auto servers = parse_servers(std::vector<std::string>(route.to().begin(), route.to().end()), games());
  if (!servers) return servers.error();
  const Endpoint& to = servers->first;
  const auto web = web_options(listen->web.value_or(WebSocketSettings{}), to.web.value_or(WebSocketSettings{}));
  if (!web) return web.error();
  const auto kind = route_kind(*listen, *servers);
  if (!kind) return kind.error();
  const bool checks = servers->servers.size() > 1 || route.hold_s() != 0;
  relay::RouteOptions options;  // the service knows the limits
  options.game = listen->game;
  options.listen_dialect = assumed_dialect(*listen, to);
  options.listen = listen->address;
  options.servers = servers->servers;
  options.upstream.policy = static_cast<relay::Policy>(route.policy());
  options.upstream.hold_ms = 1000 * route.hold_s();
  options.upstream.check_ms = checks ? 1000 * route.check_s() : 0;
  options.upstream.slow_start_ms = 1000 * route.slow_start_s();
  options.upstream.launch = {route.start(), route.stop(), Millis{1000} * route.stop_after_s()};
  options.enet = listen->enet;
  options.web = *web;
  options.clients_name_dialect = !listen->named && clients_name_dialect(*listen->game);
  options.fallback = listen->fallback;
  options.access = {access_of(route)};
  options.proxies = listen->proxies;
  options.public_port = listen->public_port;
  options.send_proxy = to.send_proxy;
  options.source = to.source;
  options.strict = listen->strict;
  options.announce = route.announce();
  options.name = route.name();
  if (*kind == RouteKind::kBridge)
    options.bridge = bridge_of(*listen, to, record_secrets);
  else if (faces_of(*to.game).back)
    options.back = back_maker(to);
  if (!route.while_down().empty()) {
    const auto arena = parse_while_down(route.while_down());
    if (!arena) return arena.error();
    if (const auto why = objection_to_while_down(*listen, *kind)) return Error{"while_down " + why->text};
    options.bridge->while_down = place_in(*arena);
  }
  return ConfiguredRoute{*listen, *servers, *kind, {std::move(options), listen->dialect_text(), 1, {}, route.limits()}};
}

Outcome<ConfiguredArena> configured(const config::Arena& arena, bool record_secrets, relay::TapThread* tap) {
  std::string damage;
  auto place = open_arena(arena, &damage);
  if (!place) return place.error();
  if (!damage.empty()) log_warn("{}", damage);
  relay::SharedRoomOptions shared_room;
  shared_room.name = "the arena '" + arena.name() + "'";
  shared_room.game = &native::game();
  shared_room.back = [place = *place] { return std::make_unique<core::Referee>(place); };
  shared_room.stand_ins = stand_ins_of(arena, place->starts);
  shared_room.record_secrets = record_secrets;
  shared_room.tap = tap;
  return ConfiguredArena{std::move(*place), std::move(shared_room)};
}

void log_dialects(const config::Route& settings, const ConfiguredRoute& route) {
  const ListenEnd& listen = route.listen;
  const Endpoint& to = route.to.first;
  if (!listen.named && !clients_name_dialect(*listen.game))
    log_info("{} names no dialect; clients must speak {}", settings.listen(),
             dialect_text(*listen.game, listen.dialect));
  if (route.kind != RouteKind::kBridge) return;
  const char* more = to.dialect                ? ""
                     : shows_dialect(*to.game) ? ", detecting its dialect"
                                               : " (default dialect; ?dialect= in its URL chooses another)";
  log_info("bridging {} to {}{}", listen.dialect_text(), dialect_text(to), more);
}

}  // namespace entente
