#include "proxy/relay/acceptors/datagram_acceptor.h"

#include <cerrno>
#include <utility>

#include "proxy/net/udp_twin.h"
#include "proxy/relay/ends/enet_reason.h"

namespace entente::relay {
namespace {

// A connect is 52 bytes, or fewer with the range coder. Larger datagrams are not tried as a connect, to save time.
constexpr std::size_t kLargestConnect = 128;

}  // namespace

DatagramAcceptor::DatagramAcceptor(WorkerRoute& worker_route, ServerProbes& probes, Dispatcher& dispatcher)
    : Acceptor(worker_route, probes, dispatcher),
      pace_(kUnprovenPerSecond, kMostUnproven, worker_route.loop.now()),
      reader_(worker_route.loop, *this) {}

DatagramAcceptor::~DatagramAcceptor() { worker_route_->loop.cancel_later(*this); }

Outcome<net::Address> DatagramAcceptor::open(net::Fd, const net::Address&) {
  const net::Address& listener = worker_route_->route.listen_address;
  set_ban_scope(listener);
  if (!std::exchange(closed_, false) && !reader_.open(route().listener->datagrams->get(), listener))
    return cannot_watch();
  return listener;
}

void DatagramAcceptor::stop() {
  reader_.close();
  close_queries();
  for (auto& [link, session] : sessions_) session->end(Reason::kStopped);
}

// -- A take-over ------------------------------------------------------------------------------------------------------

Outcome<Done> DatagramAcceptor::offer(std::vector<OfferedSocket>& out) { return offer_twin(out); }

Outcome<Done> DatagramAcceptor::release_newcomers() {
  const auto done = release_datagrams(reader_, [this] { return peers(); });
  released_ = done.ok();
  return done;
}

void DatagramAcceptor::cancel_take_over() {
  released_ = false;
  drop_twin();
}

void DatagramAcceptor::complete_take_over() { twin_.reset(); }

std::vector<net::UdpReader::Peer> DatagramAcceptor::peers() const {
  std::vector<net::UdpReader::Peer> all;
  for (const auto& [client, session] : by_client_) all.push_back({client, session->info().listener});
  return all;
}

void DatagramAcceptor::tick(Millis now) {
  Acceptor::tick(now);
  for (auto& [link, session] : sessions_) session->tick(now);
}

void DatagramAcceptor::datagram(const net::Address& from, Bytes bytes) {
  if (queries_->take({from, reader_.local_address()}, bytes)) return;
  const auto known = by_client_.find(from);
  const auto header = net::enet_header(bytes);
  const bool asks = header && header->peer() == net::EnetHeader::kNobody && bytes.size() <= kLargestConnect;
  if (known != by_client_.end() && !asks) return known->second->client_said(bytes);
  const auto connect = asks ? net::enet_connect(bytes, unpacker_) : std::nullopt;
  if (!connect) return worker_route_->dropped(Drop::kUnknownSource);
  if (known != by_client_.end()) {
    DatagramSession& session = *known->second;
    if (session.is(*connect)) return session.client_said(bytes);
    const auto over = session.gives_way();
    // No answer: it would reach the client that is there, and could end its connection.
    if (!over) return worker_route_->dropped(Drop::kUnknownSource);
    session.end(*over);
  }
  open_session(from, *connect, bytes);
}

void DatagramAcceptor::open_session(const net::Address& from, const net::EnetCommand& connect, Bytes datagram) {
  // The client connects anew from the port of a session of this process. ENet retries, and the other process receives
  // it.
  if (released_) return worker_route_->dropped(Drop::kUnknownSource);
  if (closed_) return turn_away(from, connect, Reason::kDraining);
  if (const auto why = objection_to_dialect(connect.data)) return turn_away(from, connect, *why);
  if (const auto why = admission_.objection(from, limits())) return turn_away(from, connect, *why);
  if (!pace_.take_one(now())) return worker_route_->dropped(Drop::kTooFast);  // ENet retries
  if (unproven_.size() >= kMostUnproven) sessions_.at(*unproven_.begin())->end(Reason::kGreetTimeout);
  const Route& route = worker_route_->route;
  const LinkId link = dispatcher_.next_link();
  const LinkInfo info{link, &route.game, route.dialect, from, route.upstreams.any_address(), reader_.local_address()};
  DatagramSession::Owner& owner = *this;
  auto& session = sessions_[link];
  session = std::make_unique<DatagramSession>(*worker_route_, owner, unpacker_, limits(), info, connect, datagram);
  by_client_[from] = session.get();
  unproven_.insert(link);
  session->start();
}

void DatagramAcceptor::turn_away(const net::Address& from, const net::EnetCommand& connect, Reason why) {
  tell_turned_away(from, reader_.local_address(), why);
  const std::uint32_t code = enet_parting(worker_route_->route.game, why);
  worker_route_->to_clients->push(reader_.local_address(), from, net::enet_disconnect(connect.peer, code));
}

std::optional<Reason> DatagramAcceptor::proven(DatagramSession& session) {
  const auto why = admission_.enter(session.info().client, limits(), now());
  if (!why) unproven_.erase(session.info().link);
  return why;
}

void DatagramAcceptor::done(DatagramSession& session) {
  tidy_later();
  done_.push_back(&session);
  session.worker_route().counters.gone.add();  // now, because a client of this turn may take its place
  if (session.proven()) admission_.leave(session.info().client);
  unproven_.erase(session.info().link);
  const auto mine = by_client_.find(session.info().client);
  if (mine == by_client_.end() || mine->second != &session) return;
  by_client_.erase(mine);
  reader_.forget(session.info().client);
}

void DatagramAcceptor::tidy_later() {
  if (!std::exchange(tidies_, true)) worker_route_->loop.later(*this);
}

void DatagramAcceptor::at_turn_end() {
  tidies_ = false;
  for (DatagramSession* session : std::exchange(done_, {})) sessions_.erase(session->info().link);
}

}  // namespace entente::relay
