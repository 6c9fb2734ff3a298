#include "proxy/relay/sessions/mover.h"

#include <algorithm>
#include <utility>

#include "proxy/relay/ends/enet_reason.h"
#include "proxy/relay/sessions/bridge_session.h"
#include "proxy/relay/sessions/room_guest.h"

namespace entente::relay {

namespace {

constexpr Millis kMoveWithin = 10'000;  // the next server must let the player in by then; or Limits::ready_ms, if less

}  // namespace

// -- The order --------------------------------------------------------------------------------------------------------

std::optional<std::string> Mover::objection(const WorkerRoute& to) const {
  const Whereabouts& where = session_.where_;
  if (auto why = session_.objection_to_move(to)) return why;
  if (move_ != nullptr) return "the player is on the way to another route already";
  if (session_.ending_ || session_.reason_) return "the session ends";
  if (session_.away_) return "its client has lost the connection, and may come back";
  if (where.is_held()) return "the player waits for its server";
  const PlayerRoom& room = session_.room_;
  if (!room.is_open() || !session_.entered_ || !room.room().transition().can_move())
    return "the player has not joined yet";
  return std::nullopt;
}

void Mover::begin(const std::shared_ptr<MoveOrder>& order) {
  WorkerRoute& to = session_.owner_.route(order->route);
  if (const auto why = objection(to)) return order->answer_stays(*why);
  if (to.route.lockstep) return session_.refer_to(*order, to);
  auto admission = session_.place_at(to, admission_);
  if (!admission) return order->answer_stays(admission.error().text);
  auto move = std::make_unique<Move>(order, to, std::move(*admission), session_.now());
  session_.note_name();
  to.route.shared_room() ? go_to_arena(std::move(move)) : go_to_server(std::move(move));
}

void Mover::go_to_server(std::unique_ptr<Move> move) {
  WorkerRoute& to = move->to;
  const Route& route = to.route;
  Upstream* const first = route.upstreams.choose(session_.info_.client, session_.now());
  if (first == nullptr)
    return move->order->answer_stays(route.upstreams.all_drained() ? "its servers are drained"
                                                                   : "no server of it is ready");
  auto next = make_next(to, first->dialect().value_or(0));
  auto back = server_back(route, next->info.dialect);
  if (back == nullptr) return move->order->answer_stays("the game or dialect of its servers cannot be bridged");
  session_.note("is moved to " + route.named());
  move->queued = session_.info_;
  move->queued.link = session_.owner_.next_link();  // in the queue, it is behind all who wait there already
  Place& place = *next;
  if (!start(std::move(move), std::move(next), std::move(back))) return;
  place.dial->begin(to, move_->queued, first, place.wanted_dialect());
  tick(session_.now());
}

/// A server of this route. `dialect`: the one that is assumed.
std::unique_ptr<Place> Mover::make_next(WorkerRoute& to, std::size_t dialect) const {
  const Route& route = to.route;
  const LinkInfo link{0, &route.server_game(), dialect, {}, route.upstreams.any_address(), route.listen_address};
  return session_.where_.make_server(to, link, core::kNextBackId, route.upstreams.detects_any_in_session());
}

void Mover::go_to_arena(std::unique_ptr<Move> move) {
  const Route& route = move->to.route;
  const auto& arena = route.options->arena_faces;
  if (!arena) return move->order->answer_stays("players cannot be moved there");
  const LinkInfo link{0, &route.game, 0, {}, route.listen_address, route.listen_address};
  auto next = session_.where_.make_arena(link, core::kNextBackId, *route.shared_room(), *arena);
  if (next == nullptr) return move->order->answer_stays("the arena '" + arena->arena + "' accepts no players now");
  session_.note("is moved to " + route.named());
  const Place& place = *next;
  if (start(std::move(move), std::move(next), arena->back())) session_.room_.back_opened(place, {});
}

/// False: it has failed already.
bool Mover::start(std::unique_ptr<Move> move, std::unique_ptr<Place> next, std::unique_ptr<core::Back> back) {
  Whereabouts& where = session_.where_;
  move_ = std::move(move);
  next->end->set_priority(net::Priority::kPlayer);
  where.begin_move(std::move(next));
  session_.room_.begin_move(std::move(back), *where.next(), move_->to.route);
  return move_ != nullptr && !session_.ending_;
}

// -- While it is under way --------------------------------------------------------------------------------------------

/// The server was full. If the route holds its players, this one waits for a seat: the move begins anew, with the same
/// place in the queue. False: the move has failed.
bool Mover::wait_for_seat() {
  Whereabouts& where = session_.where_;
  const RoomGuest* const guest = session_.guest_;
  const bool ends = session_.ending_ || session_.reason_ || (guest != nullptr && guest->has_ended());
  if (!std::exchange(move_->full, false) || where.next() == nullptr || ends) return false;
  WorkerRoute& to = move_->to;
  const Millis until = where.next()->dial->waits_until();
  if (!to.route.upstreams.holds() || session_.now() >= until) return false;
  if (!session_.room_.room().transition().can_move()) return false;
  auto next = make_next(to, where.next()->info.dialect);
  auto back = server_back(to.route, next->info.dialect);
  if (back == nullptr) return false;
  next->dial = std::move(where.next()->dial);
  leave_next(move_->why);
  move_->why.clear();
  move_->tries_since = session_.now();
  Place& place = *next;
  if (!start(std::move(move_), std::move(next), std::move(back))) return true;
  place.dial->again(to, move_->queued, place.wanted_dialect(), session_.now(), until);
  tick(session_.now());
  return true;
}

/// The route's servers are full or down, and its players wait for them: this one waits behind them, and plays on.
void Mover::tell_waits() {
  const Route& route = move_->to.route;
  const std::size_t waiting = route.upstreams.waiting();
  const std::string behind = waiting > 1 ? ", behind " + std::to_string(waiting - 1) + " more" : "";
  const std::string told =
      "waits for its servers" + behind + ", for up to " + std::to_string(route.upstreams.rules().hold_ms / 1000) + " s";
  move_->order->set_waiting_for(told);
  session_.note(told);
  session_.log(LogKind::kMoved, session_.who() + " is moved to " + route.named() + ": " + told);
}

void Mover::tick(Millis now) {
  if (move_ == nullptr) return;
  Dial* const dial = session_.where_.next()->dial.get();
  if (dial != nullptr && dial->holding()) {
    if (!dial->looks_up()) {
      if (!std::exchange(move_->waits, true)) tell_waits();
      move_->tries_since = now;
    }
    return dial->tick(now);
  }
  if (dial != nullptr) dial->tick(now);
  if (move_ == nullptr) return;
  const Millis ready_ms = session_.limits_.ready_ms;
  const Millis within = ready_ms != 0 ? std::min(ready_ms, kMoveWithin) : kMoveWithin;
  if (now >= move_->tries_since + within)
    cancel("it did not let the player in within " + std::to_string(within) + " ms");
}

void Mover::cancel(const std::string& why) {
  if (move_ == nullptr) return;
  session_.room_.cancel_move(why);
}

void Mover::unreached(Reason why) {
  const char* const failed = why == Reason::kServerDeclined ? "its servers are full" : "its server cannot be reached";
  cancel(why == Reason::kServerTimeout ? text(why) : failed);
}

void Mover::departed(const End::Departure& departure) {
  std::string why = departure.why;
  if (why.empty()) why = *departure.fault.what ? departure.fault.what : text(reason_of_server(departure.how));
  session_.room_.gone(core::kNextBackId, why, departure.code);
}

void Mover::blame(std::string_view why) {
  if (move_ != nullptr && move_->why.empty()) move_->why = why;
}

// -- What the room says -----------------------------------------------------------------------------------------------

void Mover::close_next(std::string_view why, std::uint32_t code) {
  if (move_ == nullptr) return;
  blame(why);
  const Place& next = *session_.where_.next();
  if (!next.up) return next.end->hang_up();
  next.end->shut_down(why, code != 0 ? code : parting_code(*next.info.game, Facing::kServer, Reason::kClientLeft));
}

void Mover::arrive() {
  Whereabouts& where = session_.where_;
  WorkerRoute& to = move_->to;
  move_->from = session_.at().named();
  if (route_ == nullptr) home_dialect_ = where.here().info.dialect;
  where.arrive();
  route_ = &to != session_.worker_route_ ? &to : nullptr;
  ref_ = where.here().arena() == nullptr ? std::move(move_->ref) : Route::Ref();
  if (!admission_.is_in(to.route.listener->admission, to.route.part)) admission_ = std::move(move_->admission);
}

void Mover::refused(const words::Refused& refused) {
  if (move_ == nullptr) return;
  Dial* const dial = session_.where_.next()->dial.get();
  if (dial == nullptr) return;  // an arena
  move_->full = refused.code() == words::Refused::FULL;
  if (move_->full) dial->server_is_full(session_.now());
  if (refused.code() == words::Refused::BANNED)
    move_->to.server_banned(dial->server_name(), session_.info_.client, refused.text());
}

void Mover::fail(std::string_view why, bool other_world) {
  if (move_ == nullptr) return;
  blame(why);
  move_->other_world = other_world;
  session_.where_.go(Standing::kPlays);
}

// -- How it ends ------------------------------------------------------------------------------------------------------

void Mover::settle() {
  if (move_ == nullptr || session_.where_.is_moving() || wait_for_seat()) return;
  const std::unique_ptr<Move> move = std::move(move_);
  move->ref = {};
  move->admission = {};
  session_.where_.next() == nullptr ? tell_moved(*move) : tell_failed(*move);
}

void Mover::tell_moved(const Move& move) {
  const Millis took = session_.now() - move.began;
  session_.worker_route_->counters.moved.add();
  const std::string told = "moved " + session_.who() + " from " + move.from + " to " + session_.at().named() + " in " +
                           std::to_string(took) + " ms";
  session_.note(told);
  session_.log(LogKind::kMoved, told);
  move.order->answer({MoveOrder::How::kMoved, "", took});
  if (!session_.info_.game->has_chat() || session_.ending_) return;
  const std::string arena = session_.arena_name();
  session_.announce_in_room(arena.empty() ? "you were moved to another server"
                                          : "you were moved to the arena '" + arena + "'");
  session_.tell_new_name();
}

/// The player does not go to the next place. `why`: for the recording.
void Mover::leave_next(std::string_view why) {
  Whereabouts& where = session_.where_;
  std::unique_ptr<Place> next = where.take_next();
  next->close_tap(*session_.worker_route_, why, session_.wall());
  if (!next->up) next->end->hang_up();
  where.keep_past(std::move(next));
}

void Mover::tell_failed(Move& move) {
  leave_next(move.why);
  RoomGuest* const guest = session_.guest_;
  if (guest != nullptr ? guest->has_ended() : (session_.ending_ || session_.reason_))
    return move.order->answer_stays("the session has ended");
  session_.note("is not moved: " + move.why);
  if (move.other_world)
    return guest != nullptr ? guest->refer_to(*move.order, move.to) : session_.refer_to(*move.order, move.to);
  session_.log(LogKind::kMoved, session_.who() + " is not moved to " + move.to.route.named() + ": " + move.why);
  move.order->answer_stays(move.why);
}

void Mover::go_home() {
  route_ = nullptr;
  ref_ = {};
  admission_ = {};
  session_.room_.change_rules(rules_of(session_.where_.route().route));
}

}  // namespace entente::relay
