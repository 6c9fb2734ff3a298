#include "proxy/program/serve/description.h"

#include <utility>
#include <vector>

#include "adapters/native/native.h"
#include "adapters/registry.h"
#include "proxy/net/secret.h"
#include "proxy/program/log/say.h"
#include "proxy/program/settings/access.h"
#include "proxy/program/settings/lab.h"
#include "proxy/program/settings/limits.h"
#include "proxy/program/settings/rule_files.h"
#include "proxy/program/settings/web.h"

namespace entente {
namespace {

// The dialect that is assumed until a client names its own.
std::size_t assumed_dialect(const ListenEnd& listen, const Endpoint& to) {
  const bool open = listen.takes_any_dialect() && listen.game == to.game;
  return open ? to.dialect.value_or(listen.main_dialect()) : listen.main_dialect();
}

/// The faces that bridge the two.
relay::BridgeOptions bridge_of(const ListenEnd& listen, const Endpoint& to, Preparations& all, bool record_secrets) {
  relay::BridgeOptions bridge;
  bridge.server_game = to.game;
  bridge.front = front_maker(listen, all);
  bridge.back = back_maker(to, all);
  bridge.front_settings = front_settings_of(listen);
  bridge.back_settings = back_settings_of(to);
  bridge.chat.commands = listen.game == to.game;
  bridge.record_secrets = record_secrets;
  return bridge;
}

relay::UpstreamRules upstream_of(const config::Route& keys) {
  const bool checks = keys.to_size() > 1 || keys.hold_s() != 0;
  relay::UpstreamRules rules;
  rules.policy = static_cast<relay::Policy>(keys.policy());
  rules.hold_ms = Millis{1000} * keys.hold_s();
  rules.check_ms = checks ? Millis{1000} * keys.check_s() : 0;
  rules.slow_start_ms = Millis{1000} * keys.slow_start_s();
  rules.launch = {keys.start(), keys.stop(), Millis{1000} * keys.stop_after_s()};
  return rules;
}

}  // namespace

std::string RouteDescription::named(const net::Address& at) const {
  if (!options.name.empty()) return options.name;
  return at.port() != 0 ? subject + " " + at.text() + (listen ? listen->path() : "") : subject;
}

std::shared_ptr<relay::RuleBook> RouteDescription::rule_book() const {
  if (options.bridge) return options.bridge->rules;
  return options.relay_rules ? options.relay_rules->book : nullptr;
}

void RouteDescription::keep_rules_in(std::shared_ptr<relay::RuleBook> book) {
  if (options.bridge)
    options.bridge->rules = std::move(book);
  else if (options.relay_rules)
    options.relay_rules->book = std::move(book);
}

relay::BridgeOptions::ArenaPlace place_in(const std::string& arena) {
  const core::Faces& native = faces_of(native::game());
  return {arena, [&native] { return native.front({0, {}}); }, [&native] { return native.back({0, {}}); }};
}

Describer::Describer(const config::Config& config, const ConfigPlaces& places, const relay::ListedNetworks& listed)
    : config_(config), places_(places), access_(access_of(config.access())) {
  access_.listed = &listed;
  for (const ListenEnd& end : listeners_of(config, games()))
    if (!end.address.v6() && end.address.port() != 0) v4_ports_.insert(end.address.port());
}

/// What all routes have.
relay::RouteOptions Describer::general() const {
  relay::RouteOptions options;
  options.limits = limits_of(config_.limits());
  options.access = {access_};
  options.public_host = config_.public_host();
  return options;
}

/// What the URL of a listener says.
RouteDescription Describer::listener(const std::string& url, const ListenEnd& end, std::size_t position) const {
  RouteDescription made{.url = url, .listen = end, .position = position, .subject = end.dialect_text()};
  relay::RouteOptions& options = made.options = general();
  options.place = places_.before_listener(url);
  options.game = end.game;
  options.listen_dialect = end.main_dialect();
  options.listen = end.address;
  options.only_v6 = v4_ports_.contains(end.address.port());
  options.enet = end.enet;
  options.clients_name_dialect = end.takes_any_dialect();
  options.fallback = end.fallback;
  options.strict = end.strict;
  options.proxies = end.proxies;
  options.public_port = end.public_port;
  return made;
}

Outcome<RouteDescription> Describer::route(const config::Route& keys, std::size_t position) const {
  const auto listen = parse_listen(keys.listen(), games());
  if (!listen) return listen.error();
  const auto servers = parse_servers(std::vector<std::string>(keys.to().begin(), keys.to().end()), games());
  if (!servers) return servers.error();
  const Endpoint& to = servers->first;
  const auto web = web_options(listen->web.value_or(WebSocketSettings{}), to.web.value_or(WebSocketSettings{}));
  if (!web) return web.error();
  const auto kind = route_kind(*listen, *servers);
  if (!kind) return kind.error();
  RouteDescription made = listener(keys.listen(), *listen, position);
  made.keys = keys;
  relay::RouteOptions& options = made.options;
  options.name = keys.name();
  options.limits = limits_of(limits_for(config_.limits(), keys.limits()));
  options.access = {access_of(keys), access_};
  options.announce = keys.announce();
  options.listen_dialect = assumed_dialect(*listen, to);
  options.web = *web;
  options.web.page = page_of(*options.game, options.listen_dialect);
  options.servers = servers->servers;
  options.upstream = upstream_of(keys);
  options.send_proxy = to.send_proxy;
  options.source = to.source;
  if (*kind == RouteKind::kBridge)
    options.bridge = bridge_of(*listen, to, made.prepared, keeps_secrets());
  else if (faces_of(*to.game).back)
    options.back = back_maker(to, made.prepared);
  if (keys.rules_size() != 0) {
    auto rules = read_rules(keys.rules());
    if (!rules) return Error{"rules: " + rules.error().text};
    made.rules = std::move(*rules);
    if (*kind == RouteKind::kRelay)
      options.relay_rules = {.book = nullptr,
                             .rewrite = keys.rewrite(),
                             .tells = keys.announce() && to.game->has_chat(),
                             .front = front_maker(*listen, made.prepared),
                             .back = back_maker(to, made.prepared, /*follows=*/true)};
  }
  auto lab = parse_lab(keys.lab(), LabRoute(options));
  if (!lab) return Error{"lab: " + lab.error().text};
  options.lab = std::move(*lab);
  if (!keys.while_down().empty()) {
    const auto arena = parse_while_down(keys.while_down());
    if (!arena) return arena.error();
    if (const auto why = objection_to_while_down(*listen, *kind)) return Error{"while_down " + why->text};
    options.bridge->while_down = place_in(*arena);
  }
  return made;
}

Outcome<RouteDescription> Describer::into(const SharedRoomEntry& room, const std::string& url, std::size_t position,
                                          const std::optional<config::Route>& keys) const {
  const auto end = parse_shared_listen(url, games());
  if (!end) return end.error();
  const auto web = web_options(end->web.value_or(WebSocketSettings{}), WebSocketSettings{});
  if (!web) return web.error();
  RouteDescription made = listener(url, *end, position);
  made.keys = keys;
  made.seats = room.seats;
  relay::RouteOptions& options = made.options;
  if (keys) {
    options.name = keys->name();
    options.limits = limits_of(limits_for(config_.limits(), keys->limits()));
    options.access = {access_of(*keys), access_};
  }
  options.web = *web;
  options.web.page = page_of(*options.game, options.listen_dialect);
  options.servers = {{.host = room.name}};
  options.bridge.emplace();
  options.bridge->server_game = end->game;
  options.bridge->front = front_maker(*end, made.prepared);
  options.bridge->shared_room = room.shared_room;
  if (room.arena) options.arena_faces = place_in(room.name);
  return made;
}

Outcome<RouteDescription> Describer::bots(const RouteServers& to, std::function<std::unique_ptr<core::Front>()> front,
                                          std::uint32_t count) const {
  const auto web = web_options(WebSocketSettings{}, to.first.web.value_or(WebSocketSettings{}));
  if (!web) return web.error();
  RouteDescription made{.subject = server_dialect_text(*to.first.game, to.first.dialect), .options = general()};
  relay::RouteOptions& options = made.options;
  options.game = &native::game();
  options.servers = to.servers;
  options.web = *web;
  options.send_proxy = to.first.send_proxy;
  options.bridge.emplace();
  options.bridge->server_game = to.first.game;
  options.bridge->front = [front = std::move(front)](std::size_t) { return front(); };
  options.bridge->back = back_maker(to.first, made.prepared);
  options.bridge->bots = count;
  options.bridge->record_secrets = keeps_secrets();
  return made;
}

void log_remarks(const RouteDescription& route) {
  if (route.options.source == relay::SourceMode::kLoopback && !net::has_lasting_machine_key())
    log_warn(
        "{} has a server with source=loopback, but there is no id in /etc/machine-id: each restart gives players other "
        "127.x addresses, and a ban of one then meets somebody else",
        route.url);
  const ListenEnd& listen = *route.listen;
  if (!listen.dialect && !listen.takes_any_dialect())
    log_info("{} names no dialect; clients must speak {}", route.url,
             dialect_text(*listen.game, listen.main_dialect()));
  if (const auto& rules = route.options.relay_rules; rules && !rules->tells)
    log_info("rules of the relay {} cannot tell players anything: {}", route.url,
             listen.game->has_chat() ? "`announce` is not set" : "the game has no chat");
  if (!route.options.bridge) return;
  const wire::Game& server = *route.options.bridge->server_game;
  const auto dialect = route.options.servers.front().dialect;
  const char* more = dialect                 ? ""
                     : shows_dialect(server) ? ", detecting its dialect"
                                             : " (default dialect; ?dialect= in its URL chooses another)";
  log_info("bridging {} to {}{}", listen.dialect_text(), server_dialect_text(server, dialect), more);
}

}  // namespace entente
