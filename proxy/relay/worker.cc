#include "proxy/relay/worker.h"

#include <algorithm>
#include <cerrno>
#include <functional>

#include "proxy/net/socket.h"
#include "proxy/net/thread_share.h"
#include "proxy/relay/acceptors/datagram_acceptor.h"
#include "proxy/relay/acceptors/enet_acceptor.h"
#include "proxy/relay/acceptors/stream_acceptor.h"
#include "proxy/relay/ends/web_request.h"
#include "proxy/relay/sessions/bridge_session.h"
#include "proxy/relay/sessions/enet_session.h"
#include "proxy/relay/sessions/room_guest.h"
#include "proxy/relay/sessions/tcp_session.h"
#include "proxy/relay/sessions/web_session.h"

namespace entente::relay {
namespace {

constexpr std::size_t kMostWanted = 65'536;  // callers that wait for a decision, on one route
constexpr Millis kTick = 100;                // how exact time-outs and rates are

}  // namespace

Worker::Worker(std::size_t index, Pool& pool, const net::Schedule::Clock& nanos)
    : index_(index), pool_(pool), loop_(nanos), mailbox_(loop_, *this), next_worker_(index) {
  ticker_.emplace(loop_, *this, kTick);
  handing_out_.set_party(std::make_shared<net::Party>());
  loop_.watch_turns(turns_);
}

Worker::~Worker() { loop_.cancel_later(*this); }

const WorkerRoute& Worker::add_route(Route& route, TapSink* tap) {
  routes_.push_back(std::make_unique<WorkerRoute>(route, loop_, tap));
  const bool home = route.listener->home == index_;
  routes_.back()->lookup_waits = &lookup_waits_;
  probed_.push_back({home ? std::make_unique<ServerProbes>(*routes_.back()) : nullptr});
  if (listeners_.size() <= route.listener->index) listeners_.resize(route.listener->index + 1);
  return *routes_.back();
}

void Worker::invite_bots(std::size_t route, std::uint32_t count) { invited_.push_back({route, count}); }

Outcome<net::Address> Worker::open_acceptor(std::size_t route, net::Fd listening, const net::Address& at) {
  if (stopping_) return Error{"the program is stopping"};
  WorkerRoute& worker_route = *routes_[route];
  ListenerPart& here = listeners_[worker_route.route.listener->index];
  here.pinned = true;  // until its routes are set
  auto& acceptor = here.acceptor;
  ServerProbes& probes = *probed_[route].probes;
  if (acceptor)
    acceptor->serve(worker_route, probes);
  else if (worker_route.route.passes_enet_datagrams())
    acceptor = std::make_unique<DatagramAcceptor>(worker_route, probes, *this);
  else if (worker_route.route.by_enet())
    acceptor = std::make_unique<EnetAcceptor>(worker_route, probes, *this);
  else
    acceptor = std::make_unique<StreamAcceptor>(worker_route, probes, *this);
  return acceptor->open(std::move(listening), at);
}

void Worker::set_routes(std::size_t listener, const std::vector<std::size_t>& routes) {
  ListenerPart& here = listeners_[listener];
  here.routes = routes;
  here.pinned = false;
  if (!here.acceptor) return;
  if (routes.empty()) {
    here.acceptor->close();
    return tidy();
  }
  const std::size_t first = *std::min_element(routes.begin(), routes.end());
  if (here.acceptor->route().index != first) here.acceptor->serve(*routes_[first], *probed_[first].probes);
  std::vector<const WorkerRoute*> all;
  for (const std::size_t one : routes) all.push_back(routes_[one].get());
  here.acceptor->set_routes(std::move(all));
}

bool Worker::pin_listener(std::size_t listener) {
  ListenerPart& here = listeners_[listener];
  here.pinned = here.acceptor != nullptr;
  return here.pinned;
}

void Worker::add_shared_room(SharedRoomState& state, TapSink* tap, Events& events) {
  shared_rooms_[state.index] = {std::make_unique<SharedRoom>(loop_, state, next_link(), events), tap};
  if (running_ && !stopping_) open_shared_room(state.index);
}

void Worker::open_shared_room(std::size_t number) {
  Housed& housed = shared_rooms_.at(number);
  housed.shared_room->open(housed.tap);
}

void Worker::run() {
  net::take_short_turns();
  running_ = true;
  for (auto& [number, housed] : shared_rooms_) open_shared_room(number);
  turned_at_ = steady_now();
  loop_.run();
  turned_at_ = kDoesNotRun;
  for (auto& worker_route : routes_) worker_route->finish();
}

Worker& Worker::home(std::size_t route) { return *pool_.workers[routes_[route]->route.listener->home]; }

// -- Letters ----------------------------------------------------------------------------------------------------------

void Worker::send(Worker& to, Letter letter) {
  if (&to == this)
    std::visit([this](auto& it) { read(it); }, letter);
  else
    to.tell(std::move(letter));
}

void Worker::mail() {
  mailbox_.take(letters_);
  for (Letter& letter : letters_) std::visit([this](auto& it) { read(it); }, letter);
  letters_.clear();
  loop_.serve(handing_out_);
  lookup_waits_.tell(pool_.host_names->answers());
  if (pool_.stopping) stopping_ ? finish_if_empty() : begin_stop();
}

std::unique_ptr<Session> Worker::make_session(WorkerRoute& worker_route, const AcceptedClient& newcomer) {
  Session::Owner& owner = *this;
  if (const auto shared_room = worker_route.route.shared_room())
    return std::make_unique<RoomGuest>(worker_route, owner, *shared_rooms_.at(*shared_room).shared_room, newcomer);
  if (worker_route.route.options->bridge) return std::make_unique<BridgeSession>(worker_route, owner, newcomer);
  if (worker_route.route.by_enet()) return std::make_unique<EnetSession>(worker_route, owner, newcomer);
  if (worker_route.route.by_web()) return std::make_unique<WebSession>(worker_route, owner, newcomer);
  return std::make_unique<TcpSession>(worker_route, owner, newcomer);
}

/// Making a session is work: addresses take turns. A bot, and a peer of an ENet host of this worker, do not wait.
void Worker::read(AcceptedClient& newcomer) {
  const bool waits = newcomer.fd || newcomer.moved_enet;
  if (stopping_ || !waits) return seat(std::move(newcomer));
  auto& job = newcomers_[newcomer.link];
  job = std::make_unique<Newcomer>(*this, std::move(newcomer));
  loop_.serve(*job);
}

void Worker::seat_next(LinkId link) {
  const auto next = newcomers_.extract(link);
  seat(std::move(next.mapped()->client));
}

void Worker::seat(AcceptedClient newcomer) {
  if (newcomer.moved_enet && !take_moved(newcomer)) return;
  const Route& route = routes_[newcomer.route]->route;
  if (route.by_web() && newcomer.fd && !newcomer.heard) return hear_caller(std::move(newcomer));
  if (newcomer.heard) newcomer.choose_server(route.upstreams, loop_.now());
  const bool is_bot = newcomer.client.port() == 0;
  const auto barred = is_bot || newcomer.health_check
                          ? std::nullopt
                          : route.listener->admission.barred(newcomer.client, routes_[newcomer.route]->ban_scope());
  auto& session = sessions_[newcomer.link];
  session = make_session(*routes_[newcomer.route], newcomer);
  make_room_for_ticks();
  session->start(std::move(newcomer.fd));
  const net::EnetPeer* const peer = newcomer.enet.peer;
  if (barred) session->turn_away(*barred);
  if (!barred)
    for (EarlyEnetPacket& one : newcomer.early)
      if (auto* const guest = static_cast<EnetPeerUser*>(peer->owner))
        guest->peer_said(one.channel, std::move(one.packet));
  if (stopping_) session->stop();
}

/// So that no tick allocates.
void Worker::make_room_for_ticks() {
  const std::size_t all = sessions_.size() + callers_.size();
  if (to_tick_.capacity() < all) to_tick_.reserve(2 * all);
}

/// A client of a WebSocket listener: it may only want the page.
void Worker::hear_caller(AcceptedClient newcomer) {
  WorkerRoute& its = *routes_[newcomer.route];
  HttpCaller::Owner& owner = *this;
  const LinkId link = newcomer.link;
  auto made = std::make_unique<HttpCaller>(its, owner, std::move(newcomer));
  HttpCaller* const caller = (callers_[link] = std::move(made)).get();
  make_room_for_ticks();
  caller->start();
  if (stopping_) caller->stop();
}

/// If the route does not hold players, a caller waits here until a server's dialect is known. Otherwise its session
/// waits.
void Worker::wants_session(HttpCaller& caller) {
  WorkerRoute* const named = route_at(caller.accept_route(), caller.request().path());
  if (named == nullptr) return begin_session(caller);
  const Route& route = named->route;
  unsigned status = 101;
  const bool waits = route.detects_before_sessions() && !route.upstreams.holds() && !stopping_ &&
                     !objection(route, caller.request(), status);
  if (!waits) return begin_session(caller);
  send(home(route.index), SessionWanted{route.index, index_, caller.client().link});
}

void Worker::read(const SessionWanted& wanted) {
  if (stopping_) return;
  if (probed_[wanted.route].wanted.size() >= kMostWanted)
    return send(*pool_.workers[wanted.worker],
                SessionDecision{SessionDecision::What::kRefused, wanted.caller, Reason::kServerUnreachable});
  probed_[wanted.route].wanted.push_back(wanted);
  if (routes_[wanted.route]->route.retired) return;  // the next tick answers
  probed_[wanted.route].probes->want();
  decide_wanted(wanted.route);
}

/// Answers the callers that want a session on this route, if that can be decided.
void Worker::decide_wanted(std::size_t route) {
  using What = SessionDecision::What;
  Probed& probed = probed_[route];
  if (probed.wanted.empty() || stopping_) return;
  const bool retired = routes_[route]->route.retired, begins = probed.probes->known();
  if (!retired && !begins && !probed.probes->failed()) return probed.probes->want();
  const What what = retired ? What::kAsksAgain : begins ? What::kBegins : What::kRefused;
  const auto why = what == What::kRefused ? std::optional(probed.probes->why()) : std::nullopt;
  for (const SessionWanted& one : std::exchange(probed.wanted, {}))
    send(*pool_.workers[one.worker], SessionDecision{what, one.caller, why});
}

void Worker::read(const SessionDecision& decision) {
  const auto found = callers_.find(decision.caller);
  if (found == callers_.end() || !found->second->waits_for_session()) return;
  HttpCaller& caller = *found->second;
  switch (decision.what) {
    case SessionDecision::What::kBegins:
      return begin_session(caller);
    case SessionDecision::What::kRefused:
      return caller.refuse(*decision.why);
    case SessionDecision::What::kAsksAgain:
      if (route_at(caller.accept_route(), caller.request().path()) == nullptr) return caller.refuse(Reason::kDraining);
      return wants_session(caller);
  }
}

/// On the route whose path it has named; on the one that accepted it, if no route has this path.
void Worker::begin_session(HttpCaller& caller) {
  const AcceptedClient& client = caller.client();
  WorkerRoute* const named = route_at(caller.accept_route(), caller.request().path());
  WorkerRoute& its = named != nullptr ? *named : *routes_[client.route];
  const Limits& limits = its.rules->limits;
  Admission& admission = its.route.listener->admission;
  const auto why = client.health_check ? std::nullopt
                                       : admission.begin_session_at(client.client, limits, its.route.part,
                                                                    its.ban_scope(), loop_.now());
  if (why) return caller.refuse(*why);
  load_.fetch_add(1, std::memory_order_relaxed);
  AcceptedClient newcomer = caller.take();
  newcomer.go_by(its.route);
  newcomer.limits = limits;
  if (its.route.listener->draining) newcomer.only_resumes = true;  // it was accepted before
  read(newcomer);
}

void Worker::over(HttpCaller& caller) {
  tidy_later();
  load_.fetch_sub(1, std::memory_order_relaxed);
  gone_callers_.push_back(std::move(callers_.extract(caller.client().link).mapped()));
}

/// False: the peer could not be taken, and is gone.
bool Worker::take_moved(AcceptedClient& newcomer) {
  auto client = std::make_unique<MovedEnetClient>(loop_, newcomer.client);
  newcomer.enet = client->take(std::move(newcomer.moved_enet), newcomer.enet.data);
  if (newcomer.enet.host == nullptr) {
    WorkerRoute& its = *routes_[newcomer.route];
    const Route& route = its.route;
    its.log_warning(LogKind::kMachine, net::lack_error("cannot watch the UDP socket of a client", errno).text);
    its.ended({newcomer.link, &route.game, route.dialect, newcomer.client, route.upstreams.any_address(),
               route.listen_address},
              {Reason::kOutOfDescriptors});
    load_.fetch_sub(1, std::memory_order_relaxed);
    send(home(newcomer.route), SessionLeft{newcomer.route, newcomer.link, newcomer.client});
    return false;
  }
  moved_clients_[newcomer.link] = std::move(client);
  return true;
}

void Worker::read(const PlayerIdGiven& named) {
  if (Acceptor* const acceptor = acceptor_of(named.route)) acceptor->player_id_given(named.link, named.player);
}

void Worker::read(const SessionLeft& left) {
  if (Acceptor* const acceptor = acceptor_of(left.route))
    acceptor->left(left.link, routes_[left.route]->route, left.client, left.called);
}

void Worker::read(const ClientPresence& moved) {
  Acceptor* const acceptor = acceptor_of(moved.route);
  if (acceptor == nullptr) return;  // its client is a bot
  const Route& its = routes_[moved.route]->route;
  if (moved.how == ClientPresence::How::kAway) return acceptor->away(its, moved.client);
  if (moved.how == ClientPresence::How::kBack) return acceptor->came_back(its, moved.client);
  const bool from_there = acceptor->crowded_from(its, moved.client);
  if (!from_there && !acceptor->crowded(its)) return;
  std::unique_lock lock(pool_.absences_lock);
  const auto place = pool_.absences.give_up(
      acceptor->route().listener->index, loop_.now(),
      [&](const net::Address& from) { return !from_there || from.host_key() == moved.client.host_key(); });
  lock.unlock();
  if (place) send(*pool_.workers[place->worker], GiveWay{place->link});
}

void Worker::read(const GiveWay& letter) {
  const auto found = sessions_.find(letter.link);
  if (found != sessions_.end()) found->second->give_way();
}

void Worker::read(ClientReconnected& back) {
  const auto found = sessions_.find(back.link);
  if (found == sessions_.end()) return;
  Session& session = *found->second;
  const bool was_away = session.is_away();
  session.reattach(std::move(back.client), back.from);
  if (was_away && !session.is_away()) tell_moved(ClientPresence::How::kBack, session);
}

void Worker::tell_moved(ClientPresence::How how, Session& session) {
  const std::size_t route = session.accepting_route().index;
  send(home(route), ClientPresence{how, route, session.info().client});
}

void Worker::read(const NewRules& news) {
  routes_[news.route]->rules = news.rules;
  Acceptor* const acceptor = acceptor_of(news.route);
  if (acceptor != nullptr && acceptor->route().index == news.route) acceptor->rules_changed();
}

void Worker::read(const NewLab& news) {
  WorkerRoute& changed = *routes_[news.route];
  changed.lab = news.lab;
  for (auto& [link, session] : sessions_)
    if (&session->worker_route() == &changed) session->lab_changed();
  for (auto& [routes, acceptor, pinned] : listeners_)
    if (acceptor) acceptor->lab_changed(changed);
}

void Worker::read(const MoreBots& more) {
  for (Invitation& invitation : invited_)
    if (invitation.route == more.route) invitation.count += more.count;
}

void Worker::read(const Order& order) {
  const auto housed = shared_rooms_.find(order.shared_room);
  if (housed != shared_rooms_.end()) housed->second.shared_room->order(order.order);
}

void Worker::read(CommandSessions& letter) {
  carry_out(letter.command, letter.part, sessions_);
  for (auto& [routes, acceptor, pinned] : listeners_)
    if (acceptor) acceptor->command(letter.command, letter.part);
}

// -- Visits to arenas -------------------------------------------------------------------------------------------------

/// Posts its letters even to the same worker, so that a visit does not begin or end inside a call of a room.
std::unique_ptr<ArenaEnd> Worker::visit(Session& session, End::User& user, std::size_t arena,
                                        std::function<std::unique_ptr<core::Front>()> front) {
  const auto open = std::find_if(routes_.begin(), routes_.end(), [&](const auto& one) {
    return one->route.shared_room() == arena && !one->route.retired && !one->route.draining;
  });
  if (open == routes_.end() || stopping_) return nullptr;
  Worker& there = *pool_.workers[(*open)->route.room_home];
  const LinkId number = next_link();
  auto passage = std::make_shared<Passage>();
  there.tell(Visit{number, index_, arena, session.info(), session.limits(), std::move(front), passage});
  return std::make_unique<ArenaEnd>(loop_, session.party(), user, passage,
                                    [&there, number] { there.tell(VisitorNews{number}); });
}

void Worker::read(Visit& visit) {
  const auto housed = shared_rooms_.find(visit.room);
  if (stopping_ || housed == shared_rooms_.end() || housed->second.shared_room->over()) {
    if (visit.passage->to_session.close("the arena is closed")) tell_session(visit);
    return;
  }
  auto& visitor = visitors_[visit.number];
  visitor = std::make_unique<Visitor>(loop_, *housed->second.shared_room, *this, std::move(visit));
  visitor->begin();
}

void Worker::read(const VisitorNews& news) {
  const auto found = visitors_.find(news.visit);
  if (found != visitors_.end()) found->second->look();
}

void Worker::read(const ArenaNews& news) {
  const auto found = sessions_.find(news.session);
  if (found != sessions_.end()) found->second->look_into_arena();
}

void Worker::tell_session(const Visit& visit) { pool_.workers[visit.worker]->tell(ArenaNews{visit.client.link}); }

void Worker::gone(Visitor& visitor) {
  tidy_later();
  gone_visits_.push_back(visitor.visit().number);
}

// -- From sessions ----------------------------------------------------------------------------------------------------

void Worker::player_id_given(Session& session, std::uint32_t player_id) {
  const std::size_t route = session.worker_route().route.index;
  send(home(route), PlayerIdGiven{route, session.info().link, player_id});
}

WorkerRoute* Worker::route_at(const Route& accepting, std::string_view path) {
  // A session from before a reload can use only routes of its own kind.
  const auto same_kind = [&](const Route& route) {
    return route.options->bridge.has_value() == accepting.options->bridge.has_value() &&
           route.shared_room() == accepting.shared_room();
  };
  for (const std::size_t i : listeners_[accepting.listener->index].routes)
    if (routes_[i]->route.serves(path) && same_kind(routes_[i]->route)) return routes_[i].get();
  return nullptr;
}

void Worker::away(Session& session, const core::Absence& absence) {
  const Millis now = loop_.now();
  {
    const std::lock_guard lock(pool_.absences_lock);
    pool_.absences.add({session.accepting_route().listener->index, session.info().client, absence.number},
                       SessionRef{session.info().link, index_}, now, now + absence.within / core::kMillisecond);
  }
  tell_moved(ClientPresence::How::kAway, session);
}

void Worker::stays_away(Session& session) {
  const std::lock_guard lock(pool_.absences_lock);
  pool_.absences.forget([&](const SessionRef& one) { return one.link == session.info().link; });
}

void Worker::new_player(Session& session) { tell_moved(ClientPresence::How::kNewPlayer, session); }

std::optional<SessionRef> Worker::claim(Session& session, std::uint32_t number) {
  const std::lock_guard lock(pool_.absences_lock);
  return pool_.absences.claim({session.accepting_route().listener->index, session.info().client, number}, loop_.now());
}

void Worker::hand_over(SessionRef to, net::Fd client, const net::Address& from) {
  send(*pool_.workers[to.worker], ClientReconnected{to.link, std::move(client), from});
}

void Worker::replace(Session& old, std::unique_ptr<Session> fresh) {
  tidy_later();
  replaced_.push_back(std::exchange(sessions_.at(old.info().link), std::move(fresh)));
}

/// At the end of the turn.
void Worker::tidy_later() {
  if (done_.empty() && gone_visits_.empty() && replaced_.empty() && gone_callers_.empty()) loop_.later(*this);
}

void Worker::done(Session& session) {
  tidy_later();
  done_.push_back(&session);
}

void Worker::at_turn_end() {
  for (const LinkId visit : std::exchange(gone_visits_, {})) visitors_.erase(visit);
  replaced_.clear();
  gone_callers_.clear();
  for (Session* session : std::exchange(done_, {})) {
    const std::size_t route = session->accepting_route().index;
    const LinkId link = session->info().link;
    load_.fetch_sub(1, std::memory_order_relaxed);
    if (!session->is_health_check()) session->worker_route().counters.gone.add();
    if (session->is_away()) tell_moved(ClientPresence::How::kBack, *session);
    send(home(route), SessionLeft{route, link, session->info().client, session->calls()});
    sessions_.erase(link);
  }
  finish_if_empty();
}

/// At most one bot per tick and route: a server may take more at once for an attack.
void Worker::seat_bots() {
  for (Invitation& invitation : invited_) {
    if (invitation.count == 0 || routes_[invitation.route]->route.retired) continue;
    ServerProbes& probes = *probed_[invitation.route].probes;
    probes.want();
    if (!probes.known() && !probes.failed()) continue;
    --invitation.count;
    seat_bot(invitation);
  }
}

void Worker::seat_bot(const Invitation& invitation) {
  const ServerProbes& probes = *probed_[invitation.route].probes;
  AcceptedClient bot;
  bot.go_by(routes_[invitation.route]->route);
  bot.link = next_link();
  bot.limits = routes_[invitation.route]->rules->limits;
  bot.choose_server(routes_[invitation.route]->route.upstreams, loop_.now());
  if (probes.failed()) bot.no_dial_reason = probes.why();
  assign(index_, std::move(bot));
}

void Worker::tick(Millis now) {
  turned_at_.store(steady_now(), std::memory_order_relaxed);
  seat_bots();
  if (to_tick_.empty()) {
    for (auto& [link, session] : sessions_) to_tick_.push_back(link);
    for (auto& [link, caller] : callers_) to_tick_.push_back(link);
  }
  // Sessions that wait for a server have their turns in the order in which they came.
  const auto waits = [](const auto& worker_route) {
    return !worker_route->route.is_over() && worker_route->route.upstreams.waiting() != 0;
  };
  if (std::any_of(routes_.begin(), routes_.end(), waits)) std::sort(to_tick_.begin(), to_tick_.end(), std::greater<>());
  if (!to_tick_.empty()) loop_.serve(ticking_);
  for (std::size_t i = 0; i < probed_.size(); ++i) {
    const Route& route = routes_[i]->route;
    const bool wanted = !probed_[i].over && (!route.retired || route.upstreams.waiting() != 0);
    if (!probed_[i].probes || !wanted || stopping_) continue;
    if (route.upstreams.waiting() != 0) probed_[i].probes->want();
    probed_[i].probes->tick(now);
  }
  for (std::size_t i = 0; i < probed_.size(); ++i) decide_wanted(i);
  for (auto& [routes, acceptor, pinned] : listeners_)
    if (acceptor) acceptor->tick(now);
  for (std::size_t i = 0; i < routes_.size(); ++i)
    if (!probed_[i].over) routes_[i]->tick();
  tidy();
  std::erase_if(moved_clients_,
                [this](const auto& one) { return one.second->gone() && !sessions_.contains(one.first); });
  if (stopping_) finish_if_empty();  // sessions that live with an acceptor end without a call of done()
}

/// Closes what belongs to retired routes, once their sessions have ended.
void Worker::tidy() {
  if (stopping_) return;
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    Probed& probed = probed_[i];
    const Acceptor* const acceptor = acceptor_of(i);
    const bool serves = acceptor != nullptr && acceptor->route().index == i;  // to take clients, or to refuse them
    if (probed.over || serves || !routes_[i]->route.is_over()) continue;
    probed.over = true;
    if (probed.probes) probed.probes->retire();
    routes_[i]->finish();
    routes_[i]->let_go();
  }
  for (std::size_t i = 0; i < listeners_.size(); ++i) {
    ListenerPart& here = listeners_[i];
    if (!here.acceptor || !here.routes.empty() || here.pinned || !here.acceptor->unused()) continue;
    Listener& listener = *here.acceptor->route().listener;
    here.acceptor.reset();
    close_listener_sockets(listener);
  }
  std::erase_if(shared_rooms_, [this](auto& one) {
    auto& [number, housed] = one;
    if (!housed.retired || leads_to(number)) return false;
    if (!housed.shared_room->end_reason()) housed.shared_room->retire();
    if (!housed.shared_room->over()) return false;
    for (auto& [visit, visitor] : visitors_)
      if (visitor->visit().room == number) visitor->leave("the arena is closed");
    std::erase_if(visitors_, [room = number](const auto& visit) { return visit.second->visit().room == room; });
    return true;
  });
}

