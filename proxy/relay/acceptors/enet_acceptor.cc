#include "proxy/relay/acceptors/enet_acceptor.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "proxy/relay/ends/enet_reason.h"

namespace entente::relay {
namespace {

// Peers beyond the limit of sessions: clients that are being refused or disconnected.
constexpr std::size_t kSparePeers = 64;
constexpr std::size_t kMostPeers = ENET_PROTOCOL_MAXIMUM_PEER_ID;

std::size_t peers_for(const Limits& limits) {
  if (limits.sessions == 0) return kMostPeers;
  return std::min<std::size_t>(limits.sessions + kSparePeers, kMostPeers);
}

}  // namespace

EnetAcceptor::EnetAcceptor(WorkerRoute& worker_route, ServerProbes& probes, Dispatcher& dispatcher)
    : Acceptor(worker_route, probes, dispatcher), host_(worker_route.loop, *this) {}

Outcome<net::Address> EnetAcceptor::open(net::Fd, const net::Address& at) {
  if (host_.is_open()) {
    closed_ = false;
    return host_.local_address();
  }
  const wire::Game& game = worker_route_->route.game;
  const wire::EnetSettings settings = game.enet();
  auto bound = host_.listen(at, {peers_for(limits()), settings.channels, settings.range_coder, game.largest_frame()});
  if (bound) set_ban_scope(*bound);
  return bound;
}

void EnetAcceptor::close() {
  closed_ = true;
  for (auto& one : std::exchange(waiting_, {})) refuse(*one, Reason::kDraining);
}

void EnetAcceptor::stop() {
  stopping_ = true;
  close_queries();
  for (auto& one : std::exchange(waiting_, {})) refuse(*one, Reason::kDraining);
  finish();
}

Outcome<Done> EnetAcceptor::offer(std::vector<OfferedSocket>& out) { return offer_twin(out); }

Outcome<Done> EnetAcceptor::release_newcomers() {
  if (host_.release_newcomers(twin_.get())) return Done{};
  return cannot_share();
}

void EnetAcceptor::cancel_take_over() {
  drop_twin();
  host_.take_back();
}

void EnetAcceptor::complete_take_over() { twin_.reset(); }

/// The worker calls this regularly, because no left() is called here when a player who was moved here leaves.
bool EnetAcceptor::finish() {
  if (!stopping_ || !empty() || host_.awaits_leaving()) return false;
  host_.close();
  return true;
}

// -- Coming in --------------------------------------------------------------------------------------------------------

void EnetAcceptor::connected(net::EnetPeer& peer, std::uint32_t data) {
  const net::Address from = peer.address();
  if (stopping_ || closed_) return turn_away(peer, Reason::kDraining);
  if (const auto why = admission_.enter(from, limits(), now())) return turn_away(peer, *why);
  AcceptedClient newcomer{0, dispatcher_.next_link(), net::Fd(), from, limits()};
  newcomer.go_by(worker_route_->route);
  newcomer.enet = {&host_, &peer, data};
  const auto why = worker_route_->route.options->bridge ? objection_to_dialect(data) : std::nullopt;
  if (why) return refuse(EnetWaiting(std::move(newcomer), now()), *why);
  if (!known()) return wait(std::move(newcomer));
  const std::size_t worker = dispatcher_.next_worker(worker_route_->route);
  if (worker == worker_route_->route.listener->home) return assign(std::move(newcomer), worker);
  waiting_.push_back(std::make_unique<EnetWaiting>(std::move(newcomer), now()));
  waiting_.back()->worker = worker;
  worker_route_->loop.later(*this);  // a peer cannot move while the host calls us
}

void EnetAcceptor::wait(AcceptedClient newcomer) {
  waiting_.push_back(std::make_unique<EnetWaiting>(std::move(newcomer), now(), holds_until()));
  probes_->players_wait();
  if (probes_->failed()) probed();
}

void EnetAcceptor::tick(Millis now) {
  std::erase_if(waiting_, [this](const auto& one) {
    if (!one->here()) left_waiting(*one);
    return !one->here();
  });
  if (!waiting_.empty() && !known()) probes_->players_wait();
  Acceptor::tick(now);
}

/// Assigns the client to the next worker. If its peer cannot move there, the client stays on this worker.
void EnetAcceptor::assign(EnetWaiting& one) {
  const std::size_t home = worker_route_->route.listener->home;
  std::size_t worker = one.worker ? *one.worker : dispatcher_.next_worker(worker_route_->route);
  if (worker != home) {
    net::Fd socket = host_.socket_for(*one.newcomer.enet.peer);
    if (!one.here()) return left_waiting(one);
    net::EnetPeer& peer = *one.newcomer.enet.peer;
    if (socket) one.newcomer.moved_enet = host_.release(peer, std::move(socket));
    if (!one.newcomer.moved_enet) worker = home;
  }
  one.newcomer.enet.peer->owner = nullptr;
  assign(std::move(one.newcomer), worker);
}

void EnetAcceptor::assign(AcceptedClient newcomer, std::size_t worker) {
  newcomer.choose_server(worker_route_->route.upstreams, now());
  dispatcher_.assign(worker, std::move(newcomer));
}

void EnetAcceptor::probed() {
  const bool known = this->known();
  if (!known && !probes_->failed()) return;
  for (auto& one : std::exchange(waiting_, {})) {
    const bool holds = !known && now() < one->until && one->here() && !one->said_too_much();
    if (holds) {
      waiting_.push_back(std::move(one));
      continue;
    }
    if (!known || !one->here() || one->said_too_much()) {
      refuse(*one, known || one->said_too_much() ? Reason::kBadFrame : probes_->why());
      continue;
    }
    if (const auto why = barred(one->newcomer)) {
      refuse(*one, *why);
      continue;
    }
    assign(*one);
  }
}

void EnetAcceptor::command(const SessionCommand& command, Inquiry::Part& part) {
  for (auto& one : std::exchange(waiting_, {})) {
    const auto farewell = one->here() ? command_waiting(command, part, one->newcomer, one->since) : std::nullopt;
    if (!farewell) {
      waiting_.push_back(std::move(one));
      continue;
    }
    admission_.leave(one->newcomer.client);
    say_goodbye(*one->newcomer.enet.peer, farewell->why, farewell->words);
  }
}

void EnetAcceptor::route_changed() {
  for (auto& one : waiting_) one->newcomer.go_by(worker_route_->route);
  probed();
}

/// Refuses a client that was let in already.
void EnetAcceptor::refuse(const EnetWaiting& one, Reason why) {
  if (!one.here()) return left_waiting(one);
  admission_.leave(one.newcomer.client);
  tell_waiting_ended(one.newcomer, one.since, why);
  say_goodbye(*one.newcomer.enet.peer, why, words_for(one.newcomer.client, why));
}

void EnetAcceptor::left_waiting(const EnetWaiting& one) {
  admission_.leave(one.newcomer.client);
  tell_waiting_ended(one.newcomer, one.since, Reason::kClientLeft);
}

void EnetAcceptor::turn_away(net::EnetPeer& peer, Reason why) {
  tell_turned_away(peer.address(), worker_route_->route.listen_address, why);
  say_goodbye(peer, why, words_for(peer.address(), why));
}

void EnetAcceptor::say_goodbye(net::EnetPeer& peer, Reason why, const std::string& words) {
  peer.owner = nullptr;
  for (const Buffer& said : refusal(why, words))
    host_.send(peer, 0, net::EnetPacket(said, net::EnetDelivery::kReliable));
  host_.disconnect_without_callback(peer, enet_parting(worker_route_->route.game, why), limits().linger_ms);
}

// -- From the peers ---------------------------------------------------------------------------------------------------

void EnetAcceptor::received(net::EnetPeer& peer, std::uint8_t channel, net::EnetPacket packet) {
  if (auto* guest = static_cast<EnetPeerUser*>(peer.owner)) guest->peer_said(channel, std::move(packet));
}

void EnetAcceptor::disconnected(net::EnetPeer& peer, std::uint32_t data) {
  if (auto* guest = static_cast<EnetPeerUser*>(peer.owner)) guest->peer_left(data, peer.timed_out());
}

void EnetAcceptor::wrote(net::EnetPeer& peer) {
  if (auto* guest = static_cast<EnetPeerUser*>(peer.owner)) guest->peer_wrote();
}

// -- Going out --------------------------------------------------------------------------------------------------------

void EnetAcceptor::left(LinkId link, const Route& its, const net::Address& client, bool called) {
  Acceptor::left(link, its, client, called);
  finish();
}

}  // namespace entente::relay
