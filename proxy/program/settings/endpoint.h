// An endpoint as a person writes it: bzflag://127.0.0.1:5154?dialect=2.4, ogar+ws://127.0.0.1/play
// Invariant: a part that is not understood is an error, with a suggestion; nothing is guessed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/wire/game.h"
#include "proxy/base/fault.h"
#include "proxy/core/faces.h"
#include "proxy/net/network.h"
#include "proxy/net/proxies/proxy_header.h"
#include "proxy/net/proxies/trusted_proxies.h"
#include "proxy/relay/route/enet_mode.h"
#include "proxy/relay/route/source_mode.h"

namespace entente {

/// The WebSocket and TLS settings of a URL.
struct WebSocketSettings {
  bool tls = false;
  std::string path;  ///< "/play"; empty: any, or the client's
  std::string certificates, key;
  std::vector<std::string> origins;
  std::string authorities, verify;

  bool operator==(const WebSocketSettings&) const = default;
};

/// The kind of URL: to listen on, or of a server.
enum class EndpointRole : std::uint8_t { kListen, kTo };

/// Settings of the game's front or back (core::FaceOptions).
using Settings = std::map<std::string, std::string, std::less<>>;

struct Endpoint {
  const wire::Game* game = nullptr;
  std::optional<std::size_t> dialect;         ///< index into game->dialects(); none if the URL names none
  std::string host;                           ///< an address or a name, without the brackets of IPv6
  std::uint16_t port = 0;                     ///< the game's own if the URL names none
  std::optional<WebSocketSettings> web = {};  ///< if the game travels by WebSocket
  bool strict = false;                        ///< a client's message that does not decode ends its session
  relay::EnetMode enet = relay::EnetMode::kPackets;
  Settings settings = {};                    ///< for a bridge's front or back
  std::optional<std::size_t> fallback = {};  ///< a second dialect to listen for
  net::TrustedProxies proxies = {};          ///< through which clients must come
  std::uint16_t public_port = 0;             ///< that clients connect to; 0: the listener's own
  std::optional<net::ProxyVersion> send_proxy = {};
  relay::SourceMode source = relay::SourceMode::kOwn;
  std::uint32_t weight = 1;  ///< of a server among several
};

/// Parses `url`. Its game must be in `known`; its options are in url_options.h. `role`: which options and settings are
/// allowed; none: the options of both roles, and no settings.
Outcome<Endpoint> parse_endpoint(std::string_view url, std::span<const wire::Game* const> known,
                                 std::optional<EndpointRole> role = {});

/// Adds those of `known` that were not given, but are found on this machine (core::Setting::Values::find).
Settings with_found(Settings settings, std::span<const core::Setting> known);

/// The error in this value of a game's setting.
std::optional<Error> objection(const core::Setting& setting, std::string_view value);

}  // namespace entente
