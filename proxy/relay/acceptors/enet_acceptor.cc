#include "proxy/relay/acceptors/enet_acceptor.h"

#include <algorithm>
#include <utility>

#include "proxy/relay/ends/enet_reason.h"

namespace entente::relay {
namespace {

// Peers beyond the limit of sessions: for those who are being told that it is full, and those who are being let go.
constexpr std::size_t kSparePeers = 64;
constexpr std::size_t kMostPeers = ENET_PROTOCOL_MAXIMUM_PEER_ID;

std::size_t peers_for(const Limits& limits) {
  if (limits.sessions == 0) return kMostPeers;
  return std::min<std::size_t>(limits.sessions + kSparePeers, kMostPeers);
}

}  // namespace

EnetAcceptor::EnetAcceptor(WorkerRoute& worker_route, Seating& seating, const Limits& limits)
    : worker_route_(worker_route),
      seating_(seating),
      limits_(limits),
      admission_(worker_route.route.access, worker_route.route.bans),
      host_(worker_route.loop, *this),
      queries_(worker_route, *this),
      finder_(worker_route, *this) {}

EnetAcceptor::~EnetAcceptor() { worker_route_.loop.never(*this); }

Outcome<net::Address> EnetAcceptor::open(const net::Address& at) {
  const wire::Game& game = worker_route_.route.game;
  const wire::EnetSettings settings = game.enet();
  auto bound = host_.listen(at, {peers_for(limits_), settings.channels, settings.range_coder, game.largest_frame()});
  if (bound) admission_.set_place({worker_route_.route.server_name, bound->text()});
  return bound;
}

void EnetAcceptor::stop() {
  stopping_ = true;
  for (auto& [link, session] : sessions_) session->stop();
  queries_.close();
  finder_.close();
  for (auto& one : std::exchange(waiting_, {})) refuse(*one, Reason::kStopped);
  close_if_empty();
}

void EnetAcceptor::close_if_empty() {
  if (stopping_ && empty()) host_.close();
}

void EnetAcceptor::tick(Millis now) {
  queries_.tick(now);
  if (now >= tidy_at_) {
    admission_.tidy(now);
    tidy_at_ = now + kTidyEvery;
  }
  finder_.tick(now, limits_);
  for (auto& [link, session] : sessions_) session->tick(now);
}

// -- Coming in --------------------------------------------------------------------------------------------------------

void EnetAcceptor::connected(net::EnetPeer& peer, std::uint32_t data) {
  const net::Address from = peer.address();
  if (stopping_) return turn_away(peer, Reason::kStopped);
  if (const auto why = admission_.enter(from, limits_, worker_route_.loop.now())) return turn_away(peer, *why);
  if (!worker_route_.route.bridge) return relay(peer, data);
  Newcomer newcomer{worker_route_.route.index, seating_.next_link(), net::Fd(), from, limits_, 0,
                    {&host_, &peer, data}};
  const auto why = objection(data);
  why ? refuse(EnetWaiting(std::move(newcomer)), *why) : bridge(std::move(newcomer));
}

void EnetAcceptor::relay(net::EnetPeer& peer, std::uint32_t data) {
  const LinkId link = seating_.next_link();
  auto& session = sessions_[link];
  EnetSession::Owner& owner = *this;
  session = std::make_unique<EnetSession>(worker_route_, owner, host_, peer, link, limits_);
  peer.owner = static_cast<EnetGuest*>(session.get());
  session->start(data);
}

/// Of a bridge's client that connects with this.
std::optional<Reason> EnetAcceptor::objection(std::uint32_t data) {
  const auto dialect = worker_route_.route.game.named_by_connect(data);
  if (!dialect) return Reason::kDialectUnknown;
  if (*dialect == worker_route_.route.dialect) return std::nullopt;
  worker_route_.say_wrong_client(*dialect);
  return Reason::kDialectMismatch;
}

void EnetAcceptor::bridge(Newcomer newcomer) {
  if (finder_.known()) return seat(std::move(newcomer));
  waiting_.push_back(std::make_unique<EnetWaiting>(std::move(newcomer)));
  finder_.want(limits_);
  if (finder_.failed()) found_out();
}

void EnetAcceptor::seat(Newcomer newcomer) {
  newcomer.server_dialect = finder_.dialect();
  seating_.seat(worker_route_.route.home, std::move(newcomer));
}

void EnetAcceptor::found_out() {
  for (auto& one : std::exchange(waiting_, {})) {
    if (!finder_.known() || !one->here() || one->said_too_much()) {
      refuse(*one, finder_.known() ? Reason::kBadFrame : finder_.why());
      continue;
    }
    net::EnetPeer& peer = *one->newcomer.enet.peer;
    seat(std::move(one->newcomer));
    one->repeat_to(peer);
  }
}

/// Somebody who was let in already.
void EnetAcceptor::refuse(const EnetWaiting& one, Reason why) {
  admission_.leave(one.newcomer.client);
  if (one.here()) turn_away(*one.newcomer.enet.peer, why);
}

void EnetAcceptor::turn_away(net::EnetPeer& peer, Reason why) {
  const SessionInfo who{0,
                        &worker_route_.route.game,
                        worker_route_.route.dialect,
                        peer.address(),
                        worker_route_.route.servers.front(),
                        worker_route_.route.listener};
  worker_route_.ended(who, why);
  peer.owner = nullptr;
  if (why == Reason::kBanned || why == Reason::kNotAllowed) {
    const Buffer said =
        worker_route_.route.game.banned(worker_route_.route.dialect, worker_route_.why_banned(peer.address()));
    if (!said.empty()) host_.send(peer, 0, net::EnetPacket(said, net::EnetSend::kReliable));
  }
  const std::uint32_t code = enet_parting(worker_route_.route.game, why);
  stopping_ ? host_.drop(peer, code) : host_.dismiss(peer, code);  // the host closes as soon as nobody is inside
}

// -- From the peers ---------------------------------------------------------------------------------------------------

void EnetAcceptor::received(net::EnetPeer& peer, std::uint8_t channel, net::EnetPacket packet) {
  if (auto* guest = static_cast<EnetGuest*>(peer.owner)) guest->client_said(channel, std::move(packet));
}

void EnetAcceptor::disconnected(net::EnetPeer& peer, std::uint32_t data) {
  if (auto* guest = static_cast<EnetGuest*>(peer.owner)) guest->client_left(data, peer.silent());
}

void EnetAcceptor::eased(net::EnetPeer& peer) {
  if (auto* guest = static_cast<EnetGuest*>(peer.owner)) guest->client_eased();
}

wire::Status EnetAcceptor::status() const { return worker_route_.status(admission_.inside(), limits_.sessions); }

// -- Going out --------------------------------------------------------------------------------------------------------

void EnetAcceptor::left(const net::Address& client, bool server_unreached) {
  admission_.leave(client);
  if (server_unreached) finder_.lost();
  close_if_empty();
}

void EnetAcceptor::done(EnetSession& session) {
  if (done_.empty()) worker_route_.loop.later(*this);
  done_.push_back(&session);
}

void EnetAcceptor::at_turn_end() {
  for (EnetSession* session : std::exchange(done_, {})) {
    admission_.leave(session->info().client);
    worker_route_.counters.closed.add();
    sessions_.erase(session->info().link);
  }
  close_if_empty();
}

}  // namespace entente::relay
