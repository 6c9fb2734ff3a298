#include "proxy/relay/proxy_server.h"

#include <algorithm>
#include <cassert>
#include <csignal>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "proxy/net/named_thread.h"
#include "proxy/net/socket.h"
#include "proxy/relay/overhear/overhearing.h"
#include "proxy/relay/worker.h"

namespace entente::relay {
namespace {

Limits sane(Limits limits) {
  limits.datagram_bytes = std::min<std::uint32_t>(limits.datagram_bytes, net::kLargestDatagram);
  limits.low_water = std::min(limits.low_water, limits.high_water);
  return limits;
}

std::optional<Error> wrong_option(const RouteOptions& options) {
  if (options.bridge && options.enet == EnetMode::kDatagrams)
    return Error{"a bridge must decode packets, so mode=datagrams is not possible; leave it out"};
  if (options.upstream.hold_ms != 0 && options.enet == EnetMode::kDatagrams)
    return Error{
        "with mode=datagrams, hold_s is not possible, because the client itself retries its connect; leave out hold_s"};
  if (options.bridge) return std::nullopt;
  const auto listen = options.listen_dialect;
  const auto dialects = options.game->dialects();
  for (const UpstreamOptions& server : options.servers)
    if (server.dialect && *server.dialect != listen)
      return Error{"a relay needs the same dialect on both sides, not " + std::string(dialects[listen].name) + " and " +
                   std::string(dialects[*server.dialect].name) + "; give --listen and --to the same ?dialect="};
  return std::nullopt;
}

std::string name_of(const Route& route, const UpstreamOptions& server) {
  if (route.shared_room()) return server.host;
  const auto address = net::Address::parse(server.host, server.port);
  return address ? address->text() : net::host_and_port(server.host, server.port);
}

std::unique_ptr<Route> make_route(RouteOptions options, Events& events) {
  options.limits = sane(options.limits);
  auto route = std::make_unique<Route>(std::make_shared<const RouteOptions>(std::move(options)), events);
  route->most_sessions = route->options->limits.sessions;
  for (const UpstreamOptions& server : route->options->servers)
    route->server_name += (route->server_name.empty() ? "" : ", ") + name_of(*route, server);
  return route;
}

/// The server's addresses. A shared room has no server: it gets the listener's address, so that there is an address to
/// show.
Outcome<ServerAddresses> addresses_of(const Route& route, const UpstreamOptions& server, const net::Address& listen,
                                      net::HostNames& names) {
  if (route.shared_room()) return ServerAddresses({listen});
  const ServerAddresses::Rules rules{.only_v4 = route.server_game().transport() == wire::Transport::kEnet,
                                     .only_v4_loopback = route.options->source == SourceMode::kLoopback};
  const auto literal = net::Address::parse(server.host, server.port);
  if (!literal) return ServerAddresses(names.host(server.host), server.port, rules);
  if (rules.only_v4_loopback && !net::is_loopback_v4(*literal))
    return Error{"source=loopback is for a server on this machine, such as 127.0.0.1, not '" + server.host + "'"};
  if (rules.only_v4 && literal->v6())
    return Error{"the server '" + server.host + "' has no IPv4 address, and " +
                 std::string(route.server_game().name()) + " uses ENet, which supports only IPv4"};
  return ServerAddresses({*literal});
}

/// Tells hooks when a server of the route goes down or is up again. For an observer, the route that it watches does.
Upstream::Changed teller_of(const Route& route) {
  return [&route](const std::string& server, bool up, const std::string& why) {
    const NewsKind kind = up ? NewsKind::kServerUp : NewsKind::kServerDown;
    if (!route.events.wants(kind)) return;
    News news(kind);
    news.set(NewsField::kRoute, route.named()).set(NewsField::kServer, server);
    if (!up) news.set(NewsField::kReason, why);
    route.events.news(std::move(news));
  };
}

bool is_overheard(const RouteOptions& options) { return options.relay_rules && !options.relay_rules->rewrite; }

Outcome<Done> open_upstreams(Route& route, const RouteOptions& options, net::HostNames& names) {
  assert(!options.servers.empty() && options.servers.size() <= kMostServers);
  std::vector<std::unique_ptr<Upstream>> all;
  bool all_named = true;
  const bool observes = options.bridge && options.bridge->broadcast && options.bridge->bots != 0;
  for (const UpstreamOptions& server : options.servers) {
    auto addresses = addresses_of(route, server, options.listen, names);
    if (!addresses) return addresses.error();
    all_named = all_named && server.dialect.has_value();
    all.push_back(std::make_unique<Upstream>(all.size(), server, name_of(route, server), std::move(*addresses)));
    if (!route.shared_room() && !observes) all.back()->tell_changes(teller_of(route));
  }
  const bool shown = !route.shared_room() && route.server_game().probe() == wire::Probe::kSilentConnection;
  UpstreamRules rules = options.upstream;
  rules.needs_dialect = shown && !all_named;
  if (route.options->bans != nullptr && !route.shared_room() && options.servers.size() > 1)
    rules.banned = [bans = route.options->bans](const std::string& server, const net::Address& client) {
      return client.port() != 0 && bans->bans_from(server, client);
    };
  rules.detects_in_session = route.server_game().probe() == wire::Probe::kFirstSession;
  route.upstreams.open(std::move(all), rules);
  return Done{};
}

/// Why the two cannot share a listener. `access`: whether to compare their access lists, because the lists are known to
/// be current.
std::optional<Error> objection_to_sharing(const Route& host, const Route& route, const std::string& listener,
                                          bool access) {
  if (host.options->bridge.has_value() != route.options->bridge.has_value())
    return Error{"a relay and a bridge cannot share the listener " + listener + "; give one of them another port"};
  if (host.shared_room() != route.shared_room())
    return Error{"two shared rooms cannot share the listener " + listener + "; give one of them another port"};
  if (host.detects_before_sessions() || route.detects_before_sessions())
    return Error{"routes that share the listener " + listener +
                 " must name what their servers speak; add ?dialect= to their URLs"};
  if (host.options->proxies != route.options->proxies)
    return Error{"routes that share the listener " + listener +
                 " must have the same proxies in front; give both the same proxy_protocol or forwarded, or one of them "
                 "another port"};
  if (access && (host.options->access != route.options->access || host.options->bans != route.options->bans))
    return Error{"routes that share the listener " + listener +
                 " must let in the same addresses; give both the same allow and deny, or one of them another port"};
  return std::nullopt;
}

/// The sockets of a new listener; none if ENet binds its own.
Outcome<net::Sockets> bind(const RouteOptions& options, const Route& route) {
  if (route.bots()) return net::Sockets();
  if (options.game->transport() != wire::Transport::kEnet)
    return net::listen(options.listen, route.with_datagrams(), options.only_v6);
  if (route.passes_enet_datagrams()) return net::listen_datagrams(options.listen);
  return net::Sockets{{}, {}, options.listen};
}

}  // namespace

struct ProxyServer::Impl {
  explicit Impl(Events& its_events) : events(its_events) {}

