#include "proxy/program/settings/url_options.h"

#include <algorithm>
#include <charconv>

#include "proxy/program/base/suggest.h"

namespace entente {
namespace {

constexpr unsigned kRelays = static_cast<unsigned>(ListenerKind::kRelay),
                   kBridges = static_cast<unsigned>(ListenerKind::kBridge), kEverywhere = 7;

// -- Which games have it ----------------------------------------------------------------------------------------------

bool any(const wire::Game&) { return true; }
bool by_web(const wire::Game& game) { return game.transport() == wire::Transport::kWebSocket; }
bool over_enet(const wire::Game& game) { return game.transport() == wire::Transport::kEnet; }

/// Whether clients of some dialects speak first and clients of others wait for the server's greeting, so that one port
/// can serve both.
bool greeted_or_not(const wire::Game& game) {
  bool first = false, last = false;
  for (std::size_t i = 0; i < game.dialects().size(); ++i) (game.client_greeting_size(i) != 0 ? first : last) = true;
  return first && last;
}

bool over_stream(const wire::Game& game) { return !over_enet(game); }

// -- What it does -----------------------------------------------------------------------------------------------------

Outcome<std::size_t> dialect_of(const wire::Game& game, std::string_view name) {
  if (const auto found = wire::find_dialect(game, name)) return *found;
  std::vector<std::string_view> names;
  for (const wire::DialectInfo& dialect : game.dialects()) names.push_back(dialect.name);
  return Error{unknown_name("dialect", name, names, " of " + std::string(game.name()))};
}

template <std::optional<std::size_t> Endpoint::*kField>
Outcome<Done> set_dialect(std::string_view value, Endpoint& to) {
  const auto dialect = dialect_of(*to.game, value);
  if (!dialect) return dialect.error();
  to.*kField = *dialect;
  return Done{};
}

Outcome<Done> set_strict(std::string_view value, Endpoint& to) {
  to.strict = value == "yes";
  return Done{};
}

Outcome<Done> set_mode(std::string_view value, Endpoint& to) {
  to.enet = value == "packets" ? relay::EnetMode::kPackets : relay::EnetMode::kDatagrams;
  return Done{};
}

template <std::string WebSocketSettings::*kField>
Outcome<Done> set_web(std::string_view value, Endpoint& to) {
  (*to.web).*kField = value;
  return Done{};
}

/// "10.0.0.0/8,192.0.2.7"
template <net::ClientNaming kNaming>
Outcome<Done> set_proxies(std::string_view value, Endpoint& to) {
  if (!to.proxies.empty()) return Error{"give either 'proxy_protocol' or 'forwarded'"};
  to.proxies.naming = kNaming;
  while (!value.empty()) {
    const std::size_t comma = std::min(value.find(','), value.size());
    const auto net = net::Network::parse(value.substr(0, comma));
    if (!net) return net.error();
    to.proxies.networks.push_back(*net);
    value.remove_prefix(std::min(comma + 1, value.size()));
  }
  if (!to.proxies.empty()) return Done{};
  return kNaming == net::ClientNaming::kForwarded ? Error{"'forwarded' needs the networks of the HTTP proxies"}
                                                  : Error{"'proxy_protocol' needs the networks of the load balancers"};
}

Outcome<Done> set_send_proxy(std::string_view value, Endpoint& to) {
  to.send_proxy = value == "v1" ? net::ProxyVersion::kV1 : net::ProxyVersion::kV2;
  return Done{};
}

Outcome<Done> set_source(std::string_view value, Endpoint& to) {
  to.source = value == "loopback" ? relay::SourceMode::kLoopback : relay::SourceMode::kTransparent;
  return Done{};
}

Outcome<Done> set_weight(std::string_view value, Endpoint& to) {
  std::from_chars(value.data(), value.data() + value.size(), to.weight);
  return Done{};
}

Outcome<Done> set_public_port(std::string_view value, Endpoint& to) {
  std::from_chars(value.data(), value.data() + value.size(), to.public_port);
  return Done{};
}

Outcome<Done> add_origin(std::string_view value, Endpoint& to) {
  to.web->origins.emplace_back(value);
  return Done{};
}

constexpr UrlOption kUrlOptions[] = {
    {"dialect", {}, any, {}, false, "", set_dialect<&Endpoint::dialect>, kEverywhere, nullptr, ""},
    {"strict",
     EndpointRole::kListen,
     any,
     {.words = "yes|no"},
     false,
     "&strict=yes: clients whose messages do not decode are disconnected",
     set_strict,
     kRelays | kBridges,
     [](const ListenEnd& end) { return end.strict; },
     "strict"},
    {"mode",
     EndpointRole::kListen,
     over_enet,
     {.words = "packets|datagrams"},
     false,
     "&mode=datagrams (games over ENet): UDP datagrams are passed untouched. Without it, there are two ENet "
     "connections: client to Entente, and Entente to server",
     set_mode,
     kRelays,
     [](const ListenEnd& end) { return end.enet == relay::EnetMode::kDatagrams; },
     "mode=datagrams"},
    {"fallback",
     EndpointRole::kListen,
     greeted_or_not,
     {},
     false,
     "&fallback=name (BZFlag): a second dialect, for clients that wait for the server's greeting",
     set_dialect<&Endpoint::fallback>,
     kEverywhere,
     nullptr,
     ""},
    {"proxy_protocol",
     EndpointRole::kListen,
     over_stream,
     {},
     false,
     "&proxy_protocol=NETWORKS: only load balancers in these networks may connect; their PROXY headers name the "
     "clients",
     set_proxies<net::ClientNaming::kProxyHeader>,
     kEverywhere,
     nullptr,
     ""},
    {"forwarded",
     EndpointRole::kListen,
     by_web,
     {},
     false,
     "&forwarded=NETWORKS (+ws): only HTTP proxies in these networks may connect; their X-Forwarded-For or Forwarded "
     "names the clients",
     set_proxies<net::ClientNaming::kForwarded>,
     kEverywhere,
     nullptr,
     ""},
    {"public_port",
     EndpointRole::kListen,
     any,
     {.least = 1, .most = 65535},
     false,
     "&public_port=PORT: the port that players connect to, if a router forwards it to another one here",
     set_public_port,
     kEverywhere,
     nullptr,
     ""},
    {"send_proxy",
     EndpointRole::kTo,
     over_stream,
     {.words = "v1|v2"},
     false,
     "&send_proxy=v1 or v2: the server gets each client's address in a PROXY header",
     set_send_proxy,
     kEverywhere,
     nullptr,
     ""},
    {"source",
     EndpointRole::kTo,
     any,
     {.words = "loopback|transparent"},
     false,
     "&source=loopback: a server on this machine sees a different 127.x.x.x address for each client address\n"
     "&source=transparent: the server sees the client's own address (needs CAP_NET_ADMIN)",
     set_source,
     kEverywhere,
     nullptr,
     ""},
    {"weight",
     EndpointRole::kTo,
     any,
     {.least = 1, .most = 1000},
     false,
     "&weight=1 to 1000: this server's share of the players, with --policy least or hash (default: 1)",
     set_weight,
     kEverywhere,
     nullptr,
     ""},
    {"cert",
     EndpointRole::kListen,
     by_web,
     {},
     false,
     "&cert=FILE&key=FILE (+wss): certificate and key, PEM",
     set_web<&WebSocketSettings::certificates>,
     kEverywhere,
     nullptr,
     ""},
    {"key", EndpointRole::kListen, by_web, {}, false, "", set_web<&WebSocketSettings::key>, kEverywhere, nullptr, ""},
    {"origin",
     EndpointRole::kListen,
     by_web,
     {},
     true,
     "&origin=https://site: only browsers on pages of this site may connect (clients without an Origin header are "
     "refused)",
     add_origin,
     kEverywhere,
     nullptr,
     ""},
    {"ca",
     EndpointRole::kTo,
     by_web,
     {},
     false,
     "&ca=FILE (+wss): certificate authorities to trust, PEM",
     set_web<&WebSocketSettings::authorities>,
     kEverywhere,
     nullptr,
     ""},
    {"verify",
     EndpointRole::kTo,
     by_web,
     {.words = "yes|no"},
     false,
     "&verify=no (+wss): any certificate is accepted",
     set_web<&WebSocketSettings::verify>,
     kEverywhere,
     nullptr,
     ""},
};

}  // namespace

std::span<const UrlOption> url_options() { return kUrlOptions; }

const UrlOption* find_url_option(std::string_view name, const wire::Game& game) {
  const auto at =
      std::ranges::find_if(kUrlOptions, [&](const UrlOption& one) { return one.name == name && one.fits(game); });
  return at != std::end(kUrlOptions) ? &*at : nullptr;
}

bool belongs(const UrlOption& option, std::optional<EndpointRole> role) {
  return !option.role || !role || *option.role == *role;
}

std::optional<Error> misplaced_option(const ListenEnd& listen, ListenerKind kind) {
  for (const UrlOption& option : kUrlOptions) {
    if (option.is_used == nullptr || (option.kinds & static_cast<unsigned>(kind)) != 0 || !option.is_used(listen))
      continue;
    const bool bridges = (option.kinds & kBridges) != 0;
    const char* place = kind == ListenerKind::kBridge ? "a bridge"
                        : kind == ListenerKind::kRoom ? "an arena or a replay"
                                                      : "a relay";
    return Error{"'" + std::string(option.shown) + "' is for relays " + (bridges ? "and bridges " : "") +
                 "only; this is " + place};
  }
  return std::nullopt;
}

std::string help_of_url_options(EndpointRole role) {
  std::string help;
  for (const UrlOption& option : kUrlOptions) {
    if (option.role != role || *option.about == '\0') continue;
    help += "\n" + std::string(option.about);
  }
  return help;
}

}  // namespace entente
