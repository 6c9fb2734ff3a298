#include "proxy/relay/enet_door.h"

#include <algorithm>
#include <utility>

#include "proxy/relay/enet_reason.h"

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

EnetDoor::EnetDoor(Branch& branch, Seating& seating, const Limits& limits)
    : branch_(branch),
      seating_(seating),
      limits_(limits),
      gate_(branch.route.access, branch.route.bans),
      host_(branch.loop, *this),
      queries_(branch, *this),
      finder_(branch, *this) {}

EnetDoor::~EnetDoor() { branch_.loop.never(*this); }

Outcome<net::Address> EnetDoor::open(const net::Address& at) {
  const wire::Game& game = branch_.route.game;
  const wire::EnetManners manners = game.enet();
  auto bound = host_.listen(at, {peers_for(limits_), manners.channels, manners.range_coder, game.largest_frame()});
  if (bound) gate_.set_place({branch_.route.server_name, bound->text()});
  return bound;
}

void EnetDoor::stop() {
  stopping_ = true;
  for (auto& [link, session] : sessions_) session->stop();
  queries_.close();
  finder_.close();
  for (auto& one : std::exchange(waiting_, {})) refuse(*one, Reason::kStopped);
  close_if_empty();
}

void EnetDoor::close_if_empty() {
  if (stopping_ && empty()) host_.close();
}

void EnetDoor::tick(Millis now) {
  queries_.tick(now);
  if (now >= tidy_at_) {
    gate_.tidy(now);
    tidy_at_ = now + kTidyEvery;
  }
  finder_.tick(now, limits_);
  for (auto& [link, session] : sessions_) session->tick(now);
}

// -- Coming in --------------------------------------------------------------------------------------------------------

void EnetDoor::connected(net::EnetPeer& peer, std::uint32_t data) {
  const net::Address from = peer.address();
  if (stopping_) return turn_away(peer, Reason::kStopped);
  if (const auto why = gate_.enter(from, limits_, branch_.loop.now())) return turn_away(peer, *why);
  if (!branch_.route.bridge) return relay(peer, data);
  Newcomer newcomer{branch_.route.index, seating_.next_link(), net::Fd(), from, limits_, 0, {&host_, &peer, data}};
  const auto why = objection(data);
  why ? refuse(EnetWaiting(std::move(newcomer)), *why) : bridge(std::move(newcomer));
}

void EnetDoor::relay(net::EnetPeer& peer, std::uint32_t data) {
  const LinkId link = seating_.next_link();
  auto& session = sessions_[link];
  EnetSession::Owner& owner = *this;
  session = std::make_unique<EnetSession>(branch_, owner, host_, peer, link, limits_);
  peer.owner = static_cast<EnetGuest*>(session.get());
  session->start(data);
}

/// Of a bridge's client that connects with this.
std::optional<Reason> EnetDoor::objection(std::uint32_t data) {
  const auto dialect = branch_.route.game.named_by_connect(data);
  if (!dialect) return Reason::kDialectUnknown;
  if (*dialect == branch_.route.dialect) return std::nullopt;
  branch_.say_wrong_client(*dialect);
  return Reason::kDialectMismatch;
}

void EnetDoor::bridge(Newcomer newcomer) {
  if (finder_.known()) return seat(std::move(newcomer));
  waiting_.push_back(std::make_unique<EnetWaiting>(std::move(newcomer)));
  finder_.want(limits_);
  if (finder_.failed()) found_out();
}

void EnetDoor::seat(Newcomer newcomer) {
  newcomer.server_dialect = finder_.dialect();
  seating_.seat(branch_.route.home, std::move(newcomer));
}

void EnetDoor::found_out() {
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
void EnetDoor::refuse(const EnetWaiting& one, Reason why) {
  gate_.leave(one.newcomer.client);
  if (one.here()) turn_away(*one.newcomer.enet.peer, why);
}

void EnetDoor::turn_away(net::EnetPeer& peer, Reason why) {
  const SessionInfo who{0,
                        &branch_.route.game,
                        branch_.route.dialect,
                        peer.address(),
                        branch_.route.servers.front(),
                        branch_.route.listener};
  branch_.ended(who, why);
  peer.owner = nullptr;
  if (why == Reason::kBanned || why == Reason::kNotAllowed) {
    const Buffer said = branch_.route.game.banned(branch_.route.dialect, branch_.why_banned(peer.address()));
    if (!said.empty()) host_.send(peer, 0, net::EnetPacket(said, net::EnetSend::kReliable));
  }
  const std::uint32_t code = enet_parting(branch_.route.game, why);
  stopping_ ? host_.drop(peer, code) : host_.dismiss(peer, code);  // the host closes as soon as nobody is inside
}

// -- From the peers ---------------------------------------------------------------------------------------------------

void EnetDoor::received(net::EnetPeer& peer, std::uint8_t channel, net::EnetPacket packet) {
  if (auto* guest = static_cast<EnetGuest*>(peer.owner)) guest->client_said(channel, std::move(packet));
}

void EnetDoor::disconnected(net::EnetPeer& peer, std::uint32_t data) {
  if (auto* guest = static_cast<EnetGuest*>(peer.owner)) guest->client_left(data, peer.silent());
}

void EnetDoor::eased(net::EnetPeer& peer) {
  if (auto* guest = static_cast<EnetGuest*>(peer.owner)) guest->client_eased();
}

wire::Status EnetDoor::status() const { return branch_.status(gate_.inside(), limits_.sessions); }

// -- Going out --------------------------------------------------------------------------------------------------------

void EnetDoor::left(const net::Address& client, bool server_unreached) {
  gate_.leave(client);
  if (server_unreached) finder_.lost();
  close_if_empty();
}

void EnetDoor::done(EnetSession& session) {
  if (done_.empty()) branch_.loop.later(*this);
  done_.push_back(&session);
}

void EnetDoor::at_turn_end() {
  for (EnetSession* session : std::exchange(done_, {})) {
    gate_.leave(session->info().client);
    branch_.counters.closed.add();
    sessions_.erase(session->info().link);
  }
  close_if_empty();
}

}  // namespace entente::relay