  /// A route that is being added.
  struct Addition {
    const RouteChanges::Added* wanted;
    std::unique_ptr<Route> route{};
    Route* published = nullptr;
    Listener* listener = nullptr;       ///< null: it has a new one
    const Addition* follows = nullptr;  ///< it shares the new listener of this one
    net::Sockets bound{};               ///< of the new listener; or the new TCP socket of a closed one
    bool opens = false;                 ///< its listener is to be opened
    bool opened = false;
  };

  // -- Tables: any thread may read them; their lock is held only briefly --

  Route& route(std::size_t index) const {
    const std::shared_lock lock(tables);
    return *routes[index];
  }
  SharedRoomState& shared_room(std::size_t index) const {
    const std::shared_lock lock(tables);
    return *shared_rooms[index];
  }
  template <class Visit>
  void each_route(Visit visit) const {
    const std::shared_lock lock(tables);
    for (const auto& one : routes) visit(*one);
  }

  /// Calls `function` on the worker's thread, and waits for it. False: the worker has ended. REQUIRES: changing.
  bool on(Worker& worker, const std::function<void()>& function) const {
    if (!running) return function(), true;
    bool called = false;
    Inquiry inquiry;
    worker.call([&] { function(), called = true; }, Inquiry::Part(inquiry));
    (void)inquiry.wait();
    return called;
  }
  bool on_all(const std::function<void(Worker&, std::size_t)>& function) const {
    bool all = true;
    for (std::size_t i = 0; i < pool.workers.size(); ++i)
      all = on(*pool.workers[i], [&] { function(*pool.workers[i], i); }) && all;
    return all;
  }
  Worker& home(const Listener& listener) const { return *pool.workers[listener.home]; }
  Worker& home_of(std::size_t index) const { return home(*route(index).listener); }
  /// The worker with the fewest shared rooms, ENet listeners and routes of bots: all their sessions live on one worker.
  /// REQUIRES: changing.
  std::size_t free_home() const {
    std::vector<std::size_t> tied(pool.workers.size());
    for (const auto& one : shared_rooms)
      if (!one->retired) ++tied[one->home];
    for (const auto& one : routes)
      if (!one->shared_room() && (one->by_enet() || one->bots()) && !one->retired) ++tied[one->listener->home];
    return static_cast<std::size_t>(std::min_element(tied.begin(), tied.end()) - tied.begin());
  }

  // -- Changes: one at a time --

