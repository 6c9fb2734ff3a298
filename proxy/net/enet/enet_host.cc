#include "proxy/net/enet/enet_host.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstdint>
#include <unordered_set>
#include <utility>

#include "proxy/net/enet/enet_compressor.h"
#include "proxy/net/enet/enet_memory.h"
#include "proxy/net/secret.h"
#include "proxy/net/service_manager.h"
#include "proxy/net/socket.h"
#include "proxy/net/udp_twin.h"

namespace entente::net {
namespace {

// ENet's default holds 550 small datagrams; of a burst of a thousand, a fifth was lost.
constexpr int kReceiveBuffer = 4 << 20;
constexpr enet_uint32 kRefusedAfter = 1'000;  // milliseconds; each side pings twice a second
constexpr int kMostCalls = 64;  // calls of ENet that empty its socket when newcomers go to another process

[[maybe_unused]] const bool kCountsMemory = (use_counted_enet_memory(), true);  // before there is a host

thread_local EnetHost* serving = nullptr;  // whose datagrams ENet is reading on this thread: intercept() is not told

ENetAddress to_enet(const Address& address) {
  const auto* four = reinterpret_cast<const sockaddr_in*>(address.raw());
  return {four->sin_addr.s_addr, address.port()};
}

Address from_enet(const ENetAddress& address) {
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_addr.s_addr = address.host;
  four.sin_port = htons(address.port);
  return Address::from(reinterpret_cast<const sockaddr*>(&four));
}

enet_uint32 flags_of(EnetDelivery send) {
  switch (send) {
    case EnetDelivery::kReliable:
      return ENET_PACKET_FLAG_RELIABLE;
    case EnetDelivery::kUnsequenced:
      return ENET_PACKET_FLAG_UNSEQUENCED;
    default:
      return ENET_PACKET_FLAG_UNRELIABLE_FRAGMENT;
  }
}

}  // namespace

/// A socket that is connected to one peer.
struct EnetHost::PeerSocket final : Poll::User {
  PeerSocket(EnetHost& its, Fd its_fd) : host(its), fd(std::move(its_fd)) {}
  void ready(bool, bool, bool broken) override { host.ready(*this, broken); }

