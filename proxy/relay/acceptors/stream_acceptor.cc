#include "proxy/relay/acceptors/stream_acceptor.h"

#include <cerrno>

#include "proxy/net/udp_twin.h"

namespace entente::relay {
namespace {

constexpr Millis kPartsFor = 1'000;
constexpr std::size_t kMostParting = 256;

}  // namespace

StreamAcceptor::StreamAcceptor(WorkerRoute& worker_route, ServerProbes& probes, Dispatcher& dispatcher)
    : Acceptor(worker_route, probes, dispatcher),
      table_(worker_route.route.game),
      tcp_acceptor_(worker_route.loop, *this),
      datagrams_(worker_route.loop, *this),
      proxy_headers_(worker_route.loop, worker_route.route.options->proxies, *this) {}

Outcome<net::Address> StreamAcceptor::open(net::Fd listening, const net::Address&) {
  const auto& udp = route().listener->datagrams;
  const bool watched = tcp_acceptor_.open(std::move(listening)) &&
                       (!udp || reads_ || datagrams_.open(udp->get(), route().listen_address));
  if (!watched) return cannot_watch();
  reads_ = udp != nullptr;
  set_ban_scope(route().listen_address);
  return route().listen_address;
}

/// The sessions still receive datagrams.
void StreamAcceptor::close() {
  tcp_acceptor_.close();
  proxy_headers_.close();
  turn_away_waiting();
}

void StreamAcceptor::stop() {
  tcp_acceptor_.close();
  datagrams_.close();
  proxy_headers_.close();
  close_queries();
  turn_away_waiting();
  while (!parting_.empty()) close_oldest_parting();
}

void StreamAcceptor::turn_away_waiting() {
  for (Waiting& one : std::exchange(waiting_, {})) part_from(std::move(one), Reason::kDraining);
}

/// Ends the wait of a client that gets no session.
void StreamAcceptor::part_from(Waiting one, Reason why) {
  forget(one.client);
  if (why != Reason::kClientLeft) say_goodbye(std::move(one.client.fd), why, words_for(one.client.client, why));
  if (!one.client.health_check) tell_waiting_ended(one.client, one.since, why);
}

/// Drops the clients that have left while they waited. A relay's client may have closed only its direction: as in a
/// session, that ends its wait only while no server is there.
void StreamAcceptor::drop_gone() {
  if (waiting_.empty() || (!route().options->bridge && !probes_->away())) return;
  std::vector<int> fds;
  for (const Waiting& one : waiting_) fds.push_back(one.client.fd.get());
  const std::vector<bool> gone = net::peers_have_ended(fds);
  std::vector<Waiting> here;
  for (std::size_t i = 0; i < gone.size(); ++i) {
    if (gone[i])
      part_from(std::move(waiting_[i]), Reason::kClientLeft);
    else
      here.push_back(std::move(waiting_[i]));
  }
  waiting_ = std::move(here);
}

void StreamAcceptor::forget(const AcceptedClient& client) {
  client.health_check ? admission_.stop_calling(client.client) : admission_.leave(client.client);
}

// -- A take-over ------------------------------------------------------------------------------------------------------

Outcome<Done> StreamAcceptor::offer(std::vector<OfferedSocket>& out) {
  net::Fd copy = tcp_acceptor_.copy();
  if (!copy) return cannot_watch();
  out.push_back({std::move(copy), route().listen_address});
  return reads_ ? offer_twin(out) : Done{};
}

Outcome<Done> StreamAcceptor::release_newcomers() {
  tcp_acceptor_.pause(true);
  return reads_ ? release_datagrams(datagrams_, [this] { return peers(); }) : Done{};
}

void StreamAcceptor::cancel_take_over() {
  drop_twin();
  tcp_acceptor_.pause(false);
}

void StreamAcceptor::complete_take_over() {
  twin_.reset();
  tcp_acceptor_.close();
  route().listener->given_away = true;
}

/// The addresses that clients' datagrams may come from: that of the TCP connection, or a linked one (LinkTable).
std::vector<net::UdpReader::Peer> StreamAcceptor::peers() const {
  std::vector<net::UdpReader::Peer> all;
  table_.for_each([&](const net::Address& client, const net::Address& here) { all.push_back({client, here}); });
  return all;
}

void StreamAcceptor::tick(Millis now) {
  tcp_acceptor_.resume();
  while (!parting_.empty() && now >= parting_.front().second) close_oldest_parting();
  proxy_headers_.tick(limits().greet_ms);
  drop_gone();
  if (!waiting_.empty()) probes_->want();
  Acceptor::tick(now);
}

void StreamAcceptor::command(const SessionCommand& command, Inquiry::Part& part) {
  for (Waiting& one : std::exchange(waiting_, {})) {
    const auto farewell =
        one.client.health_check ? std::nullopt : command_waiting(command, part, one.client, one.since);
    if (!farewell) {
      waiting_.push_back(std::move(one));
      continue;
    }
    forget(one.client);
    say_goodbye(std::move(one.client.fd), farewell->why, farewell->words);
  }
}

void StreamAcceptor::accepted(net::Fd fd, const net::Address& from) {
  if (route().options->proxies.empty()) return client_named(std::move(fd), from, false);
  if (!route().options->proxies.hold(from)) return turn_away(std::move(fd), from, Reason::kNotProxy);
  proxy_headers_.add(std::move(fd), from);
}

void StreamAcceptor::client_named(net::Fd fd, const net::Address& client, bool health_check) {
  AcceptedClient newcomer{0, 0, std::move(fd), client, limits_of_caller(), health_check};
  const auto why = health_check       ? admission_.call_for_check(client, newcomer.limits, now())
                   : route().by_web() ? admission_.call(client, newcomer.limits, now())
                                      : admission_.enter(client, newcomer.limits, now());
  if (why) {
    say_goodbye(std::move(newcomer.fd), *why, words_for(client, *why));
    return health_check ? void() : tell_turned_away(client, route().listen_address, *why);
  }
  newcomer.only_resumes = !health_check && route().listener->draining;
  newcomer.link = dispatcher_.next_link();
  newcomer.go_by(worker_route_->route);
  admit(std::move(newcomer), now(), holds_until());
}

void StreamAcceptor::client_unnamed(net::Fd fd, const net::Address& by, net::NoHeader why, const Fault& fault) {
  switch (why) {
    case net::NoHeader::kWrong:
      return turn_away(std::move(fd), by, Reason::kBadRequest, fault);
    case net::NoHeader::kLate:
      return turn_away(std::move(fd), by, Reason::kGreetTimeout);
    case net::NoHeader::kTooMany:
      return turn_away(std::move(fd), by, Reason::kTooMany);
    case net::NoHeader::kOutOfDescriptors:
      return turn_away(std::move(fd), by, Reason::kOutOfDescriptors);
    case net::NoHeader::kLeft:
      return;  // it only checked whether the port is open, or whether we answer
  }
}

/// The connection must be closed at once. What the client has sent already is read, so that closing does not reset the
/// connection.
void StreamAcceptor::starved(net::Fd fd, const net::Address& from) {
  net::say_last(fd.get(), last_word(Reason::kOutOfDescriptors, words_for(from, Reason::kOutOfDescriptors)));
  net::drop_received(fd.get());
  fd.reset();
  tell_turned_away(from, route().listen_address, Reason::kOutOfDescriptors, Fault{""});
}

/// What a client is sent that is refused before it has a session. A client of TLS is sent an alert, because a handshake
/// would cost too much.
Buffer StreamAcceptor::last_word(Reason why, const std::string& words) const {
  const Route& its = worker_route_->route;
  Buffer said;
  if (!its.by_web())
    for (const Buffer& frame : refusal(why, words)) append(said, frame);
  else if (its.options->web.client_tls)
    append(said, net::kTlsAccessDenied);
  else
    net::write_answer(telling(why).http, words, said);
  return said;
}

void StreamAcceptor::turn_away(net::Fd fd, const net::Address& from, Reason why, const Fault& fault) {
  say_goodbye(std::move(fd), why, words_for(from, why, fault));
  tell_turned_away(from, route().listen_address, why, fault);
}

/// Does not wait: to refuse a crowd of newcomers must cost next to nothing.
void StreamAcceptor::say_goodbye(net::Fd fd, Reason why, const std::string& words) {
  const Buffer goodbye = last_word(why, words);
  if (fd && !goodbye.empty()) {
    net::say_last(fd.get(), goodbye);
    close_later(std::move(fd));
  }
}

/// Keeps the connection open for a while. Closing it with unread data would reset it, and the client would show that
/// error instead of our goodbye.
void StreamAcceptor::close_later(net::Fd fd) {
  if (parting_.size() >= kMostParting) close_oldest_parting();
  parting_.emplace_back(std::move(fd), now() + kPartsFor);
}

/// What it has sent already is read, so that closing does not reset the connection.
void StreamAcceptor::close_oldest_parting() {
  net::drop_received(parting_.front().first.get());
  parting_.pop_front();
}

/// Whether a session can begin. If the server is started for players, it begins before the server's dialect is known:
/// it waits by itself, and a client that only asks who plays is answered.
bool StreamAcceptor::may_begin() const {
  const Upstreams& upstreams = route().upstreams;
  const bool starts = upstreams.holds() && !upstreams.rules().launch.start.empty();
  return probes_->known() || (starts && !upstreams.any_up(now()));
}

void StreamAcceptor::admit(AcceptedClient newcomer, Millis since, Millis until) {
  if (!route().by_web() && !may_begin()) {
    waiting_.push_back({std::move(newcomer), since, until});
    probes_->want();
    if (probes_->failed()) probed();
    return;
  }
  if (!route().by_web()) newcomer.choose_server(route().upstreams, now());
  const SessionRef session{newcomer.link, dispatcher_.next_worker(route())};
  // Behind a load balancer, a datagram does not show which client sent it: such clients stay on TCP.
  if (route().with_datagrams() && route().options->proxies.empty())
    table_.enter(newcomer.client, net::local_address(newcomer.fd.get()), session);
  dispatcher_.assign(session.worker, std::move(newcomer));
}

void StreamAcceptor::left(LinkId link, const Route& its, const net::Address& client, bool called) {
  if (reads_) table_.for_each_of(link, [this](const net::Address& from) { datagrams_.forget(from); });
  table_.leave(link);
  Acceptor::left(link, its, client, called);
}

void StreamAcceptor::datagram(const net::Address& from, Bytes bytes) {
  const auto session = table_.find(from, bytes);
  if (!session)
    return queries_->take({from, datagrams_.local_address()}, bytes) ? void()
                                                                     : worker_route_->dropped(Drop::kUnknownSource);
  if (!dispatcher_.forward_datagram(*session, from, bytes)) worker_route_->dropped(Drop::kQueueFull);
}

void StreamAcceptor::probed() {
  if (!may_begin() && !probes_->failed()) return;
  for (Waiting& one : std::exchange(waiting_, {})) {
    if (may_begin()) {
      const auto why = one.client.health_check ? std::nullopt : barred(one.client);
      why ? part_from(std::move(one), *why) : admit(std::move(one.client), one.since, one.until);
    } else if (now() < one.until) {
      waiting_.push_back(std::move(one));
    } else {
      part_from(std::move(one), probes_->why());
    }
  }
}

void StreamAcceptor::route_changed() {
  proxy_headers_.trust(route().options->proxies);
  for (Waiting& one : waiting_) one.client.go_by(worker_route_->route);
  probed();
}

}  // namespace entente::relay
