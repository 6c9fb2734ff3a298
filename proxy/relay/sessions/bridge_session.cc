#include "proxy/relay/sessions/bridge_session.h"

#include <algorithm>
#include <limits>
#include <random>

#include "proxy/relay/acceptors/finder.h"
#include "proxy/relay/ends/enet_reason.h"

namespace entente::relay {

using How = BridgeEnd::Departure::How;
using wire::Way;

namespace {

/// "bzflag 2.4"
std::string spoken(const SessionInfo& info) {
  return std::string(info.game->name()) + " " + std::string(info.game->dialects()[info.dialect].name);
}

}  // namespace

BridgeSession::BridgeSession(WorkerRoute& listener, Owner& owner, const Newcomer& newcomer)
    : listener_(listener),
      worker_route_(&listener),
      owner_(owner),
      limits_(newcomer.limits),
      in_vain_(newcomer.in_vain),
      alarm_(listener.loop, *this),
      rates_(limits_, listener.loop.now()),
      epoch_(listener.loop.nanos()),
      began_wall_(wall_now()),
      wall_(began_wall_),
      began_(listener.loop.now()),
      moved_(began_) {
  const Route& route = listener.route;
  front_.info = {newcomer.link, &route.game, route.dialect, newcomer.client, route.servers.front(), route.listener};
  back_.info = {0, &route.server_game(), newcomer.server_dialect, {}, route.servers.front(), route.listener};
  BridgeEnd::User& user = *this;
  front_.end = make_bridge_end(listener, user,
                               {.side = BridgeSide::kFront,
                                .game = route.game,
                                .dialect = route.dialect,
                                .limits = limits_,
                                .enet = newcomer.enet});
  back_.end = make_back();
  alarm_.set_rank(net::Rank::kNewcomer);
}

/// Who has entered a world that is ready plays: from now on it is served before newcomers.
void BridgeSession::play_if(bool entered, bool ready) {
  if (plays_ || !entered || !ready) return;
  plays_ = true;
  front_.end->set_rank(net::Rank::kPlayer);
  back_.end->set_rank(net::Rank::kPlayer);
  alarm_.set_rank(net::Rank::kPlayer);
}

std::unique_ptr<BridgeEnd> BridgeSession::make_back() {
  const Route& route = worker_route_->route;
  finding_ = route.detects_in_session();
  BridgeEnd::User& user = *this;
  return make_bridge_end(*worker_route_, user,
                         {.side = BridgeSide::kBack,
                          .game = route.server_game(),
                          .dialect = back_.info.dialect,
                          .limits = limits_,
                          .finds_dialect = finding_});
}

// -- Coming up --------------------------------------------------------------------------------------------------------

void BridgeSession::start(net::Fd client) {
  if (client) front_.info.listener = net::local_address(client.get());
  if (!front_.end->adopt(std::move(client))) end(Reason::kNoFiles);
}

/// A client asks for `path`: another route of this listener may be meant.
WorkerRoute* BridgeSession::route_for(std::string_view path) {
  WorkerRoute* const chosen = owner_.route_at(listener_.route, path);
  if (chosen == nullptr || chosen == worker_route_) return chosen;
  worker_route_ = chosen;
  front_.info.server = back_.info.server = chosen->route.servers.front();
  back_.info.game = &chosen->route.server_game();
  back_.info.dialect = chosen->route.server_dialect.value_or(0);
  back_.end = make_back();
  return chosen;
}

void BridgeSession::opened(BridgeEnd& end, const core::Peer& peer) {
  moved_ = listener_.loop.now();
  Side& side = side_of(end);
  side.up = true;
  side.took = moved_;
  if (!is_front(side)) return open_back(peer);
  if (room_) return enter([&](core::Room& room, core::Micros at) { room.returned(front_.id, peer, at); });
  counted_ = true;
  worker_route_->counters.opened.add();
  player_ = peer;
  if (worker_route_->route.fallback) return alarm_.set(listener_.loop.nanos() + kSilence);
  if (!worker_route_->route.clients_name_dialect) seat(front_.info.dialect);
}

/// Who does not say its greeting is of the dialect in which servers speak first.
void BridgeSession::seat_silent() {
  front_.end->hears(*worker_route_->route.fallback);
  seat(*worker_route_->route.fallback);
}

/// The client's dialect is known: the room comes to be.
void BridgeSession::seat(std::size_t dialect) {
  front_.info.dialect = dialect;
  const BridgeOptions& bridge = *worker_route_->route.bridge;
  auto front = bridge.front(dialect);
  auto back = bridge.back(back_.info.dialect);
  if (front == nullptr || back == nullptr) return lack_face(front == nullptr ? front_ : back_);
  worker_route_->tap_opened(front_.info, wall_);
  core::RoomOptions options;
  options.seed = std::random_device{}();
  options.chat = bridge.chat;
  words_.emplace(worker_route_->tap, bridge.record_secrets);
  room_.emplace(static_cast<core::Room::Host&>(*this), std::move(back), options);
  note(front_, "a room with seed " + std::to_string(options.seed) + ": a client of " + spoken(front_.info) +
                   ", a server of " + (finding_ ? std::string(back_.info.game->name()) : spoken(back_.info)));
  enter([&](core::Room& room, core::Micros at) { front_.id = room.seat(std::move(front), player_, at); });
}

/// Who speaks a dialect that only shows itself now, and that cannot be bridged.
void BridgeSession::lack_face(const Side& side) {
  const char* who = is_front(side) ? "a client speaks " : "the server speaks ";
  worker_route_->say(Line::kDialect,
                     who + spoken(side.info) + ", which cannot be bridged yet; `entente games` says what can");
  end(is_front(side) ? Reason::kBadRequest : Reason::kDialectMismatch);
}

int BridgeSession::dial(const net::Address& server, net::Sockets sockets) {
  front_.info.server = back_.info.server = server;
  note(front_, "dialling " + server.text());
  return back_.end->connect(server, std::move(sockets));
}

void BridgeSession::open_back(const core::Peer& peer) {
  dial_.succeeded();
  owes_since_ = server_said_ = listener_.loop.now();
  back_.info.link = owner_.next_link();
  back_.info.front = front_.info.link;
  back_.info.client = back_.end->here();
  if (!finding_) tell_back_opened();
  worker_route_->opened(front_.info);
  enter([&](core::Room& room, core::Micros at) { room.back_opened(peer, at); });
}

void BridgeSession::tell_back_opened() {
  if (!worker_route_->tap) return;
  worker_route_->tap_opened(back_.info, wall_now());
  worker_route_->tap->note(back_.info.link, "for the player of link " + std::to_string(front_.info.link), wall_now());
}

void BridgeSession::found(BridgeEnd&, std::optional<std::size_t> dialect) {
  if (ending_) return;
  if (!dialect) {
    worker_route_->say(Line::kDialect, cannot_tell_dialect(*back_.info.game, back_.info.server.text()));
    return end(Reason::kDialectUnknown);
  }
  finding_ = false;
  back_.info.dialect = *dialect;
  tell_back_opened();
  enter([&](core::Room& room, core::Micros at) { room.back_speaks(*dialect, at); });
}

// -- Away and back ----------------------------------------------------------------------------------------------------

/// A client lost its link: its seat is kept if its front says so.
bool BridgeSession::stays(const BridgeEnd::Departure& departure) {
  if (reason_ || (departure.how != How::kLeft && departure.how != How::kBroke)) return false;
  std::optional<core::Absence> absence;
  enter([&](core::Room& room, core::Micros at) { absence = room.keep(front_.id, at); });
  if (!absence) return false;
  front_.up = false;
  front_.paused = 0;
  front_.end->hang_up();
  resume(back_, kBehind);
  note(front_, "its link broke; the seat is kept for " + std::to_string(absence->within / core::kSecond) + " s");
  away_ = true;
  owner_.away(*this, *absence);
  return true;
}

void BridgeSession::give_way() {
  if (!away_ || ending_) return;
  note(front_, "its seat goes to somebody who is there");
  because(Reason::kClientLeft);
  enter([&](core::Room& room, core::Micros at) { room.gone(front_.id, "its seat went to somebody else", at); });
}

bool BridgeSession::resumes(core::Id, std::uint32_t number) {
  returns_to_ = owner_.claim(*this, number);
  return returns_to_.has_value();
}

/// The client of this session belongs to another one, and this was only its way there.
void BridgeSession::hand_back(Seat to) {
  note(front_, "took up the lost session of link " + std::to_string(to.link));
  if (net::Fd client = front_.end->release()) owner_.send_back(to, std::move(client), front_.info.client);
  end(Reason::kResumed);
}

void BridgeSession::take_back(net::Fd client, const net::Address& from) {
  if (ending_ || reason_ || front_.up) return;
  away_ = false;
  front_.info.client = from;
  note(front_, "came back from " + from.text());
  BridgeEnd::User& user = *this;
  front_.end = make_bridge_end(
      *worker_route_, user,
      {.side = BridgeSide::kFront, .game = *front_.info.game, .dialect = front_.info.dialect, .limits = limits_});
  if (plays_) front_.end->set_rank(net::Rank::kPlayer);
  if (!front_.end->adopt(std::move(client))) end(Reason::kNoFiles);
}

// -- The room ---------------------------------------------------------------------------------------------------------

core::Micros BridgeSession::now() const { return (listener_.loop.nanos() - epoch_) / 1000; }

/// The one way into the room: `call(room, time)`, and then what it wanted.
template <class Call>
void BridgeSession::enter(Call&& call) {
  if (!room_ || ending_) return;
  const core::Micros at = now();
  wall_ = began_wall_ + at * 1000;
  heard_words_ = 0;
  call(*room_, at);
  const std::uint64_t orphaned = room_->world().orphaned();
  worker_route_->counters.orphaned.add(orphaned - std::exchange(orphaned_, orphaned));
  tell_world(at);
  after();
}

/// Between two words of the room: what was told so far made the world what it is.
void BridgeSession::tell_world(core::Micros at) {
  if (words_->owes_world(at)) words_->tell(front_.info.link, room_->world(), at, wall_);
}

void BridgeSession::note(const Side& side, const std::string& text) {
  if (worker_route_->tap && room_) worker_route_->tap->note(side.info.link, text, wall_now());
}

void BridgeSession::after() {
  front_.end->flush();
  back_.end->flush();
  if (std::exchange(wants_dial_, false)) {
    dialled_ = true;
    owner_.settled(*this);
    if (in_vain_) return undialled(*in_vain_);
    dial_.begin(*worker_route_, limits_.connect_ms, back_.info.game->transport());
    if (ending_) return;  // no server could even be tried
  }
  if (returns_to_) return hand_back(*std::exchange(returns_to_, std::nullopt));
  if (overflow_) return end(*std::exchange(overflow_, std::nullopt));
  if (room_->over()) return finish();
  const core::Micros wake = room_->next_wake();
  wake == std::numeric_limits<core::Micros>::max() ? alarm_.clear() : alarm_.set(epoch_ + wake * 1000);
}

void BridgeSession::rang() {
  if (!room_ && !ending_ && worker_route_->route.fallback) {
    // What it said may be waiting for its turn.
    return front_.end->is_held_up() ? alarm_.set(listener_.loop.nanos() + kSilence) : seat_silent();
  }
  enter([](core::Room& room, core::Micros at) { room.tick(at); });
}

void BridgeSession::send(core::Id id, Lane lane, Bytes bytes) {
  Side& side = side_of(id);
  if (finding_ && !is_front(side)) return;  // nothing may be sent to it yet
  const Way way = is_front(side) ? Way::kToClient : Way::kToServer;
  if (is_front(side) && !named_ && side.end != nullptr && worker_route_->route.with_datagrams()) {
    named_ = true;
    if (const auto player = front_.info.game->greeted_as(bytes)) owner_.named(*this, *player);
  }
  tell_tap(side, way, lane, bytes);
  auto& traffic = is_front(side) ? worker_route_->counters.to_client : worker_route_->counters.to_server;
  if (lane == Lane::kStream) {
    traffic.bytes.add(bytes.size());
    traffic.frames.add();
  } else {
    traffic.datagrams.add();
    traffic.datagram_bytes.add(bytes.size());
  }
  if (side.end->waiting() == 0) side.took = listener_.loop.now();
  side.end->send(lane, bytes);
  note_waiting(side);
}

std::size_t BridgeSession::waiting(core::Id end) const {
  return end == core::kBackEnd ? back_.end->waiting() : front_.end->waiting();
}

/// Bytes that wait for `side`: the other is read no further until they are few again.
void BridgeSession::note_waiting(Side& side) {
  const std::size_t waiting = side.end->waiting();
  if (waiting > kMostWaiting * limits_.high_water + side.info.game->largest_burst())
    overflow_ = is_front(side) ? Reason::kClientStalled : Reason::kServerStalled;
  Side& source = other(side);
  if (waiting <= limits_.high_water || (source.paused & kBehind) != 0) return;
  worker_route_->counters.stalls.add();
  pause(source, kBehind);
}

void BridgeSession::pause(Side& side, Pause why) {
  if (side.paused == 0 && side.up) side.end->read(false);
  side.paused = static_cast<std::uint8_t>(side.paused | why);
}

void BridgeSession::resume(Side& side, Pause why) {
  if ((side.paused & why) == 0) return;
  side.paused = static_cast<std::uint8_t>(side.paused & ~why);
  if (side.paused == 0 && side.up) side.end->read(true);
}

void BridgeSession::close(core::Id id, std::string_view why, std::uint32_t code) {
  Side& side = side_of(id);
  if (is_front(side) && !turned_away_ && side.info.game->bans_by(code))
    worker_route_->front_banned(side.info.client, why);
  const Reason left = is_front(side) ? Reason::kClientLeft : Reason::kServerLeft;
  because(turned_away_ ? Reason::kServerDeclined : left, why);
  if (is_front(side)) side.end->closes_after(goodbye());
  side.up ? side.end->part(why, code_for(side, code)) : side.end->hang_up();
}

/// What a face leaves unsaid, the reason says in its game's own number.
std::uint32_t BridgeSession::code_for(const Side& side, std::uint32_t said) const {
  if (said != 0) return said;
  const BridgeSide which = is_front(side) ? BridgeSide::kFront : BridgeSide::kBack;
  return parting_code(*side.info.game, which, reason_.value_or(Reason::kClientLeft));
}

void BridgeSession::failed(core::Id id, const Fault& fault) {
  if (id != core::kBackEnd) return because(Reason::kProtocolFault, fault.what, fault);
  because(Reason::kServerWrong, fault.what, fault);
}

void BridgeSession::heard(const core::Intent& intent) {
  ++heard_words_;
  if (core::as<words::Enter>(intent) != nullptr && !std::exchange(entered_, true)) {
    owes_since_ = listener_.loop.now();
    play_if(entered_, ready_);
  }
  words_->tell(front_.info.link, intent, began_wall_ + intent.at * 1000);
}

void BridgeSession::told(const core::Fact& fact) {
  words_->tell(front_.info.link, fact, began_wall_ + fact.at * 1000);
  if (core::as<words::Ready>(fact) != nullptr) play_if(entered_, ready_ = true);
  if (core::as<words::Waiting>(fact) != nullptr) in_lobby_ = true;
  if (core::as<words::WorldProgress>(fact) != nullptr) owes_since_ = listener_.loop.now();
  const auto* refused = core::as<words::Refused>(fact);
  const auto* kicked = core::as<words::Kicked>(fact);
  if (refused == nullptr && kicked == nullptr) return;
  entered_ = false;
  note(front_,
       refused != nullptr ? "the player was refused: " + refused->text() : "the player was kicked: " + kicked->text());
  turned_away_ = true;
  const bool bot = front_.info.client.port() == 0;
  if (refused != nullptr && refused->code() == words::Refused::BANNED && !bot)
    worker_route_->server_banned(front_.info.client, refused->text());
  if (reason_ == Reason::kServerLeft) reason_ = Reason::kServerDeclined;  // the back has just read why it left
}

// -- From the network -------------------------------------------------------------------------------------------------

void BridgeSession::received(BridgeEnd& end, Lane lane, Bytes bytes, std::size_t frames) {
  if (ending_) return;
  moved_ = listener_.loop.now();
  Side& side = side_of(end);
  if (is_front(side) && !room_) seat(front_.info.game->named_by_client(bytes).value_or(front_.info.dialect));
  hear(side, lane, bytes, frames);
}

void BridgeSession::hear(Side& side, Lane lane, Bytes bytes, std::size_t frames) {
  const bool front = is_front(side);
  if (!front) server_said_ = listener_.loop.now();
  auto& traffic = front ? worker_route_->counters.to_server : worker_route_->counters.to_client;
  wall_ = began_wall_ + now() * 1000;
  tell_tap(side, front ? Way::kToServer : Way::kToClient, lane, bytes);
  if (lane == Lane::kStream) {
    traffic.bytes.add(bytes.size());
    traffic.frames.add(frames);
  } else {
    traffic.datagrams.add();
    traffic.datagram_bytes.add(bytes.size());
  }
  enter([&](core::Room& room, core::Micros at) { room.received(side.id, lane, bytes, at); });
  if (lane == Lane::kStream) side.said += bytes.size();
  if (front && lane == Lane::kStream && !ending_) charge(bytes.size(), std::max(frames, heard_words_));
}

void BridgeSession::tell_tap(const Side& side, Way way, Lane lane, Bytes bytes) {
  if (worker_route_->tap) side.end->tell(*worker_route_->tap, side.info.link, way, lane, bytes, wall_);
}

void BridgeSession::received_control(BridgeEnd& end, std::size_t bytes) {
  if (!ending_ && is_front(side_of(end))) charge(bytes, 1);
}

/// A client that is over its rates is not read until it has paid.
void BridgeSession::charge(std::size_t bytes, std::size_t messages) {
  if (rates_.take(bytes, messages, listener_.loop.now())) return;
  worker_route_->counters.throttled.add();
  pause(front_, kRate);
}

void BridgeSession::datagram(const net::Address& from, Bytes datagram) {
  if (!front_.up || ending_) return worker_route_->dropped(Drop::kNotLinked);
  front_.end->datagram(from, datagram);
}

void BridgeSession::wrote(BridgeEnd& end) {
  if (ending_) return;
  Side& side = side_of(end);
  side.took = listener_.loop.now();
  if (end.waiting() <= limits_.low_water) resume(other(side), kBehind);
}

// -- Going down -------------------------------------------------------------------------------------------------------

/// The first reason is the one that counts; from then on both sides have so long to say goodbye.
void BridgeSession::because(Reason reason, std::string_view why, const Fault& fault) {
  if (reason_) return;
  reason_ = reason;
  gone_by_ = listener_.loop.now() + goodbye() + limits_.linger_ms;
  why_ = why;
  fault_ = fault;
}

/// Who is turned away may read why, unless we are shutting down.
Millis BridgeSession::goodbye() const { return goodbye_ms(*front_.info.game, reason_.value_or(Reason::kClientLeft)); }

void BridgeSession::stop() {
  if (ending_) gone_by_ = std::min(gone_by_, listener_.loop.now() + limits_.linger_ms);
  end(Reason::kStopped);
}

void BridgeSession::departed(BridgeEnd& end, const BridgeEnd::Departure& departure) {
  Side& side = side_of(end);
  if (departure.how == How::kFlooded) return this->end(flooded_by(side), departure.fault);
  if (is_front(side)) {
    const bool unasked = departure.how == How::kWrong && !side.up;
    return depart(side, unasked ? Reason::kBadRequest : reason_of_client(departure.how), departure);
  }
  if (dial_.under_way() && departure.how == How::kBroke) return dial_.failed(departure.error);
  if (dial_.under_way()) dial_.succeeded();
  if (!departure.why.empty() && departure.how != How::kWrong)
    worker_route_->say(Line::kServer, "server " + side.info.server.text() + ": " + departure.why);
  depart(side, reason_of_server(departure.how), departure);
}

/// Who broke a rule is still there to be told so; anybody else is gone.
void BridgeSession::depart(Side& side, Reason reason, const BridgeEnd::Departure& departure) {
  if (is_front(side) && stays(departure)) return;
  because(reason, departure.why, departure.fault);
  if (!room_) return end(reason, departure.fault);
  // A peer's own words, if it had any: why it kicks, for instance.
  std::string why = departure.why.empty() ? text(reason) : departure.why;
  const bool never_up = departure.how == How::kWrong && !is_front(side) && !side.up;  // a server that broke TLS or HTTP
  if (never_up) why = departure.fault.what;
  if (departure.how == How::kWrong && !never_up)
    enter([&](core::Room& room, core::Micros at) { room.end(text(reason), at); });
  else
    enter([&](core::Room& room, core::Micros at) { room.gone(side.id, why, at, departure.code); });
}

/// A peer that cannot be made to wait sent too much: a client too fast, or anybody while the other took too little.
Reason BridgeSession::flooded_by(const Side& side) const {
  if ((side.paused & kRate) != 0) return Reason::kBadFrame;
  return is_front(side) ? Reason::kServerStalled : Reason::kClientStalled;
}

void BridgeSession::undialled(Reason why) {
  note(front_, std::string("the server was not reached: ") + text(why));
  because(why);
  enter([&](core::Room& room, core::Micros at) { room.gone(core::kBackEnd, text(why), at); });
}

/// Whether the player waits for the server, and not the server for him.
bool BridgeSession::server_owes() const {
  if (!back_.up || !room_ || room_->world().ready()) return false;
  return entered_ || room_->world().geometry() == nullptr;
}

/// A server that accepts a connection and does not let the player in: he is told so as if it had gone.
bool BridgeSession::given_up(Millis now) {
  if (gone_by_ || !server_owes()) return false;
  if (back_.paused != 0) server_said_ = now;  // what it says is not read
  const bool silent = !in_lobby_ && late(now, std::max(owes_since_, server_said_), limits_.ready_ms);
  if (!silent && !late(now, owes_since_, limits_.lobby_ms)) return false;
  const auto within = [](std::uint32_t ms) {
    return " within " + (ms % 1000 == 0 ? std::to_string(ms / 1000) + " s" : std::to_string(ms) + " ms");
  };
  const std::string why = silent ? "the server did not answer" + within(limits_.ready_ms)
                                 : "the server did not let the player in" + within(limits_.lobby_ms);
  note(front_, why);
  worker_route_->say(Line::kServer, "server " + back_.info.server.text() + ": " + why);
  because(Reason::kServerTimeout, why);
  enter([&](core::Room& room, core::Micros at) { room.gone(core::kBackEnd, why, at); });
  return true;
}

/// By us: both sides are told goodbye.
void BridgeSession::end(Reason reason, const Fault& fault, std::string_view why) {
  if (ending_) return;
  because(reason, {}, fault);
  if (!room_ || room_->over()) return finish();
  enter([&](core::Room& room, core::Micros at) { room.end(why.empty() ? text(reason) : why, at); });
}

void BridgeSession::kick(std::string_view why) {
  const std::string said = std::string(text(Reason::kKicked)) + (why.empty() ? "" : ": ") + std::string(why);
  note(front_, said);
  end(Reason::kKicked, Fault{""}, said);
}

SessionReport BridgeSession::report() const {
  const core::PlayerState* player = room_ ? room_->world().player(front_.id) : nullptr;
  return {worker_route_->route.index, front_.info, listener_.loop.now() - began_, front_.said + back_.said,
          player != nullptr ? player->player.name() : ""};
}

/// The room is over: what was said goes out.
void BridgeSession::finish() {
  if (ending_) return;
  ending_ = true;
  alarm_.clear();
  gone_by_ = listener_.loop.now() + goodbye() + limits_.linger_ms;
  tell_end();
  if (dial_.under_way()) back_.end->hang_up();
  for (Side* side : {&front_, &back_}) side->end->part(why_, code_for(*side, 0));
  settle();
}

void BridgeSession::tell_end() {
  const Reason reason = reason_.value_or(Reason::kClientLeft);
  if (!counted_) worker_route_->counters.opened.add();
  worker_route_->ended(front_.info, reason, fault_, front_.said);
  if (reason == Reason::kServerWrong) tell_server_wrong();
  if (room_) worker_route_->words_dropped(front_.info, room_->ledger());
  if (!worker_route_->tap || !room_) return;
  if (!room_->ledger().entries().empty())
    worker_route_->tap->note(front_.info.link, "not forwarded: " + text(room_->ledger(), SIZE_MAX), wall_now());
  std::string why = text(reason);
  if (*fault_.what) why += std::string(": ") + fault_.what + " in " + fault_.field;
  if (back_.up && !finding_) worker_route_->tap->closed(back_.info.link, why, wall_now());
  worker_route_->tap->closed(front_.info.link, why, wall_now());
}

/// Its game's rules, or those of TLS, HTTP or WebSocket below them.
void BridgeSession::tell_server_wrong() {
  const std::string server = "server " + back_.info.server.text();
  const std::string_view field = fault_.field;
  if (!back_.up || field == "tls" || field == "websocket")
    return worker_route_->say(Line::kServer, server + ": " + fault_.what + (why_.empty() ? "" : " (" + why_ + ")"));
  worker_route_->say(Line::kServer, server + " broke the rules of " + std::string(back_.info.game->name()) + ": " +
                                        fault_.what + " in " + fault_.field + ", byte " +
                                        std::to_string(fault_.offset));
}

void BridgeSession::settle() {
  if (!ending_ || done_ || front_.end->is_open() || back_.end->is_open()) return;
  done_ = true;
  owner_.done(*this);
}

/// Closes at once, whatever waits.
void BridgeSession::hang_up() {
  front_.end->hang_up();
  back_.end->hang_up();
  settle();
}

// -- In time ----------------------------------------------------------------------------------------------------------

void BridgeSession::tick(Millis now) {
  if (ending_) {
    if (now >= gone_by_) hang_up();
    return;
  }
  if (gone_by_ && now >= gone_by_) {  // one side closed long ago, and the other does not want to
    front_.end->hang_up();
    back_.end->hang_up();
    return finish();
  }
  if (words_ && words_->owes_world(this->now())) enter([](core::Room&, core::Micros) {});
  if ((front_.paused & kRate) != 0 && rates_.ready(now)) resume(front_, kRate);
  if (dial_.late(now, *back_.end) && !gone_by_) {
    back_.end->hang_up();
    return dial_.timed_out();
  }
  if (given_up(now)) return;
  if (const auto reason = overdue(now)) end(*reason);
}

std::optional<Reason> BridgeSession::overdue(Millis now) const {
  const Millis moved = std::max({moved_, front_.end->last_datagram(), back_.end->last_datagram()});
  if (!dialled_ && late(now, began_, limits_.greet_ms, *front_.end)) return Reason::kGreetTimeout;
  if (front_.end->waiting() && late(now, front_.took, limits_.stall_ms)) return Reason::kClientStalled;
  if (back_.up && back_.end->waiting() && late(now, back_.took, limits_.stall_ms)) return Reason::kServerStalled;
  if (late(now, moved, limits_.idle_ms)) return Reason::kIdle;
  return std::nullopt;
}

}  // namespace entente::relay
