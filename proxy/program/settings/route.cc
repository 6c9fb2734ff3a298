#include "proxy/program/settings/route.h"

#include <array>
#include <filesystem>

#include "adapters/registry.h"
#include "proxy/net/names/host_names.h"
#include "proxy/program/base/suggest.h"
#include "proxy/program/settings/url_options.h"
#include "proxy/program/settings/web.h"

namespace entente {
namespace {

// How to change the URLs so that the two ends can be relayed.
std::string fix_for(const ListenEnd& listen, const Endpoint& to) {
  const std::string dialect = to.dialect ? "?dialect=" + std::string(to.game->dialects()[*to.dialect].name) : "";
  if (listen.game == to.game) return "add " + dialect + " to the URL to listen on";
  return "listen on " + std::string(to.game->name()) + "://" + listen.address.text() + dialect;
}

// Why the two ends cannot be bridged; nothing if they can.
std::optional<Error> objection_to_bridge(const ListenEnd& listen, const Endpoint& to) {
  std::string lacks;
  const auto lack = [&](const wire::Game& game, std::size_t dialect, const char* what) {
    lacks += (lacks.empty() ? "" : ", ") + dialect_text(game, dialect) + " has no " + what;
  };
  if (!faces_of(*listen.game).has_front(listen.main_dialect())) lack(*listen.game, listen.main_dialect(), "front yet");
  if (listen.fallback && !faces_of(*listen.game).has_front(*listen.fallback))
    lack(*listen.game, *listen.fallback, "front yet");
  if (!faces_of(*to.game).has_back(to.dialect.value_or(0))) lack(*to.game, to.dialect.value_or(0), "back yet");
  if (lacks.empty()) return std::nullopt;
  const std::string server = to.dialect ? dialect_text(*to.game, *to.dialect) : std::string(to.game->name());
  return Error{"the listener speaks " + dialect_text(*listen.game, listen.main_dialect()) +
               (listen.dialect ? "" : " (the default, as its URL names no dialect)") + " and the server speaks " +
               server + ", and the two cannot be bridged (" + lacks + "); for a relay " + fix_for(listen, to)};
}

std::optional<Error> useless_setting(const Settings& settings) {
  if (settings.empty()) return std::nullopt;
  return Error{"'" + settings.begin()->first + "' applies to bridges only; this is a relay: leave it out"};
}

Error at_fault(std::string_view url, const Error& error) { return {"'" + std::string(url) + "': " + error.text}; }

/// Whether clients name their dialect themselves (Game::named_by_client).
bool clients_name_dialect(const wire::Game& game) { return game.probe() == wire::Probe::kNever; }

constexpr const char* kOnlyIpv4 = "ENet supports only IPv4; use an IPv4 address";

/// Whether the host is an IPv6 address and the game uses ENet.
bool only_v6_for_enet(const Endpoint& end) {
  const auto address = net::Address::parse(end.host, end.port);
  return end.game->transport() == wire::Transport::kEnet && address.ok() && address->v6();
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// Returns the options of a face in this dialect.
using FaceOptionsMaker = std::function<core::FaceOptions(std::size_t dialect)>;

FaceOptionsMaker options_maker(const core::Faces& faces, const core::FaceOptions& options, Preparations& all) {
  std::shared_ptr<const SharedPreparation> shared;
  if (faces.prepare != nullptr) shared = all.emplace_back(std::make_shared<SharedPreparation>(faces, options));
  return [options, shared](std::size_t dialect) {
    return core::FaceOptions{dialect, options.settings, options.follows, shared ? shared->get() : nullptr};
  };
}

}  // namespace

SharedPreparation::SharedPreparation(const core::Faces& faces, core::FaceOptions options)
    : faces_(faces), options_(std::move(options)), prepared_(faces.prepare(options_)) {}

std::shared_ptr<const core::Preparation> SharedPreparation::get() const {
  const std::lock_guard lock(mutex_);
  return prepared_;
}

void SharedPreparation::renew() {
  auto fresh = faces_.prepare(options_);
  const std::lock_guard lock(mutex_);
  prepared_ = std::move(fresh);
}

std::string dialect_text(const wire::Game& game, std::size_t dialect) {
  return std::string(game.name()) + " " + std::string(game.dialects()[dialect].name);
}

std::string ListenEnd::dialect_text() const {
  if (takes_any_dialect()) return std::string(game->name()) + " any";
  const std::string other = fallback ? " or " + std::string(game->dialects()[*fallback].name) : "";
  return entente::dialect_text(*game, main_dialect()) + other;
}

bool ListenEnd::takes_any_dialect() const { return !dialect && clients_name_dialect(*game); }

bool shows_dialect(const wire::Game& game) {
  return game.probe() == wire::Probe::kSilentConnection || game.probe() == wire::Probe::kFirstSession;
}

std::string server_dialect_text(const wire::Game& game, std::optional<std::size_t> dialect) {
  if (!dialect && shows_dialect(game)) return std::string(game.name());
  return dialect_text(game, dialect.value_or(0));
}

Outcome<ListenEnd> parse_listen(std::string_view url, std::span<const wire::Game* const> known) {
  const auto end = parse_endpoint(url, known, EndpointRole::kListen);
  if (!end) return end.error();
  const auto address = net::Address::parse(end->host, end->port);
  if (!address)
    return Error{"'" + std::string(url) + "': '" + end->host +
                 "' is not an address; listen on one of this machine's, " +
                 "such as 127.0.0.1 or [::1], or on all of them with 0.0.0.0 or [::]"};
  if (end->web)
    if (const auto lacks = objection(*end->web, EndpointRole::kListen)) return at_fault(url, *lacks);
  if (end->web && end->web->tls && end->proxies.naming == net::ClientNaming::kForwarded)
    return at_fault(url, {"'forwarded' is for +ws: the HTTP proxy in front has the certificate"});
  const std::size_t dialect = end->dialect.value_or(0);
  if (end->fallback &&
      (end->game->client_greeting_size(dialect) == 0 || end->game->client_greeting_size(*end->fallback) != 0))
    return at_fault(url, {"clients of 'dialect' must greet first, and those of 'fallback' wait for it; such as "
                          "?dialect=2.4&fallback=1.10"});
  if (end->enet == relay::EnetMode::kPackets && only_v6_for_enet(*end)) return at_fault(url, {kOnlyIpv4});
  if (end->strict && end->enet == relay::EnetMode::kDatagrams)
    return at_fault(url, {"'strict' is for mode=packets: datagrams are passed untouched, whatever they hold"});
  return ListenEnd{*end, *address};
}

std::vector<ListenEnd> listeners_of(const config::Config& config, std::span<const wire::Game* const> known) {
  std::vector<ListenEnd> all;
  const auto add = [&](const auto& urls) {
    for (const std::string& url : urls)
      if (auto end = parse_listen(url, known)) all.push_back(std::move(*end));
  };
  const auto add_watched = [&](const auto& of) {
    for (const config::Watch& watch : of.watch()) add(watch.listen());
  };
  for (const config::Route& route : config.route()) add(std::vector{route.listen()}), add_watched(route);
  for (const config::Arena& arena : config.arena()) add(arena.listen()), add_watched(arena);
  return all;
}

Outcome<Endpoint> parse_to(std::string_view url, std::span<const wire::Game* const> known) {
  auto end = parse_endpoint(url, known, EndpointRole::kTo);
  if (end.ok() && end->port == 0) return at_fault(url, {"the server's port cannot be 0"});
  if (end.ok() && only_v6_for_enet(*end)) return at_fault(url, {kOnlyIpv4});
  if (end.ok())
    if (const std::string why = net::objection_to_host(end->host); !why.empty())
      return at_fault(url, {"'" + end->host + "' is no host name: " + why});
  const auto host = end.ok() ? net::Address::parse(end->host, end->port) : Outcome<net::Address>(Error{});
  if (end.ok() && end->source == relay::SourceMode::kLoopback && host.ok() && !net::is_loopback_v4(*host))
    return at_fault(url, {"source=loopback is for a server on this machine, such as 127.0.0.1"});
  if (end.ok() && end->web)
    if (const auto lacks = objection(*end->web, EndpointRole::kTo)) return at_fault(url, *lacks);
  return end;
}

Outcome<RouteServers> parse_servers(std::span<const std::string> urls, std::span<const wire::Game* const> known) {
  RouteServers all;
  if (urls.size() > relay::kMostServers)
    return Error{"a route has at most " + std::to_string(relay::kMostServers) + " servers"};
  for (const std::string& url : urls) {
    auto one = parse_to(url, known);
    if (!one) return one.error();
    relay::UpstreamOptions server{one->host, one->port, one->dialect, one->weight};
    for (const relay::UpstreamOptions& other : all.servers)
      if (other.host == server.host && other.port == server.port) return at_fault(url, {"is listed twice"});
    if (all.servers.empty()) {
      all.first = *one;
    } else if (one->game != all.first.game) {
      return at_fault(url, {"the servers of a route must be of one game; give this one a route of its own"});
    } else if (one->web != all.first.web || one->settings != all.first.settings ||
               one->send_proxy != all.first.send_proxy || one->source != all.first.source) {
      return at_fault(url, {"the servers of a route must have the same options, except dialect and weight"});
    }
    all.servers.push_back(std::move(server));
  }
  return all;
}

Settings front_settings_of(const ListenEnd& listen) {
  return with_found(listen.settings, faces_of(*listen.game).front_settings);
}

Settings back_settings_of(const Endpoint& to) { return with_found(to.settings, faces_of(*to.game).back_settings); }

std::optional<Error> objection_to_relay_rules(const ListenEnd& listen) {
  const core::Faces& faces = faces_of(*listen.game);
  if (faces.has_front(listen.main_dialect()) && faces.has_back(listen.main_dialect())) return std::nullopt;
  return Error{"hear words, and the messages of " + dialect_text(*listen.game, listen.main_dialect()) +
               " cannot be translated into words"};
}

std::function<std::unique_ptr<core::Front>(std::size_t)> front_maker(const ListenEnd& listen, Preparations& all) {
  const core::Faces& faces = faces_of(*listen.game);
  return [make = faces.front, options = options_maker(faces, {0, front_settings_of(listen)}, all)](
             std::size_t dialect) { return make(options(dialect)); };
}

std::function<std::unique_ptr<core::Back>(std::size_t)> back_maker(const Endpoint& to, Preparations& all,
                                                                   bool follows) {
  const core::Faces& faces = faces_of(*to.game);
  return [make = faces.back, options = options_maker(faces, {0, back_settings_of(to), follows}, all)](
             std::size_t dialect) { return make(options(dialect)); };
}

Outcome<RouteKind> route_kind(const ListenEnd& listen, const Endpoint& to) {
  // If clients name their dialect and the server's is not named, the server must speak theirs: a relay. If only the
  // server's is named, each client is bridged to it.
  const bool named_by_client = clients_name_dialect(*listen.game);
  const bool theirs = named_by_client && !to.dialect, each_its_own = named_by_client && !listen.dialect && to.dialect;
  const bool same = listen.game == to.game && !listen.fallback && !each_its_own &&
                    (theirs || to.dialect.value_or(listen.main_dialect()) == listen.main_dialect());
  if (!same) {
    if (const auto lacks = objection_to_bridge(listen, to)) return *lacks;
    if (const auto misplaced = misplaced_option(listen, ListenerKind::kBridge)) return *misplaced;
    return RouteKind::kBridge;
  }
  if (const auto useless = useless_setting(listen.settings.empty() ? to.settings : listen.settings)) return *useless;
  return RouteKind::kRelay;
}

Outcome<RouteKind> route_kind(const ListenEnd& listen, const RouteServers& to) {
  std::optional<RouteKind> kind;
  for (std::size_t i = 0; i < to.servers.size(); ++i) {
    const auto one = route_kind(listen, to.with_dialect_of(i));
    if (!one) return one.error();
    if (kind && *kind != *one)
      return Error{"one server of the route would be relayed, and another bridged; give them routes of their own"};
    kind = *one;
  }
  return *kind;
}

Outcome<std::string> parse_while_down(std::string_view text) {
  constexpr std::string_view kArena = "arena ";
  if (!text.starts_with(kArena) || text.size() == kArena.size())
    return Error{"must be \"arena NAME\", with the name of an [[arena]]"};
  return std::string(text.substr(kArena.size()));
}

std::optional<Error> objection_to_while_down(const ListenEnd& listen, RouteKind kind) {
  if (kind != RouteKind::kBridge) return Error{"is for bridges: a relay cannot join another server in a player's name"};
  Preparations unused;
  const auto make = front_maker(listen, unused);
  for (const std::size_t dialect : {listen.main_dialect(), listen.fallback.value_or(listen.main_dialect())})
    if (const auto front = make(dialect); front == nullptr || !front->takes_another_world())
      return Error{"is not for " + std::string(listen.game->name()) +
                   ", whose clients load a world only when they join; it is for aos, ogar and native"};
  return std::nullopt;
}

std::string recording_path(std::string_view pattern, std::string_view directory, const RecordingName& name) {
  std::tm utc{};
  gmtime_r(&name.start, &utc);
  std::array<char, 32> time{};
  std::strftime(time.data(), time.size(), "%Y%m%dT%H%M%SZ", &utc);
  std::string file(pattern);
  replace_all(file, "{time}", time.data());
  replace_all(file, "{route}", name.name.empty() ? std::to_string(name.route) : std::string(name.name));
  replace_all(file, "{link}", std::to_string(name.link));
  replace_all(file, "{game}", name.game);
  return (std::filesystem::path(directory) / file).string();
}

Outcome<ListenEnd> parse_shared_listen(std::string_view url, std::span<const wire::Game* const> known) {
  auto end = parse_listen(url, known);
  if (!end) return end.error();
  const auto fault = [&](const std::string& why) { return Error{"'" + std::string(url) + "': " + why}; };
  for (const std::size_t dialect : {end->main_dialect(), end->fallback.value_or(end->main_dialect())})
    if (!faces_of(*end->game).has_front(dialect))
      return fault(dialect_text(*end->game, dialect) + " has no front yet; see `entente games`");
  if (const auto misplaced = misplaced_option(*end, ListenerKind::kRoom)) return fault(misplaced->text);
  return end;
}

std::optional<Error> objection_to_playing(const Endpoint& to) {
  const std::size_t dialect = to.dialect.value_or(0);
  if (faces_of(*to.game).has_back(dialect)) return std::nullopt;
  return Error{"bots cannot play " + dialect_text(*to.game, dialect) + " yet: it has no back; see `entente games`"};
}

}  // namespace entente
