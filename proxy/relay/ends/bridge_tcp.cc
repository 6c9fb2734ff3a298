#include "proxy/relay/ends/bridge_tcp.h"

#include <cerrno>
#include <utility>

#include "proxy/relay/ends/peer.h"

namespace entente::relay {

using How = BridgeEnd::Departure::How;
using wire::Way;

namespace {

constexpr std::size_t kKeptOwn = 16 * 1024;  // larger room for what was gathered is given back

std::size_t most_packed(BridgeSide side, const wire::Game& game, std::size_t dialect) {
  return side == BridgeSide::kFront ? game.packed_datagram(dialect) : 0;
}

DatagramGuard make_guard(const BridgeEndOptions& options, Millis now) {
  const bool client = options.side == BridgeSide::kFront;
  return {options.game.datagram_cutter(way_of(options.side), options.dialect), options.limits.datagram_bytes,
          client ? options.limits.datagrams_per_second : 0, now};
}

}  // namespace

BridgeTcp::BridgeTcp(WorkerRoute& worker_route, BridgeEnd::User& user, const BridgeEndOptions& options)
    : worker_route_(worker_route),
      user_(user),
      game_(options.game),
      side_(options.side),
      finds_dialect_(options.finds_dialect),
      most_held_(options.limits.held_bytes),
      link_(worker_route.loop, *this),
      heard_(options.game.cutter(way_of(options.side), options.dialect),
             options.game.largest_from(way_of(options.side))),
      reader_(worker_route.loop, *this),
      gathers_(options.gathers),
      most_packed_(most_packed(options.side, options.game, options.dialect)) {
  if (options.game.transport() == wire::Transport::kTcpAndUdp)
    guard_.emplace(make_guard(options, worker_route.loop.now()));
}

// -- Coming up --------------------------------------------------------------------------------------------------------

bool BridgeTcp::adopt(net::Fd client) {
  here_ = net::local_address(client.get());
  there_ = net::peer_address(client.get());
  if (!link_.adopt(std::move(client))) return false;
  link_.read(true);
  user_.opened(*this, {there_.text(), 0, {}});
  return true;
}

int BridgeTcp::connect(const net::Address& server, net::Sockets sockets) {
  departed_ = peer_ended_ = over_ = false;
  if (finds_dialect_) unsure_.emplace();
  there_ = server;
  udp_ = std::move(sockets.udp);
  if (udp_ && !reader_.open_connected(udp_.get())) return ENOMEM;
  const int tcp = sockets.tcp.get();
  const int error = link_.connect(std::move(sockets.tcp), server);
  if (error == 0) here_ = net::local_address(tcp);
  return error;
}

void BridgeTcp::connected(net::Link&) {
  link_.read(true);
  user_.opened(*this, {there_.text(), 0, {}});
}

void BridgeTcp::hears(std::size_t dialect) {
  heard_ = Stream(game_.cutter(way_of(side_), dialect), game_.largest_from(way_of(side_)));
  most_packed_ = most_packed(side_, game_, dialect);
}

// -- Hearing and speaking ---------------------------------------------------------------------------------------------

void BridgeTcp::received(net::Link&, wire::Lane, Bytes bytes) {
  if (departed_ || parted_) {
    unheard_ += bytes.size();
    if (unheard_ <= kMostUnheard) return;
    link_.close();
    return settle();
  }
  unsure_ ? find_dialect(bytes) : hear_stream(bytes);
}

void BridgeTcp::find_dialect(Bytes bytes) {
  append(*unsure_, bytes);
  const wire::Detected found = game_.detect(*unsure_);
  if (found.state == wire::Detected::State::kNeedMore && unsure_->size() <= most_held_) return;
  if (found.state != wire::Detected::State::kFound) return user_.found(*this, std::nullopt);
  const Buffer said = *std::exchange(unsure_, std::nullopt);
  hears(found.dialect);
  user_.found(*this, found.dialect);
  if (!departed_ && !parted_ && link_.is_open()) hear_stream(said);
}

void BridgeTcp::hear_stream(Bytes bytes) {
  const auto fault = heard_.feed(
      bytes, [&](const Frames& frames) { user_.received(*this, Lane::kStream, frames.bytes, frames.count); });
  if (fault && link_.is_open()) depart({How::kWrong, 0, *fault, {}});
}

void BridgeTcp::send(Lane lane, Bytes frame) {
  if (parted_ || !link_.is_open()) return;
  if (lane != Lane::kStream) return send_datagram(frame);
  gathers_ ? gather(frame, false) : link_.send(lane, frame);
}

void BridgeTcp::lend(Lane lane, Bytes frame) {
  if (lane != Lane::kStream) return send(lane, frame);
  if (parted_ || !link_.is_open()) return;
  gathers_ ? gather(frame, true) : link_.lend(frame);
}

/// What lies right behind what was sent last becomes part of it.
void BridgeTcp::gather(Bytes bytes, bool lent) {
  if (bytes.empty()) return;
  gathered_bytes_ += bytes.size();
  if (!lent) append(own_, bytes);
  if (!gathered_.empty()) {
    Piece& last = gathered_.back();
    if (!lent && last.own != 0) {
      last.own += bytes.size();
      return;
    }
    if (lent && last.own == 0 && last.lent.data() + last.lent.size() == bytes.data()) {
      last.lent = {last.lent.data(), last.lent.size() + bytes.size()};
      return;
    }
  }
  lent ? gathered_.push_back({bytes}) : gathered_.push_back({{}, bytes.size()});
}

void BridgeTcp::send_datagram(Bytes bytes) {
  if (bytes.size() > net::kLargestDatagram) return worker_route_.dropped(Drop::kTooLarge);
  if (side_ == BridgeSide::kBack) {
    if (!udp_) return worker_route_.dropped(Drop::kNotLinked);
    if (!net::udp_send(udp_.get(), bytes)) worker_route_.dropped(Drop::kQueueFull);
    return;
  }
  if (!client_ || !worker_route_.to_clients) return worker_route_.dropped(Drop::kNotLinked);
  if (packed_.size() + bytes.size() > most_packed_) flush();
  if (bytes.size() > most_packed_) return worker_route_.to_clients->push(here_, *client_, bytes);
  append(packed_, bytes);
}

void BridgeTcp::flush() {
  if (!packed_.empty()) worker_route_.to_clients->push(here_, *client_, packed_);
  packed_.clear();
  if (gathered_.empty()) return;
  std::size_t at = 0;
  for (const Piece& piece : gathered_) {
    piece.own == 0 ? link_.lend(piece.lent) : link_.send(Lane::kStream, Bytes(own_).subspan(at, piece.own));
    at += piece.own;
  }
  gathered_.clear();
  gathered_bytes_ = 0;
  if (own_.capacity() > kKeptOwn)
    own_ = {};
  else
    own_.clear();
}

/// Of a client, by the listener's socket.
void BridgeTcp::datagram(const net::Address& from, Bytes bytes) {
  if (side_ == BridgeSide::kFront) {
    if (!guard_ || departed_ || parted_) return worker_route_.dropped(Drop::kNotLinked);
    if (const auto drop = guard_->objection(bytes, worker_route_.loop.now())) return worker_route_.dropped(*drop);
    client_ = from;
    hear_datagram(bytes);
  } else {
    if (const auto drop = guard_->objection(bytes, worker_route_.loop.now())) return worker_route_.dropped(*drop);
    if (!departed_ && !parted_) hear_datagram(bytes);
  }
}

void BridgeTcp::hear_datagram(Bytes bytes) {
  last_datagram_ = worker_route_.loop.now();
  user_.received(*this, Lane::kDatagram, bytes, 1);
}

void BridgeTcp::wrote(net::Link&) {
  user_.wrote(*this);
  settle();
}

// -- Going down -------------------------------------------------------------------------------------------------------

void BridgeTcp::ended(net::Link&) {
  peer_ended_ = true;
  depart({});
  settle();
}

void BridgeTcp::broken(net::Link&, int error) {
  reader_.close();
  depart({How::kBroke, error, Fault{""}, {}});
  settle();
}

void BridgeTcp::depart(const Departure& departure) {
  if (departed_ || parted_) return;
  departed_ = true;
  user_.departed(*this, departure);
}

void BridgeTcp::part(std::string_view, std::uint32_t) {
  reader_.close();
  if (!parted_) flush();
  if (std::exchange(parted_, true)) return;
  // To close over unread bytes would reset the connection and take our last words from it: hear, without listening.
  link_.finish();
  if (link_.is_open()) link_.read(true);
}

void BridgeTcp::settle() {
  if (peer_ended_ && parted_ && link_.waiting() == 0) link_.close();
  if (link_.is_open() || over_ || !(departed_ || parted_)) return;
  over_ = true;
  user_.over(*this);
}

net::Fd BridgeTcp::release() {
  departed_ = true;
  reader_.close();
  return link_.release();
}

void BridgeTcp::hang_up() {
  reader_.close();
  link_.close();
}

}  // namespace entente::relay
