#include "proxy/relay/sessions/bridge_session.h"

#include <algorithm>
#include <random>

#include "proxy/base/steady_wall.h"
#include "proxy/base/text.h"
#include "proxy/relay/probes/server_probes.h"

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
      guesses_dialect_(newcomer.server == nullptr && accept_route.route.detects_before_sessions()) {
  info_.has_room = true;
  here_ = make_server({0,
                       &accept_route.route.server_game(),
                       newcomer.server_dialect,
                       {},
                       accept_route.route.upstreams.any_address(),
                       accept_route.route.listen_address},
                      detects_chosen());
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
  here_->end->set_priority(net::Priority::kPlayer);
  alarm_.set_priority(net::Priority::kPlayer);
}

std::unique_ptr<Place> BridgeSession::make_server(const LinkInfo& like, bool finds_dialect) {
  auto place = std::make_unique<Place>(static_cast<Place::User&>(*this), like, core::kBackId);
  place->info.has_room = true;
  place->info.game = &player_route().route.server_game();
  place->lead_to_server(player_route(), limits_, info_.client, finds_dialect);
  return place;
}

void BridgeSession::go_on_at(std::unique_ptr<Place> place) {
  client_.resume(kOtherSlow);
  here_->end->hang_up();
  keep_past(std::exchange(here_, std::move(place)));
  if (plays_) here_->end->set_priority(net::Priority::kPlayer);
}

void BridgeSession::keep_past(std::unique_ptr<Place> place) { past_.keep(std::move(place), now()); }

bool BridgeSession::detects_chosen() const {
  return chosen_ != nullptr && worker_route_->route.detects_in_session(*chosen_);
}

// -- Coming up --------------------------------------------------------------------------------------------------------

/// A client requests `path`, which may belong to another route of this listener.
WorkerRoute* BridgeSession::route_for(std::string_view path) {
  WorkerRoute* const chosen = owner_.route_at(accept_route_.route, path);
  if (chosen == nullptr || chosen == worker_route_) return chosen;
  go_by(*chosen);
  LinkInfo server = here_->info;
  info_.server = server.server = chosen->route.upstreams.any_address();
  server.dialect = chosen_ != nullptr ? chosen_->dialect().value_or(0) : 0;
  here_ = make_server(server, detects_chosen());
  return chosen;
}

void BridgeSession::opened(End&, const core::Peer& peer) {
  client_.up = true;
  client_.last_progress = last_passed_ = now();
  if (room_) return call_room([&](RecordedRoom& room, core::Micros at) { room.returned(client_.id, peer, at); });
  greet(peer);
}

void BridgeSession::place_opened(Place& place, const core::Peer& peer) {
  last_passed_ = now();
  if (&place == beside_.get()) return go_to_server(peer);
  place.come_up(last_passed_);
  open_back(peer);
}

/// The client's dialect is known: makes the room.
void BridgeSession::seat(std::size_t dialect) {
  info_.dialect = dialect;
  const BridgeOptions& bridge = *worker_route_->route.options->bridge;
  auto front = bridge.front(dialect);
  auto back = bridge.back(here_->info.dialect);
  if (front == nullptr || back == nullptr) return lack_face(front == nullptr ? client_ : *here_);
  open_tap(wall_in_call());
  core::RoomOptions options;
  options.seed = std::random_device{}();
  options.chat = bridge.chat;
  options.tells_drops = true;
  open_room(std::move(back), options, worker_route_->tap, info_.link, bridge.record_secrets, bridge.broadcast);
  record_calls(options);
  home_dialect_ = here_->info.dialect;
  note("a room with seed " + std::to_string(options.seed) + ": a client of " + spoken(info_) + ", a server of " +
       (here_->finds_dialect() ? std::string(here_->info.game->name()) : spoken(here_->info)));
  call_room([&](RecordedRoom& room, core::Micros at) { client_.id = room.seat(std::move(front), peer_, at); });
}

/// The calls of a bot's room are not recorded: a bot is a special front, so they could not be reproduced.
void BridgeSession::record_calls(const core::RoomOptions& options) {
  const BridgeOptions& bridge = *worker_route_->route.options->bridge;
  if (worker_route_->tap == nullptr || bridge.bots != 0) return;
  trace::RoomBegan began;
  began.set_seed(options.seed);
  *began.mutable_front() = face_of(info_, bridge.front_settings);
  *began.mutable_back() = face_of(here_->info, bridge.back_settings);
  began.set_commands(options.chat.commands);
  began.set_most_bytes(options.chat.most_bytes);
  began.set_burst(options.chat.burst);
  began.set_tells_drops(options.tells_drops);
  began.set_every_us(options.chat.every);
  RoomHost::record_calls(std::move(began));
}

