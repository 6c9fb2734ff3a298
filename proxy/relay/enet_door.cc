#include "proxy/relay/enet_door.h"

#include <algorithm>
#include <utility>

#include "proxy/relay/enet_reason.h"

namespace entente::relay {
namespace {

// Peers beyond the limit of sessions: for those who are being told that it is full, and those who are being let go.
constexpr std::size_t kSparePeers = 64;
constexpr Millis kTidyEvery = 1'000;
constexpr std::size_t kMostPeers = ENET_PROTOCOL_MAXIMUM_PEER_ID;

std::size_t peers_for(const Limits& limits) {
  if (limits.sessions == 0) return kMostPeers;
  return std::min<std::size_t>(limits.sessions + kSparePeers, kMostPeers);
}

}  // namespace

EnetDoor::EnetDoor(Branch& branch, std::atomic<LinkId>& last_link, const Limits& limits)
    : branch_(branch), last_link_(last_link), limits_(limits), host_(branch.loop, *this), queries_(branch, *this) {}

EnetDoor::~EnetDoor() { branch_.loop.never(*this); }

Outcome<net::Address> EnetDoor::open(const net::Address& at) {
  const wire::Game& game = branch_.route.game;
  const wire::EnetManners manners = game.enet();
  return host_.listen(at, {peers_for(limits_), manners.channels, manners.range_coder, game.largest_frame()});
}

void EnetDoor::stop() {
  stopping_ = true;
  for (auto& [link, session] : sessions_) session->stop();
  queries_.close();
  if (sessions_.empty()) host_.close();
}

void EnetDoor::tick(Millis now) {
  queries_.tick(now);
  if (now >= tidy_at_) {
    gate_.tidy(now);
    tidy_at_ = now + kTidyEvery;
  }
  for (auto& [link, session] : sessions_) session->tick(now);
}

void EnetDoor::connected(net::EnetPeer& peer, std::uint32_t data) {
  const net::Address from = peer.address();
  if (stopping_) return turn_away(peer, Reason::kStopped);
  if (const auto why = gate_.enter(from, limits_, branch_.loop.now())) return turn_away(peer, *why);
  const LinkId link = last_link_.fetch_add(1, std::memory_order_relaxed) + 1;
  auto& session = sessions_[link];
  EnetSession::Owner& owner = *this;
  session = std::make_unique<EnetSession>(branch_, owner, host_, peer, link, limits_);
  peer.owner = session.get();
  session->start(data);
}

void EnetDoor::turn_away(net::EnetPeer& peer, Reason why) {
  const SessionInfo who{0,
                        &branch_.route.game,
                        branch_.route.dialect,
                        peer.address(),
                        branch_.route.servers.front(),
                        branch_.route.listener};
  branch_.ended(who, why);
  host_.dismiss(peer, enet_parting(branch_.route.game, why));
}

void EnetDoor::received(net::EnetPeer& peer, std::uint8_t channel, net::EnetPacket packet) {
  if (auto* session = static_cast<EnetSession*>(peer.owner)) session->client_said(channel, std::move(packet));
}

void EnetDoor::disconnected(net::EnetPeer& peer, std::uint32_t data) {
  if (auto* session = static_cast<EnetSession*>(peer.owner)) session->client_left(data);
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
  if (stopping_ && sessions_.empty()) host_.close();
}

}  // namespace entente::relay
