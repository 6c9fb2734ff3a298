// A player of a bridge or an arena whom the operator moves to the server or the arena of another route. The player goes
// on where it is until it has been let in there.
#include <algorithm>
#include <random>
#include <utility>

#include "proxy/relay/sessions/bridge_session.h"
#include "proxy/relay/sessions/room_guest.h"
#include "proxy/relay/upstream/server_probes.h"

namespace entente::relay {

using How = End::Departure::How;

namespace {

constexpr Millis kMoveWithin = 10'000;  // the next server must let the player in by then; or Limits::ready_ms, if less

/// The server of a player who is still in a shared room.
class NoServer final : public core::Back {
  void receive(const Frames&, core::BackOut&) override {}
  void hear(const core::Intent&, core::BackOut&) override {}
};

}  // namespace

int BridgeSession::NextDial::dial(const net::Address& server, Outgoing outgoing) {
  Crossing& crossing = *session.crossing_;
  crossing.info.server = server;
  session.note("dialling " + server.text() + ", to move there");
  return crossing.next.end->connect(server, std::move(outgoing));
}

void BridgeSession::NextDial::dial_failed(Reason why) {
  const char* const failed = why == Reason::kServerDeclined ? "its servers are full" : "its server cannot be reached";
  session.cancel_move(why == Reason::kServerTimeout ? text(why) : failed);
}

std::optional<std::size_t> BridgeSession::moved_to() const {
  return moved_to_ != nullptr ? std::optional(moved_to_->route.index) : std::nullopt;
}

// -- The order --------------------------------------------------------------------------------------------------------

void BridgeSession::move(const std::shared_ptr<MoveOrder>& order) {
  WorkerRoute& to = owner_.route(order->route);
  if (const auto why = objection_to_move(to)) return order->answer_stays(*why);
  if (crossing_ != nullptr) return order->answer_stays("the player is on the way to another route already");
  if (ending_ || reason_) return order->answer_stays("the session ends");
  if (away_) return order->answer_stays("its client has lost the connection, and may come back");
  if (hold_.on() || (visits() && !place_)) return order->answer_stays("the player waits for its server");
  if (!room_ || !entered_ || !room_->can_move()) return order->answer_stays("the player has not joined yet");
  auto place = place_at(to, moved_place_);
  if (!place) return order->answer_stays(place.error().text);
  to.route.shared_room() ? cross_to_arena(order, to, std::move(*place)) : cross_to_server(order, to, std::move(*place));
}

void BridgeSession::cross_to_server(const std::shared_ptr<MoveOrder>& order, WorkerRoute& to, MovedPlace place) {
  const Route& route = to.route;
  Upstream* const first = route.upstreams.choose(info_.client, now());
  if (first == nullptr)
    return order->answer_stays(route.upstreams.all_drained() ? "its servers are drained" : "no server of it is ready");
  const bool finding = route.upstreams.detects_any_in_session();
  const std::size_t dialect = first->dialect().value_or(0);
  auto back = server_back(route, dialect);
  if (back == nullptr) return order->answer_stays("the game or dialect of its servers cannot be bridged");
  const wire::Game& game = route.server_game();
  crossing_ = std::make_unique<Crossing>(
      order, to, std::move(place), next_dial_,
      LinkInfo{0, &game, dialect, {}, route.upstreams.any_address(), route.listen_address}, now());
  crossing_->info.has_room = true;
  crossing_->finding = finding;
  crossing_->next.end = make_end(
      to, *this,
      {.facing = Facing::kServer, .game = game, .dialect = dialect, .limits = limits_, .finds_dialect = finding});
  begin_move(std::move(back));
  if (crossing_ == nullptr || ending_) return;
  crossing_->dial.begin(to, limits_.connect_ms, game.transport(), info_, first,
                        finding ? std::nullopt : std::optional(dialect));
  if (crossing_ != nullptr) move_in_time(now());
}

void BridgeSession::cross_to_arena(const std::shared_ptr<MoveOrder>& order, WorkerRoute& to, MovedPlace place) {
  const auto& arena = to.route.arena_faces;
  if (!arena) return order->answer_stays("players cannot be moved there");
  auto end = owner_.visit(*this, static_cast<End::User&>(*this), *to.route.shared_room(), arena->front);
  if (end == nullptr) return order->answer_stays("the arena '" + arena->arena + "' accepts no players now");
  crossing_ = std::make_unique<Crossing>(
      order, to, std::move(place), next_dial_,
      LinkInfo{0, &to.route.game, 0, {}, to.route.listen_address, to.route.listen_address}, now());
  crossing_->arena_end = end.get();
  crossing_->next.end = std::move(end);
  crossing_->next.up = true;
  begin_move(arena->back());
  if (crossing_ == nullptr || ending_) return;
  call_room([](RecordedRoom& room, core::Micros at) { room.next_opened({}, 0, false, at); });
}

/// The route's servers are full or down, and its players wait for them: this one waits behind them, and plays on.
void BridgeSession::tell_waits() {
  const Route& route = crossing_->to.route;
  const std::size_t waiting = route.upstreams.waiting();
  const std::string behind = waiting > 1 ? ", behind " + std::to_string(waiting - 1) + " more" : "";
  const std::string told =
      "waits for its servers" + behind + ", for up to " + std::to_string(route.upstreams.rules().hold_ms / 1000) + " s";
  crossing_->order->set_waiting_for(told);
  note(told);
  worker_route_->log_info(LogKind::kMoved, who() + " is moved to " + route.named() + ": " + told);
}

void BridgeSession::begin_move(std::unique_ptr<core::Back> back) {
  note("is moved to " + crossing_->to.route.named());
  crossing_->next.end->set_priority(net::Priority::kPlayer);
  call_room([&](RecordedRoom& room, core::Micros at) { room.begin_move(std::move(back), move_face(), at); });
}

void BridgeSession::cancel_move(const std::string& why) {
  call_room([&](RecordedRoom& room, core::Micros at) { room.cancel_move(why, at); });
}

// -- Out of a shared room ---------------------------------------------------------------------------------------------

BridgeSession::BridgeSession(RoomGuest& guest)
    : RoomSession(guest, Successor()),
      RoomHost(accept_route_.loop),
      back_info_{0,  &worker_route_->route.server_game(), 0,
                 {}, worker_route_->route.listen_address, worker_route_->route.listen_address},
      guest_(&guest) {
  info_.has_room = back_info_.has_room = true;
  server_.end = make_server_end(false);
  entered_ = ready_ = plays_ = was_in_ = dialled_ = true;
  alarm_.set_priority(net::Priority::kPlayer);
  share_clock(guest.shared_room());
  core::RoomOptions options;
  options.seed = std::random_device{}();
  options.chat = worker_route_->route.bridge->chat;
  open_room(std::make_unique<NoServer>(), options, nullptr, info_.link, false, nullptr);
  call_room([&](core::Room& room, core::Micros at) { room.expect(guest.shared_room().room(), client_.id, at); });
}

bool BridgeSession::tick_move(Millis now) {
  lost_ends_.tick(now);
  if (crossing_ != nullptr) move_in_time(now);
  return crossing_ != nullptr || !lost_ends_.empty();
}

void BridgeSession::adopt_client(RoomGuest& guest) {
  guest_ = nullptr;
  RoomSession::adopt_client(guest);
}

std::optional<core::DetachedPlayer> BridgeSession::detach_player() {
  auto taken = guest_->leave_room();
  if (!taken) return taken;
  name_ = taken->world.player(client_.id)->player.name();
  begin_words(worker_route_->tap, worker_route_->route.bridge->record_secrets, taken->world);
  return taken;
}

// -- The next server --------------------------------------------------------------------------------------------------

void BridgeSession::next_opened(const core::Peer& peer) {
  Crossing& crossing = *crossing_;
  crossing.next.up = true;
  crossing.next.last_progress = now();
  crossing.dial.succeeded();
  crossing.info.link = owner_.next_link();
  crossing.info.session = info_.link;
  crossing.info.client = crossing.next.end->local_address();
  if (!crossing.finding) tap_next();
  call_room(
      [&](RecordedRoom& room, core::Micros at) { room.next_opened(peer, crossing.info.link, crossing.finding, at); });
}

void BridgeSession::tap_next() {
  if (worker_route_->tap == nullptr) return;
  worker_route_->tap_opened(crossing_->info, wall_now());
}

void BridgeSession::close_next_tap(const Crossing& crossing, const std::string& why) {
  if (worker_route_->tap != nullptr && crossing.info.link != 0 && !crossing.finding)
    worker_route_->tap->closed(crossing.info.link, why, wall());
}

void BridgeSession::next_found(std::optional<std::size_t> dialect) {
  if (!dialect) return cancel_move(cannot_tell_dialect(*crossing_->info.game, crossing_->info.server.text()));
  crossing_->finding = false;
  crossing_->info.dialect = *dialect;
  tap_next();
  call_room([&](RecordedRoom& room, core::Micros at) {
    room.next_speaks(*dialect, crossing_->info.game->dialects()[*dialect].name, at);
  });
}

void BridgeSession::hear_next(const Frames& frames) {
  if (crossing_->arena_end != nullptr)
    return call_room([&](RecordedRoom& room, core::Micros at) { room.received_from_next_arena(frames, at); });
  crossing_->next.hear(*worker_route_, frames, wall());
  call_room([&](RecordedRoom& room, core::Micros at) { room.received(core::kNextBackId, frames, at); });
}

void BridgeSession::next_left(const End::Departure& departure) {
  Crossing& crossing = *crossing_;
  if (crossing.state != Crossing::State::kUnderWay) return;
  if (crossing.dial.under_way() && departure.how == How::kBroke) return crossing.dial.failed(departure.error);
  if (crossing.dial.under_way()) crossing.dial.declined();
  std::string why = departure.why;
  if (why.empty()) why = *departure.fault.what ? departure.fault.what : text(reason_of_server(departure.how));
  call_room([&](RecordedRoom& room, core::Micros at) { room.gone(core::kNextBackId, why, at, departure.code); });
}

void BridgeSession::move_in_time(Millis now) {
  Crossing& crossing = *crossing_;
  if (crossing.dial.holding()) {
    if (!std::exchange(crossing.waits, true)) tell_waits();
    crossing.tries_since = now;
    return crossing.dial.tick(now);
  }
  if (crossing.dial.late(now, *crossing.next.end)) {
    crossing.next.end->hang_up();
    return crossing.dial.timed_out();
  }
  const Millis within = limits_.ready_ms != 0 ? std::min<Millis>(limits_.ready_ms, kMoveWithin) : kMoveWithin;
  if (now >= crossing.tries_since + within)
    cancel_move("it did not let the player in within " + std::to_string(within) + " ms");
}

// -- What the room says -----------------------------------------------------------------------------------------------

void BridgeSession::send_next(Lane lane, Bytes bytes) {
  if (crossing_ == nullptr || crossing_->finding) return;
  CountedEnd& next = crossing_->next;
  note_sent(core::kNextBackId, bytes.size());
  if (crossing_->arena_end != nullptr)
    next.end->send(lane, bytes);
  else
    next.send(*worker_route_, lane, bytes, wall_in_call());
}

void BridgeSession::close_next(std::string_view why, std::uint32_t code) {
  if (crossing_ == nullptr) return;
  CountedEnd& next = crossing_->next;
  if (crossing_->why.empty()) crossing_->why = why;
  next.up ? next.end->shut_down(why, code_for(next, code)) : next.end->hang_up();
}

void BridgeSession::on_leaving_server() { leaving_ = true; }

/// From now on, the next server's link is the server's. The old server's link still sends its goodbye.
void BridgeSession::moved() {
  Crossing& crossing = *crossing_;
  leaving_ = false;
  if (worker_route_->tap != nullptr && server_.up && !finding_ && !visits())
    worker_route_->tap->closed(back_info_.link, "the player moves to another server", wall_in_call());
  lost_ends_.add_parting(std::move(server_.end), now());
  client_.resume(kOtherSlow);
  from_ = at().named();
  server_.end = std::move(crossing.next.end);
  server_.up = true;
  server_.paused = 0;
  server_.last_progress = owes_since_ = server_said_ = now();
  back_info_ = crossing.info;
  finding_ = in_lobby_ = false;
  info_.server = back_info_.server;
  arena_ = crossing.arena_end;
  place_ = arena_ != nullptr ? crossing.to.route.arena_faces : std::nullopt;
  if (arena_ == nullptr)
    dial_.go_on_as(crossing.dial);
  else
    dial_.leave_server();
  moved_to_ = &crossing.to != worker_route_ ? &crossing.to : nullptr;
  moved_ref_ = arena_ == nullptr ? std::move(crossing.ref) : Route::Ref();  // an arena may end
  if (!moved_place_.is_in(crossing.to.route.listener->admission)) moved_place_ = std::move(crossing.admission_place);
  crossing.state = Crossing::State::kMoved;
}

void BridgeSession::move_failed(std::string_view why, bool other_world) {
  if (crossing_ == nullptr) return;
  crossing_->state = Crossing::State::kFailed;
  if (crossing_->why.empty()) crossing_->why = why;
  crossing_->other_world = other_world;
}

/// Called after the call of the room in which the move was decided.
void BridgeSession::end_move() {
  // Its end or its dial may be calling us.
  past_crossing_ = std::move(crossing_);
  Crossing& crossing = *past_crossing_;
  MoveOrder& order = *crossing.order;
  crossing.ref = {};
  crossing.admission_place = {};
  if (crossing.state == Crossing::State::kMoved) {
    const Millis took = now() - crossing.began;
    worker_route_->counters.moved.add();
    const std::string told =
        "moved " + who() + " from " + from_ + " to " + at().named() + " in " + std::to_string(took) + " ms";
    note(told);
    worker_route_->log_info(LogKind::kMoved, told);
    order.answer({MoveOrder::How::kMoved, "", took});
    if (info_.game->has_chat() && !ending_)
      announce_in_room(place_ ? "you were moved to the arena '" + place_->arena + "'"
                              : "you were moved to another server");
    return;
  }
  const std::string why = crossing.why;
  close_next_tap(crossing, why);
  crossing.dial.leave_server();
  if (!crossing.next.up) crossing.next.end->hang_up();
  lost_ends_.add_parting(std::move(crossing.next.end), now());
  if (guest_ != nullptr ? guest_->has_ended() : (ending_ || reason_))
    return order.answer_stays("the session has ended");
  note("is not moved: " + why);
  if (crossing.other_world)
    return guest_ != nullptr ? guest_->refer_to(order, crossing.to) : refer_to(order, crossing.to);
  worker_route_->log_info(LogKind::kMoved, who() + " is not moved to " + crossing.to.route.named() + ": " + why);
  order.answer_stays(why);
}

/// The arena to which the player was moved does not keep it: it goes back to its own route.
void BridgeSession::leave_place() {
  place_.reset();
  server_.up = false;  // and the arena's link is not recorded
  arena_ = nullptr;
  moved_to_ = nullptr;
  moved_ref_ = {};
  moved_place_ = {};
  back_info_.game = &worker_route_->route.server_game();
  back_info_.dialect = home_dialect_;
  back_info_.server = worker_route_->route.upstreams.any_address();
}

}  // namespace entente::relay