  Outcome<std::vector<Listening>> change(const RouteChanges& changes);
  static std::vector<Addition> additions(const RouteChanges& changes);
  std::optional<Error> add(std::vector<Addition>& all, const std::vector<std::size_t>& leaving);
  void update_listeners(const std::vector<Addition>& all, const std::vector<std::size_t>& leaving);
  std::optional<Error> prepare(Addition& one);
  std::optional<Error> begin_overhearing();
  std::optional<Error> take_listener(Addition& one, Listener& listener, net::Address asked);
  std::optional<Error> objection_to_neighbours(const Addition& one, const std::vector<Addition>& all,
                                               const std::vector<std::size_t>& leaving) const;
  Listener* find_listener(const RouteOptions& options) const;
  static std::size_t part_at(Listener& listener, const std::string& path);
  const Route* find_before(const Addition& one) const;
  bool is_drained(std::string_view server) const;
  void publish(Addition& one);
  std::optional<Error> open(Addition& one);
  void take_back(const Addition& one);
  void update(Listener& listener, std::vector<std::size_t> its_routes);
  void see_draining(Listener& listener) const;

  Events& events;
  LoopbackSources loopback_sources;
  AddressBytes address_bytes;
  SharedTexts texts;
  mutable std::shared_mutex tables;  // of the vectors below
  std::vector<std::unique_ptr<Listener>> listeners;
  std::vector<std::unique_ptr<Route>> routes;
  std::vector<std::unique_ptr<SharedRoomState>> shared_rooms;
  mutable std::mutex changing;  // held while something is added or retired
  bool running = false;         // run() was called; under `changing`
  mutable std::mutex labs_mutex;
  std::map<std::size_t, std::shared_ptr<const LabPlan>> labs;  // by route: those that were set since it was added
  std::atomic<bool> changed{false};                            // routes were changed since offer_listeners()
  std::unique_ptr<Overhearing> overhearing;  // null: no relay has rules that only listen. Its sinks outlive the workers
  Pool pool;
};

/// The listener that a new route can share: one that listens there already, told apart by path, or one that is closed
/// and still has sessions.
Listener* ProxyServer::Impl::find_listener(const RouteOptions& options) const {
  if (options.listen.port() == 0) return nullptr;
  const bool shares = options.game->transport() == wire::Transport::kWebSocket;
  const auto fits = [&](const auto& one) {
    return one->address == options.listen && &one->game == options.game && one->enet == options.enet &&
           (shares || one->routes.empty());
  };
  const auto found =
      std::find_if(listeners.rbegin(), listeners.rend(), fits);  // the newest first: older ones have closed
  return found != listeners.rend() ? found->get() : nullptr;
}

/// Does everything that can fail, before any client is affected.
std::optional<Error> ProxyServer::Impl::prepare(Addition& one) {
  const RouteOptions& options = one.wanted->options;
  if (auto wrong = wrong_option(options)) return wrong;
  one.route = make_route(options, events);
  one.route->loopback_sources = &loopback_sources;
  one.route->address_bytes = &address_bytes;
  one.route->texts = &texts;
  if (const auto opened = open_upstreams(*one.route, options, *pool.host_names); !opened) return opened.error();
  if (one.wanted->instead_of) {
    Listener& listener = *routes[*one.wanted->instead_of]->listener;
    if (&listener.game != options.game || listener.enet != options.enet)
      return Error{"the listener " + listener.address.text() + " keeps its game (" + std::string(listener.game.name()) +
                   ") while it listens; remove its route first, or restart"};
    const auto failed = take_listener(one, listener, listener.address);
    return failed || one.listener != nullptr ? failed : Error{"the program is stopping"};
  }
  if (one.follows != nullptr) return std::nullopt;
  Listener* const listener = one.route->bots() ? nullptr : find_listener(options);
  if (listener != nullptr) {
    const auto failed = take_listener(one, *listener, options.listen);
    if (failed || one.listener != nullptr) return failed;
  }
  auto bound = bind(options, *one.route);
  if (!bound) return bound.error();
  one.bound = std::move(*bound);
  one.opens = !one.route->bots();
  return std::nullopt;
}

/// Sets `one.listener`, if the listener is still there.
std::optional<Error> ProxyServer::Impl::take_listener(Addition& one, Listener& listener, net::Address at) {
  bool there = false;
  on(home(listener), [&] { there = home(listener).pin_listener(listener.index); });
  if (!there) return std::nullopt;
  one.listener = &listener;
  if (one.route->shared_room() && one.route->by_enet() &&
      shared_rooms[*one.route->shared_room()]->home != listener.home)
    return Error{"the listener " + at.text() + " cannot lead into another arena while it listens; restart"};
  if (!listener.routes.empty()) return std::nullopt;
  one.opens = true;
  if (one.route->by_enet()) return std::nullopt;
  auto bound = net::listen(at, false, one.wanted->options.only_v6);
  if (!bound) return bound.error();
  one.bound = std::move(*bound);
  return std::nullopt;
}

/// Starts the thread for rules that only listen, if there is none.
std::optional<Error> ProxyServer::Impl::begin_overhearing() {
  if (overhearing) return std::nullopt;
  auto made = std::make_unique<Overhearing>();
  if (const auto& started = made->started(); !started) return started.error();
  overhearing = std::move(made);
  return std::nullopt;
}

/// The routes on one listener must agree.
std::optional<Error> ProxyServer::Impl::objection_to_neighbours(const Addition& one, const std::vector<Addition>& all,
                                                                const std::vector<std::size_t>& leaving) const {
  const std::string at = one.wanted->options.listen.text();
  const auto& neighbours = one.listener != nullptr ? one.listener->routes : std::vector<std::size_t>();
  for (const std::size_t index : neighbours)
    if (std::find(leaving.begin(), leaving.end(), index) == leaving.end())
      if (auto wrong = objection_to_sharing(*routes[index], *one.route, at, !running)) return wrong;
  for (const Addition& other : all)
    if (&other < &one && (one.listener != nullptr ? other.listener == one.listener : one.follows == &other))
      if (auto wrong = objection_to_sharing(*other.route, *one.route, at, true)) return wrong;
  return std::nullopt;
}

/// The route that a new one replaces, or, if it was removed before, the newest one at its listener that still has
/// sessions; null: there is none. Both count the sessions of their servers together.
const Route* ProxyServer::Impl::find_before(const Addition& one) const {
  if (one.wanted->instead_of) return routes[*one.wanted->instead_of].get();
  const auto is_before = [&](const auto& other) {
    return other->listener == one.listener && other->retired && !other->is_empty();
  };
  const auto found = std::find_if(routes.rbegin(), routes.rend(), is_before);
  return found != routes.rend() ? found->get() : nullptr;
}

/// Whether the operator drains the server, on any route.
bool ProxyServer::Impl::is_drained(std::string_view server) const {
  return std::any_of(routes.begin(), routes.end(), [&](const auto& route) {
    const auto& all = route->upstreams.all();
    return !route->shared_room() &&
           std::any_of(all.begin(), all.end(), [&](const auto& one) { return one->name == server && one->drained(); });
  });
}

/// The number of this path among those of the listener. A route has the part of the one that it replaces.
std::size_t ProxyServer::Impl::part_at(Listener& listener, const std::string& path) {
  auto& paths = listener.paths;
  const auto found = std::find(paths.begin(), paths.end(), path);
  const auto part = static_cast<std::size_t>(found - paths.begin());
  if (found == paths.end()) paths.push_back(path);
  return part;
}

/// Makes the route known to the workers. No client uses it yet.
void ProxyServer::Impl::publish(Addition& one) {
  const RouteOptions& options = one.wanted->options;
  Route& route = *one.route;
  route.index = routes.size();
  SharedRoomState* const shared_room = route.shared_room() ? shared_rooms[*route.shared_room()].get() : nullptr;
  const std::size_t room_home = shared_room != nullptr ? shared_room->home : 0;
  route.room_home = room_home;
  if (shared_room != nullptr) {
    route.attendance = &shared_room->attendance;
    route.lockstep = shared_room->options.lockstep_tick != 0;
  }
  if (one.listener == nullptr) {
    auto made = std::make_unique<Listener>(listeners.size(), *options.game, options.enet);
    made->home = route.shared_room()               ? room_home
                 : route.by_enet() || route.bots() ? free_home()
                                                   : route.index % pool.workers.size();
    made->address = one.bound.address;
    if (one.bound.udp) made->datagrams = std::make_shared<const net::Fd>(std::move(one.bound.udp));
    one.listener = made.get();
    const std::unique_lock lock(tables);
    listeners.push_back(std::move(made));
  }
  route.listener = one.listener;
  route.part = part_at(*one.listener, options.web.path);
  route.listen_address = one.listener->address;
  if (one.wanted->instead_of) route.draining = routes[*one.wanted->instead_of]->draining.load();
  const Route* const before = find_before(one);
  if (before != nullptr && &before->server_game() == &route.server_game()) route.upstreams.share(before->upstreams);
  for (const auto& other : routes)
    if (other.get() == before || other->upstreams.names() == route.upstreams.names())
      route.upstreams.share_runs(other->upstreams);
  for (const auto& server : route.upstreams.all())
    if (is_drained(server->name)) server->drain(true);
  std::vector<TapSink*> sinks(pool.workers.size(), nullptr);
  for (std::size_t i = 0; i < sinks.size() && options.tap != nullptr; ++i) sinks[i] = &options.tap->sink(i);
  if (is_overheard(options))
    for (std::size_t i = 0; i < sinks.size(); ++i)
      sinks[i] = &overhearing->sink(i, route.index, route.options, sinks[i]);
  std::vector<const WorkerRoute*> parts(sinks.size());
  on_all([&](Worker& worker, std::size_t i) { parts[i] = &worker.add_route(route, sinks[i]); });
  std::erase(parts, nullptr);  // of workers that have ended
  route.parts = std::move(parts);
  one.published = one.route.get();
  const std::unique_lock lock(tables);
  routes.push_back(std::move(one.route));
}

std::optional<Error> ProxyServer::Impl::open(Addition& one) {
  Route& route = *one.published;
  Outcome<net::Address> at = Error{"the program is stopping"};
  on(home(*route.listener), [&] {
    at = home(*route.listener).open_acceptor(route.index, std::move(one.bound.tcp), one.listener->address);
    if (at) one.listener->address = route.listen_address = *at;
  });
  one.opened = at.ok();
  return at ? std::nullopt : std::optional(at.error());
}

/// Sets the routes of a listener, on each worker; last on its home, which lets newcomers in.
void ProxyServer::Impl::update(Listener& listener, std::vector<std::size_t> its_routes) {
  {
    const std::unique_lock lock(tables);
    listener.routes = std::move(its_routes);
    see_draining(listener);
  }
  const auto tell = [&](Worker& worker) { on(worker, [&] { worker.set_routes(listener.index, listener.routes); }); };
  for (const auto& worker : pool.workers)
    if (worker.get() != &home(listener)) tell(*worker);
  tell(home(listener));
}

void ProxyServer::Impl::see_draining(Listener& listener) const {
  listener.draining =
      !listener.routes.empty() && std::all_of(listener.routes.begin(), listener.routes.end(),
                                              [this](std::size_t one) { return routes[one]->draining.load(); });
}

/// Undoes publish() and open().
void ProxyServer::Impl::take_back(const Addition& one) {
  update(*one.listener, one.listener->routes);
  one.published->retired = true;
  if (one.opens && !one.opened && one.listener->routes.empty())
    on(home(*one.listener), [&] { home(*one.listener).close_listener_sockets(*one.listener); });
}

/// The routes to add. Routes at the same new WebSocket listener share it.
std::vector<ProxyServer::Impl::Addition> ProxyServer::Impl::additions(const RouteChanges& changes) {
  std::vector<Addition> all;
  for (const auto& one : changes.added) all.push_back({.wanted = &one});
  const auto leads = [](const Addition& first, const Addition& one) {
    const RouteOptions &its = first.wanted->options, &wanted = one.wanted->options;
    return wanted.listen.port() != 0 && its.listen == wanted.listen && its.game == wanted.game &&
           its.game->transport() == wire::Transport::kWebSocket;
  };
  for (Addition& one : all)
    for (Addition* first = all.data(); first != &one && one.follows == nullptr; ++first)
      if (!one.wanted->instead_of && !first->wanted->instead_of && leads(*first, one)) one.follows = first;
  return all;
}

/// Prepares, publishes and opens all of them, or none.
std::optional<Error> ProxyServer::Impl::add(std::vector<Addition>& all, const std::vector<std::size_t>& leaving) {
  std::optional<Error> failed;
  const auto try_to = [&failed](const Addition& one, auto&& step) {
    if (!failed && (failed = step())) failed->text = one.wanted->options.place + failed->text;
  };
  for (Addition& one : all) try_to(one, [&] { return prepare(one); });
  for (const Addition& one : all)
    if (is_overheard(one.wanted->options)) try_to(one, [&] { return begin_overhearing(); });
  for (const Addition& one : all) try_to(one, [&] { return objection_to_neighbours(one, all, leaving); });
  if (failed) {
    for (const Addition& one : all)
      if (one.listener != nullptr)
        on(home(*one.listener), [&] { home(*one.listener).unpin_listener(one.listener->index); });
    return failed;
  }
  for (Addition& one : all) {
    if (one.follows != nullptr) one.listener = one.follows->listener;
    publish(one);
  }
  for (Addition& one : all)
    if (one.opens) try_to(one, [&] { return open(one); });
  if (failed)
    for (const Addition& one : all) take_back(one);
  return failed;
}

/// Gives each listener its routes: those that were added, without those that leave.
void ProxyServer::Impl::update_listeners(const std::vector<Addition>& all, const std::vector<std::size_t>& leaving) {
  std::map<std::size_t, std::vector<std::size_t>> after;  // by Listener::index
  const auto begin = [&after](const Listener& one) { after.try_emplace(one.index, one.routes); };
  for (const std::size_t index : leaving) begin(*routes[index]->listener);
  for (const Addition& one : all) begin(*one.listener);
  for (auto& [index, its] : after)
    std::erase_if(its,
                  [&](std::size_t one) { return std::find(leaving.begin(), leaving.end(), one) != leaving.end(); });
  for (const Addition& one : all) {
    auto& its = after[one.listener->index];
    const bool by_path = !one.published->options->web.path.empty();
    its.insert(by_path ? its.begin() : its.end(), one.published->index);
  }
  for (auto& [index, its] : after) update(*listeners[index], std::move(its));
}

Outcome<std::vector<Listening>> ProxyServer::Impl::change(const RouteChanges& changes) {
  std::vector<std::size_t> leaving = changes.retired;
  for (const auto& one : changes.added)
    if (one.instead_of) leaving.push_back(*one.instead_of);
  std::vector<Addition> all = additions(changes);
  if (const auto failed = add(all, leaving)) return *failed;
  std::vector<Listening> added;
  for (const Addition& one : all) {
    if (one.wanted->instead_of && routes[*one.wanted->instead_of]->draining) one.published->draining = true;
    added.push_back({one.published->index, one.published->listen_address});
  }
  update_listeners(all, leaving);
  for (const std::size_t index : leaving) routes[index]->retired = true;
  for (const Addition& one : all)
    if (one.published->bots())
      on(home(*one.listener),
         [&] { home(*one.listener).invite_bots(one.published->index, one.published->options->bridge->bots); });
  return added;
}

ProxyServer::ProxyServer(std::size_t workers, Events& events, net::LookUp look_up, const net::Schedule::Clock& nanos)
    : impl_(std::make_unique<Impl>(events)) {
  assert(workers >= 1 && workers <= 64);
  std::signal(SIGPIPE, SIG_IGN);
  for (std::size_t i = 0; i < workers; ++i)
    impl_->pool.workers.push_back(std::make_unique<Worker>(i, impl_->pool, nanos));
  const auto wake = [&all = impl_->pool.workers] {
    for (const auto& worker : all) worker->wake();
  };
  impl_->pool.host_names.emplace(wake, std::move(look_up));
}

ProxyServer::~ProxyServer() = default;

std::size_t ProxyServer::add_shared_room(const SharedRoomOptions& options, std::optional<std::size_t> beside) {
  const std::lock_guard changing(impl_->changing);
  auto& workers = impl_->pool.workers;
  auto made = std::make_unique<SharedRoomState>();
  SharedRoomState& state = *made;
  state.options = options;
  state.index = impl_->shared_rooms.size();
  state.home = beside ? impl_->routes[*beside]->listener->home : impl_->free_home();
  {
    const std::unique_lock lock(impl_->tables);
    impl_->shared_rooms.push_back(std::move(made));
  }
  TapSink* const tap = options.tap ? &options.tap->sink(state.home) : nullptr;
  impl_->on(*workers[state.home], [&] { workers[state.home]->add_shared_room(state, tap, impl_->events); });
  return state.index;
}

void ProxyServer::retire_shared_room(std::size_t shared_room) {
  const std::lock_guard changing(impl_->changing);
  impl_->shared_rooms[shared_room]->retired = true;
  Worker& home = *impl_->pool.workers[impl_->shared_rooms[shared_room]->home];
  impl_->on(home, [&] { home.retire_shared_room(shared_room); });
}

void ProxyServer::order(std::size_t shared_room, std::function<void(core::Back&)> order) {
  impl_->pool.workers[impl_->shared_room(shared_room).home]->order(shared_room, std::move(order));
}

Outcome<Listening> ProxyServer::add(const RouteOptions& options) {
  const auto added = change({.added = {{options}}});
  if (!added) return added.error();
  return added->front();
}

Outcome<std::vector<Listening>> ProxyServer::change(const RouteChanges& changes) {
  const std::lock_guard changing(impl_->changing);
  impl_->changed = true;
  return impl_->change(changes);
}

/// Stops at the first error.
Outcome<Done> ProxyServer::at_acceptors(const std::function<Outcome<Done>(Acceptor&)>& function) {
  const std::lock_guard changing(impl_->changing);
  for (const auto& listener : impl_->listeners) {
    Worker& home = impl_->home(*listener);
    Outcome<Done> done = Done{};
    const auto call = [&] {
      if (Acceptor* acceptor = home.active_acceptor(listener->index)) done = function(*acceptor);
    };
    if (!impl_->on(home, call)) return Error{"the program is stopping"};
    if (!done) return done;
  }
  return Done{};
}

Outcome<std::vector<OfferedSocket>> ProxyServer::offer_listeners() {
  std::vector<OfferedSocket> all;
  impl_->changed = false;
  const auto done = at_acceptors([&](Acceptor& acceptor) { return acceptor.offer(all); });
  if (!done) return done.error();
  return all;
}

Outcome<Done> ProxyServer::release_newcomers() {
  if (impl_->changed) return Error{"the configuration was reloaded meanwhile; try again"};
  return at_acceptors([](Acceptor& acceptor) { return acceptor.release_newcomers(); });
}

LinkId ProxyServer::last_link() const { return impl_->pool.last_link.load(); }

void ProxyServer::begin_links_after(LinkId link) { impl_->pool.last_link = link; }

void ProxyServer::cancel_take_over() {
  (void)at_acceptors([](Acceptor& acceptor) { return acceptor.cancel_take_over(), Done{}; });
}

void ProxyServer::complete_take_over() {
  for (std::size_t i = 0; i < impl_->routes.size(); ++i)
    if (impl_->route(i).bots()) end_sessions(i, "");  // the other process has bots of its own
  (void)at_acceptors([](Acceptor& acceptor) { return acceptor.complete_take_over(), Done{}; });
}

void ProxyServer::run() {
  auto& workers = impl_->pool.workers;
  std::vector<std::thread> others;
  {
    const std::lock_guard changing(impl_->changing);
    impl_->running = true;
    for (std::size_t i = 1; i < workers.size(); ++i)
      others.push_back(net::named_thread("worker " + std::to_string(i + 1), [&, i] { workers[i]->run(); }));
  }
  workers[0]->run();
  for (std::thread& one : others) one.join();
  const std::lock_guard changing(impl_->changing);
  if (impl_->overhearing) impl_->overhearing->stop();
}

void ProxyServer::stop() {
  impl_->pool.stopping = true;
  for (auto& worker : impl_->pool.workers) worker->wake();
}

void ProxyServer::add_bots(std::size_t route, std::uint32_t count) { impl_->home_of(route).more_bots(route, count); }

void ProxyServer::forget_lookups() { impl_->pool.host_names->expire(); }

void ProxyServer::set_lab(std::size_t route, std::shared_ptr<const LabPlan> plan) {
  const RunningLab lab{std::move(plan), steady_now()};
  const std::lock_guard lock(impl_->labs_mutex);
  impl_->labs[route] = lab.plan;
  for (const auto& worker : impl_->pool.workers) worker->set_lab(route, lab);
}

std::shared_ptr<const RouteOptions> ProxyServer::options(std::size_t route) const {
  return impl_->route(route).options;
}

News ProxyServer::news_of(NewsKind kind, const LinkInfo& session, const std::string& player) const {
  return relay::news_of(kind, impl_->route(session.route), session, player);
}

std::shared_ptr<const LabPlan> ProxyServer::lab(std::size_t route) const {
  const std::lock_guard lock(impl_->labs_mutex);
  const auto set = impl_->labs.find(route);
  return set != impl_->labs.end() ? set->second : impl_->route(route).options->lab;
}

void ProxyServer::set_rules(std::size_t route, NewcomerRules rules) {
  rules.limits = sane(rules.limits);
  impl_->route(route).most_sessions = rules.limits.sessions;
  const auto shared = std::make_shared<const NewcomerRules>(std::move(rules));
  for (const auto& worker : impl_->pool.workers) worker->set_rules(route, shared);
}

void ProxyServer::set_while_down_room(std::size_t route, std::optional<std::size_t> shared_room) {
  impl_->route(route).while_down_room = shared_room.value_or(Route::kNoArena);
}

std::vector<SessionReport> ProxyServer::command(const SessionCommand& its) const {
  Inquiry inquiry;
  for (auto& worker : impl_->pool.workers) worker->command(its, Inquiry::Part(inquiry));
  return inquiry.wait();
}

std::vector<SessionReport> ProxyServer::sessions() const {
  auto all = command({});
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.info.link < b.info.link; });
  return all;
}

