#include "proxy/relay/ends/tcp_end.h"

#include <cerrno>
#include <utility>

namespace entente::relay {

namespace {

constexpr std::size_t kKeptOwn = 16 * 1024;  // if own_ is larger, its memory is freed

std::size_t most_packed(Facing side, const wire::Game& game, std::size_t dialect) {
  return side == Facing::kClient ? game.packed_datagram(dialect) : 0;
}

DatagramFilter make_filter(const EndOptions& options, Millis now) {
  const bool client = options.facing == Facing::kClient;
  DatagramFilter filter{nullptr, options.limits.datagram_bytes, client ? options.limits.datagrams_per_second : 0, now};
  filter.share(options.rates);
  return filter;
}

}  // namespace

TcpEnd::TcpEnd(WorkerRoute& worker_route, End::User& user, const EndOptions& options)
    : LinkEnd(worker_route, user, options),
      finds_dialect_(options.finds_dialect),
      most_held_(options.limits.held_bytes),
      heard_(options.game, options.dialect, way_of(options.facing)),
      reader_(worker_route.loop, *this),
      gathers_(options.gathers),
      most_packed_(most_packed(options.facing, options.game, options.dialect)) {
  if (options.game.transport() == wire::Transport::kTcpAndUdp)
    filter_.emplace(make_filter(options, worker_route.loop.now()));
}

// -- Coming up --------------------------------------------------------------------------------------------------------

bool TcpEnd::adopt(net::Fd client) {
  note_addresses(client);
  if (!link_.adopt(std::move(client))) return false;
  link_.set_reading(true);
  user().opened(*this, {peer_address_.text(), 0, {}});
  return true;
}

int TcpEnd::connect(const net::Address& server, Outgoing outgoing) {
  if (finds_dialect_) unsure_.emplace();
  reader_.close();  // of the attempt before
  udp_ = std::move(outgoing.sockets.udp);
  reader_.set_party(worker_route_.loop.server_party(server, works_for_));
  if (udp_ && !reader_.open_connected(udp_.get())) return errno;
  return connect_by(server, std::move(outgoing.sockets.tcp),
                    [&](net::Fd tcp) { return link_.connect(std::move(tcp), server, outgoing.first); });
}

void TcpEnd::connected(net::Tcp&) {
  link_.set_reading(true);
  user().opened(*this, {peer_address_.text(), 0, {}});
}

void TcpEnd::set_peer_dialect(std::size_t dialect) {
  heard_ = wire::FrameReader(game_, dialect, way_of(facing_));
  most_packed_ = most_packed(facing_, game_, dialect);
}

// -- Receiving and sending --------------------------------------------------------------------------------------------

void TcpEnd::received(net::Tcp&, wire::Lane, Bytes bytes) {
  if (is_deaf_to(bytes.size())) return;
  Buffer said;
  if (unsure_) {
    append(*unsure_, bytes);
    if (!find_dialect()) return;
    said = *std::exchange(unsure_, std::nullopt);
    bytes = said;
  }
  conclude(heard_.feed(
      Lane::kStream, bytes, [&](const Frames& frames) { user().on_frames(*this, frames); },
      [&] { return has_time(); }));
}

/// Whether the dialect is known now, and what the peer said can be cut into frames.
bool TcpEnd::find_dialect() {
  const wire::Detected found = game_.detect(*unsure_);
  if (found.state == wire::Detected::State::kNeedMore && unsure_->size() <= most_held_) return false;
  const bool known = found.state == wire::Detected::State::kFound;
  if (known) set_peer_dialect(found.dialect);
  user().found(*this, known ? std::optional(found.dialect) : std::nullopt);
  return known && !departed_ && !shut_down_ && link_.is_open();
}

void TcpEnd::go_on(net::Tcp&) {
  if (departed_ || shut_down_) return heard_.drop();
  conclude(heard_.go_on([&](const Frames& frames) { user().on_frames(*this, frames); }, [&] { return has_time(); }));
}

void TcpEnd::conclude(const std::optional<Fault>& fault) {
  if (heard_.behind()) link_.call_again();
  if (fault && link_.is_open()) depart({How::kWrong, 0, *fault, {}});
}

void TcpEnd::send(Lane lane, Bytes frame) {
  if (shut_down_ || !link_.is_open()) return;
  if (lane != Lane::kStream) return send_datagram(frame);
  gathers_ ? gather({frame, {}}) : link_.send(lane, frame);
}

void TcpEnd::lend(Lane lane, const SharedBytes& frame) {
  if (lane != Lane::kStream) return send(lane, frame.bytes);
  if (shut_down_ || !link_.is_open()) return;
  gathers_ ? gather(frame) : link_.lend(frame);
}

/// Bytes that directly follow the last piece in memory become part of it. Without an owner, they are copied.
void TcpEnd::gather(const SharedBytes& frame) {
  const Bytes bytes = frame.bytes;
  if (bytes.empty()) return;
  const bool lent = frame.owner != nullptr;
  gathered_bytes_ += bytes.size();
  if (!lent) append(own_, bytes);
  if (!gathered_.empty()) {
    Piece& last = gathered_.back();
    if (!lent && last.own != 0) {
      last.own += bytes.size();
      return;
    }
    if (lent && last.own == 0 && last.lent.continues_in(frame)) {
      last.lent.bytes = {last.lent.bytes.data(), last.lent.bytes.size() + bytes.size()};
      return;
    }
  }
  lent ? gathered_.push_back({frame}) : gathered_.push_back({{}, bytes.size()});
}

void TcpEnd::send_datagram(Bytes bytes) {
  if (bytes.size() > net::kLargestDatagram) return worker_route_.dropped(Drop::kTooLarge);
  if (facing_ == Facing::kServer) {
    if (!udp_) return worker_route_.dropped(Drop::kNotLinked);
    if (!net::udp_send(udp_.get(), bytes)) worker_route_.dropped(Drop::kQueueFull);
    return;
  }
  if (!client_ || !worker_route_.to_clients) return worker_route_.dropped(Drop::kNotLinked);
  if (packed_.size() + bytes.size() > most_packed_) flush();
  if (bytes.size() > most_packed_) return worker_route_.to_clients->push(local_address_, *client_, bytes);
  append(packed_, bytes);
}

void TcpEnd::flush() {
  if (!packed_.empty()) worker_route_.to_clients->push(local_address_, *client_, packed_);
  packed_.clear();
  if (gathered_.empty()) return;
  std::size_t at = 0;
  for (const Piece& piece : gathered_) {
    piece.own == 0 ? link_.lend(piece.lent) : link_.send(Lane::kStream, Bytes(own_).subspan(at, piece.own));
    at += piece.own;
  }
  gathered_.clear();
  gathered_bytes_ = 0;
  clear_keeping(own_, kKeptOwn);
}

/// A client's datagram came through the listener's socket, a server's through ours.
void TcpEnd::datagram(const net::Address& from, Bytes bytes) {
  const bool gone = departed_ || shut_down_;
  if (!filter_ || (gone && facing_ == Facing::kClient)) return worker_route_.dropped(Drop::kNotLinked);
  if (const auto drop = filter_->objection(bytes, worker_route_.loop.now())) return worker_route_.dropped(*drop);
  if (gone) return;
  const auto fault = heard_.feed(Lane::kDatagram, bytes, [&](const Frames& frames) {
    if (facing_ == Facing::kClient) client_ = from;
    last_datagram_ = worker_route_.loop.now();
    filter_->charge(frames.count() - 1, last_datagram_);
    user().on_frames(*this, frames);
  });
  if (fault) worker_route_.dropped(Drop::kBadFrame);
}

// -- Going down -------------------------------------------------------------------------------------------------------

void TcpEnd::broken(net::Tcp& link, int error) {
  reader_.close();
  LinkEnd::broken(link, error);
}

void TcpEnd::shut_down(std::string_view, std::uint32_t) {
  reader_.close();
  if (!shut_down_) flush();
  if (std::exchange(shut_down_, true)) return;
  finish();
}

net::Fd TcpEnd::release() {
  departed_ = true;
  reader_.close();
  return link_.release();
}

void TcpEnd::hang_up() {
  reader_.close();
  link_.hang_up();
}

}  // namespace entente::relay
