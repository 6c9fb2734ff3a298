#include "proxy/relay/acceptors/datagram_acceptor.h"

#include <utility>

#include "proxy/relay/ends/enet_reason.h"

namespace entente::relay {
namespace {

// A connect is 52 bytes, or fewer by the range coder. More is not worth the time that opening it takes.
constexpr std::size_t kLargestConnect = 128;

}  // namespace

DatagramAcceptor::DatagramAcceptor(WorkerRoute& worker_route, std::atomic<LinkId>& last_link, const Limits& limits)
    : worker_route_(worker_route),
      last_link_(last_link),
      limits_(limits),
      admission_(worker_route.route.access, worker_route.route.bans),
      pace_(kUnprovenPerSecond, kMostUnproven, worker_route.loop.now()),
      reader_(worker_route.loop, *this),
      queries_(worker_route, *this) {}

DatagramAcceptor::~DatagramAcceptor() { worker_route_.loop.never(*this); }

Outcome<net::Address> DatagramAcceptor::open(const net::Address&) {
  const net::Address& listener = worker_route_.route.listener;
  admission_.set_place(worker_route_.place());
  if (reader_.open(worker_route_.route.datagrams.get())) return listener;
  return Error{"cannot watch the listener " + listener.text() + "; raise the limit of open files"};
}

void DatagramAcceptor::stop() {
  stopping_ = true;
  reader_.close();
  queries_.close();
  for (auto& [link, session] : sessions_) session->end(Reason::kStopped);
}

void DatagramAcceptor::tick(Millis now) {
  queries_.tick(now);
  if (now >= tidy_at_) {
    admission_.tidy(now);
    tidy_at_ = now + kTidyEvery;
  }
  for (auto& [link, session] : sessions_) session->tick(now);
}

void DatagramAcceptor::answer(const Queries::Asker& to, Bytes datagram) {
  worker_route_.to_clients->push(to.here, to.from, datagram);
}

void DatagramAcceptor::datagram(const net::Address& from, Bytes bytes) {
  if (queries_.take({from, reader_.here()}, bytes)) return;
  const auto known = by_client_.find(from);
  const auto header = net::enet_header(bytes);
  const bool asks = header && header->peer() == net::EnetHeader::kNobody && bytes.size() <= kLargestConnect;
  if (known != by_client_.end() && !asks) return known->second->client_said(bytes);
  const auto connect = asks ? net::enet_connect(bytes, unpacker_) : std::nullopt;
  if (!connect) return worker_route_.dropped(Drop::kUnknownSource);
  if (known != by_client_.end()) {
    DatagramSession& session = *known->second;
    if (session.is(*connect)) return session.client_said(bytes);
    const auto over = session.gives_way();
    // No answer: it would reach the client that is there, and could end its connection.
    if (!over) return worker_route_.dropped(Drop::kUnknownSource);
    session.end(*over);
  }
  knock(from, *connect, bytes);
}

void DatagramAcceptor::knock(const net::Address& from, const net::EnetCommand& connect, Bytes datagram) {
  if (const auto why = objection(connect)) return turn_away(from, connect, *why);
  if (const auto why = admission_.objection(from, limits_)) return turn_away(from, connect, *why);
  if (!pace_.take_one(worker_route_.loop.now())) return worker_route_.dropped(Drop::kTooFast);  // ENet asks again
  if (unproven_.size() >= kMostUnproven) sessions_.at(*unproven_.begin())->end(Reason::kGreetTimeout);
  const Route& route = worker_route_.route;
  const LinkId link = last_link_.fetch_add(1, std::memory_order_relaxed) + 1;
  const SessionInfo info{link, &route.game, route.dialect, from, route.servers.front(), reader_.here()};
  DatagramSession::Owner& owner = *this;
  auto& session = sessions_[link];
  session = std::make_unique<DatagramSession>(worker_route_, owner, unpacker_, limits_, info, connect, datagram);
  by_client_[from] = session.get();
  unproven_.insert(link);
  session->start();
}

std::optional<Reason> DatagramAcceptor::objection(const net::EnetCommand& connect) {
  const auto dialect = worker_route_.route.game.named_by_connect(connect.data);
  if (!dialect) return Reason::kDialectUnknown;
  if (*dialect == worker_route_.route.dialect) return std::nullopt;
  worker_route_.say_wrong_client(*dialect);
  return Reason::kDialectMismatch;
}

void DatagramAcceptor::turn_away(const net::Address& from, const net::EnetCommand& connect, Reason why) {
  const Route& route = worker_route_.route;
  worker_route_.ended(SessionInfo{0, &route.game, route.dialect, from, route.servers.front(), reader_.here()}, why);
  worker_route_.to_clients->push(reader_.here(), from,
                                 net::enet_disconnect(connect.peer, enet_parting(route.game, why)));
}

std::optional<Reason> DatagramAcceptor::proven(DatagramSession& session) {
  const auto why = admission_.enter(session.info().client, limits_, worker_route_.loop.now());
  if (!why) unproven_.erase(session.info().link);
  return why;
}

void DatagramAcceptor::done(DatagramSession& session) {
  if (done_.empty()) worker_route_.loop.later(*this);
  done_.push_back(&session);
  if (session.proven()) admission_.leave(session.info().client);
  unproven_.erase(session.info().link);
  const auto mine = by_client_.find(session.info().client);
  if (mine != by_client_.end() && mine->second == &session) by_client_.erase(mine);
}

void DatagramAcceptor::at_turn_end() {
  for (DatagramSession* session : std::exchange(done_, {})) {
    worker_route_.counters.closed.add();
    sessions_.erase(session->info().link);
  }
}

}  // namespace entente::relay