bool ProxyServer::kick(LinkId link, std::string_view why) {
  return !command({.link = link, .action = SessionCommand::Action::kKick, .text = std::string(why)}).empty();
}

bool ProxyServer::ban(LinkId link, std::string_view why) {
  return !command({.link = link, .action = SessionCommand::Action::kBan, .text = std::string(why)}).empty();
}

bool ProxyServer::refer(LinkId link, std::string_view text) {
  return !command({.link = link, .action = SessionCommand::Action::kRefer, .text = std::string(text)}).empty();
}

MoveResult ProxyServer::move(LinkId link, std::size_t route, Millis wait) {
  const auto order = begin_move(link, route);
  return order != nullptr ? order->wait(wait) : MoveResult{};
}

std::shared_ptr<MoveOrder> ProxyServer::begin_move(LinkId link, std::size_t route) {
  auto order = std::make_shared<MoveOrder>(route);
  if (command({.link = link, .action = SessionCommand::Action::kMove, .move = order}).empty()) return nullptr;
  return order;
}

void ProxyServer::set_draining(std::size_t route, bool draining) {
  Route& its = impl_->route(route);
  its.draining = draining;
  const std::unique_lock lock(impl_->tables);
  impl_->see_draining(*its.listener);
}

bool ProxyServer::is_draining(std::size_t route) const { return impl_->route(route).draining; }

