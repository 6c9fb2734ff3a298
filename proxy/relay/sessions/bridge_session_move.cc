// A player of a bridge or an arena whom the operator moves to the server or the arena of another route. The player goes
// on where it is until it has been let in there.
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

}  // namespace

std::optional<std::size_t> BridgeSession::moved_to() const {
  return moved_to_.route != nullptr ? std::optional(moved_to_.route->route.index) : std::nullopt;
}

// -- The order --------------------------------------------------------------------------------------------------------

void BridgeSession::move(const std::shared_ptr<MoveOrder>& order) {
  WorkerRoute& to = owner_.route(order->route);
  if (const auto why = objection_to_move(to)) return order->answer_stays(*why);
  if (crossing_ != nullptr) return order->answer_stays("the player is on the way to another route already");
  if (ending_ || reason_) return order->answer_stays("the session ends");
  if (away_) return order->answer_stays("its client has lost the connection, and may come back");
  if (hold_.on() || (visits() && !moved_to_.arena)) return order->answer_stays("the player waits for its server");
  if (!room_ || !entered_ || !room_->transition().can_move())
    return order->answer_stays("the player has not joined yet");
  auto place = place_at(to, moved_to_.admission_place);
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
  crossing_ = std::make_unique<Crossing>(
      mover(), order, to, std::move(place),
      LinkInfo{0, &route.server_game(), dialect, {}, route.upstreams.any_address(), route.listen_address});
  crossing_->use_server(finding);
  crossing_->begin(std::move(back), server_face(crossing_->next()->info, route));
  if (crossing_ == nullptr || ending_) return;
  crossing_->begin_dial(first);
  if (crossing_ != nullptr) crossing_->tick(now());
}

void BridgeSession::cross_to_arena(const std::shared_ptr<MoveOrder>& order, WorkerRoute& to, MovedPlace place) {
  const auto& arena = to.route.options->arena_faces;
  if (!arena) return order->answer_stays("players cannot be moved there");
  auto crossing =
      std::make_unique<Crossing>(mover(), order, to, std::move(place),
                                 LinkInfo{0, &to.route.game, 0, {}, to.route.listen_address, to.route.listen_address});
  auto end = owner_.visit(*this, crossing->end_user(), *to.route.shared_room(), arena->front);
  if (end == nullptr) return order->answer_stays("the arena '" + arena->arena + "' accepts no players now");
  crossing_ = std::move(crossing);
  crossing_->use_arena(std::move(end));
  crossing_->begin(arena->back(), trace::Face());
  if (crossing_ != nullptr && !ending_) crossing_->enter_arena();
}

// -- Out of a shared room ---------------------------------------------------------------------------------------------

BridgeSession::BridgeSession(RoomGuest& guest)
    : RoomSession(guest, Successor()), RoomHost(accept_route_.loop), guest_(&guest) {
  info_.has_room = true;
  entered_ = ready_ = plays_ = was_in_ = dialled_ = true;
  const net::Address& none = worker_route_->route.listen_address;
  here_ = make_server({0, &worker_route_->route.server_game(), 0, {}, none, none}, false);
  alarm_.set_priority(net::Priority::kPlayer);
  alarm_.set_party(party());
  share_clock(guest.shared_room());
  core::RoomOptions options;
  options.seed = std::random_device{}();
  options.chat = worker_route_->route.options->bridge->chat;
  open_room(std::make_unique<NoServer>(), options, nullptr, info_.link, false, nullptr);
  call_room(
      [&](core::Room& room, core::Micros at) { room.transition().expect(guest.shared_room().room(), client_.id, at); });
}

bool BridgeSession::tick_move(Millis now) {
  const bool past_ends = past_.tick(now);
  if (crossing_ != nullptr) crossing_->tick(now);
  return crossing_ != nullptr || past_ends;
}

void BridgeSession::adopt_client(RoomGuest& guest) {
  guest_ = nullptr;
  RoomSession::adopt_client(guest);
}

std::optional<core::DetachedPlayer> BridgeSession::detach_player() {
  auto taken = guest_->leave_room();
  if (!taken) return taken;
  name_ = taken->world.player(client_.id)->player.name();
  begin_words(worker_route_->tap, worker_route_->route.options->bridge->record_secrets, taken->world);
  return taken;
}

// -- What the room says -----------------------------------------------------------------------------------------------

void BridgeSession::on_leaving_server() { leaving_ = true; }

/// From now on, the player is at the next place.
void BridgeSession::moved() {
  Crossing& crossing = *crossing_;
  leaving_ = false;
  here_->close_tap(*worker_route_, "the player moves to another server", wall_in_call());
  client_.resume(kOtherSlow);
  from_ = at().named();
  keep_past(std::exchange(here_, crossing.take_next()));  // it still sends its goodbye
  here_->arrive(*this, now());
  last_passed_ = now();
  info_.server = here_->info.server;
  WorkerRoute& to = crossing.to();
  if (!visits())
    dial_.go_on_as(crossing.server_dial());
  else
    dial_.leave_server();
  moved_to_.arena = visits() ? to.route.options->arena_faces : std::nullopt;
  moved_to_.route = &to != worker_route_ ? &to : nullptr;
  moved_to_.ref = !visits() ? crossing.take_ref() : Route::Ref();
  if (!moved_to_.admission_place.is_in(to.route.listener->admission))
    moved_to_.admission_place = crossing.take_admission_place();
  crossing.succeed();
}

void BridgeSession::move_failed(std::string_view why, bool other_world) {
  if (crossing_ != nullptr) crossing_->fail(why, other_world);
}

/// Called after the call of the room in which the move was decided.
void BridgeSession::end_move() {
  // Its end or its dial may be calling us.
  past_crossing_ = std::move(crossing_);
  Crossing& crossing = *past_crossing_;
  crossing.release();
  if (crossing.has_moved()) return tell_moved(crossing);
  const std::string why = crossing.why();
  MoveOrder& order = crossing.order();
  keep_past(crossing.part());
  if (guest_ != nullptr ? guest_->has_ended() : (ending_ || reason_))
    return order.answer_stays("the session has ended");
  note("is not moved: " + why);
  if (crossing.other_world())
    return guest_ != nullptr ? guest_->refer_to(order, crossing.to()) : refer_to(order, crossing.to());
  worker_route_->log_info(LogKind::kMoved, who() + " is not moved to " + crossing.to().route.named() + ": " + why,
                          about());
  order.answer_stays(why);
}

void BridgeSession::tell_moved(Crossing& crossing) {
  const Millis took = now() - crossing.began();
  worker_route_->counters.moved.add();
  const std::string told =
      "moved " + who() + " from " + from_ + " to " + at().named() + " in " + std::to_string(took) + " ms";
  note(told);
  worker_route_->log_info(LogKind::kMoved, told, about());
  crossing.order().answer({MoveOrder::How::kMoved, "", took});
  if (!info_.game->has_chat() || ending_) return;
  announce_in_room(moved_to_.arena ? "you were moved to the arena '" + moved_to_.arena->arena + "'"
                                   : "you were moved to another server");
}

/// The arena to which the player was moved does not keep it: it goes back to its own route.
void BridgeSession::leave_arena_moved_to() {
  moved_to_ = {};
  here_->forget_arena();
  here_->info.game = &worker_route_->route.server_game();
  here_->info.dialect = home_dialect_;
  here_->info.server = worker_route_->route.upstreams.any_address();
}

}  // namespace entente::relay
