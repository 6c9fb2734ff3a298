#include "proxy/relay/sessions/whereabouts.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include "proxy/relay/probes/server_probes.h"
#include "proxy/relay/sessions/bridge_session.h"

namespace entente::relay {

using How = End::Departure::How;

namespace {

constexpr Millis kEntersWithin = 2'000;  // then a player who could enter, and does not, lets others go first

/// Whether a server that closes a WebSocket with this code rejects the player. The other codes mean that no code was
/// sent, or that the server, or a load balancer in front of it, goes away, fails or restarts (RFC 6455 and IANA's
/// registry).
bool is_verdict(std::uint32_t code) {
  constexpr std::uint32_t kOthers[] = {0, 1001, 1005, 1006, 1011, 1012, 1013, 1014};
  return std::find(std::begin(kOthers), std::end(kOthers), code) == std::end(kOthers);
}

}  // namespace

// -- State ------------------------------------------------------------------------------------------------------------

void Whereabouts::go(Standing to) {
  [[maybe_unused]] const auto leads_there = [&](const Step& step) { return step.from == standing_ && step.to == to; };
  assert(std::any_of(std::begin(kSteps), std::end(kSteps), leads_there));
  const bool was_held = is_held();
  standing_ = to;
  if (is_held() == was_held) return;
  Counters& counters = session_.worker_route_->counters;
  (was_held ? counters.holds_ended : counters.held).add();
}

/// After each call of the room.
void Whereabouts::settle() {
  if (standing_ == Standing::kJoins && session_.plays_) go(Standing::kPlays);
  if (standing_ == Standing::kPlays && here_->dial != nullptr) here_->dial->leave_queue();
  if (standing_ == Standing::kPlays) hold.note_in();
  if (session_.room_.room().transition().awaits_server()) return;
  if (standing_ == Standing::kWaits) return hold.end();
  if (standing_ == Standing::kEntersArena && here_->arena()->entered()) meanwhile.arrive();
}

void Whereabouts::tick(Millis now) {
  past_.tick(now);
  if (session_.reason_) return;  // it dials nobody any more
  mover.tick(now);
  yield_turn(now);
  if (next_ != nullptr && !is_moving()) next_->dial->tick(now);
}

void Whereabouts::end(Reason reason) {
  if (is_held()) session_.worker_route_->counters.holds_ended.add();
  if (reason == Reason::kServerProtocolError) tell_server_wrong();
}

// -- Places -----------------------------------------------------------------------------------------------------------

Place* Whereabouts::with(core::Id back) const {
  for (Place* const place : {here_.get(), next_.get()})
    if (place != nullptr && place->id == back) return place;
  return nullptr;
}

WorkerRoute& Whereabouts::route() const { return mover.route() != nullptr ? *mover.route() : *session_.worker_route_; }

Place* Whereabouts::place_of(const End& end) const {
  for (Place* const place : {here_.get(), next_.get()})
    if (place != nullptr && place->end.get() == &end) return place;
  return nullptr;
}

std::unique_ptr<Place> Whereabouts::make_server(WorkerRoute& to, const LinkInfo& link, core::Id back,
                                                bool finds_dialect) {
  const Limits& limits = session_.limits_;
  auto end = make_end(to, *this,
                      {.facing = Facing::kServer,
                       .game = *link.game,
                       .dialect = link.dialect,
                       .limits = limits,
                       .finds_dialect = finds_dialect,
                       .works_for = session_.info_.client});
  auto dial = std::make_unique<Dial>(static_cast<Dial::User&>(*this), limits.connect_ms, link.game->transport());
  dial->set_checks(session_.is_health_check());
  return std::make_unique<Place>(link, back, std::move(end), std::move(dial), finds_dialect);
}

std::unique_ptr<Place> Whereabouts::make_arena(const LinkInfo& link, core::Id back, std::size_t arena,
                                               const BridgeOptions::ArenaPlace& faces) {
  auto end = session_.owner_.visit(session_, *this, arena, faces.front);
  if (end == nullptr) return nullptr;
  auto place = std::make_unique<Place>(link, back, std::move(end));
  place->come_up(session_.now());
  return place;
}

void Whereabouts::begin_at(std::size_t dialect) {
  const Route& its_route = route().route;
  Upstream* const chosen = session_.chosen_;
  const LinkInfo link{0,  &its_route.server_game(),          dialect,
                      {}, its_route.upstreams.any_address(), its_route.listen_address};
  here_ = make_server(route(), link, core::kBackId, chosen != nullptr && its_route.detects_in_session(*chosen));
  here_->dial->set_asks(standing_ == Standing::kGreets);
  if (chosen != nullptr) here_->dial->expect(*chosen);
}

std::unique_ptr<Place> Whereabouts::make_next_server() {
  const Route& its_route = route().route;
  LinkInfo link = server().info;
  if (server().arena() != nullptr) {
    link.dialect = mover.home_dialect();
    link.server = its_route.upstreams.any_address();
  }
  link.game = &its_route.server_game();
  return make_server(route(), link, core::kBackId, its_route.upstreams.detects_any_in_session());
}

std::unique_ptr<core::Back> Whereabouts::back_for(const Place& server) const {
  return server_back(route().route, server.info.dialect);
}

/// The player is at another place from now on. The old one is hung up.
void Whereabouts::replace_here(std::unique_ptr<Place> place, std::string_view why) {
  here_->close_tap(*session_.worker_route_, why, session_.wall());
  session_.client_.resume(kOtherSlow);
  here_->end->hang_up();
  if (here_->dial != nullptr && place->arena() == nullptr) place->dial = std::move(here_->dial);
  keep_past(std::exchange(here_, std::move(place)));
  if (session_.plays_) here_->end->set_priority(net::Priority::kPlayer);
}

void Whereabouts::replace_next() {
  next_->end->hang_up();
  auto fresh = make_next_server();
  fresh->dial = std::move(next_->dial);
  keep_past(std::exchange(next_, std::move(fresh)));
}

void Whereabouts::enter_arena(std::unique_ptr<Place> arena) {
  next_ = std::exchange(here_, std::move(arena));
  if (session_.plays_) here_->end->set_priority(net::Priority::kPlayer);
  go(Standing::kEntersArena);
}

void Whereabouts::leave_arena() {
  replace_here(std::move(next_), "");
  go(Standing::kWaits);
}

void Whereabouts::begin_move(std::unique_ptr<Place> next) {
  next_ = std::move(next);
  go(Standing::kMoves);
}

/// The old place still sends its goodbye.
void Whereabouts::arrive() {
  here_->close_tap(*session_.worker_route_, "the player moves to another server", session_.room_.wall_in_call());
  session_.client_.resume(kOtherSlow);
  keep_past(std::exchange(here_, std::move(next_)));
  here_->id = core::kBackId;
  here_->come_up(session_.now());
  session_.last_passed_ = session_.now();
  session_.info_.server = here_->info.server;
  go(Standing::kPlays);
}

void Whereabouts::keep_past(std::unique_ptr<Place> place) { past_.keep(std::move(place), session_.now()); }

// -- Connecting -------------------------------------------------------------------------------------------------------

void Whereabouts::begin_dial() {
  if (const auto why = session_.objection_to_new_player()) return session_.end(*why);
  go(Standing::kJoins);
  session_.owner_.new_player(session_);
  here_->dial->set_asks(false);
  if (session_.no_dial_reason_) return dial_failed(*here_->dial, *session_.no_dial_reason_);
  here_->dial->begin(*session_.worker_route_, session_.info_, session_.chosen_, wanted_dialect());
}

int Whereabouts::dial(Dial& dial, const net::Address& server, Outgoing outgoing) {
  Place& place = place_of(dial);
  if (!adapt(place, outgoing.server)) return 0;
  place.info.server = server;
  if (&place == here_.get()) session_.info_.server = server;
  if (dial.tries_first()) session_.note("dialling " + server.text() + (is_moving() ? ", to move there" : ""));
  return place.end->connect(server, std::move(outgoing));
}

/// The server to be dialled may speak another dialect than the one that was assumed when the room began. False: the
/// session ends.
bool Whereabouts::adapt(Place& place, const Upstream& upstream) {
  const std::size_t dialect = upstream.dialect().value_or(place.info.dialect);
  if (!guesses_dialect_ || dialect == place.info.dialect) return true;
  place.speak(dialect);
  if (&place != here_.get()) return true;
  auto back = back_for(place);
  if (back == nullptr) return session_.lack_face(place), false;
  session_.room_.replace_back(std::move(back), {"the server speaks " + spoken(place.info)});
  return !session_.ending_;
}

bool Whereabouts::drop_late(Dial& dial, Millis now) {
  End& end = *place_of(dial).end;
  const bool late = dial.late(now, end);
  if (late) end.hang_up();
  return late;
}

void Whereabouts::dial_failed(Dial& dial, Reason why) {
  Place& place = place_of(dial);
  if (moves_to(place)) return mover.unreached(why);
  if (&place == next_.get()) return meanwhile.dial_later(session_.now() + Meanwhile::kAgain);
  const bool full = why == Reason::kServerDeclined;
  const std::string said = full ? "the server is full; try again later" : session_.why_for_player(why);
  session_.note("the server was not reached: " + said);
  session_.set_reason(why, full ? said : "");
  session_.room_.gone(core::kBackId, said);
}

void Whereabouts::opened(End& end, const core::Peer& peer) {
  Place* const place = place_of(end);
  if (place == nullptr) return;
  session_.last_passed_ = session_.now();
  if (is_in_arena_meanwhile()) return meanwhile.go_to_server(peer);
  place->come_up(session_.now());
  open(*place, peer);
}

void Whereabouts::open(Place& place, const core::Peer& peer) {
  place.dial->succeeded(false);
  guesses_dialect_ = false;
  if (standing_ == Standing::kWaits) session_.info_.server = place.info.server;
  place.info.link = session_.owner_.next_link();
  place.info.session = session_.info_.link;
  place.info.client = place.end->local_address();
  if (!place.finds_dialect()) tell_opened(place);
  session_.room_.back_opened(place, peer);
}

/// The server's dialect is known.
void Whereabouts::tell_opened(const Place& place) {
  WorkerRoute& worker_route = *session_.worker_route_;
  LinkInfo shown = session_.info_;
  if (worker_route.route.options->bridge->bots != 0)  // bots have no game of their own
    shown.game = place.info.game, shown.dialect = place.info.dialect;
  session_.tell_opened(shown);
  if (!worker_route.tap) return;
  place.open_tap(worker_route);
  worker_route.tap->note(place.info.link, "for the player of link " + std::to_string(session_.info_.link),
                         steady_wall_now());
}

void Whereabouts::found(End& end, std::optional<std::size_t> dialect) {
  Place* const place = place_of(end);
  if (place == nullptr || session_.ending_) return;
  if (!dialect) {
    const std::string why = cannot_tell_dialect(*place->info.game, place->info.server.text());
    if (moves_to(*place)) return mover.cancel(why);
    session_.warn(LogKind::kDialect, why);
    return session_.end(Reason::kDialectUnknown);
  }
  place->speak(*dialect);
  tell_opened(*place);
  session_.room_.back_speaks(*place);
}

// -- From the network -------------------------------------------------------------------------------------------------

void Whereabouts::on_frames(End& end, const Frames& frames) {
  Place* const place = place_of(end);
  if (place == nullptr || session_.ending_) return;
  const bool is_here = place == here_.get(), from_server = place->arena() == nullptr;
  if (is_here) session_.last_passed_ = session_.now();
  place->said_something(session_.now());
  if (from_server) place->hear(*session_.worker_route_, frames, session_.wall());
  from_server ? session_.room_.take_frames(place->id, frames) : session_.room_.take_from_arena(place->id, frames);
  if (!is_here || !from_server || frames.lane != Lane::kStream) return;
  session_.bytes_from_server_ += frames.bytes.size();
  if (!session_.ending_) session_.charge_server(frames.bytes.size(), frames.count());
}

void Whereabouts::received_besides(End& end, std::size_t bytes, std::size_t messages) {
  if (!session_.ending_ && place_of(end) == here_.get()) session_.charge_server(bytes, messages);
}

void Whereabouts::wrote(End& end) {
  Place* const place = place_of(end);
  if (place == nullptr || session_.ending_) return;
  if (place == here_.get()) return session_.room_.note_progress(*place);
  place->last_progress = session_.now();
}

void Whereabouts::over(End&) { session_.settle(); }

// -- Losing a place ---------------------------------------------------------------------------------------------------

void Whereabouts::departed(End& end, const End::Departure& departure) {
  Place* const place = place_of(end);
  if (place == nullptr || session_.ending_) return;
  const bool connects = place->dial != nullptr && place->dial->under_way();
  if (connects && departure.how == How::kBroke) return place->dial->failed(departure.error);
  if (connects) place->dial->declined();
  if (moves_to(*place)) return mover.departed(departure);
  if (place == next_.get()) return connects ? meanwhile.server_departed(departure.why) : void();
  lose(departure);
}

/// The place where the player is does not keep it: the player waits for another one, or the session ends.
void Whereabouts::lose(const End::Departure& departure) {
  const bool from_arena = here_->arena() != nullptr, wrong = departure.how == How::kWrong;
  if (departure.how == How::kFlooded) return session_.end(here_->flooded_by(), departure.fault);
  if (!from_arena && !departure.why.empty() && !wrong) warn(": " + departure.why);
  const Reason reason = from_arena ? Reason::kServerUnreachable : reason_of_server(departure.how);
  const bool by_web = !from_arena && route().route.server_game().transport() == wire::Transport::kWebSocket;
  const bool rejected = by_web && is_verdict(departure.code);
  if (!wrong && !rejected && hold.begin(departure.why.empty() ? text(reason) : departure.why, departure.code)) return;
  session_.set_reason(reason, departure.why, departure.fault);
  if (!session_.room_.is_open()) return session_.end(reason, departure.fault);
  if (wrong && here_->up) return session_.room_.end(session_.words(reason));
  std::string why = departure.why.empty() ? session_.why_for_player(reason) : departure.why;
  if (wrong) why = departure.fault.what;  // a server that broke TLS or HTTP
  session_.room_.gone(core::kBackId, why, departure.code);
}

/// Gives up on a server that accepted the connection but does not let the player in. To the player it looks as if the
/// server had left.
bool Whereabouts::give_up_late(Millis now) {
  if (session_.close_deadline_ || !owes()) return false;
  const bool is_server = here_->arena() == nullptr;
  const auto why = here_->too_late(now, session_.limits_);
  if (!why && is_server && here_->is_newly_slow(now, session_.limits_))
    session_.log(LogKind::kWaitsForServer,
                 session_.who() + ": server " + here_->info.server.text() +
                     " has not let the player in yet; waits on (limits.ready_ms, limits.lobby_ms)");
  if (!why) return false;
  session_.note(*why);
  if (is_server) warn(": " + *why);
  if (hold.begin(*why)) return true;
  session_.set_reason(Reason::kServerTimeout, *why);
  session_.room_.gone(core::kBackId, *why);
  return true;
}

/// Whether the player waits for the place, rather than the place for the player.
bool Whereabouts::owes() const {
  if (!here_->up || !session_.room_.is_open()) return false;
  const core::Room& room = session_.room_.room();
  if (room.world().ready() && !room.transition().awaits_server()) return false;
  return session_.entered_ || room.world().geometry() == nullptr;
}

/// A player who has the world, and does not enter, does not keep others from a full server.
void Whereabouts::yield_turn(Millis now) {
  const bool could_enter =
      here_->up && here_->dial != nullptr && session_.room_.is_open() && !session_.entered_ && !owes();
  if (!could_enter)
    could_enter_since_ = 0;
  else if (could_enter_since_ == 0)
    could_enter_since_ = now;
  else if (now >= could_enter_since_ + kEntersWithin)
    here_->dial->leave_queue();
}

void Whereabouts::warn(const std::string& what) {
  session_.warn(LogKind::kServer, session_.who() + ": server " + here_->info.server.text() + what);
}

/// Logs that the server broke its game's rules, or those of TLS, HTTP or WebSocket.
void Whereabouts::tell_server_wrong() {
  const Fault& fault = session_.fault_;
  const std::string_view field = fault.field;
  if (!here_->up || field == "tls" || field == "websocket")
    return warn(std::string(": ") + fault.what + (session_.why_.empty() ? "" : " (" + session_.why_ + ")"));
  const PlayerRoom& room = session_.room_;
  warn(" broke the rules of " + std::string(here_->info.game->name()) + ": " + fault.what + " in " + fault.field +
       ", byte " + std::to_string(fault.offset) +
       (room.is_open() && !room.room().world().ready() ? "; check the game and the dialect in its URL" : ""));
}

}  // namespace entente::relay
