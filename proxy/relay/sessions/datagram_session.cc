#include "proxy/relay/sessions/datagram_session.h"

#include <algorithm>
#include <cerrno>

#include "proxy/base/steady_wall.h"
#include "proxy/net/socket.h"
#include "proxy/relay/ends/enet_reason.h"
#include "proxy/relay/ends/relay_link.h"

namespace entente::relay {

using wire::Lane;
using wire::Way;

namespace {

constexpr std::size_t kHeaders = 28;     // bytes of IP and UDP around each datagram
constexpr Millis kQuiet = 1'000;         // ENet pings twice a second: a peer that is silent for this long may have left
constexpr int kMostGuesses = 4;          // wrong acknowledgements of an unproven client; a real one sends none
constexpr std::uint32_t kGone = 60'000;  // milliseconds; ENet gives a silent peer up after 30 seconds

std::uint32_t longest_silence(const Limits& limits) { return limits.idle_ms ? std::min(limits.idle_ms, kGone) : kGone; }

}  // namespace

void DatagramSession::Said::keep(Bytes datagram) {
  size = datagram.size() <= kMost ? datagram.size() : 0;
  std::copy_n(datagram.begin(), size, room.begin());
}

DatagramSession::DatagramSession(WorkerRoute& worker_route, Owner& owner, net::EnetUnpacker& unpacker,
                                 const Limits& limits, const LinkInfo& info, const net::EnetCommand& connect,
                                 Bytes datagram)
    : worker_route_(worker_route),
      owner_(owner),
      unpacker_(unpacker),
      limits_(limits),
      info_(info),
      connect_(connect),
      first_(datagram.begin(), datagram.end()),
      pace_(limits.datagrams_per_second, limits.datagrams_per_second, worker_route.loop.now()),
      reader_(worker_route.loop, *this),
      credit_(kHeaders + datagram.size()),
      client_peer_(connect.peer),
      began_(worker_route.loop.now()),
      source_(worker_route.route, info.client),
      walk_(worker_route.route.upstreams, info.client, nullptr, std::nullopt),
      inbox_(worker_route.loop, *this, worker_route.loop.client_party(info.client)) {
  info_.enet_datagrams = true;
  client_said_.at = began_;
}

// -- Coming up --------------------------------------------------------------------------------------------------------

void DatagramSession::start() {
  worker_route_.counters.begun.add();
  reach_next();
}

void DatagramSession::reach_next() {
  if (server_) {
    walk_.not_reached(worker_route_.loop.now());
    failed_for_ = Reason::kServerTimeout;
  }
  reader_.close();
  server_.reset();
  session_count_ = {};
  while (!ended_ && !server_) {
    const net::Address* server = walk_.next(worker_route_.loop.now(), "");
    if (server == nullptr && walk_.looks_up()) return;  // until tick()
    if (server == nullptr) return end(failed_for_);
    info_.server = *server;
    try_server();
  }
}

/// Asks the server at this address, if that is possible.
void DatagramSession::try_server() {
  const net::Source& source = source_.get();
  if (source.foreign && source.address.family() != info_.server.family()) return;
  reader_.set_party(worker_route_.loop.server_party(info_.server, info_.client));
  auto made = net::datagrams_towards(info_.server, source);
  if (!made && !made.error().is_exhaustion()) {
    walk_.not_reached(worker_route_.loop.now());
    failed_for_ = Reason::kServerUnreachable;
    return worker_route_.log_warning(LogKind::kUnreached, made.error().text, {.server = info_.server.text()});
  }
  if (!made || !reader_.open_connected(made->udp.get())) {
    const int error = errno;
    const auto why = made ? net::towards_error("cannot open a UDP socket towards " + info_.server.text(), error, source)
                          : made.error();
    worker_route_.log_warning(LogKind::kMachine, why.text, {.server = info_.server.text()});
    return end(Reason::kOutOfDescriptors);
  }
  session_count_ = Upstreams::SessionCount(walk_.server());
  session_count_.note_reached();
  server_ = std::move(made->udp);
  asked_ = worker_route_.loop.now();
  pass(first_);
}

/// Whether an unproven client may send this: its connect again, or a datagram to the peer number that the server chose.
bool DatagramSession::may_greet(Bytes datagram) {
  if (proves(datagram)) return open();
  if (guesses_ >= kMostGuesses) return end(Reason::kGreetTimeout), false;
  const auto header = net::enet_header(datagram);
  if (!header) return false;
  if (header->peer() == net::EnetHeader::kNobody) {
    const auto again = net::enet_connect(datagram, unpacker_);
    if (!again || !is(*again)) return false;
  } else if (header->to != server_peer_) {
    return false;
  }
  credit_ += kHeaders + datagram.size();
  return true;
}

/// Whether the client proves its address: it acknowledges the server's answer with the peer number and the time from
/// that answer, so it has received it. Counts those with another time.
bool DatagramSession::proves(Bytes datagram) {
  const auto header = net::enet_header(datagram);
  if (!header || header->to != server_peer_) return false;
  const auto yes = net::enet_command(datagram, net::EnetCommand::kAcknowledge, unpacker_);
  const auto told = std::span(told_at_).first(std::min(tellings_, told_at_.size()));
  if (!yes) return false;
  if (std::find(told.begin(), told.end(), yes->acknowledged_time) != told.end()) return true;
  ++guesses_;
  return false;
}

void DatagramSession::answered(Bytes datagram) {
  const auto opened = net::enet_header(datagram);
  const auto verified = net::enet_command(datagram, net::EnetCommand::kVerifyConnect, unpacker_);
  if (!verified || !opened->sent_time || !is(*verified)) return;
  if (!server_peer_) {
    walk_.server().count_session();
    walk_.reached();
    if (walk_.server().succeeded(worker_route_.loop.now())) worker_route_.log_up(walk_.server());
  }
  server_peer_ = static_cast<std::uint16_t>((verified->peer & 0x0FFF) | (verified->session & 3) << 12);
  told_at_[tellings_++ % told_at_.size()] = *opened->sent_time;
}

/// False: the client may not come in.
bool DatagramSession::open() {
  receives_ = true;
  if (const auto why = owner_.proven(*this)) return end(*why), false;
  proven_ = true;
  address_rates_ = worker_route_.route.listener->admission.rates(info_.client, limits_, worker_route_.loop.now());
  count(worker_route_.counters.opening, worker_route_.loop.now() - began_);
  worker_route_.opened(info_);
  if (worker_route_.lab) lab_changed();
  if (!worker_route_.tap) return true;
  worker_route_.tap_opened(info_, steady_wall_now());
  worker_route_.tap->bytes(info_.link, Way::kToServer, Lane::kDatagram, first_, steady_wall_now());
  return true;
}

// -- Passing on -------------------------------------------------------------------------------------------------------

void DatagramSession::client_said(Bytes datagram) {
  if (!inbox_.put(info_.client, datagram)) worker_route_.dropped(Drop::kQueueFull);
}

void DatagramSession::take_datagram(const net::Address&, Bytes datagram) {
  const Millis now = worker_route_.loop.now();
  if (ended_) return worker_route_.dropped(Drop::kNotLinked);
  if (datagram.size() > limits_.datagram_bytes) return worker_route_.dropped(Drop::kTooLarge);
  if (!pace_.take_one(now)) return worker_route_.dropped(Drop::kTooFast);
  if (address_rates_ && !address_rates_->take_datagram(datagram.size(), now))
    return worker_route_.dropped(Drop::kTooFast);
  if (!proven_ && !may_greet(datagram)) return worker_route_.dropped(ended_ ? Drop::kNotLinked : Drop::kBadFrame);
  client_said_.keep(datagram);
  client_said_.at = now;
  pass(datagram);
}

SessionReport DatagramSession::report() const {
  return {worker_route_.route.index,
          info_,
          worker_route_.loop.now() - began_,
          passed_,
          source_.get().address,
          {},
          {},
          {},
          AnnounceResult::kNotAsked,
          lab_ ? std::optional(lab_->report()) : std::nullopt};
}

void DatagramSession::pass(Bytes datagram) {
  if (walk_.looks_up()) return worker_route_.dropped(Drop::kNotLinked);  // ENet sends its connect again
  lab_ ? lab_->at(Way::kToServer).put(datagram, 0) : pass_to_server(datagram);
}

void DatagramSession::pass_to_server(Bytes datagram) {
  if (proven_ && worker_route_.tap)
    worker_route_.tap->bytes(info_.link, Way::kToServer, Lane::kDatagram, datagram, steady_wall_now());
  if (!net::udp_send(server_.get(), datagram)) return worker_route_.dropped(Drop::kQueueFull);
  passed_ += datagram.size();
  worker_route_.counters.to_server.datagrams.add();
  worker_route_.counters.to_server.datagram_bytes.add(datagram.size());
}

void DatagramSession::datagram(const net::Address&, Bytes bytes) {
  const auto header = net::enet_header(bytes);
  if (!header) return worker_route_.dropped(Drop::kBadFrame);
  if (bytes.size() > limits_.datagram_bytes) return worker_route_.dropped(Drop::kTooLarge);
  if (!proven_) answered(bytes);
  if (!proven_ && !covers(bytes)) return worker_route_.dropped(Drop::kUnproven);
  client_peer_ = header->to;
  server_said_.keep(bytes);
  server_said_.at = worker_route_.loop.now();
  lab_ ? lab_->at(Way::kToClient).put(bytes, 0) : pass_to_client(bytes);
}

void DatagramSession::pass_to_client(Bytes bytes) {
  if (proven_ && worker_route_.tap)
    worker_route_.tap->bytes(info_.link, Way::kToClient, Lane::kDatagram, bytes, steady_wall_now());
  worker_route_.to_clients->push(info_.listener, info_.client, bytes);
  passed_ += bytes.size();
  worker_route_.counters.to_client.datagrams.add();
  worker_route_.counters.to_client.datagram_bytes.add(bytes.size());
}

/// The address may be forged, so it is sent no more bytes than came from there.
bool DatagramSession::covers(Bytes datagram) {
  const std::size_t cost = kHeaders + datagram.size();
  if (cost > credit_) return false;
  credit_ -= cost;
  return true;
}

// -- The lab ----------------------------------------------------------------------------------------------------------

void DatagramSession::lab_changed() {
  if (!proven_ || ended_) return;
  if (!lab_ && worker_route_.lab)
    lab_ = worker_route_.make_lab(*this, LabLine::Of::kDatagrams, info_, limits_.high_water);
  if (lab_) lab_->lines().follow(worker_route_.lab);
}

void DatagramSession::lab_passes(LabLine& line, const LabUnit& unit) {
  if (ended_) return;
  if (worker_route_.tap) worker_route_.tap->lab_passes(info_.link, unit.made, unit.held, steady_wall_now());
  line.way() == Way::kToServer ? pass_to_server(unit.bytes) : pass_to_client(unit.bytes);
}

void DatagramSession::lab_keeps(LabLine& line, Bytes unit, std::uint32_t, bool altered) {
  if (!worker_route_.tap) return;
  const WallTime at = steady_wall_now();
  worker_route_.tap->lab_keeps(info_.link, altered, at);
  worker_route_.tap->bytes(info_.link, line.way(), Lane::kDatagram, unit, at);
}

// -- Going down -------------------------------------------------------------------------------------------------------

std::optional<Reason> DatagramSession::gives_way() {
  const bool quiet = worker_route_.loop.now() > client_said_.at + kQuiet;
  return !proven_ || quiet ? Reason::kClientLeft : parted();
}

/// A disconnect is the last datagram of its sender, apart from its repetitions.
std::optional<Reason> DatagramSession::parted() {
  if (net::enet_command(client_said_.bytes(), net::EnetCommand::kDisconnect, unpacker_)) return Reason::kClientLeft;
  const auto last = net::enet_command(server_said_.bytes(), net::EnetCommand::kDisconnect, unpacker_);
  if (!last) return std::nullopt;
  if (proven_ && worker_route_.route.game.bans_by(last->data))
    worker_route_.server_banned(walk_.server().name, info_.client, "");
  return Reason::kServerLeft;
}

void DatagramSession::tick(Millis now) {
  if (ended_) return;
  if (walk_.looks_up() || (!server_peer_ && late(now, asked_, limits_.connect_ms))) return reach_next();
  if (const auto reason = overdue(now)) end(*reason);
}

std::optional<Reason> DatagramSession::overdue(Millis now) {
  if (!proven_ && server_peer_ && late(now, began_, limits_.greet_ms)) return Reason::kGreetTimeout;
  if (now > std::max(client_said_.at, server_said_.at) + kQuiet)
    if (const auto left = parted()) return left;
  const Millis heard = proven_ ? std::min(client_said_.at, server_said_.at) : client_said_.at;
  if (late(now, heard, longest_silence(limits_))) return Reason::kIdle;
  return std::nullopt;
}

void DatagramSession::end(Reason reason) {
  if (ended_) return;
  if (lab_) lab_->end();
  ended_ = true;
  if (proven_) count(worker_route_.counters.length, worker_route_.loop.now() - began_);
  worker_route_.ended(info_, {reason, worker_route_.loop.now() - began_});
  if (proven_ && worker_route_.tap) worker_route_.tap->closed(info_.link, text(reason), steady_wall_now());
  if (reason != Reason::kClientLeft && reason != Reason::kServerLeft) part(reason);
  reader_.close();
  server_.reset();
  owner_.done(*this);
}

/// Disconnects both sides. Otherwise they would notice the end only after half a minute, and the server would keep the
/// place until then.
void DatagramSession::part(Reason reason) {
  const wire::Game& game = worker_route_.route.game;
  const auto to_client = net::enet_disconnect(client_peer_, enet_parting(game, reason));
  if (receives_ || covers(to_client)) worker_route_.to_clients->push(info_.listener, info_.client, to_client);
  if (server_peer_)
    (void)net::udp_send(server_.get(), net::enet_disconnect(*server_peer_, game.enet_parting(wire::Parting::kLeft)));
}

}  // namespace entente::relay
