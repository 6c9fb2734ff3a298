#include "proxy/relay/sessions/player_room.h"

#include <random>
#include <utility>

#include "proxy/relay/sessions/bridge_session.h"
#include "proxy/relay/sessions/room_guest.h"

namespace entente::relay {

namespace {

/// The server of a player who is still in a shared room.
class NoServer final : public core::Back {
  void receive(const Frames&, core::BackOut&) override {}
  void hear(const core::Intent&, core::BackOut&) override {}
};

trace::Face face_of(const LinkInfo& info, const BridgeOptions::Settings& settings) {
  trace::Face face;
  face.set_game(std::string(info.game->name()));
  face.set_dialect(std::string(info.game->dialects()[info.dialect].name));
  for (const auto& [name, value] : settings) (*face.mutable_settings())[name] = value;
  return face;
}

/// The description of a place's back, for the recording. An arena has none.
trace::Face face_of(const Place& place, const Route& route) {
  if (place.arena() != nullptr) return {};
  return face_of(place.info, route.options->bridge ? route.options->bridge->back_settings : BridgeOptions::Settings());
}

}  // namespace

std::unique_ptr<core::Back> server_back(const Route& route, std::size_t dialect) {
  if (route.options->bridge) return route.options->bridge->back ? route.options->bridge->back(dialect) : nullptr;
  return route.options->back ? route.options->back(dialect) : nullptr;
}

std::shared_ptr<RuleBook> rules_of(const Route& route) {
  const RouteOptions& options = *route.options;
  if (options.bridge) return options.bridge->rules;
  return options.relay_rules ? options.relay_rules->book : nullptr;
}

std::string spoken(const LinkInfo& info) {
  return std::string(info.game->name()) + " " + std::string(info.game->dialects()[info.dialect].name);
}

// -- The room ---------------------------------------------------------------------------------------------------------

/// Records the call with `record(detail)`, and makes it.
template <class Record, class Call>
void PlayerRoom::call(Record&& record, Call&& its) {
  call_room([&](core::Room& room, core::Micros at) {
    if (calls_.on()) record(calls_.other(at));
    its(room, at);
  });
}

PlayerRoom::PlayerRoom(net::Loop& loop, BridgeSession& session) : RoomHost(loop), session_(session) {
  alarm_.set_party(session.party());
}

core::RoomOptions PlayerRoom::options() const {
  core::RoomOptions options;
  options.seed = std::random_device{}();
  options.chat = session_.worker_route_->route.options->bridge->chat;
  return options;
}

void PlayerRoom::open(std::unique_ptr<core::Front> front, std::unique_ptr<core::Back> back) {
  const WorkerRoute& worker_route = *session_.worker_route_;
  const BridgeOptions& bridge = *worker_route.route.options->bridge;
  core::RoomOptions made = options();
  made.tells_drops = true;
  open_room(std::move(back), made, worker_route.tap, session_.info_.link, bridge.record_secrets, bridge.broadcast);
  record_calls(made);
  keep_rules(bridge.rules, {made.seed, made.chat.commands, false});
  const Place& here = session_.where_.here();
  session_.note("a room with seed " + std::to_string(made.seed) + ": a client of " + spoken(session_.info_) +
                ", a server of " + (here.finds_dialect() ? std::string(here.info.game->name()) : spoken(here.info)));
  call([&](trace::Detail& call) { *call.mutable_seated() = to_trace(session_.peer_); },
       [&](core::Room& room, core::Micros at) {
         session_.client_.id = room.seat(std::move(front), session_.peer_, at);
       });
}

/// The calls of a bot's room are not recorded: a bot is a special front, so they could not be reproduced.
void PlayerRoom::record_calls(const core::RoomOptions& options) {
  const WorkerRoute& worker_route = *session_.worker_route_;
  const BridgeOptions& bridge = *worker_route.route.options->bridge;
  if (worker_route.tap == nullptr || bridge.bots != 0) return;
  trace::RoomBegan began;
  began.set_seed(options.seed);
  *began.mutable_front() = face_of(session_.info_, bridge.front_settings);
  *began.mutable_back() = face_of(session_.where_.here().info, bridge.back_settings);
  began.set_commands(options.chat.commands);
  began.set_most_bytes(options.chat.most_bytes);
  began.set_burst(options.chat.burst);
  began.set_tells_drops(options.tells_drops);
  began.set_every_us(options.chat.every);
  RoomHost::record_calls(std::move(began));
}

void PlayerRoom::expect(const RoomGuest& guest) {
  share_clock(guest.shared_room());
  open_room(std::make_unique<NoServer>(), options(), nullptr, session_.info_.link, false, nullptr);
  call_room([&](core::Room& room, core::Micros at) {
    room.transition().expect(guest.shared_room().room(), session_.client_.id, at);
  });
}

bool PlayerRoom::is_shut() const { return !room_ || session_.ending_; }

// -- Calls ------------------------------------------------------------------------------------------------------------

void PlayerRoom::take_from_arena(core::Id back, const Frames& frames) {
  const auto record = [&](trace::Detail& call) {
    const std::string bytes(as_text(frames.bytes));
    back == core::kBackId ? call.set_from_arena(bytes) : call.set_from_next_arena(bytes);
  };
  call(record, [&](core::Room& room, core::Micros at) { room.received(back, frames, at); });
}

void PlayerRoom::back_opened(const Place& place, const core::Peer& peer) {
  const auto record = [&](trace::Detail& call) {
    trace::ServerUp& up = place.id == core::kBackId ? *call.mutable_server_up() : *call.mutable_next_up();
    *up.mutable_peer() = to_trace(peer);
    up.set_link(place.arena() == nullptr ? place.info.link : 0);
    up.set_unknown(place.finds_dialect());
  };
  call(record, [&](core::Room& room, core::Micros at) { room.back_opened(peer, at, place.id); });
}

void PlayerRoom::back_speaks(const Place& place) {
  const auto record = [&](trace::Detail& call) {
    const std::string name(place.info.game->dialects()[place.info.dialect].name);
    place.id == core::kBackId ? call.set_server_speaks(name) : call.set_next_speaks(name);
  };
  call(record, [&](core::Room& room, core::Micros at) { room.back_speaks(place.info.dialect, at, place.id); });
}

void PlayerRoom::gone(core::Id end, std::string_view why, std::uint32_t code) {
  const auto record = [&](trace::Detail& call) {
    trace::Gone& gone = end == core::kNextBackId ? *call.mutable_next_gone() : *call.mutable_gone();
    gone.set_server(end == core::kBackId);
    gone.set_why(std::string(why));
    gone.set_code(code);
  };
  call(record, [&](core::Room& room, core::Micros at) { room.gone(end, why, at, code); });
}

core::Wait PlayerRoom::replace_back(std::unique_ptr<core::Back> back, const core::ServerLoss& loss) {
  const auto record = [&](trace::Detail& call) {
    trace::ServerReplaced& replaced = *call.mutable_server_replaced();
    *replaced.mutable_back() = face_of(session_.where_.here(), session_.where_.route().route);
    replaced.set_why(std::string(loss.why));
    replaced.set_code(loss.code);
    replaced.set_meanwhile(loss.meanwhile);
  };
  auto wait = core::Wait::kNothing;
  call(record, [&](core::Room& room, core::Micros at) {
    tell_rules_server_down(loss.why, at);
    wait = room.transition().replace_back(std::move(back), loss, at);
    if (session_.entered_) begin_rules(at);
    asked_.stop.reset();  // set during this call, and done
  });
  if (wait == core::Wait::kNothing) session_.set_reason(Reason::kServerDeclined, loss.why);
  return wait;
}

void PlayerRoom::begin_move(std::unique_ptr<core::Back> back, const Place& next, const Route& route) {
  call([&](trace::Detail& call) { *call.mutable_moves() = face_of(next, route); },
       [&](core::Room& room, core::Micros at) { room.transition().begin_move(std::move(back), at); });
}

void PlayerRoom::cancel_move(std::string_view why) {
  call([&](trace::Detail& call) { call.set_move_ended(std::string(why)); },
       [&](core::Room& room, core::Micros at) { room.transition().cancel_move(why, at); });
}

std::optional<core::Absence> PlayerRoom::keep() {
  std::optional<core::Absence> absence;
  call([](trace::Detail& call) { call.set_kept(true); },
       [&](core::Room& room, core::Micros at) { absence = room.keep(session_.client_.id, at); });
  return absence;
}

void PlayerRoom::returned(const core::Peer& peer) {
  call([&](trace::Detail& call) { *call.mutable_returned() = to_trace(peer); },
       [&](core::Room& room, core::Micros at) { room.returned(session_.client_.id, peer, at); });
}

bool PlayerRoom::announce(std::string_view text) {
  bool told = false;
  call([&](trace::Detail& call) { call.set_announced(std::string(text)); },
       [&](core::Room& room, core::Micros at) { told = room.announce(session_.client_.id, text, at); });
  return told;
}

void PlayerRoom::end(std::string_view why) {
  call([&](trace::Detail& call) { call.set_ended(std::string(why)); },
       [&](core::Room& room, core::Micros at) { room.end(why, at); });
}

void PlayerRoom::look() {
  call_room([](core::Room&, core::Micros) {});
}

// -- After a call -----------------------------------------------------------------------------------------------------

const LinkInfo* PlayerRoom::client_of(core::Id player) const {
  return player == session_.client_.id ? &session_.info_ : nullptr;
}

void PlayerRoom::settle_call(core::Micros) {
  const std::uint64_t orphaned = room_->world().orphaned();
  session_.worker_route_->counters.orphaned.add(orphaned - std::exchange(orphaned_, orphaned));
}

void PlayerRoom::after_call() {
  Whereabouts& where = session_.where_;
  session_.client_.end->flush();
  where.here().end->flush();
  if (where.next() != nullptr) where.next()->end->flush();
  where.mover.settle();
  if (session_.guest_ != nullptr) return set_alarm(wakes_at());
  const Asked asked = std::exchange(asked_, {});
  if (asked.dial) where.begin_dial();
  if (is_shut()) return;  // no server could even be tried
  if (asked.returns) return session_.hand_back(*asked.returns);
  if (asked.end) return session_.end(*asked.end);
  if (asked.stop) {
    if (!where.hold.begin(*asked.stop)) session_.end(Reason::kServerLeft);
    return;
  }
  if (room_->over()) return session_.finish();
  where.settle();
  if (!is_shut()) set_alarm(wakes_at());
}

// -- What it sends ----------------------------------------------------------------------------------------------------

void PlayerRoom::send(core::Id id, Lane lane, Bytes bytes) {
  WorkerRoute& worker_route = *session_.worker_route_;
  if (Place* const place = session_.where_.with(id)) {
    if (place->finds_dialect()) return;  // nothing may be sent to it yet
    note_sent(id, bytes.size());
    place->send(worker_route, lane, {bytes, {}}, wall_in_call());
    if (id == core::kBackId) note_waiting(*place);
  } else if (id != core::kNextBackId) {
    session_.name(bytes);
    note_sent(id, bytes.size());
    session_.client_.send(worker_route, lane, {bytes, {}}, wall_in_call());
    note_waiting(session_.client_);
  }
}

std::size_t PlayerRoom::waiting_bytes(core::Id id) const {
  const Place* const place = session_.where_.with(id);
  if (place == nullptr && id == core::kNextBackId) return waiting_for(id, 0);
  return waiting_for(id, (place != nullptr ? place->end : session_.client_.end)->waiting());
}

CountedEnd& PlayerRoom::other(const CountedEnd& side) const {
  if (&side == &session_.client_) return session_.where_.here();
  return session_.client_;
}

/// If too many bytes wait for `side`, the other is not read until they are few again.
void PlayerRoom::note_waiting(CountedEnd& side) {
  const bool client = side.facing == Facing::kClient;
  if (side.overflows(session_.limits_)) asked_.end = client ? Reason::kClientStalled : Reason::kServerStalled;
  CountedEnd& source = other(side);
  if (side.end->waiting() <= session_.limits_.high_water || source.pauses.has(kOtherSlow)) return;
  session_.worker_route_->counters.stalls.add();
  source.pause(kOtherSlow);
}

void PlayerRoom::note_progress(CountedEnd& side) {
  side.last_progress = session_.now();
  if (side.end->waiting() <= session_.limits_.low_water) other(side).resume(kOtherSlow);
}

void PlayerRoom::close(core::Id id, std::string_view why, std::uint32_t code) {
  Whereabouts& where = session_.where_;
  if (id == core::kNextBackId) return where.mover.close_next(why, code);
  if (session_.guest_ != nullptr) return;  // the guest still has the client
  note_closed(id, why, code);
  const Place& here = where.here();
  const bool stays_away = session_.away_ && !room_->keeps(session_.client_.id);  // its seat was kept long enough
  const Reason left = id != core::kBackId || stays_away ? Reason::kClientLeft : Reason::kServerLeft;
  const Reason reason = session_.turned_away_ ? Reason::kServerDeclined : left;
  if (id != core::kBackId) return session_.let_go(reason, why, code);
  if (where.standing() == Standing::kLeaves) {
    if (here.up) here.end->flush(), here.end->shut_down(why, session_.code_for(here, code));
    return;
  }
  session_.set_reason(reason, why);
  here.up ? here.end->shut_down(why, session_.code_for(here, code)) : here.end->hang_up();
}

void PlayerRoom::failed(core::Id id, const Fault& fault) {
  if (id == core::kNextBackId)
    return session_.where_.mover.blame(std::string("its server broke the rules of its game: ") + fault.what);
  const Reason reason = id == core::kBackId ? Reason::kServerProtocolError : Reason::kProtocolFault;
  session_.set_reason(reason, fault.what, fault);
}

// -- What it asks for -------------------------------------------------------------------------------------------------

bool PlayerRoom::try_resume_seat(core::Id, std::uint32_t number) {
  asked_.returns = session_.owner_.claim(session_, number);
  return note_answer(asked_.returns.has_value());
}

bool PlayerRoom::await_next_server(std::string_view why, core::Wait) {
  if (!session_.where_.hold.may_begin()) return note_answer(false);
  asked_.stop = why;
  return note_answer(true);
}

std::optional<core::DetachedPlayer> PlayerRoom::detach_player() {
  auto taken = session_.guest_->leave_room();
  if (!taken) return taken;
  session_.name_ = taken->world.player(session_.client_.id)->player.name();
  const WorkerRoute& worker_route = *session_.worker_route_;
  begin_words(worker_route.tap, worker_route.route.options->bridge->record_secrets, taken->world);
  return taken;
}

void PlayerRoom::on_leaving_server() { session_.where_.go(Standing::kLeaves); }

/// The rules of the route to which the player was moved hold from now on. An arena has its own.
void PlayerRoom::moved() {
  Whereabouts& where = session_.where_;
  where.mover.arrive();
  const bool in_arena = where.here().arena() != nullptr;
  change_rules(in_arena ? nullptr : rules_of(where.route().route));
}

void PlayerRoom::change_rules(std::shared_ptr<RuleBook> book) {
  const core::RoomOptions made = options();
  keep_rules(std::move(book), {made.seed, made.chat.commands, false});
}

void PlayerRoom::on_arrival(core::Micros now) {
  if (session_.entered_) begin_rules(now);
  tell_rules_server_up(now);
}

void PlayerRoom::move_failed(std::string_view why, bool other_world) { session_.where_.mover.fail(why, other_world); }

void PlayerRoom::next_refuses(const words::Refused& refused) { session_.where_.mover.refused(refused); }

const core::WorldState* PlayerRoom::known_world() {
  known_world_ = session_.where_.route().route.known_world.get(session_.now());
  return known_world_.get();
}

// -- What is said in it -----------------------------------------------------------------------------------------------

void PlayerRoom::heard(const core::Intent& intent) {
  ++session_.heard_words_;
  if (core::as<words::Enter>(intent) != nullptr && !std::exchange(session_.entered_, true)) {
    session_.where_.here().owes_from(session_.now());
    if (room_->world().ready()) play();
  }
  RoomHost::heard(intent);
}

void PlayerRoom::play() {
  if (const auto why = session_.play()) asked_.end = why;
}

void PlayerRoom::told(const core::Fact& fact) {
  RoomHost::told(fact);
  Place& here = session_.where_.here();
  if (const auto* player = core::as<words::Player>(fact); player != nullptr && player->id() == session_.client_.id) {
    session_.name_ = player->name();
    session_.tell_joined(session_.name_);
    if (session_.entered_) session_.turned_away_ = false;
  }
  if (core::as<words::Ready>(fact) != nullptr && session_.entered_) play();
  if (core::as<words::Waiting>(fact) != nullptr) {  // it has a seat in the lobby
    here.set_in_lobby();
    if (here.dial != nullptr) here.dial->leave_queue();
  }
  if (core::as<words::WorldProgress>(fact) != nullptr) here.progressed(session_.now());
  if (const auto* kicked = core::as<words::Kicked>(fact)) turn_away("the player was kicked: " + kicked->text());
  const auto* refused = core::as<words::Refused>(fact);
  if (refused == nullptr) return;
  turn_away("the player was refused: " + refused->text());
  Dial* const dial = here.dial.get();
  if (dial == nullptr) return;
  if (refused->code() == words::Refused::FULL && here.up) dial->server_is_full(session_.now());
  if (refused->code() == words::Refused::BANNED && session_.info_.client.port() != 0)  // not a bot
    session_.where_.route().server_banned(dial->server_name(), session_.info_.client, refused->text());
}

void PlayerRoom::turn_away(const std::string& why) {
  session_.entered_ = false;
  session_.turned_away_ = true;
  session_.note(why);
  if (session_.reason_ == Reason::kServerLeft)  // the back has just read why it left
    session_.reason_ = Reason::kServerDeclined;
}

}  // namespace entente::relay
