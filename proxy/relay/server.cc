#include "proxy/relay/server.h"

#include <algorithm>
#include <cassert>
#include <csignal>
#include <thread>

#include "proxy/net/socket.h"
#include "proxy/relay/worker.h"

namespace entente::relay {
namespace {

Limits sane(Limits limits) {
  limits.datagram_bytes = std::min<std::uint32_t>(limits.datagram_bytes, net::kLargestDatagram);
  limits.low_water = std::min(limits.low_water, limits.high_water);
  return limits;
}

/// Whether clients, or we at the server, speak WebSocket.
bool by_web(const RouteOptions& options) {
  const bool front = options.game->transport() == wire::Transport::kWebSocket;
  return front || (options.bridge && options.bridge->server_game->transport() == wire::Transport::kWebSocket);
}

std::optional<Error> objection(const RouteOptions& options) {
  if (options.bridge && options.enet == EnetMode::kDatagrams)
    return Error{"a bridge takes packets apart; leave out mode=datagrams"};
  if (options.hold_ms != 0 && options.enet == EnetMode::kDatagrams)
    return Error{"with mode=datagrams a client asks the server itself, again and again; leave out hold_s"};
  if (options.bridge) return std::nullopt;
  const auto listen = options.listen_dialect.value_or(0);
  const auto dialects = options.game->dialects();
  for (const ServerOptions& server : options.servers)
    if (server.dialect && *server.dialect != listen)
      return Error{"a relay needs the same dialect on both sides, not " + std::string(dialects[listen].name) + " and " +
                   std::string(dialects[*server.dialect].name) + "; give --listen and --to the same ?dialect="};
  return std::nullopt;
}

/// A name, or an IP address: of IPv6 it needs brackets.
std::string host_and_port(const std::string& host, std::uint16_t port) {
  const auto address = net::Address::parse(host, port);
  return address ? address->text() : host + ":" + std::to_string(port);
}

std::string name_of(const Route& route, const ServerOptions& server) {
  return route.shared_room() ? server.host : host_and_port(server.host, server.port);
}

/// What the route has from whoever asked for it.
std::unique_ptr<Route> make_route(const RouteOptions& options, Events& events) {
  auto route = std::make_unique<Route>(*options.game, events);
  if (by_web(options)) route->web = options.web;
  route->enet = options.enet;
  route->strict = options.strict;
  route->announce = options.announce;
  route->dialect = options.listen_dialect.value_or(0);
  route->clients_name_dialect = options.clients_name_dialect;
  route->fallback = options.fallback;
  route->access = options.access;
  route->bans = options.bans;
  route->proxies = options.proxies;
  route->send_proxy = options.send_proxy;
  route->source = options.source;
  route->bridge = options.bridge;
  for (const ServerOptions& server : options.servers)
    route->server_name += (route->server_name.empty() ? "" : ", ") + name_of(*route, server);
  return route;
}

/// Where the server is, to be tried in this order. A shared room has none: it gets the listener's, so that there is one
/// to name.
Outcome<std::vector<net::Address>> addresses_of(const Route& route, const ServerOptions& server,
                                                const net::Address& listen) {
  if (route.shared_room()) return std::vector<net::Address>{listen};
  auto found = net::resolve(server.host, server.port);
  if (found.ok() && route.source == SourceMode::kLoopback) {
    std::erase_if(*found, [](const auto& one) { return !net::is_loopback_v4(one); });
    if (found->empty())
      return Error{"source=loopback is for a server on this machine, such as 127.0.0.1, not '" + server.host + "'"};
  }
  if (!found || route.server_game().transport() != wire::Transport::kEnet) return found;
  std::erase_if(*found, [](const auto& one) { return one.v6(); });
  if (found->empty())
    return Error{"the server '" + server.host + "' has no IPv4 address, and " +
                 std::string(route.server_game().name()) + " travels by ENet, which knows IPv4 only"};
  return found;
}

Outcome<Done> open_upstreams(Route& route, const RouteOptions& options) {
  assert(!options.servers.empty() && options.servers.size() <= kMostServers);
  std::vector<std::unique_ptr<Upstream>> all;
  bool all_named = true;
  for (const ServerOptions& server : options.servers) {
    auto addresses = addresses_of(route, server, options.listen);
    if (!addresses) return addresses.error();
    all_named = all_named && server.dialect.has_value();
    all.push_back(std::make_unique<Upstream>(all.size(), server, name_of(route, server), std::move(*addresses)));
  }
  const bool shown = !route.shared_room() && route.server_game().probe() == wire::Probe::kSilentConnection;
  route.upstreams.open(std::move(all),
                       {.policy = options.policy,
                        .hold_ms = options.hold_ms,
                        .check_ms = options.check_ms,
                        .slow_start_ms = options.slow_start_ms,
                        .needs_dialect = shown && !all_named,
                        .detects_in_session = route.server_game().probe() == wire::Probe::kFirstSession});
  return Done{};
}

/// Why `route` cannot share the listener of `host`.
std::optional<Error> objection_to_sharing(const Route& host, const Route& route) {
  const std::string listener = host.listener.text();
  if (host.bridge.has_value() != route.bridge.has_value())
    return Error{"a relay and a bridge cannot share the listener " + listener + "; give one of them another port"};
  if (host.shared_room() != route.shared_room())
    return Error{"two shared rooms cannot share the listener " + listener + "; give one of them another port"};
  if (host.detects_before_sessions() || route.detects_before_sessions())
    return Error{"routes that share the listener " + listener +
                 " must name what their servers speak; add ?dialect= to their URLs"};
  if (host.proxies != route.proxies)
    return Error{"routes that share the listener " + listener +
                 " must have the same proxies in front; give both the same proxy_protocol or forwarded, or one of them another port"};
  if (host.access != route.access || host.bans != route.bans)
    return Error{"routes that share the listener " + listener +
                 " must let in the same addresses; give both the same allow and deny, or one of them another port"};
  return std::nullopt;
}

/// The sockets of a new listener; none if another route's is shared, or if ENet binds its own.
Outcome<net::Sockets> bind(const RouteOptions& options, const Route& route, const Route* host) {
  if (host) return net::Sockets{{}, {}, host->listener};
  if (options.game->transport() != wire::Transport::kEnet) return net::listen(options.listen, route.with_datagrams());
  if (route.passes_enet_datagrams()) return net::listen_datagrams(options.listen);
  return net::Sockets{{}, {}, options.listen};
}

}  // namespace

struct Server::Impl {
  explicit Impl(Events& its_events) : events(its_events) {}