bool ProxyServer::is_over(std::size_t route) const { return impl_->route(route).is_over(); }

bool ProxyServer::has_retired_sessions() const {
  const std::shared_lock lock(impl_->tables);
  return std::any_of(impl_->routes.begin(), impl_->routes.end(),
                     [](const auto& route) { return route->retired && !route->is_empty(); });
}

bool ProxyServer::is_empty() const {
  const std::shared_lock lock(impl_->tables);
  return std::all_of(impl_->routes.begin(), impl_->routes.end(),
                     [](const auto& route) { return route->bots() || route->is_empty(); });
}

std::uint32_t ProxyServer::most_sessions(std::size_t route) const { return impl_->route(route).most_sessions; }

std::uint16_t ProxyServer::port_for_players(std::size_t route) const { return impl_->route(route).port_for_players(); }

ProxyServer::AfterDrain ProxyServer::after_drain(std::size_t route, std::string_view server) const {
  const Route& its = impl_->route(route);
  if (!its.options->bridge || its.shared_room()) return AfterDrain::kEnd;
  const auto& others = its.upstreams.all();
  const bool another = std::any_of(others.begin(), others.end(), [&](const auto& one) {
    return one->name != server && !one->drained() && one->state() != Upstream::State::kDown;
  });
  if (another) return AfterDrain::kMove;
  return its.upstreams.holds() ? AfterDrain::kWait : AfterDrain::kEnd;
}