/// Whether newcomers may enter the room, or players are in it.
bool Worker::leads_to(std::size_t shared_room) const {
  return std::any_of(routes_.begin(), routes_.end(),
                     [&](const auto& one) { return one->route.shared_room() == shared_room && !one->route.is_over(); });
}

void Worker::close_listener_sockets(Listener& listener) {
  listener.datagrams.reset();
  for (auto& worker : pool_.workers) send(*worker, ListenerEmptied{listener.index});
}

void Worker::read(const ListenerEmptied& gone) {
  for (auto& worker_route : routes_)
    if (worker_route->route.listener->index == gone.listener) worker_route->let_go();
}

void Worker::tick_some() {
  while (!to_tick_.empty()) {
    const LinkId link = to_tick_.back();
    to_tick_.pop_back();
    if (const auto session = sessions_.find(link); session != sessions_.end())
      session->second->tick(loop_.now());
    else if (const auto caller = callers_.find(link); caller != callers_.end())
      caller->second->tick(loop_.now());
    if (loop_.time_is_up()) break;
  }
  if (!to_tick_.empty()) loop_.serve(ticking_);
}

// -- From acceptors ---------------------------------------------------------------------------------------------------

/// The worker with the fewest sessions; workers with equally many take turns. A shared room has a fixed worker, so
/// other sessions give way to its sessions.
std::size_t Worker::next_worker(const Route& route) {
  if (route.shared_room()) return route.room_home;
  const auto& workers = pool_.workers;
  const std::size_t first = next_worker_++ % workers.size();
  std::size_t best = first, least = workers[first]->load();
  for (std::size_t i = 1; i < workers.size() && least > 0; ++i) {
    const std::size_t other = (first + i) % workers.size();
    const std::size_t load = workers[other]->load();
    if (load < least) best = other, least = load;
  }
  return best;
}

