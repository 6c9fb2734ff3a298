// A route: where players connect, the server it leads to, and whether the two can be joined.
#pragma once

#include <ctime>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/wire/game.h"
#include "proxy/base/fault.h"
#include "proxy/core/faces.h"
#include "proxy/core/room_member.h"
#include "proxy/net/address.h"
#include "proxy/program/settings/endpoint.h"
#include "proxy/relay/upstream/upstreams.h"
#include "schema/config.pb.h"

namespace entente {

/// The listening end: an endpoint whose host is an address.
struct ListenEnd : Endpoint {
  net::Address address;

  /// The one that the URL names, or the game's default.
  std::size_t main_dialect() const { return dialect.value_or(0); }
  /// Each client's own dialect counts (Game::named_by_client).
  bool takes_any_dialect() const;
  std::string path() const { return web ? web->path : std::string(); }  ///< of a WebSocket; empty: any
  /// "ogar modern3", "ogar any", "bzflag 2.4 or 1.10"
  std::string dialect_text() const;
};

/// Like parse_endpoint; the host must be an address.
Outcome<ListenEnd> parse_listen(std::string_view url, std::span<const wire::Game* const> known);

/// Like parse_listen; the game must have a front in that dialect.
Outcome<ListenEnd> parse_shared_listen(std::string_view url, std::span<const wire::Game* const> known);

/// All listeners of a configuration: of routes, arenas and audiences. Leaves out URLs that are not understood.
std::vector<ListenEnd> listeners_of(const config::Config& config, std::span<const wire::Game* const> known);

/// Like parse_endpoint; the port must be one that can be connected to.
Outcome<Endpoint> parse_to(std::string_view url, std::span<const wire::Game* const> known);

/// The servers of a route: of one game, and with the same options.
struct RouteServers {
  Endpoint first;
  std::vector<relay::UpstreamOptions> servers;

  /// The first endpoint, with the dialect of server `index`.
  Endpoint with_dialect_of(std::size_t index) const {
    Endpoint one = first;
    one.dialect = servers[index].dialect;
    return one;
  }
};

/// Like parse_to, for one server or several. The error names the URL. REQUIRES: at least one.
Outcome<RouteServers> parse_servers(std::span<const std::string> urls, std::span<const wire::Game* const> known);

/// How the two ends are joined.
enum class RouteKind : std::uint8_t {
  kRelay,   ///< the same game and dialect: bytes pass unchanged
  kBridge,  ///< different ones: messages are translated
};

/// The settings of the URL, and those that are found on this machine.
Settings front_settings_of(const ListenEnd& listen);
Settings back_settings_of(const Endpoint& to);

/// Why a relay cannot have rules; nothing if it can.
std::optional<Error> objection_to_relay_rules(const ListenEnd& listen);

/// What all faces of one URL share (core::Faces::prepare). Thread-safe.
class SharedPreparation {
 public:
  /// `faces` outlive it, and have prepare().
  SharedPreparation(const core::Faces& faces, core::FaceOptions options);
  std::shared_ptr<const core::Preparation> get() const;
  /// Reads everything again, for faces that are created from now on.
  void renew();

 private:
  const core::Faces& faces_;
  const core::FaceOptions options_;
  mutable std::mutex mutex_;
  std::shared_ptr<const core::Preparation> prepared_;
};
using Preparations = std::vector<std::shared_ptr<SharedPreparation>>;

/// Creates fronts for clients of this listener, in one of its dialects, with front_settings_of(). What they need is
/// read now, once for all of them, and is added to `all`. REQUIRES: its game has fronts.
std::function<std::unique_ptr<core::Front>(std::size_t dialect)> front_maker(const ListenEnd& listen,
                                                                             Preparations& all);

/// The same for backs for this server, with back_settings_of(). REQUIRES: its game has backs.
std::function<std::unique_ptr<core::Back>(std::size_t dialect)> back_maker(const Endpoint& to, Preparations& all,
                                                                           bool follows = false);

/// How the two ends are joined, as far as this is known before connecting. The error says why they cannot be.
Outcome<RouteKind> route_kind(const ListenEnd& listen, const Endpoint& to);
/// As above, for each server of a route; all must be joined in the same way.
Outcome<RouteKind> route_kind(const ListenEnd& listen, const RouteServers& to);

/// The name of the arena in `while_down`: "arena NAME".
Outcome<std::string> parse_while_down(std::string_view text);

/// Why players of this listener cannot play elsewhere while no server is up. REQUIRES: route_kind().
std::optional<Error> objection_to_while_down(const ListenEnd& listen, RouteKind kind);

/// Whether a server of this game shows its dialect before anything is sent to it.
bool shows_dialect(const wire::Game& game);

/// "bzflag 2.4"; or "bzflag" if the dialect of a server is still to be detected.
std::string server_dialect_text(const wire::Game& game, std::optional<std::size_t> dialect);

/// "bzflag 2.4"
std::string dialect_text(const wire::Game& game, std::size_t dialect);

/// The values for the placeholders in a recording's name.
struct RecordingName {
  std::string_view game;
  std::size_t route = 1;
  std::time_t start = 0;
  std::uint32_t link = 0;
  std::string_view name = {};  ///< of the route; empty: {route} is its number
};

/// `pattern` with {game}, {route}, {link} and {time} ("20251120T051231Z") replaced, in `directory` unless it is
/// absolute.
std::string recording_path(std::string_view pattern, std::string_view directory, const RecordingName& name);

/// Whether each session gets a file of its own: the pattern has {link}.
inline bool names_each_session(std::string_view pattern) { return pattern.find("{link}") != std::string_view::npos; }

/// Why bots cannot play there; nothing if they can.
std::optional<Error> objection_to_playing(const Endpoint& to);

}  // namespace entente