std::size_t ProxyServer::leave_server(std::string_view server, std::string_view why) {
  return command(
             {.action = SessionCommand::Action::kLeaveServer, .text = std::string(why), .server = std::string(server)})
      .size();
}

void ProxyServer::set_texts(Texts texts) { impl_->texts.set(std::move(texts)); }

const SharedTexts& ProxyServer::texts() const { return impl_->texts; }

std::size_t ProxyServer::end_sessions(std::size_t route, std::string_view why) {
  return command({.route = route, .action = SessionCommand::Action::kEndDrained, .text = std::string(why)}).size();
}

std::vector<SessionReport> ProxyServer::announce(std::size_t route, std::string_view text) {
  return command({.route = route, .action = SessionCommand::Action::kSay, .text = std::string(text)});
}

AnnounceResult ProxyServer::announce_to(LinkId link, std::string_view text) {
  const auto told = command({.link = link, .action = SessionCommand::Action::kSay, .text = std::string(text)});
  return told.empty() ? AnnounceResult::kNotIn : told.front().told;
}

bool ProxyServer::stopping() const { return impl_->pool.stopping; }

bool ProxyServer::is_alive(Millis time) const {
  const Millis since = steady_now() - time;
  const auto& workers = impl_->pool.workers;
  return std::all_of(workers.begin(), workers.end(), [=](const auto& worker) { return worker->turned_since(since); });
}