void Worker::assign(std::size_t worker, AcceptedClient newcomer) {
  Worker& to = *pool_.workers[worker];
  to.load_.fetch_add(1, std::memory_order_relaxed);
  send(to, std::move(newcomer));
}

bool Worker::forward_datagram(SessionRef to, const net::Address& from, Bytes datagram) {
  if (to.worker == index_) {
    hand_out(to.link, from, datagram);
    return true;
  }
  passed_to_.resize(pool_.workers.size());
  passed_to_[to.worker] = true;
  return pool_.workers[to.worker]->datagram_queue_.put(to.link, from, datagram);
}

void Worker::flush_datagrams() {
  for (std::size_t i = 0; i < passed_to_.size(); ++i)
    if (passed_to_[i]) pool_.workers[i]->wake();
  passed_to_.assign(passed_to_.size(), false);
}

void Worker::hand_out_datagrams() {
  const auto hand_out_one = [this](LinkId link, const net::Address& from, Bytes datagram) {
    hand_out(link, from, datagram);
  };
  if (!datagram_queue_.take(hand_out_one, [this] { return !loop_.time_is_up(); })) loop_.serve(handing_out_);
}

void Worker::hand_out(LinkId link, const net::Address& from, Bytes datagram) {
  const auto found = sessions_.find(link);
  if (found != sessions_.end()) found->second->receive_datagram(from, datagram);
}