  EnetHost& host;
  Fd fd;
  Poll poll;
};

EnetHost::EnetHost(Loop& loop, User& user) : loop_(loop), user_(user) {}

void EnetPeer::Hearing::run() { peer.host_->hear(peer); }

EnetPeer::~EnetPeer() {
  for (; delivered_ < arrived_.size(); ++delivered_) enet_packet_destroy(arrived_[delivered_].packet);
}

void EnetPeer::arrive(const Arrived& one) {
  constexpr std::size_t kSome = 64;
  if (delivered_ >= kSome && delivered_ >= arrived_.size() / 2) {
    arrived_.erase(arrived_.begin(), arrived_.begin() + static_cast<std::ptrdiff_t>(delivered_));
    delivered_ = 0;
  }
  arrived_.push_back(one);
}

ENetPacket* EnetPeer::next_arrived(std::uint8_t& channel) {
  if (delivered_ == arrived_.size()) {
    arrived_.clear();
    delivered_ = 0;
    return nullptr;
  }
  const Arrived& next = arrived_[delivered_++];
  channel = next.channel;
  stop_counting_enet_memory(next.packet->data);
  stop_counting_enet_memory(next.packet);
  return next.packet;
}

EnetHost::~EnetHost() { close(); }

EnetPacket::EnetPacket(Bytes bytes, EnetDelivery send)
    : packet_(enet_packet_create(bytes.data(), bytes.size(), flags_of(send))) {}

EnetDelivery EnetPacket::delivery() const {
  if ((packet_->flags & ENET_PACKET_FLAG_RELIABLE) != 0) return EnetDelivery::kReliable;
  return (packet_->flags & ENET_PACKET_FLAG_UNSEQUENCED) != 0 ? EnetDelivery::kUnsequenced : EnetDelivery::kUnreliable;
}

Address EnetPeer::address() const { return from_enet(peer_->address); }

std::size_t EnetHost::kept(const EnetPeer& peer) const {
  const EnetAllowance* const its = allowances_[static_cast<std::size_t>(peer.peer_ - host_->peers)].get();
  return its != nullptr ? its->used() : 0;
}

Outcome<Address> EnetHost::listen(const Address& at, const EnetOptions& options) {
  if (at.v6()) return Error{"cannot listen on " + at.text() + ": ENet knows IPv4 only; give an IPv4 address"};
  auto bound = listen_datagrams(at);
  if (!bound) return bound.error();
  host_ = enet_host_create(nullptr, options.peers, options.channels, 0, 0);
  if (!host_) return Error{"cannot listen on " + at.text() + " (UDP): too many peers are asked for"};
  use(std::move(bound->udp), to_enet(bound->address));
  listens_ = true;
  unpacker_ = std::make_unique<EnetUnpacker>();
  errno = ENOMEM;  // as in open()
  if (!prepare(options)) return lack_error("cannot watch the UDP socket of " + at.text(), errno);
  return from_enet(host_->address);
}

Expected<Done, SocketError> EnetHost::open(const EnetOptions& options) {
  errno = ENOMEM;  // if ENet fails without setting errno, memory is short
  host_ = enet_host_create(nullptr, options.peers, options.channels, 0, 0);
  if (host_ && bind_source(host_->socket, options.source) && prepare(options)) return Done{};
  const int error = errno;
  close();
  return towards_error("cannot open a UDP socket", error, options.source);
}

/// Uses a socket that is already bound, instead of ENet's own.
void EnetHost::use(Fd bound, const ENetAddress& address) {
  enet_socket_destroy(host_->socket);
  host_->socket = bound.release();
  host_->address = address;
  enet_socket_set_option(host_->socket, ENET_SOCKOPT_SNDBUF, ENET_HOST_SEND_BUFFER_SIZE);
}

bool EnetHost::prepare(const EnetOptions& options) {
  if (options.range_coder && !compress_with_range_coder(*host_)) return false;
  places_ = host_->peerCount;
  scan_only(0);
  host_->maximumPacketSize = options.largest_packet;
  host_->maximumWaitingData = most_kept_ = options.most_kept();
  return watch();
}

/// Serves the host from now on.
bool EnetHost::watch() {
  host_->intercept = &EnetHost::intercept;
  enet_socket_set_option(host_->socket, ENET_SOCKOPT_RCVBUF, kReceiveBuffer);
  if (!poll_.open(loop_, host_->socket, *this)) {
    const int error = errno;
    close();
    errno = error;
    return false;
  }
  asked_at_.assign(places_, 0);
  guesses_.assign(places_, 0);
  allowances_.resize(places_);
  poll_.want(true, false);
  alarm_.emplace(loop_, static_cast<Alarm::User&>(*this));
  set_priority(priority_);
  set_party(party_);
  return true;
}

void EnetHost::set_priority(Priority priority) {
  priority_ = priority;
  poll_.set_priority(priority);
  if (alarm_) alarm_->set_priority(priority);
  set_turns();
}

void EnetHost::set_party(std::shared_ptr<Party> party) {
  party_ = std::move(party);
  poll_.set_party(party_);
  if (alarm_) alarm_->set_party(party_);
  set_turns();
}

void EnetHost::set_turns() {
  for (std::size_t i = 0; host_ && i < host_->peerCount; ++i)
    if (auto* peer = static_cast<EnetPeer*>(host_->peers[i].data)) set_turn(*peer);
}

void EnetHost::set_turn(EnetPeer& peer) {
  peer.hearing_.set_priority(priority_);
  peer.hearing_.set_party(listens_ ? loop_.client_party(peer.address()) : party_);
}

void EnetHost::close() {
  if (!host_) return;
  assert(serving != this);
  sockets_.clear();
  poll_.close();
  alarm_.reset();
  wakes_at_ = 0;
  loop_.cancel_later(*this);
  if (std::exchange(flushing_, false)) enet_host_flush(host_);
  for (std::size_t i = 0; i < host_->peerCount; ++i) {
    ENetPeer* raw = &host_->peers[i];
    auto* peer = static_cast<EnetPeer*>(raw->data);
    if (!peer) continue;
    if (peer->gone_) enet_peer_disconnect_now(raw, peer->parting_);  // it may not have been sent yet
    enet_peer_reset(raw);  // gives back its packets, which count themselves off
    raw->data = nullptr;
    delete peer;
  }
  enet_host_destroy(host_);
  host_ = nullptr;
  drained_.clear();
  allowances_.clear();
  peers_ = 0;
}

EnetPeer* EnetHost::connect(const Address& to, std::size_t channels, std::uint32_t data) {
  const ENetAddress address = to_enet(to);
  ENetPeer* raw = enet_host_connect(host_, &address, channels, data);
  if (!raw) return nullptr;
  // Only a connected socket gets the error that nothing listens there.
  refused_at_.reset();
  sole_ = places_ == 1 && ::connect(host_->socket, to.raw(), to.size()) == 0;
  if (const auto place = static_cast<std::size_t>(raw - host_->peers); place >= used_) scan_only(place + 1);
  EnetPeer& peer = adopt(raw);
  flush_later();
  return &peer;
}

bool EnetHost::send(EnetPeer& peer, std::uint8_t channel, EnetPacket packet) {
  const std::size_t size = packet.bytes().size();
  if (size == 0 || peer.gone_) return false;
  ENetPacket* raw = packet.release();
  raw->flags &= ENET_PACKET_FLAG_RELIABLE | ENET_PACKET_FLAG_UNSEQUENCED | ENET_PACKET_FLAG_UNRELIABLE_FRAGMENT;
  raw->userData = &peer;
  raw->freeCallback = &EnetHost::freed;
  peer.waiting_ += size;
  if (enet_peer_send(peer.peer_, channel, raw) != 0) {
    enet_packet_destroy(raw);
    return false;
  }
  flush_later();
  return true;
}

void EnetHost::freed(ENetPacket* packet) {
  auto& peer = *static_cast<EnetPeer*>(packet->userData);
  peer.waiting_ -= packet->dataLength;
  if (peer.host_ == nullptr) return;
  if (!std::exchange(peer.drained_, true)) peer.host_->drained_.push_back(&peer);
}

/// Its user may send more in that call, or end peers.
void EnetHost::tell_drained() {
  while (!drained_.empty()) {
    EnetPeer& peer = *drained_.back();
    drained_.pop_back();
    peer.drained_ = false;
    if (!peer.gone_) user_.wrote(peer);
  }
}

void EnetHost::send_raw(const Address& to, Bytes datagram) {
  const ENetAddress address = to_enet(to);
  ENetBuffer buffer{};
  buffer.data = const_cast<std::uint8_t*>(datagram.data());  // ENet only reads it
  buffer.dataLength = datagram.size();
  enet_socket_send(host_->socket, &address, &buffer, 1);
}

void EnetHost::disconnect(EnetPeer& peer, std::uint32_t data) {
  enet_peer_disconnect_later(peer.peer_, data);
  flush_later();
}

void EnetHost::disconnect_without_callback(EnetPeer& peer, std::uint32_t data, Millis within) {
  peer.gone_ = true;
  peer.leaves_by_ = loop_.now() + within;
  peer.parting_ = data;
  disconnect(peer, data);
}

bool EnetHost::awaits_leaving() const {
  if (!host_) return false;
  return std::any_of(host_->peers, host_->peers + host_->peerCount, [&](const ENetPeer& raw) {
    const auto* peer = static_cast<const EnetPeer*>(raw.data);
    return peer != nullptr && peer->gone_ && loop_.now() < peer->leaves_by_;
  });
}

void EnetHost::disconnect_now(EnetPeer& peer, std::uint32_t data) {
  enet_peer_disconnect_now(peer.peer_, data);
  forget(peer);
}

Address EnetHost::local_address() const { return host_ ? net::local_address(host_->socket) : Address(); }

EnetPeer& EnetHost::adopt(ENetPeer* raw) {
  auto peer = std::make_unique<EnetPeer>();
  peer->host_ = this;
  peer->peer_ = raw;
  peer->heard_ = enet_time_get();
  raw->data = peer.get();
  set_turn(*peer);
  ++peers_;
  wake_within(kServiceEvery);
  return *peer.release();  // the ENet peer owns it until forget() or close()
}

std::unique_ptr<EnetPeer> EnetHost::forget(EnetPeer& peer) {
  enet_peer_reset(peer.peer_);
  peer.peer_->data = nullptr;
  std::erase(drained_, &peer);
  end_deliveries(peer);
  --peers_;
  return std::unique_ptr<EnetPeer>(&peer);
}

/// A client that asked for a connection and has not acknowledged the answer is not a peer yet, but ENet keeps a place
/// for it and repeats the answer.
bool EnetHost::half_open() const {
  return std::any_of(host_->peers, host_->peers + host_->peerCount,
                     [](const ENetPeer& peer) { return peer.state != ENET_PEER_STATE_DISCONNECTED; });
}

/// Looks at all peers: when each was last heard, which are half-open, and which were disconnected silently. Drops
/// half-open and silently disconnected peers whose time is over, or that take too many places, because ENet ignores a
/// client when no place is free. True if ENet must be served often: something may have to be retransmitted, or a peer
/// is coming or going.
bool EnetHost::drop_half_open_and_gone() {
  asking_.clear();
  leaving_.clear();
  std::size_t free = places_ - host_->peerCount, used = 0;
  bool busy = false;
  for (std::size_t i = 0; i < host_->peerCount; ++i) {
    ENetPeer& raw = host_->peers[i];
    auto* peer = static_cast<EnetPeer*>(raw.data);
    if (peer && raw.lastReceiveTime) peer->heard_ = raw.lastReceiveTime;
    if (peer && peer->gone_) leaving_.push_back(peer);
    if (raw.state == ENET_PEER_STATE_ACKNOWLEDGING_CONNECT) asking_.push_back(i);
    if (raw.state == ENET_PEER_STATE_DISCONNECTED && peer == nullptr) {
      ++free;
      continue;
    }
    used = i + 1;
    busy |= raw.state != ENET_PEER_STATE_CONNECTED || (peer && peer->waiting_ != 0) ||
            !enet_list_empty(&raw.sentReliableCommands);
  }
  scan_only(used);
  drop_half_open();
  tidy_sockets();
  const std::size_t wanted = std::min(kFree, places_ / kPlacesPerHalfOpen);
  drop_leaving(free < wanted ? wanted - free : 0);
  return busy;
}

/// ENet scans all its places at each send. It takes the first free one, so the last ones are usually free and need not
/// be scanned.
void EnetHost::scan_only(std::size_t used) {
  used_ = used;
  host_->peerCount = std::min(places_, used + kSpare);
}

/// Drops the oldest first, so that a client that connects after or during a flood of forged connects stays.
void EnetHost::drop_half_open() {
  std::sort(asking_.begin(), asking_.end(), [&](auto a, auto b) { return asked_at_[a] < asked_at_[b]; });
  const std::size_t most = std::max<std::size_t>(places_ / kPlacesPerHalfOpen, 1);
  const std::uint64_t now = loop_.nanos();
  for (std::size_t i = 0; i < asking_.size(); ++i)
    if (asking_.size() - i > most || now > asked_at_[asking_[i]] + kHalfOpen * 1'000'000)
      enet_peer_reset(&host_->peers[asking_[i]]);
}

/// Drops the leaving peers whose time is over, and at least `least` of them, those with the least time first. Each gets
/// one more datagram with its disconnect.
void EnetHost::drop_leaving(std::size_t least) {
  std::sort(leaving_.begin(), leaving_.end(), [](auto* a, auto* b) { return a->leaves_by_ < b->leaves_by_; });
  const Millis now = loop_.now();
  for (std::size_t i = 0; i < leaving_.size() && (i < least || now >= leaving_[i]->leaves_by_); ++i)
    disconnect_now(*leaving_[i], leaving_[i]->parting_);
}

/// For ENet, time passes only while it is served.
void EnetHost::keep_time() {
  if (peers_ != 0 || half_open() || !sockets_.empty()) return wake_within(kServiceEvery);
  alarm_->clear();
  wakes_at_ = 0;
}

void EnetHost::wake_within(Millis time) {
  const Millis at = loop_.now() + time;
  if (wakes_at_ != 0 && wakes_at_ <= at) return;
  wakes_at_ = at;
  alarm_->set(at * 1'000'000);
}

void EnetHost::ready(bool, bool, bool broken) {
  if (broken) poll_.want(true, false);
  serve();
}

void EnetHost::rang() {
  wakes_at_ = 0;
  serve();
  if (!host_) return;
  if (drop_half_open_and_gone() || wakes_at_ == 0) return;
  wakes_at_ = 0;
  wake_within(kQuietEvery);
}

void EnetHost::flush_later() {
  if (!flushing_) loop_.later(*this);
  flushing_ = true;
  wake_within(kServiceEvery);
}

void EnetHost::at_turn_end() {
  flushing_ = false;
  if (!host_) return;
  errno = 0;
  enet_host_flush(host_);
  refused_ |= sole_ && errno == ECONNREFUSED;
  tell_drained();
}

void EnetHost::serve() {
  if (serve(host_->socket)) poll_.again();
}

/// Serves ENet with the datagrams that `socket` has received. One call of ENet reads at most 256. An invalid one makes
/// the call fail, and is lost. True: there may be more.
bool EnetHost::serve(int socket) {
  serving = this;
  ENetEvent event{};
  const int own = std::exchange(host_->socket, socket);
  const int began = enet_host_service(host_, &event, 0);
  charge_enet_memory(nullptr);
  if (const std::uint32_t refused = take_enet_refusals()) user_.refused_packets(refused);
  refused_ |= sole_ && began < 0 && errno == ECONNREFUSED;
  host_->socket = own;
  if (began > 0) deal_with(event);
  dispatch();
  if (refused_ || refused_at_) lose_refused();
  serving = nullptr;
  std::size_t used = used_;
  while (used < host_->peerCount && host_->peers[used].state != ENET_PEER_STATE_DISCONNECTED) ++used;
  if (used != used_) scan_only(used);
  tell_drained();
  keep_time();
  return began != 0;
}

// -- Peers with sockets of their own ----------------------------------------------------------------------------------

bool EnetHost::release_newcomers(int twin) {
  errno = EBADF;
  if (!host_) return false;
  if (!give_sockets() || !bind_twin(twin, host_->socket)) return false;
  for (int i = 0; i < kMostCalls && serve(host_->socket); ++i) continue;  // reads what came before; nothing new comes
  if (!give_sockets()) return false;
  refuse_twins(twin);
  released_ = true;
  return true;
}

void EnetHost::take_back() {
  released_ = false;
  if (host_) refuse_twins(host_->socket);
}

/// Repeats until each peer has a socket, because more peers may come meanwhile. False: a socket could not be made.
bool EnetHost::give_sockets() {
  for (int i = 0; i < kMostCalls; ++i) {
    const auto made = give_some_sockets();
    if (!made) return false;
    if (*made == 0) break;
  }
  return true;
}

/// Returns how many were made; nothing, with errno: one could not be made.
std::optional<std::size_t> EnetHost::give_some_sockets() {
  std::size_t made = 0;
  for (std::size_t i = 0; i < host_->peerCount; ++i) {
    if (host_->peers[i].state == ENET_PEER_STATE_DISCONNECTED) continue;
    const Address peer = from_enet(host_->peers[i].address);
    if (sockets_.contains(peer)) continue;
    Fd fd = udp_socket_for(peer, net::local_address(host_->socket), host_->socket);
    if (!fd) return std::nullopt;
    auto socket = std::make_unique<PeerSocket>(*this, std::move(fd));
    if (!socket->poll.open(loop_, socket->fd.get(), *socket)) return std::nullopt;
    socket->poll.want(true, false);
    socket->poll.set_priority(priority_);
    socket->poll.set_party(loop_.client_party(peer));
    serve(socket->fd.get());  // before it was connected, it may have received what is meant for others
    sockets_[peer] = std::move(socket);
    ++made;
  }
  return made;
}

/// First serves the host's own socket, so that datagrams for other peers do not go out by this one, which may have
/// another local address.
void EnetHost::ready(PeerSocket& socket, bool broken) {
  serve();
  if (serve(socket.fd.get())) socket.poll.again();
  if (broken) socket.poll.want(true, false);
}

/// Closes the sockets of peers that are gone. The next client from such an address is a newcomer.
void EnetHost::tidy_sockets() {
  if (sockets_.empty()) return;
  std::unordered_set<Address, AddressHash> used;
  for (std::size_t i = 0; i < host_->peerCount; ++i)
    if (host_->peers[i].state != ENET_PEER_STATE_DISCONNECTED) used.insert(from_enet(host_->peers[i].address));
  std::erase_if(sockets_, [&](const auto& one) { return !used.contains(one.first); });
}

// -- A peer that moves to a host of its own ---------------------------------------------------------------------------

namespace {

/// The elements of `from` become those of `to`.
void splice(ENetList& from, ENetList& to) {
  enet_list_clear(&to);
  if (!enet_list_empty(&from)) {
    to.sentinel = from.sentinel;
    to.sentinel.next->previous = to.sentinel.previous->next = &to.sentinel;
  }
  enet_list_clear(&from);
}

/// The lists of a peer, which differ between versions of ENet.
template <class Peer>
void splice_queues(Peer& from, Peer& to) {
  splice(from.acknowledgements, to.acknowledgements);
  splice(from.sentReliableCommands, to.sentReliableCommands);
  if constexpr (requires { from.sentUnreliableCommands; })
    splice(from.sentUnreliableCommands, to.sentUnreliableCommands);
  if constexpr (requires { from.outgoingSendReliableCommands; })
    splice(from.outgoingSendReliableCommands, to.outgoingSendReliableCommands);
  splice(from.outgoingCommands, to.outgoingCommands);
  splice(from.dispatchedCommands, to.dispatchedCommands);
}

/// `from` is free afterwards. REQUIRES: it is connected.
void move_peer(ENetPeer& from, ENetPeer& to) {
  const bool dispatches = (from.flags & ENET_PEER_FLAG_NEEDS_DISPATCH) != 0;
  if (dispatches) enet_list_remove(&from.dispatchList);
  ENetHost* const host = to.host;
  to = from;
  to.host = host;
  splice_queues(from, to);
  if (dispatches) enet_list_insert(enet_list_end(&host->dispatchQueue), &to.dispatchList);
  ++host->connectedPeers;
  if (to.incomingBandwidth != 0) ++host->bandwidthLimitedPeers;
  from.channels = nullptr;
  from.channelCount = 0;
  from.flags = 0;
  from.data = nullptr;
  enet_peer_reset(&from);
}

}  // namespace

MovedEnetPeer::~MovedEnetPeer() {
  if (host_ == nullptr) return;
  const std::unique_ptr<EnetPeer> peer(static_cast<EnetPeer*>(host_->peers[0].data));
  enet_peer_reset(&host_->peers[0]);
  enet_host_destroy(host_);
}

Fd EnetHost::socket_for(const EnetPeer& peer) {
  if (released_) return {};  // the port belongs to the other process, and our sockets must not refuse its sockets
  Fd fd = udp_socket_for(peer.address(), net::local_address(host_->socket), host_->socket);
  refuse_twins(host_->socket);
  if (!fd) return fd;
  serve(host_->socket);  // what came before
  serve(fd.get());       // before it was connected, it may have received what is meant for others
  return fd;
}

std::unique_ptr<MovedEnetPeer> EnetHost::release(EnetPeer& peer, Fd socket) {
  ENetPeer& raw = *peer.peer_;
  if (raw.state != ENET_PEER_STATE_CONNECTED) return nullptr;
  auto moved = std::make_unique<MovedEnetPeer>();
  ENetHost* const host = enet_host_create(nullptr, 1, host_->channelLimit, 0, 0);
  if (host == nullptr) return nullptr;
  moved->host_ = host;
  enet_socket_destroy(host->socket);
  host->socket = socket.release();
  host->address = host_->address;
  enet_socket_set_option(host->socket, ENET_SOCKOPT_SNDBUF, ENET_HOST_SEND_BUFFER_SIZE);
  if (host_->compressor.context != nullptr && !compress_with_range_coder(*host)) return nullptr;
  host->maximumPacketSize = host_->maximumPacketSize;
  host->maximumWaitingData = host_->maximumWaitingData;
  allowances_[static_cast<std::size_t>(&raw - host_->peers)] = {};  // counts what the peer takes with it
  host->serviceTime = host_->serviceTime;
  move_peer(raw, host->peers[0]);
  std::erase(drained_, &peer);
  peer.drained_ = false;
  end_deliveries(peer);
  peer.hearing_.cancel();
  peer.hearing_.set_party(nullptr);
  peer.host_ = nullptr;
  peer.peer_ = &host->peers[0];
  --peers_;
  return moved;
}

EnetPeer* EnetHost::take(std::unique_ptr<MovedEnetPeer> moved) {
  host_ = std::exchange(moved->host_, nullptr);
  auto& peer = *static_cast<EnetPeer*>(host_->peers[0].data);
  peer.host_ = this;
  moved_ = true;
  places_ = used_ = peers_ = 1;
  most_kept_ = host_->maximumWaitingData;
  if (!watch()) return nullptr;
  wake_within(kServiceEvery);
  hear_later(peer);
  return &peer;
}

/// Those who sent something get their turns. Of the others, as many are dealt with as the time allows.
void EnetHost::dispatch() {
  ENetEvent event{};
  while (!enet_list_empty(&host_->dispatchQueue)) {
    ENetPeer& raw = *reinterpret_cast<ENetPeer*>(enet_list_begin(&host_->dispatchQueue));
    auto* peer = static_cast<EnetPeer*>(raw.data);
    if (peer == nullptr || raw.state != ENET_PEER_STATE_CONNECTED) {
      if (enet_host_check_events(host_, &event) > 0) deal_with(event);
      if (loop_.time_is_up()) return;
      continue;
    }
    enet_list_remove(&raw.dispatchList);
    raw.flags = static_cast<enet_uint16>(raw.flags & ~ENET_PEER_FLAG_NEEDS_DISPATCH);
    enet_uint8 channel = 0;
    while (ENetPacket* const packet = enet_peer_receive(&raw, &channel)) peer->arrive({packet, channel});
    hear_later(*peer);
  }
}

/// Delivers what the peer sent, for as long as a job may take.
void EnetHost::hear(EnetPeer& peer) {
  serving = this;
  const bool there = deliver(peer, false);
  serving = nullptr;
  if (there && !peer.arrived_.empty()) hear_later(peer);
}

/// `all`: for as long as it takes. False: the peer was ended, or moved.
bool EnetHost::deliver(EnetPeer& peer, bool all) {
  Delivery mine{&peer, delivery_};
  delivery_ = &mine;
  std::uint8_t channel = 0;
  while (ENetPacket* const packet = mine.peer != nullptr ? peer.next_arrived(channel) : nullptr) {
    EnetPacket its(packet);
    if (!peer.gone_) user_.received(peer, channel, std::move(its));
    if (!all && loop_.time_is_up()) break;
  }
  delivery_ = mine.outer;
  return mine.peer != nullptr;
}

void EnetHost::end_deliveries(const EnetPeer& peer) {
  for (Delivery* at = delivery_; at != nullptr; at = at->outer)
    if (at->peer == &peer) at->peer = nullptr;
}

void EnetHost::deal_with(ENetEvent& event) {
  auto* peer = static_cast<EnetPeer*>(event.peer->data);
  switch (event.type) {
    case ENET_EVENT_TYPE_CONNECT:
      if (!peer) peer = &adopt(event.peer);
      if (!peer->gone_) user_.connected(*peer, event.data);
      break;
    case ENET_EVENT_TYPE_RECEIVE:
      if (!peer) return enet_packet_destroy(event.packet);
      peer->arrive({event.packet, event.channelID});  // others may be before it
      hear_later(*peer);
      break;
    case ENET_EVENT_TYPE_DISCONNECT:
      if (peer) lose(*peer, event.data);
      break;
    case ENET_EVENT_TYPE_NONE:
      break;
  }
}

/// The server's machine has reported that nothing listens there: the server has ended, or has not started yet. ENet
/// would wait for 5 seconds of silence. The report may be forged, so a server that sends something after it is not
/// lost.
void EnetHost::lose_refused() {
  ENetPeer& raw = host_->peers[0];
  auto* peer = static_cast<EnetPeer*>(raw.data);
  const enet_uint32 now = enet_time_get();
  if (std::exchange(refused_, false) && !refused_at_) refused_at_ = now;
  const bool connected = raw.state == ENET_PEER_STATE_CONNECTED;
  const auto heard_after = static_cast<std::int32_t>(raw.lastReceiveTime - *refused_at_);
  if (connected && heard_after > 0) return refused_at_.reset();
  if (connected && now - *refused_at_ < kRefusedAfter) return;
  refused_at_.reset();
  if (!peer) return;
  peer->silence_ = 0;
  peer->refused_ = true;
  lose(*peer, 0);
}

/// Delivers what came before, however long that takes: it is limited by EnetOptions::most_kept(). ENet has freed the
/// place already, and its user may connect from it at once.
void EnetHost::lose(EnetPeer& peer, std::uint32_t data) {
  if (!deliver(peer, true)) return;
  // ENet gives up a peer that has acknowledged nothing for so long, and does not say whether it was that or a
  // disconnect.
  peer.timed_out_ = data == 0 && enet_time_get() - peer.heard_ >= peer.silence_;
  const auto gone = forget(peer);
  if (!gone->gone_) user_.disconnected(*gone, data);
}

/// The peer still sends the number of its place in its old host; in this host it has the first place. False: it sent
/// another number.
bool EnetHost::renumber(ENetHost* host) {
  const auto header = enet_header({host->receivedData, host->receivedDataLength});
  if (!header || header->peer() != host->peers[0].incomingPeerID) return false;
  host->receivedData[0] &= 0xF0;
  host->receivedData[1] = 0;
  return true;
}

/// ENet gives the first free place to a client that asks for a connection, and numbers its answer from the place's last
/// reliable number. That would always give 1, so a client could acknowledge the answer without receiving it. So the
/// numbers begin at random.
void EnetHost::note_connect() {
  for (std::size_t i = 0; i < host_->peerCount; ++i) {
    if (host_->peers[i].state != ENET_PEER_STATE_DISCONNECTED) continue;
    asked_at_[i] = loop_.nanos();
    guesses_[i] = 0;
    host_->peers[i].outgoingReliableSequenceNumber = secret_number();
    return;
  }
}

/// Drops a half-open peer that guesses the number of our answer.
void EnetHost::note_guess(const EnetHeader& header, Bytes datagram) {
  const std::size_t place = header.peer();
  if (place >= host_->peerCount) return;
  ENetPeer& raw = host_->peers[place];
  const ENetAddress& from = host_->receivedAddress;
  const bool its = from.host == raw.address.host && from.port == raw.address.port &&
                   (header.session() == raw.incomingSessionID || raw.outgoingPeerID >= EnetHeader::kNobody);
  if (raw.state != ENET_PEER_STATE_ACKNOWLEDGING_CONNECT || !its) return;
  const auto yes = enet_command(datagram, EnetCommand::kAcknowledge, *unpacker_);
  if (!yes || yes->acknowledged == raw.outgoingReliableSequenceNumber) return;
  if (++guesses_[place] >= kMostGuesses) enet_peer_reset(&raw);
}

/// What ENet keeps for the datagram that it reads next counts for the peer in this place. ENet checks that the datagram
/// comes from there.
void EnetHost::charge(std::size_t place) {
  if (place >= allowances_.size()) return charge_enet_memory(nullptr);
  EnetAllowanceRef& its = allowances_[place];
  const std::size_t reserve = EnetOptions::reserve(host_->maximumPacketSize);
  if (its.get() == nullptr) its = EnetAllowanceRef(EnetAllowance::make(most_kept_, reserve));
  charge_place_ = place;
  charge_enet_memory(its.get(), &EnetHost::reads_next);
}

/// Whether the datagram that ENet reads has a reliable packet, or a part of one, that is the next of its channel. ENet
/// has expanded the datagram, and has swapped the bytes of the sequence numbers that it has read already: each is
/// compared in both orders. At most 32 commands are looked at, as many as ENet sends in one datagram.
bool EnetHost::reads_next() {
  const ENetHost& host = *serving->host_;
  const ENetPeer& peer = host.peers[serving->charge_place_];
  const Bytes datagram(host.receivedData, host.receivedDataLength);
  const auto header = enet_header(datagram);
  if (!header) return false;
  EnetFields in(datagram.subspan(header->sent_time ? 4 : 2));
  EnetCommand command;
  for (int i = 0; i < ENET_PROTOCOL_MAXIMUM_PACKET_COMMANDS && command.read(in); ++i) {
    const bool part = command.kind == ENET_PROTOCOL_COMMAND_SEND_FRAGMENT;
    if ((!part && command.kind != ENET_PROTOCOL_COMMAND_SEND_RELIABLE) || command.channel >= peer.channelCount)
      continue;
    const auto next = static_cast<std::uint16_t>(peer.channels[command.channel].incomingReliableSequenceNumber + 1);
    const std::uint16_t number = part ? command.start : command.sequence;
    if (number == next || (!part && number == ENET_HOST_TO_NET_16(next))) return true;
  }
  return false;
}

int EnetHost::intercept(ENetHost* host, ENetEvent*) {
  const Bytes datagram(host->receivedData, host->receivedDataLength);
  // A client connects again from the port of one of our peers. Its ENet repeats the request, and the other process
  // receives it.
  const auto header = enet_header(datagram);
  const bool asks = header && header->peer() == EnetHeader::kNobody;
  if (asks && serving->released_) return 1;
  serving->charge(serving->moved_ ? 0 : asks || !header ? SIZE_MAX : header->peer());
  if (serving->moved_) return renumber(host) ? 0 : 1;
  if (serving->user_.intercepted(from_enet(host->receivedAddress), datagram)) return 1;
  if (asks) serving->note_connect();
  if (header && !asks && serving->listens_) serving->note_guess(*header, datagram);
  return 0;
}

}  // namespace entente::net
