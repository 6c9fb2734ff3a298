// Runs routes (relays and bridges) and shared rooms on worker threads. The program builds one ProxyServer. Routes come
// and go while it runs. Invariant: a relay passes bytes unchanged. `Limits` bounds what a peer may do. Each session
// ends with one reason, which is counted.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "adapters/wire/game.h"
#include "proxy/base/fault.h"
#include "proxy/net/address.h"
#include "proxy/net/loop.h"
#include "proxy/net/names/host_names.h"
#include "proxy/relay/base/attendance.h"
#include "proxy/relay/base/counters.h"
#include "proxy/relay/base/events.h"
#include "proxy/relay/base/inquiry.h"
#include "proxy/relay/base/offered_socket.h"
#include "proxy/relay/base/texts.h"
#include "proxy/relay/route/route_options.h"
#include "proxy/relay/sessions/shared_room_options.h"
#include "proxy/relay/upstream/upstreams.h"

namespace entente::relay {

class Acceptor;

/// A route that listens: its number in this ProxyServer, and where it was bound.
struct Listening {
  std::size_t route = 0;
  net::Address address;
};

/// Routes that come and go together, or not at all.
struct RouteChanges {
  struct Added {
    RouteOptions options;
    /// A route that this one replaces: it takes over the listener, and no client is refused meanwhile. Both have the
    /// same game and the same EnetMode.
    std::optional<std::size_t> instead_of = {};
  };
  std::vector<Added> added = {};
  std::vector<std::size_t> retired = {};  ///< in addition to those that are replaced
};

class ProxyServer {
 public:
  /// Ignores SIGPIPE for the whole process (a peer's reset must not end it). `look_up`: for the names of servers, as in
  /// net::HostNames. `nanos`: the clock by which the workers share their time (Loop); a test may count steps by it.
  /// REQUIRES: workers is 1 to 64.
  ProxyServer(std::size_t workers, Events& events, net::LookUp look_up = net::look_up_by_system,
              const net::Schedule::Clock& nanos = net::Loop::clock());
  ~ProxyServer();
  ProxyServer(const ProxyServer&) = delete;
  ProxyServer& operator=(const ProxyServer&) = delete;

  /// Binds at once; serves as soon as run() does. From any thread but the workers'.
  Outcome<Listening> add(const RouteOptions& options);
  /// Makes all of the changes, or none if one fails. A retired route gets no newcomers; its sessions go on. Its
  /// number stays valid. What was added is returned in order. From any thread but the workers'.
  Outcome<std::vector<Listening>> change(const RouteChanges& changes);

  /// Adds a room for the clients of all routes that lead into it (BridgeOptions::shared_room). It opens in run(), or
  /// now. `beside`: a route whose listener is going to lead into it. Returns its number. From any thread but the
  /// workers'.
  std::size_t add_shared_room(const SharedRoomOptions& options, std::optional<std::size_t> beside = {});
  /// The room stops once no route leads into it and its last player has left. From any thread but the workers'.
  void retire_shared_room(std::size_t shared_room);

  /// Calls `order` with the back of a shared room, for actions that have no word, such as to pause a replay. The call
  /// is made soon, on the room's thread. It is not made if the room is over. From any thread.
  void order(std::size_t shared_room, std::function<void(core::Back&)> order);

  // A take-over: another process is to have the newcomers (net/take_over). Meanwhile, nothing is added or changed. From
  // any thread but the workers'. REQUIRES: running.
  /// The sockets that the other process needs.
  Outcome<std::vector<OfferedSocket>> offer_listeners();
  /// From now on, newcomers go to the other process. The sessions stay here. On an error, call cancel_take_over().
  Outcome<Done> release_newcomers();
  /// The highest link so far. The other process numbers its own links after it.
  LinkId last_link() const;
  /// Numbers the links of this process after `link`, so that they differ from those of the process before it.
  void begin_links_after(LinkId link);
  /// The other process does not take over: newcomers are accepted here again.
  void cancel_take_over();
  /// The other process has taken over.
  void complete_take_over();

  /// Serves on this thread and workers - 1 others until stop(); then says goodbye to every client, and returns when the
  /// last socket is closed (at most Limits::linger_ms later). Taps are not called after that. REQUIRES: called once.
  void run();

  /// From any thread or signal handler, also before run().
  void stop();

  /// Adds `count` bots to a route that has bots (BridgeOptions::bots). Does nothing while stopping. From any thread.
  void add_bots(std::size_t route, std::uint32_t count);

  /// The names of servers are looked up anew when they are needed next, also those that were a moment ago. From any
  /// thread.
  void forget_lookups();

  /// For clients who come from now on. From any thread.
  void set_rules(std::size_t route, NewcomerRules rules);

  /// From now on, this is done on purpose to what passes on the route, also to sessions that are open. Null: nothing.
  /// REQUIRES: the route is a relay, and the plan has no objection() for its game. From any thread.
  void set_lab(std::size_t route, std::shared_ptr<const LabPlan> plan);
  /// The description of a route. From any thread.
  std::shared_ptr<const RouteOptions> options(std::size_t route) const;
  /// News of a session, for hooks (news_of in route.h). From any thread.
  News news_of(NewsKind kind, const LinkInfo& session, const std::string& player) const;
  /// What is done on purpose on the route now; null: nothing. From any thread.
  std::shared_ptr<const LabPlan> lab(std::size_t route) const;

  /// Where the route's players play while no server is up (BridgeOptions::while_down): in this shared room. Nothing:
  /// they do not play meanwhile. From any thread.
  void set_while_down_room(std::size_t route, std::optional<std::size_t> shared_room);