  /// The route whose listener `options` share, told apart by path; null if they bring their own.
  Route* find_listener(const RouteOptions& options) {
    if (options.game->transport() != wire::Transport::kWebSocket || options.listen.port() == 0) return nullptr;
    for (auto& route : routes)
      if (route->by_web() && !route->on_listener.empty() && route->listener == options.listen) return route.get();
    return nullptr;
  }

  void share_listener(Route& host, Route& guest) {
    auto& all = host.on_listener;
    guest.web && !guest.web->path.empty() ? (void)all.insert(all.begin(), guest.index) : all.push_back(guest.index);
  }

  /// Opens the acceptor of a route that brings its own.
  static std::optional<Error> open(Route& route, Worker& home, const RouteOptions& options, net::Fd tcp) {
    const auto at = home.open_acceptor(sane(options.limits), std::move(tcp), options.listen);
    if (!at) return at.error();
    route.listener = *at;
    return std::nullopt;
  }

  Events& events;
  LoopbackSources loopback_sources;
  std::vector<std::unique_ptr<Route>> routes;
  std::vector<std::unique_ptr<SharedRoomState>> shared_rooms;
  Pool pool;
};

Server::Server(std::size_t workers, Events& events) : impl_(std::make_unique<Impl>(events)) {
  assert(workers >= 1 && workers <= 64);
  std::signal(SIGPIPE, SIG_IGN);
  for (std::size_t i = 0; i < workers; ++i) impl_->pool.workers.push_back(std::make_unique<Worker>(i, impl_->pool));
}

Server::~Server() = default;

std::size_t Server::add_shared_room(const SharedRoomOptions& options) {
  auto& workers = impl_->pool.workers;
  const std::size_t index = impl_->shared_rooms.size();
  SharedRoomState& state = *impl_->shared_rooms.emplace_back(std::make_unique<SharedRoomState>());
  state.options = options;
  state.index = index;
  state.home = index % workers.size();
  workers[state.home]->add_shared_room(state, options.tap ? &options.tap->sink(state.home) : nullptr, impl_->events);
  return index;
}

void Server::order(std::size_t shared_room, std::function<void(core::Back&)> order) {
  impl_->pool.workers[impl_->shared_rooms[shared_room]->home]->order(shared_room, std::move(order));
}

Outcome<Listening> Server::add(const RouteOptions& options) {
  if (auto wrong = objection(options)) return *wrong;
  auto made = make_route(options, impl_->events);
  if (const auto opened = open_upstreams(*made, options); !opened) return opened.error();
  const bool bots = options.bridge && options.bridge->bots != 0;
  Route* const host = bots ? nullptr : impl_->find_listener(options);
  if (host)
    if (auto wrong = objection_to_sharing(*host, *made)) return *wrong;
  auto bound = bots ? Outcome<net::Sockets>(net::Sockets()) : bind(options, *made, host);
  if (!bound) return bound.error();

  auto& workers = impl_->pool.workers;
  Route& route = *impl_->routes.emplace_back(std::move(made));
  route.index = impl_->routes.size() - 1;
  route.home = host                  ? host->home
               : route.shared_room() ? impl_->shared_rooms[*route.shared_room()]->home
                                     : route.index % workers.size();
  route.listener = bound->address;
  route.loopback_sources = &impl_->loopback_sources;
  route.datagrams = std::move(bound->udp);
  for (std::size_t i = 0; i < workers.size(); ++i)
    workers[i]->add_route(route, options.tap ? &options.tap->sink(i) : nullptr, sane(options.limits));
  Worker& home = *workers[route.home];
  if (bots)
    home.invite_bots(options.bridge->bots, sane(options.limits));
  else
    impl_->share_listener(host ? *host : route, route);
  if (!host && !bots)
    if (auto failed = impl_->open(route, home, options, std::move(bound->tcp))) return *failed;
  return Listening{route.index, route.listener};
}

void Server::run() {
  auto& workers = impl_->pool.workers;
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < workers.size(); ++i) others.emplace_back([&, i] { workers[i]->run(); });
  workers[0]->run();
  for (std::thread& one : others) one.join();
}