void ProxyServer::wait_for_workers() const { (void)command({.none = true}); }

std::vector<core::Ledger::Entry> ProxyServer::losses(std::size_t route) const {
  return impl_->route(route).losses.all();
}

std::vector<Attendance::Row> ProxyServer::attendance(std::size_t shared_room) const {
  return impl_->shared_room(shared_room).attendance.rows();
}

std::uint64_t ProxyServer::orphaned(std::size_t shared_room) const {
  return impl_->shared_room(shared_room).orphaned.read();
}

Totals ProxyServer::totals(std::size_t route) const { return totals(std::vector{route}); }

Totals ProxyServer::totals(const std::vector<std::size_t>& routes) const {
  Totals sum;
  for (const std::size_t route : routes) impl_->route(route).add_to(sum);
  return sum;
}

DurationsOf<std::uint64_t, kTurnBounds> ProxyServer::turn_times() const {
  DurationsOf<std::uint64_t, kTurnBounds> sum;
  for (const auto& worker : impl_->pool.workers) relay::add(sum, worker->turn_times());
  return sum;
}

std::vector<ProxyServer::UpstreamReport> ProxyServer::servers(std::size_t route) const {
  const Route& its = impl_->route(route);
  const Millis now = impl_->pool.workers.front()->time();
  std::vector<UpstreamReport> all;
  if (its.shared_room()) return all;
  for (const auto& server : its.upstreams.all()) {
    UpstreamReport one;
    one.name = server->name;
    one.state = server->state();
    one.drained = server->drained();
    one.full = server->is_scarce(now);
    one.always_on = its.upstreams.rules().check_ms != 0 && its.upstreams.rules().launch.start.empty();
    one.sessions = server->sessions();
    one.weight = server->options.weight;
    one.opened = server->sessions_opened();
    if (server->since() != 0) one.since = now - std::min(now, server->since());
    if (const auto dialect = server->dialect()) one.dialect = its.server_game().dialects()[*dialect].name;
    if (one.state == Upstream::State::kDown) one.why = server->why();
    all.push_back(std::move(one));
  }
  return all;
}

std::optional<std::int64_t> ProxyServer::certificate_expires(std::size_t route) const {
  const auto& tls = impl_->route(route).options->web.client_tls;
  return tls ? tls->expires() : std::nullopt;
}

std::optional<std::int64_t> ProxyServer::authorities_expire(std::size_t route) const {
  const auto& tls = impl_->route(route).options->web.server_tls;
  return tls ? tls->expires() : std::nullopt;
}

std::size_t ProxyServer::waiting(std::size_t route) const { return impl_->route(route).upstreams.waiting(); }

std::size_t ProxyServer::drain_server(std::string_view name, bool on) {
  std::size_t found = 0;
  impl_->each_route([&](const Route& route) {
    if (route.shared_room()) return;
    for (const auto& server : route.upstreams.all()) {
      if (server->name != name) continue;
      server->drain(on);
      if (!route.retired) ++found;
    }
  });
  return found;
}

}  // namespace entente::relay
