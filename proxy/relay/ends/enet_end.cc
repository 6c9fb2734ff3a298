#include "proxy/relay/ends/enet_end.h"

#include <cerrno>

#include "proxy/relay/ends/enet_reason.h"

namespace entente::relay {

using How = End::Departure::How;
using net::EnetPacket, net::EnetDelivery;
using wire::EnetCarriage, wire::Way;

namespace {

constexpr std::uint8_t kChannel = 0;  // both games over ENet use no other
constexpr std::size_t kChannels = 1;

/// Datagrams are sent unreliable but sequenced: an older one is not delivered after a newer one.
EnetCarriage carriage(Lane lane) {
  return {kChannel, lane == Lane::kStream ? EnetDelivery::kReliable : EnetDelivery::kUnreliable};
}

/// A server may send its map at once; a client sends nothing of that size.
std::size_t most_kept(const EndOptions& options) {
  const bool server = options.facing == Facing::kServer;
  return options.limits.high_water + (server ? options.game.largest_burst() : 0);
}

constexpr Millis kSilenceNear = 3'000, kSilenceFar = 8'000;  // of a server, on this machine or elsewhere

/// What our disconnect carries, unless shut_down() is given a code.
std::uint32_t parting(const EndOptions& options) {
  using wire::Parting;
  return options.game.enet_parting(options.facing == Facing::kClient ? Parting::kServerGone : Parting::kLeft);
}

}  // namespace

EnetEnd::EnetEnd(WorkerRoute& worker_route, End::User& user, const EndOptions& options)
    : End(user),
      worker_route_(worker_route),
      facing_(options.facing),
      works_for_(options.works_for),
      game_(options.game),
      dialect_(options.dialect),
      high_water_(options.limits.high_water),
      most_kept_(most_kept(options)),
      accepted_peer_(options.enet),
      own_(worker_route.loop, *this),
      host_(accepted_peer_.host ? accepted_peer_.host : &own_),
      cut_(game_, dialect_, heard_way()),
      filter_(nullptr, game_.largest_from(heard_way()),
              facing_ == Facing::kClient ? options.limits.datagrams_per_second : 0, worker_route.loop.now()),
      code_(parting(options)) {
  own_.set_priority(net::Priority::kNewcomer);
  set_party(options.party);
  filter_.share(options.rates);
}

EnetEnd::~EnetEnd() { hang_up(); }

// -- Coming up --------------------------------------------------------------------------------------------------------

bool EnetEnd::adopt(net::Fd) {
  peer_ = accepted_peer_.peer;
  peer_->owner = static_cast<EnetPeerUser*>(this);
  peer_address_ = peer_->address();
  up_ = true;
  user().opened(*this, {peer_address_.text(), accepted_peer_.data, {}});
  return true;
}

int EnetEnd::connect(const net::Address& server, Outgoing outgoing) {
  departed_ = up_ = false;
  if (server.v6()) return EAFNOSUPPORT;
  peer_address_ = server;
  set_party(worker_route_.loop.server_party(server, works_for_));
  own_.set_party(party());
  if (!own_.is_open()) {
    const auto opened = own_.open({1, kChannels, game_.enet().range_coder, game_.largest_frame(), outgoing.source,
                                   net::EnetOptions::kFromServer});
    if (!opened) return opened.error().code;
  }
  peer_ = own_.connect(server, kChannels, game_.connect_data(dialect_));
  return peer_ ? 0 : ENOBUFS;
}

void EnetEnd::connected(net::EnetPeer&, std::uint32_t) {
  up_ = true;
  // A lost server must be noticed early, so that its players are soon on the next one.
  if (worker_route_.route.upstreams.holds())
    peer_->give_up_after(peer_address_.ip_text().starts_with("127.") ? kSilenceNear : kSilenceFar);
  user().opened(*this, {peer_address_.text(), 0, {}});
}

// -- Receiving and sending --------------------------------------------------------------------------------------------

void EnetEnd::peer_said(std::uint8_t channel, EnetPacket packet) {
  if (!may_hear()) return;
  reading_&& kept_.empty() ? hear(channel, packet) : keep(channel, std::move(packet));
}

void EnetEnd::keep(std::uint8_t channel, EnetPacket packet) {
  if (packet.delivery() != EnetDelivery::kReliable) return worker_route_.dropped(Drop::kQueueFull);
  kept_bytes_ += packet.weight();
  if (kept_bytes_ > most_kept_) return depart({How::kFlooded, 0, Fault{"too many packets", "", 0}, {}});
  kept_.push_back({channel, std::move(packet)});
}

void EnetEnd::set_reading(bool on) {
  reading_ = on;
  if (on && !kept_.empty()) worker_route_.loop.serve(*this);  // not now: the caller may be in the middle of a callback
}

void EnetEnd::run() {
  hear_kept();
  if (left_ && kept_.empty()) tell_left();
}

void EnetEnd::hear_kept() {
  while ((left_ || reading_) && !kept_.empty()) {
    if (!may_hear()) return forget_kept();
    const WaitingPacket one = std::move(kept_.front());
    kept_.pop_front();
    kept_bytes_ -= one.packet.weight();
    hear(one.channel, one.packet);
    if (!kept_.empty() && worker_route_.loop.time_is_up()) return worker_route_.loop.serve(*this);
  }
}

void EnetEnd::forget_kept() {
  kept_.clear();
  kept_bytes_ = 0;
}

void EnetEnd::hear(std::uint8_t channel, const EnetPacket& packet) {
  const Bytes bytes = packet.bytes();
  heard_ = {channel, packet.delivery()};
  if (bytes.empty()) {
    worker_route_.dropped(Drop::kBadFrame);
    return user().received_besides(*this, 0, 1);
  }
  const bool datagram = heard_.lane() == Lane::kDatagram;
  if (datagram) {
    if (const auto drop = filter_.objection(bytes, worker_route_.loop.now())) return worker_route_.dropped(*drop);
  } else if (bytes.size() > game_.largest_from(heard_way())) {
    return depart({How::kWrong, 0, Fault{"oversize frame", "length", 0}, {}});
  }
  const auto fault = cut_.feed(heard_.lane(), bytes, [&](const Frames& frames) {
    if (datagram) filter_.charge(frames.count() - 1, worker_route_.loop.now());
    user().on_frames(*this, frames);
  });
  if (!fault) return;
  datagram ? worker_route_.dropped(Drop::kBadFrame) : depart({How::kWrong, 0, *fault, {}});
}

void EnetEnd::send(Lane lane, Bytes frame) {
  if (shut_down_ || !peer_ || !up_) return;
  const EnetCarriage how = carriage(lane);
  if (lane == Lane::kDatagram && waiting() > high_water_) return worker_route_.dropped(Drop::kQueueFull);
  if (!host_->send(*peer_, how.channel, EnetPacket(frame, how.send))) worker_route_.dropped(Drop::kQueueFull);
}

void EnetEnd::tell(TapSink& tap, LinkId link, Way way, Lane lane, Bytes bytes, WallTime at) const {
  tap.packet(link, way, way == heard_way() ? heard_ : carriage(lane), bytes, at);
}

// -- Going down -------------------------------------------------------------------------------------------------------

void EnetEnd::peer_left(std::uint32_t data, bool silent) {
  peer_ = nullptr;
  left_ = {data, silent};
  run();
}

void EnetEnd::tell_left() {
  const Parting parting = *std::exchange(left_, std::nullopt);
  const bool told = !std::exchange(departed_, true) && !shut_down_;
  if (told) user().departed(*this, departure(parting.data, parting.silent));
  user().over(*this);
}

End::Departure EnetEnd::departure(std::uint32_t data, bool silent) const {
  if (silent) return {How::kBroke, refused_ ? ECONNREFUSED : ETIMEDOUT, Fault{""}, {}};
  if (!up_ && data == 0) return {How::kBroke, ECONNREFUSED, Fault{""}, {}};
  const std::string why = data != 0 ? "it disconnected with reason " + std::to_string(data) : "";
  return {up_ ? How::kLeft : How::kDeclined, 0, Fault{""}, why, data};
}

/// The peer is still connected.
void EnetEnd::depart(const Departure& departure) {
  departed_ = true;
  forget_kept();
  user().departed(*this, departure);
}

void EnetEnd::shut_down(std::string_view, std::uint32_t code) {
  if (std::exchange(shut_down_, true) || !peer_) return;
  if (code != 0) code_ = code;
  forget_kept();
  up_ ? host_->disconnect(*peer_, code_) : hang_up();
}

void EnetEnd::hang_up() {
  cancel();
  forget_kept();
  left_.reset();
  if (peer_) host_->disconnect_now(*std::exchange(peer_, nullptr), code_);
}

}  // namespace entente::relay