  /// The open sessions, ordered by link. Waits for the workers. From any thread but theirs.
  std::vector<SessionReport> sessions() const;
  /// Ends a session, with the goodbye of its game. False if there is none with this link. From any thread but the
  /// workers'.
  bool kick(LinkId link, std::string_view why);
  /// As kick(), for a player who is to connect elsewhere. `text`, which says where, is all that the player is told.
  bool refer(LinkId link, std::string_view text);
  /// As kick(), for a player whose address was just banned.
  bool ban(LinkId link, std::string_view why);

  /// Moves the player of a session to another route: a player of a bridge whose client can go on there plays on at the
  /// route's server or in its arena; others are told where to connect. The session keeps the limits, counters and
  /// recording of the route by which it came. Waits for the result for at most `wait`. From any thread but the
  /// workers'.
  MoveResult move(LinkId link, std::size_t route, Millis wait);
  /// The same, without waiting for the result. Null: there is no such session.
  std::shared_ptr<MoveOrder> begin_move(LinkId link, std::size_t route);
  /// While a route drains, newcomers are turned away, and its sessions go on. From any thread, also before run().
  void set_draining(std::size_t route, bool draining);
  bool is_draining(std::size_t route) const;
  /// The route is retired, and its last session has ended. From any thread.
  bool is_over(std::size_t route) const;
  /// Whether a route that a reload has retired still has sessions.
  bool has_retired_sessions() const;
  /// Whether no route has a session, or a client on the way to one. Bots, and clients that only the kernel has
  /// accepted, do not count.
  bool is_empty() const;
  /// Ends the sessions of a route, with the goodbye of their game. Returns how many there were. `why`: as in kick().
  /// From any thread but the workers'.
  std::size_t end_sessions(std::size_t route, std::string_view why);
  /// As NewcomerRules::limits now has it: how many sessions the route may have; 0: any number. From any thread.
  std::uint32_t most_sessions(std::size_t route) const;
  /// The port that players of this route connect to. From any thread.
  std::uint16_t port_for_players(std::size_t route) const;
  /// What becomes of a route's sessions on a server that is drained, when its time is over.
  enum class AfterDrain : std::uint8_t { kMove, kWait, kEnd };
  /// As things are now: kMove: the players go to another server; kWait: they wait for one; kEnd: the sessions end.
  AfterDrain after_drain(std::size_t route, std::string_view server) const;
  /// The sessions on this server, of every route, go to another server or, where they cannot, end. Returns how many
  /// there were. `why`: for players whose sessions end. From any thread but the workers'.
  std::size_t leave_server(std::string_view server, std::string_view why);
  /// What players are told instead of our own words. From any thread.
  void set_texts(Texts texts);
  /// These texts; they live as long as this. From any thread.
  const SharedTexts& texts() const;
  /// Sends the players of a route a message in the server's name. From any thread but the workers'.
  std::vector<SessionReport> announce(std::size_t route, std::string_view text);
  /// The same for the player of one session.
  AnnounceResult announce_to(LinkId link, std::string_view text);
  /// Whether stop() was called.
  bool stopping() const;
  /// Whether each worker that runs has turned its loop in the last `time`, some tenths of a second. Waits for nobody.
  /// From any thread.
  bool is_alive(Millis time) const;
  /// Returns once each worker has answered, or has ended. From any thread but the workers'.
  void wait_for_workers() const;

  /// From any thread.
  Totals totals(std::size_t route) const;
  /// The sum of several routes. From any thread.
  Totals totals(const std::vector<std::size_t>& routes) const;

  /// How long turns of the workers' loops took, by a sample of those that had something to do. From any thread.
  DurationsOf<std::uint64_t, kTurnBounds> turn_times() const;

  /// The state of a server of a route.
  struct UpstreamReport {
    std::string name;
    Upstream::State state = Upstream::State::kUnknown;
    bool drained = false, full = false;
    bool always_on = false;  ///< it is checked, and Entente does not start and stop it
    std::uint32_t sessions = 0, weight = 1;
    std::uint64_t opened = 0;                      ///< sessions so far
    std::optional<Millis> since = {};              ///< how long it has been up or down, if it has changed
    std::optional<std::string_view> dialect = {};  ///< if it is known
    std::string why = {};                          ///< why it is down
  };
  /// The servers of a route, in their order; empty for a route into a shared room. From any thread.
  std::vector<UpstreamReport> servers(std::size_t route) const;
  /// When the certificate that its clients are shown expires, in seconds since 1970; nothing: it has none. From any
  /// thread.
  std::optional<std::int64_t> certificate_expires(std::size_t route) const;
  /// The same for the last of the authorities that its servers' certificates need; nothing: they are the system's.
  std::optional<std::int64_t> authorities_expire(std::size_t route) const;
  /// Sessions of the route that wait for a server. From any thread.
  std::size_t waiting(std::size_t route) const;
  /// Drains a server on every route that has it: it gets no new session, and its sessions go on. `on` false: it gets
  /// new sessions again. Returns the number of routes that have it. From any thread.
  std::size_t drain_server(std::string_view name, bool on);

  /// What the ended sessions of a bridge could not forward. From any thread.
  std::vector<core::Ledger::Entry> losses(std::size_t route) const;
  /// Who played in a shared room. From any thread.
  std::vector<Attendance::Row> attendance(std::size_t shared_room) const;
  /// Facts that a shared room's world did not keep (WorldState::orphaned). From any thread.
  std::uint64_t orphaned(std::size_t shared_room) const;

 private:
  Outcome<Done> at_acceptors(const std::function<Outcome<Done>(Acceptor&)>& function);
  std::vector<SessionReport> command(const SessionCommand& its) const;

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace entente::relay