trace::Face BridgeSession::server_face(const LinkInfo& info, const Route& route) {
  return face_of(info, route.options->bridge ? route.options->bridge->back_settings : BridgeOptions::Settings());
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
void BridgeSession::adapt_to(const Upstream& upstream) {
  LinkInfo& info = server().info;
  const std::size_t dialect = upstream.dialect().value_or(info.dialect);
  if (!guesses_dialect_ || dialect == info.dialect) return;
  info.dialect = home_dialect_ = dialect;
  if (visits()) return keep_past(std::exchange(beside_, make_next_server()));
  go_on_at(make_next_server());
  auto back = fresh_back();
  if (back == nullptr) return lack_face(*here_);
  replace_back(std::move(back), {"the server speaks " + spoken(here_->info)});
}

int BridgeSession::dial(const net::Address& server, Outgoing outgoing) {
  adapt_to(outgoing.server);
  if (ending_) return 0;
  this->server().info.server = server;
  if (!visits()) info_.server = server;
  note("dialling " + server.text());
  return this->server().end->connect(server, std::move(outgoing));
}

void BridgeSession::open_back(const core::Peer& peer) {
  dial_.succeeded(false);
  guesses_dialect_ = false;
  LinkInfo& server = here_->info;
  if (hold_.on()) info_.server = server.server;
  server.link = owner_.next_link();
  server.session = info_.link;
  server.client = here_->end->local_address();
  const bool unknown = here_->finds_dialect();
  if (!unknown) tell_back_opened();
  call_room(
      [&](RecordedRoom& room, core::Micros at) { room.back_opened(core::kBackId, peer, server.link, unknown, at); });
}

/// The server's dialect is known.
void BridgeSession::tell_back_opened() {
  LinkInfo shown = info_;
  if (worker_route_->route.options->bridge->bots != 0)  // bots have no game of their own
    shown.game = here_->info.game, shown.dialect = here_->info.dialect;
  tell_opened(shown);
  if (!worker_route_->tap) return;
  here_->open_tap(*worker_route_);
  worker_route_->tap->note(here_->info.link, "for the player of link " + std::to_string(info_.link), steady_wall_now());
}

void BridgeSession::place_found(Place& place, std::optional<std::size_t> dialect) {
  if (ending_) return;
  const LinkInfo& server = place.info;
  if (!dialect) {
    worker_route_->log_warning(LogKind::kDialect, cannot_tell_dialect(*server.game, server.server.text()), about());
    return end(Reason::kDialectUnknown);
  }
  place.found(*dialect);
  tell_back_opened();
  call_room([&](RecordedRoom& room, core::Micros at) {
    room.back_speaks(core::kBackId, *dialect, server.game->dialects()[*dialect].name, at);
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
  here_->resume(kOtherSlow);
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
  here_->end->flush();
  if (Place* const next = next_place()) next->end->flush();
  if (crossing_ != nullptr && crossing_->is_over()) end_move();
  if (guest_ != nullptr) return set_alarm(wakes_at());
  if (std::exchange(wants_dial_, false)) {
    dialled_ = true;
    owner_.new_player(*this);
    if (no_dial_reason_) return dial_failed(*no_dial_reason_);
    begin_dial(here_->info.game->transport(), wanted_dialect());
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
  if (hold_.on() && !room_->transition().awaits_server()) {
    if (!visits()) return come_back();
    hold_.rest();
  }
  if (plays_ && !visits() && !hold_.on()) {
    was_in_ = true;
    dial_.leave_queue();  // of a newcomer who had to wait before the first attempt
  }
  if (visit_.unannounced && visits() && here_->arena()->entered() && !room_->transition().awaits_server())
    return tell_arena();
  set_alarm(wakes_at());
}

void BridgeSession::send(core::Id id, Lane lane, Bytes bytes) {
  if (Place* const place = place_with(id)) {
    if (place->finds_dialect()) return;  // nothing may be sent to it yet
    note_sent(id, bytes.size());
    place->send(*worker_route_, lane, bytes, wall_in_call());
    if (place == here_.get()) note_waiting(*place);
  } else if (id != core::kNextBackId) {
    if (client_.end != nullptr) name(bytes);
    note_sent(id, bytes.size());
    client_.send(*worker_route_, lane, {bytes, {}}, wall_in_call());
    note_waiting(client_);
  }
}

std::size_t BridgeSession::waiting_bytes(core::Id id) const {
  if (const Place* const place = place_with(id)) return waiting_for(id, place->end->waiting());
  return waiting_for(id, id == core::kNextBackId ? 0 : client_.end->waiting());
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
    if (here_->up) here_->end->flush(), here_->end->shut_down(why, code_for(*here_, code));
    return;
  }
  const bool front = id != core::kBackId;
  const Reason left = front ? Reason::kClientLeft : Reason::kServerLeft;
  const Reason reason = turned_away_ ? Reason::kServerDeclined : left;
  if (front) return let_go(reason, why, code);
  set_reason(reason, why);
  here_->up ? here_->end->shut_down(why, code_for(*here_, code)) : here_->end->hang_up();
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
    here_->owes_from(now());
    play_if(entered_, ready_);
  }
  RoomHost::heard(intent);
}

void BridgeSession::told(const core::Fact& fact) {
  RoomHost::told(fact);
  if (const auto* player = core::as<words::Player>(fact); player != nullptr && player->id() == client_.id)
    name_ = player->name();
  if (core::as<words::Ready>(fact) != nullptr) play_if(entered_, ready_ = true);
  if (core::as<words::Waiting>(fact) != nullptr) here_->set_in_lobby();
  if (core::as<words::WorldProgress>(fact) != nullptr) here_->progressed(now());
  const auto* refused = core::as<words::Refused>(fact);
  const auto* kicked = core::as<words::Kicked>(fact);
  if (refused == nullptr && kicked == nullptr) return;
  entered_ = false;
  note(refused != nullptr ? "the player was refused: " + refused->text() : "the player was kicked: " + kicked->text());
  turned_away_ = true;
  const bool bot = info_.client.port() == 0;
  if (refused != nullptr && refused->code() == words::Refused::FULL && here_->up) dial_.server_is_full(now());
  if (refused != nullptr && refused->code() == words::Refused::BANNED && !bot)
    player_route().server_banned(dial_.server_name(), info_.client, refused->text());
  if (reason_ == Reason::kServerLeft) reason_ = Reason::kServerDeclined;  // the back has just read why it left
}

// -- From the network -------------------------------------------------------------------------------------------------

void BridgeSession::received(End&, const Frames& frames) {
  if (ending_) return;
  last_passed_ = now();
  if (!room_) seat(info_.game->named_by_client(frames.bytes).value_or(info_.dialect));
  hear(frames);
}

void BridgeSession::pass_to_room(const Frames& frames) {
  call_room([&](RecordedRoom& room, core::Micros at) { room.received(client_.id, frames, at); });
}

bool BridgeSession::announce_in_room(std::string_view text) {
  bool told = false;
  call_room([&](RecordedRoom& room, core::Micros at) { told = room.announce(client_.id, text, at); });
  return told;
}

void BridgeSession::place_received(Place& place, const Frames& frames) {
  if (ending_) return;
  last_passed_ = now();
  place.said_something(now());
  if (visits()) {
    return call_room([&](RecordedRoom& room, core::Micros at) { room.received_from_arena(core::kBackId, frames, at); });
  }
  place.hear(*worker_route_, frames, wall());
  call_room([&](RecordedRoom& room, core::Micros at) { room.received(core::kBackId, frames, at); });
  if (frames.lane != Lane::kStream) return;
  bytes_from_server_ += frames.bytes.size();
  if (!ending_) charge_server(frames.bytes.size(), frames.count());
}

void BridgeSession::wrote(End&) {
  if (!ending_) note_progress(client_);
}

void BridgeSession::place_wrote(Place& place) {
  if (!ending_ && &place == here_.get()) note_progress(place);
}

/// The peer of `side` took bytes.
void BridgeSession::note_progress(CountedEnd& side) {
  side.last_progress = now();
  if (side.end->waiting() <= limits_.low_water) other(side).resume(kOtherSlow);
}

// -- Going down -------------------------------------------------------------------------------------------------------

void BridgeSession::departed(End&, const End::Departure& departure) {
  if (departure.how == How::kFlooded) return end(flooded_by(client_), departure.fault);
  const bool unasked = departure.how == How::kWrong && !client_.up;
  depart(client_, unasked ? Reason::kBadRequest : reason_of_client(departure.how), departure);
}

void BridgeSession::place_departed(Place& place, const End::Departure& departure) {
  if (&place == beside_.get()) return next_departed(departure);
  if (visits()) {
    if (ending_ || lose_arena(departure.why)) return;
    set_reason(Reason::kServerUnreachable, departure.why);
    return call_room([&](RecordedRoom& room, core::Micros at) { room.gone(core::kBackId, departure.why, at); });
  }
  if (departure.how == How::kFlooded) return end(flooded_by(place), departure.fault);
  if (dial_.under_way() && departure.how == How::kBroke) return dial_.failed(departure.error);
  if (dial_.under_way()) dial_.declined();
  if (!departure.why.empty() && departure.how != How::kWrong)
    worker_route_->log_warning(LogKind::kServer, who() + ": server " + place.info.server.text() + ": " + departure.why,
                               about());
  depart(place, reason_of_server(departure.how), departure);
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
  if (!here_->up || !room_) return false;
  if (room_->world().ready() && !room_->transition().awaits_server()) return false;
  return entered_ || room_->world().geometry() == nullptr;
}

/// Gives up on a server that accepted the connection but does not let the player in. To the player it looks as if the
/// server had left.
bool BridgeSession::given_up(Millis now) {
  if (close_deadline_ || !server_owes()) return false;
  const auto why = here_->too_late(now, limits_);
  if (!why && !visits() && here_->is_newly_slow(now, limits_))
    worker_route_->log_info(LogKind::kWaitsForServer,
                            who() + ": server " + here_->info.server.text() +
                                " has not let the player in yet; waits on (limits.ready_ms, limits.lobby_ms)",
                            about());
  if (!why) return false;
  note(*why);
  if (!visits())
    worker_route_->log_warning(LogKind::kServer, who() + ": server " + here_->info.server.text() + ": " + *why,
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
  if (dial_.under_way()) server().end->hang_up();
  if (Place* const next = next_place()) next->end->hang_up();
  for (CountedEnd* side : {&client_, static_cast<CountedEnd*>(here_.get())})
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
  here_->close_tap(*worker_route_, why, wall());
  if (crossing_ != nullptr) crossing_->close_tap(why);
  Session::close_tap(why);
}

/// Logs that the server broke its game's rules, or those of TLS, HTTP or WebSocket.
void BridgeSession::tell_server_wrong() {
  const std::string server = who() + ": server " + here_->info.server.text();
  const std::string_view field = fault_.field;
  if (!here_->up || field == "tls" || field == "websocket")
    return worker_route_->log_warning(LogKind::kServer,
                                      server + ": " + fault_.what + (why_.empty() ? "" : " (" + why_ + ")"), about());
  worker_route_->log_warning(
      LogKind::kServer,
      server + " broke the rules of " + std::string(here_->info.game->name()) + ": " + fault_.what + " in " +
          fault_.field + ", byte " + std::to_string(fault_.offset) +
          (room_ && !room_->world().ready() ? "; check the game and the dialect in its URL" : ""),
      about());
}

void BridgeSession::hang_up() {
  client_.end->hang_up();
  for (const Place* place : {here_.get(), beside_.get(), next_place()})
    if (place != nullptr) place->end->hang_up();
}

// -- In time ----------------------------------------------------------------------------------------------------------

bool BridgeSession::on_tick(Millis now) {
  if (hold_.on() && (entered_ || !here_->up)) last_passed_ = now;  // limited by the hold
  tick_move(now);
  if (plays_ && room_ && !visits() && !moved_to_.arena) player_route().route.known_world.update(room_->world(), now);
  if (visits() && dial_.holding() && !entered_) dial_.rest(now + kNextAgain);
  enter_arena();
  if (ending_) return false;
  const bool stalled = here_->up && here_->end->waiting() && late(now, here_->last_progress, limits_.stall_ms);
  if (stalled && outlives_server(text(Reason::kServerStalled), 0)) return !ending_;
  if (owes_world()) call_room([](RecordedRoom&, core::Micros) {});
  return !ending_ && !given_up(now);
}

bool BridgeSession::drop_late_server(Millis now) {
  const bool late = dial_.late(now, *server().end);
  if (late) server().end->hang_up();
  return late;
}

std::optional<Reason> BridgeSession::overdue(Millis now) const {
  const Millis last_passed = std::max({last_passed_, client_.end->last_datagram(), here_->end->last_datagram()});
  if (!dialled_ && late(now, began_, limits_.greet_ms, *client_.end)) return Reason::kGreetTimeout;
  if (client_.end->waiting() && late(now, client_.last_progress, limits_.stall_ms)) return Reason::kClientStalled;
  if (here_->up && here_->end->waiting() && late(now, here_->last_progress, limits_.stall_ms))
    return Reason::kServerStalled;
  if (late(now, last_passed, limits_.idle_ms)) return Reason::kIdle;
  return std::nullopt;
}

}  // namespace entente::relay
