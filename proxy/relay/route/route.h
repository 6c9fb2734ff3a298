// A Route: the way from a listener to a server or a shared room, as all workers see it: its description
// (route_options.h), and what is live of it. A WorkerRoute: one worker's counters, tap and log lines for it.
// Invariant: a Route's description does not change while it serves. What does change (draining, losses, log limiter) is
// thread-safe. A route that is retired gets no newcomers and outlives its sessions.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/wire/game.h"
#include "proxy/net/fd.h"
#include "proxy/net/udp.h"
#include "proxy/relay/admission/address_bytes.h"
#include "proxy/relay/admission/strict_filter.h"
#include "proxy/relay/base/attendance.h"
#include "proxy/relay/base/counters.h"
#include "proxy/relay/base/events.h"
#include "proxy/relay/base/log_limiter.h"
#include "proxy/relay/base/texts.h"
#include "proxy/relay/faults/session_lab.h"
#include "proxy/relay/route/listener.h"
#include "proxy/relay/route/loopback_sources.h"
#include "proxy/relay/route/route_options.h"
#include "proxy/relay/tap/tap_sink.h"
#include "proxy/relay/upstream/known_world.h"
#include "proxy/relay/upstream/lookup_waits.h"
#include "proxy/relay/upstream/player_numbers.h"
#include "proxy/relay/upstream/upstreams.h"

namespace entente::relay {

class WorkerRoute;

struct Route {
  Route(std::shared_ptr<const RouteOptions> its_options, Events& its_events)
      : options(std::move(its_options)), game(*options->game), dialect(options->listen_dialect), events(its_events) {}

  /// Whether ENet's datagrams pass unchanged, instead of being decoded and sent anew.
  bool passes_enet_datagrams() const { return options->enet == EnetMode::kDatagrams; }
  bool with_datagrams() const { return game.transport() == wire::Transport::kTcpAndUdp; }
  std::string_view dialect_name() const { return game.dialects()[dialect].name; }
  /// Whether a session detects this server's dialect before it sends the server anything.
  bool detects_in_session(const Upstream& server) const {
    return !server.dialect() && server_game().probe() == wire::Probe::kFirstSession;
  }
  bool detects_before_sessions() const { return upstreams.rules().needs_dialect; }

  /// The game that the server speaks.
  const wire::Game& server_game() const { return options->bridge ? *options->bridge->server_game : game; }
  /// The shared room that the route leads into; nothing if it leads to a server.
  std::optional<std::size_t> shared_room() const {
    return options->bridge ? options->bridge->shared_room : std::nullopt;
  }
  /// Whether clients come by WebSocket.
  bool by_web() const { return game.transport() == wire::Transport::kWebSocket; }
  /// The port that its players connect to.
  std::uint16_t port_for_players() const {
    return options->public_port != 0 ? options->public_port : listen_address.port();
  }
  /// Whether its clients are bots. Then it does not listen.
  bool bots() const { return options->bridge && options->bridge->bots != 0; }
  bool by_enet() const { return game.transport() == wire::Transport::kEnet; }
  /// Whether the route takes clients that request this path. Always true without WebSockets.
  bool serves(std::string_view path) const {
    return !by_web() || options->web.path.empty() || options->web.path == path;
  }

  /// Its name; without one, "bzflag 2.4 0.0.0.0:5154".
  std::string named() const;
  /// The arena that it leads into; "": it leads elsewhere.
  std::string arena() const { return options->arena_faces ? options->servers.front().host : ""; }
  /// What a player is told for this reason: in the operator's words, or in ours (words_for_player).
  std::string words_for(Reason reason, const Fault& fault) const;
  /// Adds what all workers have counted. From any thread.
  void add_to(Totals& sum) const;
  /// The route is not over while a Ref to it exists.
  class Ref {
   public:
    Ref() = default;
    explicit Ref(Route& route) : route_(&route) { ++route.refs_; }
    Ref(Ref&& other) noexcept : route_(std::exchange(other.route_, nullptr)) {}
    Ref& operator=(Ref&& other) noexcept {
      std::swap(route_, other.route_);
      return *this;
    }
    ~Ref() {
      if (route_ != nullptr) --route_->refs_;
    }

   private:
    Route* route_ = nullptr;
  };
  /// Whether it is retired, and has no sessions and no clients on the way. From any thread.
  bool is_over() const { return retired && is_empty(); }
  /// Whether it has no sessions and no clients on the way. From any thread.
  bool is_empty() const { return refs_ == 0; }

  const std::shared_ptr<const RouteOptions> options;
  const wire::Game& game;     ///< of `options`
  const std::size_t dialect;  ///< the listener's, of `options`
  std::size_t index = 0;
  Listener* listener = nullptr;                 ///< of the ProxyServer
  std::size_t part = 0;                         ///< of its listener's Admission: routes of the same path share it
  std::size_t room_home = 0;                    ///< the worker of its shared room
  const Attendance* attendance = nullptr;       ///< of its shared room; null: it leads to a server
  bool lockstep = false;                        ///< its shared room is a lockstep arena
  LoopbackSources* loopback_sources = nullptr;  ///< of the ProxyServer
  AddressBytes* address_bytes = nullptr;        ///< of the ProxyServer
  const SharedTexts* texts = nullptr;           ///< of the ProxyServer
  net::Address listen_address;                  ///< the address of `listener`
  Upstreams upstreams;                          ///< its servers; of a shared room, one that is never connected to
  std::string server_name;                ///< "example.org:5154", "[::1]:5154"; a shared room's name; or a list of them
  std::vector<const WorkerRoute*> parts;  ///< of the workers. They do not change while it serves
  std::atomic<bool> draining{false};      ///< it takes no newcomers; its sessions go on
  std::atomic<std::uint32_t> most_sessions{0};  ///< as NewcomerRules::limits now has it
  static constexpr std::size_t kNoArena = SIZE_MAX;
  std::atomic<std::size_t> while_down_room{kNoArena};  ///< the shared room of BridgeOptions::while_down
  std::atomic<bool> retired{false};                    ///< it takes no newcomers any more
  Events& events;
  LogLimiter log_limiter;
  std::atomic<std::uint64_t> lab_sessions{0};  ///< sessions that have been in its lab
  Losses losses;                               ///< of a bridge
  KnownWorld known_world;                      ///< of a bridge
  PlayerNumbers promised;                      ///< of a relay whose server sleeps

