#include "proxy/relay/sessions/bridge_session.h"

#include <algorithm>
#include <random>

#include "proxy/base/steady_wall.h"
#include "proxy/base/text.h"
#include "proxy/relay/upstream/server_probes.h"

namespace entente::relay {

using How = End::Departure::How;

namespace {

/// Whether a server that closes a WebSocket with this code rejects the player. The other codes mean that no code was
/// sent, or that the server, or a load balancer in front of it, goes away, fails or restarts (RFC 6455 and IANA's
/// registry).
bool is_verdict(std::uint32_t code) {
  constexpr std::uint32_t kOthers[] = {0, 1001, 1005, 1006, 1011, 1012, 1013, 1014};
  return std::find(std::begin(kOthers), std::end(kOthers), code) == std::end(kOthers);
}

/// "bzflag 2.4"
std::string spoken(const LinkInfo& info) {
  return std::string(info.game->name()) + " " + std::string(info.game->dialects()[info.dialect].name);
}

trace::Face face_of(const LinkInfo& info, const BridgeOptions::Settings& settings) {
  trace::Face face;
  face.set_game(std::string(info.game->name()));
  face.set_dialect(std::string(info.game->dialects()[info.dialect].name));
  for (const auto& [name, value] : settings) (*face.mutable_settings())[name] = value;
  return face;
}

}  // namespace

BridgeSession::BridgeSession(WorkerRoute& accept_route, Owner& owner, const AcceptedClient& newcomer)
    : RoomSession(accept_route, owner, newcomer, false),
      RoomHost(accept_route.loop),
      no_dial_reason_(newcomer.no_dial_reason),
      guesses_dialect_(newcomer.server == nullptr && accept_route.route.detects_before_sessions()),
      server_({0,
               &accept_route.route.server_game(),
               newcomer.server_dialect,
               {},
               accept_route.route.upstreams.any_address(),
               accept_route.route.listen_address}) {
  info_.has_room = server_.info.has_room = true;
  server_.begin(make_server_end(detects_chosen()));
  alarm_.set_priority(net::Priority::kNewcomer);
  alarm_.set_party(party());
}

/// Once the player has entered and the world is ready, the session is served before newcomers.
void BridgeSession::play_if(bool entered, bool ready) {
  if (plays_ || !entered || !ready) return;
  plays_ = true;
  count_as_client();
  if (has_ended()) return;
  client_.end->set_priority(net::Priority::kPlayer);
  server_.play();
  alarm_.set_priority(net::Priority::kPlayer);
}

ServerSide::NewEnd BridgeSession::make_server_end(bool finds_dialect) {
  const Route& route = player_route().route;
  auto end = make_end(player_route(), *this,
                      {.facing = Facing::kServer,
                       .game = route.server_game(),
                       .dialect = server_.info.dialect,
                       .limits = limits_,
                       .finds_dialect = finds_dialect,
                       .works_for = info_.client});
  return {std::move(end), finds_dialect};
}

bool BridgeSession::detects_chosen() const {
  return chosen_ != nullptr && worker_route_->route.detects_in_session(*chosen_);
}

// -- Coming up --------------------------------------------------------------------------------------------------------

/// A client requests `path`, which may belong to another route of this listener.
WorkerRoute* BridgeSession::route_for(std::string_view path) {
  WorkerRoute* const chosen = owner_.route_at(accept_route_.route, path);
  if (chosen == nullptr || chosen == worker_route_) return chosen;
  go_by(*chosen);
  info_.server = server_.info.server = chosen->route.upstreams.any_address();
  server_.info.game = &chosen->route.server_game();
  server_.info.dialect = chosen_ != nullptr ? chosen_->dialect().value_or(0) : 0;
  server_.begin(make_server_end(detects_chosen()));
  return chosen;
}

void BridgeSession::opened(End& end, const core::Peer& peer) {
  last_passed_ = now();
  if (is_past(end)) return;
  if (server_.is_next(end)) return go_to_server(peer);
  if (&end != client_.end.get()) {
    server_.come_up(last_passed_);
    return open_back(peer);
  }
  client_.up = true;
  client_.last_progress = last_passed_;
  if (room_) return call_room([&](RecordedRoom& room, core::Micros at) { room.returned(client_.id, peer, at); });
  greet(peer);
}

/// The client's dialect is known: makes the room.
void BridgeSession::seat(std::size_t dialect) {
  info_.dialect = dialect;
  const BridgeOptions& bridge = *worker_route_->route.bridge;
  auto front = bridge.front(dialect);
  auto back = bridge.back(server_.info.dialect);
  if (front == nullptr || back == nullptr) return lack_face(front == nullptr ? client_ : server_);
  open_tap(wall_in_call());
  core::RoomOptions options;
  options.seed = std::random_device{}();
  options.chat = bridge.chat;
  options.tells_drops = true;
  open_room(std::move(back), options, worker_route_->tap, info_.link, bridge.record_secrets, bridge.broadcast);
  record_calls(options);
  home_dialect_ = server_.info.dialect;
  note("a room with seed " + std::to_string(options.seed) + ": a client of " + spoken(info_) + ", a server of " +
       (server_.finds_dialect() ? std::string(server_.info.game->name()) : spoken(server_.info)));
  call_room([&](RecordedRoom& room, core::Micros at) { client_.id = room.seat(std::move(front), peer_, at); });
}

/// The calls of a bot's room are not recorded: a bot is a special front, so they could not be reproduced.
void BridgeSession::record_calls(const core::RoomOptions& options) {
  const BridgeOptions& bridge = *worker_route_->route.bridge;
  if (worker_route_->tap == nullptr || bridge.bots != 0) return;
  trace::RoomBegan began;
  began.set_seed(options.seed);
  *began.mutable_front() = face_of(info_, bridge.front_settings);
  *began.mutable_back() = face_of(server_.info, bridge.back_settings);
  began.set_commands(options.chat.commands);
  began.set_most_bytes(options.chat.most_bytes);
  began.set_burst(options.chat.burst);
  began.set_tells_drops(options.tells_drops);
  began.set_every_us(options.chat.every);
  RoomHost::record_calls(std::move(began));
}

trace::Face BridgeSession::server_face(const LinkInfo& info, const Route& route) {
  return face_of(info, route.bridge ? route.bridge->back_settings : BridgeOptions::Settings());
}

/// Ends the session, because a peer has shown a dialect that cannot be bridged.
void BridgeSession::lack_face(const CountedEnd& side) {
  const char* who = is_front(side) ? "a client speaks " : "the server speaks ";
  worker_route_->log_warning(LogKind::kDialect,
                             who + spoken(side.info) + ", which cannot be bridged yet; `entente games` lists what can",
                             about());
  end(is_front(side) ? Reason::kClientDialect : Reason::kDialectMismatch);
}

/// The server to be dialled may speak another dialect than the one that was assumed when the room began.
void BridgeSession::adapt_to(const Upstream& server) {
  const std::size_t dialect = server.dialect().value_or(server_.info.dialect);
  if (!guesses_dialect_ || dialect == server_.info.dialect) return;
  server_.info.dialect = home_dialect_ = dialect;
  if (visits()) return server_.replace_next(make_next_server_end(), now());
  replace_back_end();
  auto back = fresh_back();
  if (back == nullptr) return lack_face(server_);
  replace_back(std::move(back), {"the server speaks " + spoken(server_.info)});
}

int BridgeSession::dial(const net::Address& server, Outgoing outgoing) {
  adapt_to(outgoing.server);
  if (ending_) return 0;
  server_.info.server = server;
  if (!visits()) info_.server = server;
  note("dialling " + server.text());
  return server_.end_to_connect().connect(server, std::move(outgoing));
}

void BridgeSession::open_back(const core::Peer& peer) {
  dial_.succeeded(false);
  guesses_dialect_ = false;
  if (hold_.on()) info_.server = server_.info.server;
  server_.info.link = owner_.next_link();
  server_.info.session = info_.link;
  server_.info.client = server_.end->local_address();
  if (!server_.finds_dialect()) tell_back_opened();
  call_room([&](RecordedRoom& room, core::Micros at) {
    room.back_opened(core::kBackId, peer, server_.info.link, server_.finds_dialect(), at);
  });
}

/// The server's dialect is known.
void BridgeSession::tell_back_opened() {
  LinkInfo shown = info_;
  if (worker_route_->route.bridge->bots != 0)  // bots have no game of their own
    shown.game = server_.info.game, shown.dialect = server_.info.dialect;
  tell_opened(shown);
  if (!worker_route_->tap) return;
  worker_route_->tap_opened(server_.info, steady_wall_now());
  worker_route_->tap->note(server_.info.link, "for the player of link " + std::to_string(info_.link),
                           steady_wall_now());
}

void BridgeSession::found(End& end, std::optional<std::size_t> dialect) {
  if (ending_) return;
  if (is_past(end)) return;
  if (!dialect) {
    worker_route_->log_warning(LogKind::kDialect, cannot_tell_dialect(*server_.info.game, server_.info.server.text()),
                               about());
    return this->end(Reason::kDialectUnknown);
  }
  server_.found(*dialect);
  tell_back_opened();
  call_room([&](RecordedRoom& room, core::Micros at) {
    room.back_speaks(core::kBackId, *dialect, server_.info.game->dialects()[*dialect].name, at);
  });
}

// -- Away and back ----------------------------------------------------------------------------------------------------

/// A client lost its link: its seat is kept if its front says so.
bool BridgeSession::stays(const End::Departure& departure) {
  if (reason_ || (departure.how != How::kLeft && departure.how != How::kBroke)) return false;
  std::optional<core::Absence> absence;
  call_room([&](RecordedRoom& room, core::Micros at) { absence = room.keep(client_.id, at); });
  if (!absence) return false;
  client_.up = false;
  client_.paused = 0;
  client_.end->hang_up();
  server_.resume(kOtherSlow);
  note("its link broke; the seat is kept for " + std::to_string(absence->within / core::kSecond) + " s");
  away_ = true;
  owner_.away(*this, *absence);
  return true;
}

void BridgeSession::give_way() {
  if (!away_ || ending_) return;
  note("its seat goes to somebody who is there");
  set_reason(Reason::kClientLeft);
  call_room([&](RecordedRoom& room, core::Micros at) { room.gone(client_.id, "its seat went to somebody else", at); });
}

bool BridgeSession::try_resume_seat(core::Id, std::uint32_t number) {
  returns_to_ = owner_.claim(*this, number);
  return note_answer(returns_to_.has_value());
}

void BridgeSession::reattach(net::Fd client, const net::Address& from) {
  if (ending_ || reason_ || client_.up) return;
  away_ = false;
  info_.client = from;
  note("came back from " + from.text());
  client_.end = make_client_end({}, false);
  if (plays_) client_.end->set_priority(net::Priority::kPlayer);
  if (!client_.end->adopt(std::move(client))) end(Reason::kOutOfDescriptors);
}

// -- The room ---------------------------------------------------------------------------------------------------------

void BridgeSession::settle_call(core::Micros) {
  const std::uint64_t orphaned = room_->world().orphaned();
  worker_route_->counters.orphaned.add(orphaned - std::exchange(orphaned_, orphaned));
}

void BridgeSession::after_call() {
  client_.end->flush();
  server_.end->flush();
  if (crossing_ != nullptr) {
    crossing_->flush();
    if (crossing_->is_over()) end_move();
  }
  if (guest_ != nullptr) return set_alarm(wakes_at());
  if (std::exchange(wants_dial_, false)) {
    dialled_ = true;
    owner_.new_player(*this);
    if (no_dial_reason_) return dial_failed(*no_dial_reason_);
    begin_dial(server_.info.game->transport(), wanted_dialect());
    if (ending_) return;  // no server could even be tried
  }
  if (stop_why_) {
    const std::string why = *std::exchange(stop_why_, std::nullopt);
    if (!outlives_server(why, 0)) end(Reason::kServerLeft);
    return;
  }
  if (returns_to_) return hand_back(*std::exchange(returns_to_, std::nullopt));
  if (overflow_) return end(*std::exchange(overflow_, std::nullopt));
  if (room_->over()) return finish();
  if (hold_.on() && !room_->awaits_server()) {
    if (!visits()) return come_back();
    hold_.rest();
  }
  if (plays_ && !visits() && !hold_.on()) {
    was_in_ = true;
    dial_.leave_queue();  // of a newcomer who had to wait before the first attempt
  }
  if (visit_.unannounced && visits() && server_.arena()->entered() && !room_->awaits_server()) return tell_arena();
  set_alarm(wakes_at());
}

void BridgeSession::send(core::Id id, Lane lane, Bytes bytes) {
  if (id == core::kNextBackId) {
    if (crossing_ != nullptr) crossing_->send(lane, bytes);
    return;
  }
  CountedEnd& side = side_of(id);
  if (server_.finds_dialect() && !is_front(side)) return;  // nothing may be sent to it yet
  if (is_front(side) && side.end != nullptr) name(bytes);
  note_sent(id, bytes.size());
  if (visits() && !is_front(side)) {  // not recorded: it would be the same words again
    if (server_.end->waiting() == 0) server_.last_progress = now();
    server_.end->send(lane, bytes);
    return note_waiting(side);
  }
  side.send(*worker_route_, lane, {bytes, {}}, wall_in_call());
  note_waiting(side);
}

std::size_t BridgeSession::waiting_bytes(core::Id end) const {
  if (end == core::kNextBackId) return waiting_for(end, crossing_ != nullptr ? crossing_->waiting() : 0);
  return waiting_for(end, end == core::kBackId ? server_.end->waiting() : client_.end->waiting());
}

/// If too many bytes wait for `side`, the other is not read until they are few again.
void BridgeSession::note_waiting(CountedEnd& side) {
  if (side.overflows(limits_)) overflow_ = is_front(side) ? Reason::kClientStalled : Reason::kServerStalled;
  CountedEnd& source = other(side);
  if (side.end->waiting() <= limits_.high_water || (source.paused & kOtherSlow) != 0) return;
  worker_route_->counters.stalls.add();
  source.pause(kOtherSlow);
}

void BridgeSession::close(core::Id id, std::string_view why, std::uint32_t code) {
  if (id == core::kNextBackId) {
    if (crossing_ != nullptr) crossing_->close(why, code);
    return;
  }
  if (guest_ != nullptr) return;  // the guest still has the client
  note_closed(id, why, code);
  if (leaving_ && id == core::kBackId) {
    if (server_.up) server_.end->flush(), server_.end->shut_down(why, code_for(server_, code));
    return;
  }
  const bool front = id != core::kBackId;
  const Reason left = front ? Reason::kClientLeft : Reason::kServerLeft;
  const Reason reason = turned_away_ ? Reason::kServerDeclined : left;
  if (front) return let_go(reason, why, code);
  set_reason(reason, why);
  server_.up ? server_.end->shut_down(why, code_for(server_, code)) : server_.end->hang_up();
}

void BridgeSession::failed(core::Id id, const Fault& fault) {
  if (id == core::kNextBackId) {
    if (crossing_ != nullptr) crossing_->blame(std::string("its server broke the rules of its game: ") + fault.what);
    return;
  }
  if (id != core::kBackId) return set_reason(Reason::kProtocolFault, fault.what, fault);
  set_reason(Reason::kServerProtocolError, fault.what, fault);
}

void BridgeSession::heard(const core::Intent& intent) {
  ++heard_words_;
  if (core::as<words::Enter>(intent) != nullptr && !std::exchange(entered_, true)) {
    server_.owes_from(now());
    play_if(entered_, ready_);
  }
  RoomHost::heard(intent);
}

void BridgeSession::told(const core::Fact& fact) {
  RoomHost::told(fact);
  if (const auto* player = core::as<words::Player>(fact); player != nullptr && player->id() == client_.id)
    name_ = player->name();
  if (core::as<words::Ready>(fact) != nullptr) play_if(entered_, ready_ = true);
  if (core::as<words::Waiting>(fact) != nullptr) server_.set_in_lobby();
  if (core::as<words::WorldProgress>(fact) != nullptr) server_.progressed(now());
  const auto* refused = core::as<words::Refused>(fact);
  const auto* kicked = core::as<words::Kicked>(fact);
  if (refused == nullptr && kicked == nullptr) return;
  entered_ = false;
  note(refused != nullptr ? "the player was refused: " + refused->text() : "the player was kicked: " + kicked->text());
  turned_away_ = true;
  const bool bot = info_.client.port() == 0;
  if (refused != nullptr && refused->code() == words::Refused::FULL && server_.up) dial_.server_is_full(now());
  if (refused != nullptr && refused->code() == words::Refused::BANNED && !bot)
    player_route().server_banned(dial_.server_name(), info_.client, refused->text());
  if (reason_ == Reason::kServerLeft) reason_ = Reason::kServerDeclined;  // the back has just read why it left
}

// -- From the network -------------------------------------------------------------------------------------------------

void BridgeSession::received(End& end, const Frames& frames) {
  if (ending_) return;
  if (is_past(end)) return;
  last_passed_ = now();
  CountedEnd& side = side_of(end);
  if (is_front(side) && !room_) seat(info_.game->named_by_client(frames.bytes).value_or(info_.dialect));
  is_front(side) ? hear(frames) : hear_server(frames);
}

void BridgeSession::pass_to_room(const Frames& frames) {
  call_room([&](RecordedRoom& room, core::Micros at) { room.received(client_.id, frames, at); });
}

bool BridgeSession::announce_in_room(std::string_view text) {
  bool told = false;
  call_room([&](RecordedRoom& room, core::Micros at) { told = room.announce(client_.id, text, at); });
  return told;
}

void BridgeSession::hear_server(const Frames& frames) {
  server_.said_something(now());
  if (visits())
    return call_room([&](RecordedRoom& room, core::Micros at) { room.received_from_arena(core::kBackId, frames, at); });
  server_.hear(*worker_route_, frames, wall());
  call_room([&](RecordedRoom& room, core::Micros at) { room.received(core::kBackId, frames, at); });
  if (frames.lane != Lane::kStream) return;
  bytes_from_server_ += frames.bytes.size();
  if (!ending_) charge_server(frames.bytes.size(), frames.count());
}

void BridgeSession::wrote(End& end) {
  if (ending_ || is_past(end)) return;
  CountedEnd& side = side_of(end);
  side.last_progress = now();
  if (end.waiting() <= limits_.low_water) other(side).resume(kOtherSlow);
}

// -- Going down -------------------------------------------------------------------------------------------------------

void BridgeSession::departed(End& end, const End::Departure& departure) {
  if (is_past(end)) return;
  if (server_.is_next(end)) return next_departed(departure);
  CountedEnd& side = side_of(end);
  if (&end == server_.arena()) {
    if (ending_ || lose_arena(departure.why)) return;
    set_reason(Reason::kServerUnreachable, departure.why);
    return call_room([&](RecordedRoom& room, core::Micros at) { room.gone(core::kBackId, departure.why, at); });
  }
  if (departure.how == How::kFlooded) return this->end(flooded_by(side), departure.fault);
  if (is_front(side)) {
    const bool unasked = departure.how == How::kWrong && !side.up;
    return depart(side, unasked ? Reason::kBadRequest : reason_of_client(departure.how), departure);
  }
  if (dial_.under_way() && departure.how == How::kBroke) return dial_.failed(departure.error);
  if (dial_.under_way()) dial_.declined();
  if (!departure.why.empty() && departure.how != How::kWrong)
    worker_route_->log_warning(LogKind::kServer, who() + ": server " + side.info.server.text() + ": " + departure.why,
                               about());
  depart(side, reason_of_server(departure.how), departure);
}

/// A peer that broke a rule is still connected and is told so. In all other cases the peer is gone.
void BridgeSession::depart(CountedEnd& side, Reason reason, const End::Departure& departure) {
  if (is_front(side) && stays(departure)) return;
  const bool by_web = !is_front(side) && player_route().route.server_game().transport() == wire::Transport::kWebSocket;
  const bool lost = departure.how == How::kLeft || departure.how == How::kBroke || departure.how == How::kDeclined;
  if (!is_front(side) && lost && !(by_web && is_verdict(departure.code)) &&
      outlives_server(departure.why.empty() ? text(reason) : departure.why, departure.code))
    return;
  set_reason(reason, departure.why, departure.fault);
  if (!room_) return end(reason, departure.fault);
  // The peer's own words, if it gave any, such as why it kicks.
  std::string why = departure.why.empty() ? why_for_player(reason) : departure.why;
  const bool never_up = departure.how == How::kWrong && !is_front(side) && !side.up;  // a server that broke TLS or HTTP
  if (never_up) why = departure.fault.what;
  if (departure.how == How::kWrong && !never_up)
    call_room([&](RecordedRoom& room, core::Micros at) { room.end(words(reason), at); });
  else
    call_room([&](RecordedRoom& room, core::Micros at) { room.gone(side.id, why, at, departure.code); });
}

/// Who started a bot is told the name of the reason.
std::string BridgeSession::why_for_player(Reason reason) const {
  const bool bot = info_.client.port() == 0;
  const std::string said = words(reason);
  return bot || said.empty() ? text(reason) : said;
}

/// A peer that cannot be paused sent too much: a client sent too fast, or the other peer read too slowly.
Reason BridgeSession::flooded_by(const CountedEnd& side) const {
  if ((side.paused & kRate) != 0) return is_front(side) ? Reason::kBadFrame : Reason::kServerProtocolError;
  return is_front(side) ? Reason::kServerStalled : Reason::kClientStalled;
}

void BridgeSession::dial_failed(Reason why) {
  if (visits()) return dial_next_later(now() + kNextAgain);
  const std::string said = why == Reason::kServerDeclined ? "the server is full; try again later" : why_for_player(why);
  note("the server was not reached: " + said);
  set_reason(why, why == Reason::kServerDeclined ? said : "");
  call_room([&](RecordedRoom& room, core::Micros at) { room.gone(core::kBackId, said, at); });
}

/// Whether the player waits for the server, rather than the server for the player.
bool BridgeSession::server_owes() const {
  if (!server_.up || !room_) return false;
  if (room_->world().ready() && !room_->awaits_server()) return false;
  return entered_ || room_->world().geometry() == nullptr;
}

/// Gives up on a server that accepted the connection but does not let the player in. To the player it looks as if the
/// server had left.
bool BridgeSession::given_up(Millis now) {
  if (close_deadline_ || !server_owes()) return false;
  const auto why = server_.too_late(now, limits_);
  if (!why && !visits() && server_.is_newly_slow(now, limits_))
    worker_route_->log_info(LogKind::kWaitsForServer,
                            who() + ": server " + server_.info.server.text() +
                                " has not let the player in yet; waits on (limits.ready_ms, limits.lobby_ms)",
                            about());
  if (!why) return false;
  note(*why);
  if (!visits())
    worker_route_->log_warning(LogKind::kServer, who() + ": server " + server_.info.server.text() + ": " + *why,
                               about());
  if (outlives_server(*why, 0)) return true;
  set_reason(Reason::kServerTimeout, *why);
  call_room([&](RecordedRoom& room, core::Micros at) { room.gone(core::kBackId, *why, at); });
  return true;
}

void BridgeSession::dismiss(Reason reason, std::string_view why) {
  if (!room_) tell_unseated(reason);
  if (!room_ || room_->over()) return finish();
  call_room([&](RecordedRoom& room, core::Micros at) { room.end(why.empty() ? text(reason) : why, at); });
}

/// "session 3 ("anna")", for the log.
std::string BridgeSession::who() const {
  const std::string name = clean(name_);
  return "session " + std::to_string(info_.link) + (name.empty() ? "" : " (\"" + name + "\")");
}

const core::WorldState* BridgeSession::known_world() {
  known_world_ = player_route().route.known_world.get(now());
  return known_world_.get();
}

void BridgeSession::shut_down() {
  alarm_.clear();
  if (dial_.under_way()) server_.end_to_connect().hang_up();
  if (crossing_ != nullptr) crossing_->hang_up();
  for (CountedEnd* side : {&client_, static_cast<CountedEnd*>(&server_)})
    side->end->shut_down(why_.empty() ? words(reason()) : why_, code_for(*side));
}

void BridgeSession::tell_end() {
  Session::tell_end();
  if (plays_) player_route().route.known_world.forget_players();
  end_hold();
  if (reason() == Reason::kServerProtocolError) tell_server_wrong();
  if (room_) worker_route_->words_dropped(info_, room_->ledger());
}

void BridgeSession::close_tap(const std::string& why) {
  tell_rest();
  server_.close_tap(*worker_route_, why, wall());
  if (crossing_ != nullptr) crossing_->close_tap(why);
  Session::close_tap(why);
}

/// Logs that the server broke its game's rules, or those of TLS, HTTP or WebSocket.
void BridgeSession::tell_server_wrong() {
  const std::string server = who() + ": server " + server_.info.server.text();
  const std::string_view field = fault_.field;
  if (!server_.up || field == "tls" || field == "websocket")
    return worker_route_->log_warning(LogKind::kServer,
                                      server + ": " + fault_.what + (why_.empty() ? "" : " (" + why_ + ")"), about());
  worker_route_->log_warning(
      LogKind::kServer,
      server + " broke the rules of " + std::string(server_.info.game->name()) + ": " + fault_.what + " in " +
          fault_.field + ", byte " + std::to_string(fault_.offset) +
          (room_ && !room_->world().ready() ? "; check the game and the dialect in its URL" : ""),
      about());
}

void BridgeSession::hang_up() {
  client_.end->hang_up();
  server_.hang_up();
  if (crossing_ != nullptr) crossing_->hang_up();
}

// -- In time ----------------------------------------------------------------------------------------------------------

bool BridgeSession::on_tick(Millis now) {
  if (hold_.on() && (entered_ || !server_.up)) last_passed_ = now;  // limited by the hold
  tick_move(now);
  if (plays_ && room_ && !visits() && !moved_to_.arena) player_route().route.known_world.update(room_->world(), now);
  if (visits() && dial_.holding() && !entered_) dial_.rest(now + kNextAgain);
  enter_arena();
  if (ending_) return false;
  const bool stalled = server_.up && server_.end->waiting() && late(now, server_.last_progress, limits_.stall_ms);
  if (stalled && outlives_server(text(Reason::kServerStalled), 0)) return !ending_;
  if (owes_world()) call_room([](RecordedRoom&, core::Micros) {});
  return !ending_ && !given_up(now);
}

bool BridgeSession::drop_late_server(Millis now) {
  const bool late = dial_.late(now, server_.end_to_connect());
  if (late) server_.end_to_connect().hang_up();
  return late;
}

std::optional<Reason> BridgeSession::overdue(Millis now) const {
  const Millis last_passed = std::max({last_passed_, client_.end->last_datagram(), server_.end->last_datagram()});
  if (!dialled_ && late(now, began_, limits_.greet_ms, *client_.end)) return Reason::kGreetTimeout;
  if (client_.end->waiting() && late(now, client_.last_progress, limits_.stall_ms)) return Reason::kClientStalled;
  if (server_.up && server_.end->waiting() && late(now, server_.last_progress, limits_.stall_ms))
    return Reason::kServerStalled;
  if (late(now, last_passed, limits_.idle_ms)) return Reason::kIdle;
  return std::nullopt;
}

}  // namespace entente::relay
