#include "proxy/relay/sessions/room_session.h"

#include <algorithm>
#include <utility>

#include "proxy/relay/ends/bot_end.h"
#include "proxy/relay/ends/enet_reason.h"

namespace entente::relay {
namespace {

/// Bytes. They may hold some hundreds of messages, which take a room a few milliseconds.
constexpr std::size_t kLargestRead = 4096;

}  // namespace

RoomSession::RoomSession(WorkerRoute& accept_route, Owner& owner, RoomHost& host, const AcceptedClient& newcomer,
                         bool gathers)
    : Session(accept_route, owner, newcomer),
      host_(host),
      silence_(accept_route.loop, static_cast<net::Alarm::User&>(*this)) {
  info_.may_only_greet = true;
  client_.end = make_client_end(newcomer, gathers);
  silence_.set_priority(net::Priority::kNewcomer);
  silence_.set_party(party());
}

RoomSession::RoomSession(const RoomSession& other, RoomHost& host, Successor)
    : Session(other, Successor()),
      host_(host),
      peer_(other.peer_),
      silence_(accept_route_.loop, static_cast<net::Alarm::User&>(*this)),
      named_(other.named_) {
  silence_.set_party(party());
  client_.end = std::make_unique<BotEnd>(static_cast<End::User&>(*this));
  client_.id = other.client_.id;
}

void RoomSession::adopt_client(RoomSession& other) {
  Session::adopt_client(other);
  other.silence_.clear();
  client_.end = std::move(other.client_.end);
  client_.end->set_user(*this);
  client_.pauses = other.client_.pauses;
  client_.up = other.client_.up;
  client_.last_progress = other.client_.last_progress;
}

std::unique_ptr<End> RoomSession::make_client_end(const AcceptedClient& newcomer, bool gathers) {
  return make_end(*worker_route_, *this,
                  {.facing = Facing::kClient,
                   .game = *info_.game,
                   .dialect = info_.dialect,
                   .limits = limits_,
                   .gathers = gathers,
                   .largest_read = kLargestRead,
                   .client = info_.client,
                   .party = party(),
                   .rates = address_rates_,
                   .enet = newcomer.enet,
                   .heard = newcomer.heard});
}

// -- Coming up --------------------------------------------------------------------------------------------------------

void RoomSession::start(net::Fd client) {
  if (client) info_.listener = net::local_address(client.get());
  if (!client_.end->adopt(std::move(client))) end(Reason::kOutOfDescriptors);
}

/// The client is connected. If its dialect is not known yet, its first message or its silence will show it.
void RoomSession::greet(const core::Peer& peer) {
  count_begun();
  peer_ = peer;
  if (!peer_.address.empty()) peer_.address = info_.client.text();  // not a load balancer's
  peer_.network = info_.client.host_key().ip_text();
  if (worker_route_->route.options->fallback) return silence_.set(accept_route_.loop.nanos() + kGreetSilenceNanos);
  if (!worker_route_->route.options->clients_name_dialect) seat(info_.dialect);
}

/// The client sent nothing: it speaks the dialect in which servers speak first.
void RoomSession::rang() {
  if (ending_ || !is_unseated() || client_.end->last_received() != 0) return;
  if (client_.end->is_unserved())
    return silence_.set(accept_route_.loop.nanos() + kGreetSilenceNanos);  // what it sent is not read yet
  client_.end->set_peer_dialect(*worker_route_->route.options->fallback);
  seat(*worker_route_->route.options->fallback);
}

// -- Receiving and sending --------------------------------------------------------------------------------------------

void RoomSession::on_frames(End&, const Frames& frames) {
  if (ending_) return;
  last_passed_ = now();
  if (is_unseated()) seat(info_.game->named_by_client(frames.bytes).value_or(info_.dialect));
  if (ending_ || !takes(frames)) return;
  client_.hear(*worker_route_, frames, wall());
  heard_words_ = 0;
  host_.take_frames(client_.id, frames);
  if (frames.lane != Lane::kStream) return;
  bytes_from_client_ += frames.bytes.size();
  if (!ending_) charge(frames.bytes.size(), std::max(frames.count(), heard_words_));
}

void RoomSession::received_besides(End& end, std::size_t bytes, std::size_t messages) {
  if (!ending_ && &end == client_.end.get()) charge(bytes, messages);
}

void RoomSession::datagram(const net::Address& from, Bytes datagram) {
  if (!client_.up || ending_) return worker_route_->dropped(Drop::kNotLinked);
  client_.end->datagram(from, datagram);
}

/// The first message to the client may contain its player id, which identifies its datagrams.
void RoomSession::name(Bytes greeting) {
  if (named_ || !worker_route_->route.with_datagrams()) return;
  named_ = true;
  if (const auto player = info_.game->greeted_as(greeting)) owner_.player_id_given(*this, *player);
}

// -- Going down -------------------------------------------------------------------------------------------------------

void RoomSession::send_away(Reason reason, std::string_view why) {
  const std::string said = words_for_sent_away(reason, why);
  note(said);
  end(reason, Fault{""}, said);
}

AnnounceResult RoomSession::say(std::string_view text) {
  if (ending_ || !client_.up) return AnnounceResult::kNotIn;
  if (!info_.game->has_chat()) return AnnounceResult::kNoChat;
  return announce_in_room(text) ? AnnounceResult::kYes : AnnounceResult::kNotIn;
}

void RoomSession::hand_back(SessionRef to) {
  note("took up the lost session of link " + std::to_string(to.link));
  if (net::Fd client = client_.end->release()) owner_.hand_over(to, std::move(client), info_.client);
  end(Reason::kResumed);
}

void RoomSession::tell_unseated(Reason reason) {
  if (!client_.up || !client_.end->is_open() || !info_.game->has_last_words()) return;
  for (const Buffer& message : last_words(wire::ClientStage::kNew, reason)) client_.end->send(Lane::kStream, message);
  client_.end->flush();
}

std::string RoomSession::why_for_player(Reason reason) const {
  const bool bot = info_.client.port() == 0;
  const std::string said = words(reason);
  return bot || said.empty() ? text(reason) : said;
}

/// The room has sent the client everything: closes the link.
void RoomSession::let_go(Reason reason, std::string_view why, std::uint32_t code) {
  if (!turned_away_ && info_.game->bans_by(code)) worker_route_->front_banned(info_.client, why);
  set_reason(reason, why);
  const std::string said = this->reason() == Reason::kProtocolFault ? words(Reason::kProtocolFault) : std::string(why);
  client_.end->delay_close(goodbye());
  client_.up ? client_.end->shut_down(said, code_for(client_, code)) : client_.end->hang_up();
}

/// The code of the front or back; if it gave none, or only that its session ends, the game's code for the reason.
std::uint32_t RoomSession::code_for(const CountedEnd& side, std::uint32_t said) const {
  const wire::Game& game = *side.info.game;
  const std::uint32_t ours = parting_code(game, side.facing, reason());
  const bool only_ends = reason_ && side.facing == Facing::kClient && game.transport() == wire::Transport::kEnet &&
                         said == game.enet_parting(wire::Parting::kServerGone);
  return said == 0 || only_ends ? ours : said;
}

}  // namespace entente::relay