void Server::stop() {
  impl_->pool.stopping = true;
  for (auto& worker : impl_->pool.workers) worker->wake();
}

void Server::add_bots(std::size_t route, std::uint32_t count) {
  impl_->pool.workers[impl_->routes[route]->home]->more_bots(route, count);
}

void Server::set_limits(std::size_t route, const Limits& limits) {
  impl_->pool.workers[impl_->routes[route]->home]->set_limits(route, sane(limits));
}

void Server::set_access(std::size_t route, std::vector<Access> access) {
  impl_->pool.workers[impl_->routes[route]->home]->set_access(route, std::move(access));
}

std::vector<SessionReport> Server::ask(const Question& question) const {
  Inquiry inquiry;
  for (auto& worker : impl_->pool.workers) worker->ask(question, Inquiry::Part(inquiry));
  return inquiry.wait();
}

std::vector<SessionReport> Server::sessions() const {
  auto all = ask({});
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.info.link < b.info.link; });
  return all;
}

bool Server::kick(LinkId link, std::string_view why) {
  return !ask({.link = link, .order = Question::Order::kKick, .text = std::string(why)}).empty();
}

void Server::set_draining(std::size_t route, bool draining) {
  const auto drains = [this](std::size_t one) { return impl_->routes[one]->draining.load(); };
  impl_->routes[route]->draining = draining;
  for (auto& host : impl_->routes) {
    const auto& all = host->on_listener;
    if (std::find(all.begin(), all.end(), route) != all.end())
      host->closed = std::all_of(all.begin(), all.end(), drains);
  }
}

bool Server::is_draining(std::size_t route) const { return impl_->routes[route]->draining; }

std::size_t Server::end_sessions(std::size_t route, std::string_view why) {
  return ask({.route = route, .order = Question::Order::kDrain, .text = std::string(why)}).size();
}

std::vector<SessionReport> Server::say(std::size_t route, std::string_view text) {
  return ask({.route = route, .order = Question::Order::kSay, .text = std::string(text)});
}

bool Server::stopping() const { return impl_->pool.stopping; }

bool Server::is_alive(Millis time) const {
  const auto roll = std::make_shared<RollCall>(impl_->pool.workers.size());
  for (auto& worker : impl_->pool.workers) worker->call(RollCall::Answer(roll));
  return roll->wait(time);
}

void Server::wait_for_workers() const { (void)ask({.none = true}); }

std::vector<core::Ledger::Entry> Server::losses(std::size_t route) const { return impl_->routes[route]->losses.all(); }

std::vector<Attendance::Row> Server::attendance(std::size_t shared_room) const {
  return impl_->shared_rooms[shared_room]->attendance.rows();
}

std::uint64_t Server::orphaned(std::size_t shared_room) const {
  return impl_->shared_rooms[shared_room]->orphaned.read();
}

Totals Server::totals(std::size_t route) const {
  Totals sum;
  for (const auto& worker : impl_->pool.workers) sum.add(worker->counters(route));
  return sum;
}

std::vector<Server::ServerReport> Server::servers(std::size_t route) const {
  const Route& its = *impl_->routes[route];
  const Millis now = impl_->pool.workers.front()->time();
  std::vector<ServerReport> all;
  if (its.shared_room()) return all;
  for (const auto& server : its.upstreams.all()) {
    ServerReport one;
    one.name = server->name;
    one.state = server->state();
    one.drained = server->drained();
    one.full = server->is_full(now);
    one.sessions = server->sessions();
    one.weight = server->options.weight;
    one.opened = server->opened();
    if (server->since() != 0) one.since = now - std::min(now, server->since());
    if (const auto dialect = server->dialect()) one.dialect = its.server_game().dialects()[*dialect].name;
    if (one.state == Upstream::State::kDown) one.why = server->why();
    all.push_back(std::move(one));
  }
  return all;
}

std::size_t Server::waiting(std::size_t route) const { return impl_->routes[route]->upstreams.waiting(); }

std::size_t Server::drain_server(std::string_view name, bool on) {
  std::size_t found = 0;
  for (const auto& route : impl_->routes) {
    if (route->shared_room()) continue;
    for (const auto& server : route->upstreams.all()) {
      if (server->name != name) continue;
      server->drain(on);
      ++found;
    }
  }
  return found;
}

}  // namespace entente::relay