 private:
  std::atomic<std::uint64_t> refs_{0};
};

/// News of a session of this route: its route, arena, game, number, address and player.
News news_of(NewsKind kind, const Route& route, const LinkInfo& session, const std::string& player);

class WorkerRoute {
 public:
  WorkerRoute(Route& its_route, net::Loop& its_loop, TapSink* its_tap);

  void opened(const LinkInfo& session);
  /// The session's player has joined, for hooks.
  void joined(const LinkInfo& session, const std::string& player);
  /// A player who has joined leaves.
  void left(const LinkInfo& session, const SessionOutcome& end);
  /// Counts and logs the end of a session, or a refused client. `fault` and `at`: as in Events::refused; ignored if the
  /// reason is not a refusal.
  void ended(const LinkInfo& session, const SessionOutcome& end, const Fault& fault = Fault{""}, std::uint64_t at = 0);
  /// `about`: without its route, which is this one.
  void log_warning(LogKind kind, std::string sentence, About about = {});
  /// As log_warning(), for news that requires no action.
  void log_info(LogKind kind, std::string sentence, About about = {});
  /// Logs what a bridged session that has ended could not forward.
  void words_dropped(const LinkInfo& session, const core::Ledger& ledger);
  void dropped(Drop drop, std::uint64_t count = 1) { counters.dropped[static_cast<std::size_t>(drop)].add(count); }
  void log_wrong_dialect(const std::string& server, std::size_t found);
  /// Logs that the server was down, and is up again.
  void log_up(const Upstream& server) {
    log_info(LogKind::kUp, "server " + server.name + " is up", {.server = server.name});
  }
  void log_wrong_client(std::size_t dialect);
  /// The server banned the player who came from `client`. `why`: in the server's words, if it gave any. Of no account
  /// if the server sees the players' addresses, and not ours.
  void server_banned(const std::string& server, const net::Address& client, std::string_view why);
  /// The front disconnected its client, and the game's rules keep such a client out for a while.
  void front_banned(const net::Address& client, std::string_view why);
  /// The servers and the listener of this route, for Bans. REQUIRES: the listener is open.
  BanScope ban_scope() const { return {route.upstreams.names(), route.listen_address.text()}; }
  /// The text for a client at this address that Admission refuses with kBanned or kNotAllowed.
  std::string why_banned(const net::Address& client) const;
  /// What a status query is answered with (queries.h): the players and the rules of a shared room; what a bridge knows
  /// of its server's game; of a relay, `sessions` and their limit, `most_sessions` (0: none). Valid until the next
  /// call.
  wire::Status status(std::uint32_t sessions, std::uint32_t most_sessions);
  /// For one more session in the lab of this route. `user` and `session` outlive it. `most_waiting`: as in LabLine.
  std::unique_ptr<SessionLab> make_lab(LabLine::User& user, LabLine::Of of, const LinkInfo& session,
                                       std::size_t most_waiting);
  /// Tells the tap, if there is one, that this session begins.
  void tap_opened(LinkInfo session, WallTime at);
  /// Logs the lines that are due, and the number of dropped datagrams. REQUIRES: called regularly.
  void tick();
  /// Logs everything that was held back. REQUIRES: all its sessions are gone.
  void finish();
  /// Releases the listening UDP socket. REQUIRES: no session of the listener is left.
  void let_go();

  Route& route;
  net::Loop& loop;
  TapSink* const tap;  ///< null: there is no tap
  Counters counters;
  std::shared_ptr<const NewcomerRules> rules;  ///< as they are now: at first those of Route::options
  RunningLab lab;                              ///< of a relay: the faults that are made on purpose
  std::optional<StrictFilter> strict_filter;   ///< if the route is strict
  std::optional<net::UdpBatch> to_clients;     ///< if there is a listening UDP socket
  LookupWaits* lookup_waits = nullptr;         ///< of the worker; null: who waits for a lookup looks at each tick

 private:
  void closed(const LinkInfo& session, const SessionOutcome& end);
  void refused(const LinkInfo& session, Reason reason, const Fault& fault, std::uint64_t at);
  void banned(const std::string& who, const std::optional<Ban>& ban, const net::Address& client, std::string_view then);
  /// Logs a line now or later, as the LogLimiter allows.
  void log_limited(LogKind kind, std::string_view what, LogLimiter::Say tell, std::uint64_t times = 1);
  void count_lost();
  void log_dropped(Drop drop);
  Attendance::Summary known_game(std::uint32_t sessions);

  std::shared_ptr<const net::Fd> datagrams_;
  Attendance::Summary told_status_;  // has the texts of status()
  std::uint64_t lost_counted_ = 0;
  std::array<std::uint64_t, kDrops> dropped_told_{};
};

}  // namespace entente::relay