// -- The end ----------------------------------------------------------------------------------------------------------

void Worker::begin_stop() {
  stopping_ = true;
  invited_.clear();
  for (Probed& one : probed_)
    if (one.probes) one.probes->close();
  while (!newcomers_.empty()) seat_next(newcomers_.begin()->first);
  for (auto& [routes, acceptor, pinned] : listeners_)
    if (acceptor) acceptor->stop();
  for (auto& [number, housed] : shared_rooms_) housed.shared_room->stop();  // for all guests at once, not one by one
  for (auto& [link, session] : sessions_) session->stop();
  std::vector<HttpCaller*> callers;  // stopping one may take it out of the map
  for (auto& [link, caller] : callers_) callers.push_back(caller.get());
  for (HttpCaller* caller : callers) caller->stop();
  if (++pool_.begun_to_stop == pool_.workers.size())
    for (auto& worker : pool_.workers) worker->wake();  // they may wait for this one
  finish_if_empty();
}

/// Once all workers have begun to stop, none assigns clients to another. Those assigned before have been posted.
void Worker::finish_if_empty() {
  if (!stopping_ || pool_.begun_to_stop < pool_.workers.size() || !sessions_.empty() || !callers_.empty() ||
      !newcomers_.empty())
    return;
  for (auto& [routes, acceptor, pinned] : listeners_)
    if (acceptor && !acceptor->finish()) return;
  const auto leaves = [](const auto& one) { return one.second->leaves(); };
  if (std::any_of(moved_clients_.begin(), moved_clients_.end(), leaves)) return;
  if (!mailbox_.close_if_empty()) return;
  moved_clients_.clear();
  for (auto& [number, housed] : shared_rooms_) housed.shared_room->close_annex();
  ticker_.reset();
}

}  // namespace entente::relay
