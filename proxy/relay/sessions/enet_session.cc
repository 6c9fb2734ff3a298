#include "proxy/relay/sessions/enet_session.h"

#include <cerrno>
#include <utility>

#include "proxy/base/steady_wall.h"
#include "proxy/relay/ends/enet_reason.h"

namespace entente::relay {

using wire::Lane;
using wire::Way;

EnetSession::EnetSession(WorkerRoute& worker_route, Owner& owner, const AcceptedClient& newcomer)
    : RelaySession(worker_route, owner, newcomer),
      accepted_peer_(newcomer.enet),
      client_(accepted_peer_.peer),
      host_(worker_route.loop, *this),
      cutter_(worker_route.route.game.cutter(Way::kToServer, worker_route.route.dialect)),
      channels_(client_->channels()) {
  host_.set_priority(net::Priority::kNewcomer);
  from_client_.set_priority(net::Priority::kNewcomer);
  from_server_.set_priority(net::Priority::kNewcomer);
  from_client_.set_party(party());
  client_->owner = static_cast<EnetPeerUser*>(this);
}

// -- Coming up --------------------------------------------------------------------------------------------------------

/// Connects to the server with the data with which the client connected.
void EnetSession::start(net::Fd) {
  const wire::Game& game = worker_route_->route.game;
  count_begun();
  const auto dialect = game.named_by_connect(accepted_peer_.data);
  if (!dialect) return end(Reason::kClientDialect);
  if (*dialect != worker_route_->route.dialect) {
    worker_route_->log_wrong_client(*dialect);
    return end(Reason::kDialectMismatch);
  }
  begin_dial();
}

int EnetSession::dial(Dial&, const net::Address& server, Outgoing outgoing) {
  info_.server = server;
  const auto its_party = worker_route_->loop.server_party(server, info_.client);
  host_.set_party(its_party);
  from_server_.set_party(its_party);
  if (server.v6()) return EAFNOSUPPORT;  // ENet supports only IPv4
  if (const int error = open_host(outgoing.source)) return error;
  server_ = host_.connect(server, channels_, accepted_peer_.data);
  return server_ ? 0 : ENOBUFS;
}

/// Opens our side towards the server. Returns an errno if that fails.
int EnetSession::open_host(const net::Source& source) {
  const wire::Game& game = worker_route_->route.game;
  if (host_.is_open()) return 0;
  const auto opened =
      host_.open({1, channels_, game.enet().range_coder, game.largest_frame(), source, net::EnetOptions::kFromServer});
  return opened ? 0 : opened.error().code;
}

void EnetSession::connected(net::EnetPeer&, std::uint32_t) {
  if (ending_) return;
  dial_.succeeded(false);
  server_data_.reset();  // of a server that was full
  open_ = true;
  last_passed_ = now();
  open_tap(steady_wall_now());
  tell_opened();
  enter_lab();
  worker_route_->loop.serve(from_client_);
}

// -- Passing on -------------------------------------------------------------------------------------------------------

void EnetSession::peer_said(std::uint8_t channel, net::EnetPacket packet) {
  if (ending_ || from_server_.left_at != 0) return;
  const auto frames = count_frames(packet.bytes(), wire::EnetCarriage{channel, packet.delivery()}.lane());
  if (!frames) return;
  if (!player_shown_ && !packet.bytes().empty()) player_shown_ = worker_route_->route.game.shows_player(packet.bytes());
  Held::Packet said{channel, std::move(packet), *frames};
  !open_ || from_client_.waits() ? hold(from_client_, std::move(said)) : pass_counted(Way::kToServer, std::move(said));
}

void EnetSession::received(net::EnetPeer&, std::uint8_t channel, net::EnetPacket packet) {
  if (ending_ || from_client_.left_at != 0) return;
  if (bytes_from_server_ == 0) dial_.leave_queue();  // a full server sends nothing
  bytes_from_server_ += packet.bytes().size();
  Held::Packet said{channel, std::move(packet), 1};
  from_server_.waits() ? hold(from_server_, std::move(said)) : pass_counted(Way::kToClient, std::move(said));
}

/// The number of frames in a packet of the client, as it counts against the rates: an empty one, which is not passed
/// on, counts as one. Nothing: it broke its game's framing.
std::optional<std::size_t> EnetSession::count_frames(Bytes packet, Lane lane) {
  if (packet.empty()) return 1;
  std::size_t frames = 0;
  Bytes left = packet;
  std::optional<Fault> wrong;
  auto fault = wire::cut_message(*cutter_, left, [&](wire::Stage stage, Bytes frame) {
    ++frames;
    if (worker_route_->strict_filter)
      wrong = worker_route_->strict_filter->objection({Way::kToServer, lane, stage, frame}, info_.dialect);
    return !wrong;
  });
  if (wrong && !fault) fault = wrong;
  if (!fault && packet.size() > worker_route_->route.game.largest_frame()) fault = Fault{"oversize frame", "length", 0};
  if (fault) return end(Reason::kBadFrame, *fault), std::nullopt;
  bytes_from_client_ += packet.size();
  return frames;
}

/// Passes on what counts against the rates of its sender.
void EnetSession::pass_counted(Way way, Held::Packet packet) {
  const std::size_t size = packet.packet.bytes().size();
  const bool up = way == Way::kToServer;
  if (up && size != 0 && !std::exchange(plays_, true)) {  // from now on, it is served before newcomers
    host_.set_priority(net::Priority::kPlayer);
    from_client_.set_priority(net::Priority::kPlayer);
    from_server_.set_priority(net::Priority::kPlayer);
  }
  pass(way, packet.channel, std::move(packet.packet));
  if (!ending_) up ? charge(size, packet.frames) : charge_server(size, packet.frames);
}

// -- What waits -------------------------------------------------------------------------------------------------------

void EnetSession::Held::clear() {
  packets.clear();
  bytes = 0;
}

void EnetSession::hold(Held& side, Held::Packet packet) {
  const bool up = side.way == Way::kToServer;
  if (side.pauses.any() && packet.packet.delivery() != net::EnetDelivery::kReliable)
    return worker_route_->dropped(Drop::kTooFast);
  side.bytes += packet.packet.weight();
  if (up && !open_ && side.bytes > limits_.held_bytes)
    return end(Reason::kBadFrame, Fault{"too many packets before the server answered", "", 0});
  if (side.bytes > limits_.high_water + (up ? 0 : worker_route_->route.game.largest_burst()))
    return end(up ? Reason::kBadFrame : Reason::kServerProtocolError, Fault{"too many packets", "", 0});
  side.packets.push_back(std::move(packet));
}

void EnetSession::resume(Held& side, Pause why) {
  side.pauses.remove(why);
  if (!side.packets.empty()) worker_route_->loop.serve(side);
}

void EnetSession::pass_held(Held& side) {
  while (!ending_ && open_ && !side.pauses.any() && !side.packets.empty()) {
    Held::Packet one = std::move(side.packets.front());
    side.packets.pop_front();
    side.bytes -= one.packet.weight();
    pass_counted(side.way, std::move(one));
    if (!side.packets.empty() && worker_route_->loop.time_is_up()) return worker_route_->loop.serve(side);
  }
  if (side.left_at != 0 && side.packets.empty()) end(side.left_for);
}

/// The peer has left. Whether the session ends later, because something that it sent waits.
bool EnetSession::leaves_later(Held& side, Reason why) {
  if (!open_ || side.packets.empty()) return false;
  side.left_at = now();
  side.left_for = why;
  (&side == &from_client_ ? from_server_ : from_client_).clear();
  return true;
}

void EnetSession::pass(Way way, std::uint8_t channel, net::EnetPacket packet) {
  if (ending_) return;  // an earlier packet of the same call has ended the session
  if (packet.bytes().empty()) return worker_route_->dropped(Drop::kBadFrame);
  last_passed_ = now();
  lab_ ? lab_->at(way).put(packet.bytes(), lab_tag({channel, packet.delivery()}))
       : pass_on(way, channel, std::move(packet));
}

void EnetSession::pass_on(Way way, std::uint8_t channel, net::EnetPacket packet) {
  const Bytes bytes = packet.bytes();
  const bool up = way == Way::kToServer, reliable = packet.delivery() == net::EnetDelivery::kReliable;
  net::EnetPeer& to = up ? *server_ : *client_;
  if (to.waiting() + bytes.size() > limits_.high_water + worker_route_->route.game.largest_burst()) {
    if (!has_ended()) worker_route_->counters.stalls.add();
    return reliable ? end(up ? Reason::kServerStalled : Reason::kClientStalled)
                    : worker_route_->dropped(Drop::kQueueFull);
  }
  if (worker_route_->tap)
    worker_route_->tap->packet(info_.link, way, {channel, packet.delivery()}, bytes, steady_wall_now());
  auto& traffic = up ? worker_route_->counters.to_server : worker_route_->counters.to_client;
  (reliable ? traffic.bytes : traffic.datagram_bytes).add(bytes.size());
  (reliable ? traffic.frames : traffic.datagrams).add(1);
  if (!(up ? host_ : *accepted_peer_.host).send(to, channel, std::move(packet)))
    worker_route_->dropped(Drop::kQueueFull);
}

void EnetSession::lab_passes(LabLine& line, const LabUnit& unit) {
  const bool up = line.way() == Way::kToServer;
  if (ending_ || (up ? server_ : client_) == nullptr) return;
  const wire::EnetCarriage how = lab_carriage(unit.tag);
  if (worker_route_->tap) worker_route_->tap->lab_passes(info_.link, unit.made, unit.held, steady_wall_now());
  Session::inserting(unit.inserted);
  pass_on(line.way(), how.channel, net::EnetPacket(unit.bytes, how.send));
  Session::inserting(false);
}

void EnetSession::lab_keeps(LabLine& line, Bytes unit, std::uint32_t tag, bool altered) {
  if (ending_ || !worker_route_->tap) return;
  const WallTime at = steady_wall_now();
  worker_route_->tap->lab_keeps(info_.link, altered, at);
  worker_route_->tap->packet(info_.link, line.way(), lab_carriage(tag), unit, at);
}

// -- Going down -------------------------------------------------------------------------------------------------------

void EnetSession::peer_left(std::uint32_t data, bool) {
  client_ = nullptr;
  client_data_ = data;
  if (!ending_ && leaves_later(from_client_, Reason::kClientLeft)) return;
  end(Reason::kClientLeft);
}

void EnetSession::disconnected(net::EnetPeer& peer, std::uint32_t data) {
  server_ = nullptr;
  if (ending_) return settle();
  if (worker_route_->route.game.bans_by(data)) worker_route_->server_banned(dial_.server_name(), info_.client, "");
  // A refusal carries data of the game; a timeout carries none.
  if (!open_ && data == 0) return dial_.failed(peer.timed_out() && !peer.refused() ? ETIMEDOUT : ECONNREFUSED);
  if (data != 0 && data == worker_route_->route.game.enet_parting(wire::Parting::kFull)) {
    if (dial_.under_way()) dial_.declined();
    dial_.server_is_full(now());
    server_data_ = data;
    if (waits_for_slot()) return;
  }
  const bool vanished = peer.timed_out();  // so it has sent no data
  if (!vanished) server_data_ = data;
  Reason why = open_ ? Reason::kServerLeft : Reason::kServerUnreachable;
  if (vanished) why = peer.refused() ? Reason::kServerReset : Reason::kServerTimeout;
  if (!leaves_later(from_server_, why)) end(why);
}

/// The server is full. If no data has passed yet and the route holds sessions, the client waits for a seat.
bool EnetSession::waits_for_slot() {
  const Millis most = worker_route_->route.upstreams.rules().hold_ms;
  if (slot_until_ == 0) slot_until_ = now() + most;
  if (most == 0 || now() >= slot_until_ || bytes_from_client_ + bytes_from_server_ != 0) return false;
  if (std::exchange(open_, false))
    worker_route_->log_info(LogKind::kWaitsForServer,
                            "session " + std::to_string(info_.link) + ": server " + info_.server.text() +
                                " is full; waits for a seat for up to " + std::to_string(most / 1000) + " s",
                            about());
  dial_.again(*worker_route_, info_, std::nullopt, now(), slot_until_);
  return true;
}

wire::ClientStage EnetSession::stage() const {
  if (bytes_from_server_ == 0) return wire::ClientStage::kNew;
  return player_shown_ ? wire::ClientStage::kPlaying : wire::ClientStage::kJoining;
}

void EnetSession::shut_down() {
  const wire::Game& game = worker_route_->route.game;
  from_client_.clear();
  from_server_.clear();
  if (client_) {
    if (reason() != Reason::kServerLeft)
      for (const Buffer& packet : last_words(stage(), reason()))
        accepted_peer_.host->send(*client_, 0, net::EnetPacket(packet, net::EnetDelivery::kReliable));
    client_->owner = nullptr;
    accepted_peer_.host->disconnect_without_callback(*std::exchange(client_, nullptr),
                                                     server_data_ ? *server_data_ : relay::enet_parting(game, reason()),
                                                     limits_.linger_ms);
  }
  if (!server_) return;
  const std::uint32_t data = client_data_ ? *client_data_ : game.enet_parting(wire::Parting::kLeft);
  open_ ? host_.disconnect(*server_, data) : host_.disconnect_now(*std::exchange(server_, nullptr), data);
}

// -- In time ----------------------------------------------------------------------------------------------------------

bool EnetSession::drop_late(Dial&, Millis now) {
  const bool late = dial_.late(now);
  if (late) host_.disconnect_now(*std::exchange(server_, nullptr), 0);
  return late;
}

std::optional<Reason> EnetSession::overdue(Millis now) const {
  for (const Held* side : {&from_client_, &from_server_})
    if (side->left_at != 0 && late(now, side->left_at, limits_.linger_ms)) return side->left_for;
  return late(now, last_passed_, limits_.idle_ms) ? std::optional(Reason::kIdle) : std::nullopt;
}

}  // namespace entente::relay
