#include "proxy/relay/sessions/room_guest.h"

#include <algorithm>

#include "proxy/base/steady_wall.h"
#include "proxy/relay/sessions/bridge_session.h"

namespace entente::relay {

using How = End::Departure::How;

RoomGuest::RoomGuest(WorkerRoute& accept_route, Owner& owner, SharedRoom& shared_room, const AcceptedClient& newcomer)
    : RoomSession(accept_route, owner, shared_room, newcomer, true), shared_room_(shared_room), greets_{began_, 0} {
  info_.server = accept_route.route.listen_address;
}

RoomGuest::~RoomGuest() = default;

// -- Coming in --------------------------------------------------------------------------------------------------------

/// A client requests `path`, which may belong to another route of this listener. All of them lead here.
WorkerRoute* RoomGuest::route_for(std::string_view path) {
  WorkerRoute* const chosen = owner_.route_at(accept_route_.route, path);
  if (chosen == nullptr || chosen == worker_route_) return chosen;
  worker_route_ = chosen;
  route_ref_ = Route::Ref(chosen->route);
  return chosen;
}

void RoomGuest::opened(End&, const core::Peer& peer) {
  last_passed_ = client_.last_progress = now();
  client_.come_up();
  greet(peer);
}

/// Its dialect is known: it waits for its seat, and is not read meanwhile.
void RoomGuest::seat(std::size_t dialect) {
  info_.dialect = dialect;
  if (shared_room_.over()) return end(Reason::kServerUnreachable);
  queued_ = true;
  client_.pause(kAwaitsSeat);
  shared_room_.wait_for_seat(*this);
}

void RoomGuest::take_seat() {
  const std::size_t dialect = info_.dialect;
  auto front = worker_route_->route.options->bridge->front(dialect);
  if (front == nullptr) {
    worker_route_->log_warning(LogKind::kDialect,
                               "a client speaks " + std::string(info_.game->name()) + " " +
                                   std::string(info_.game->dialects()[dialect].name) +
                                   ", which has no front yet; `entente games` lists what has",
                               about());
    return end(Reason::kBadRequest);
  }
  seated_ = true;
  open_tap(wall());
  tell_opened();
  shared_room_.seat(*this, std::move(front), peer_);
}

std::optional<Reason> RoomGuest::wait_to_enter() {
  spoke_ = queued_ = true;
  if (const auto why = objection_to_new_player()) return why;
  if (const auto why = count_as_client()) return why;
  client_.pause(kAwaitsSeat);
  owner_.new_player(*this);
  return std::nullopt;
}

void RoomGuest::take_turn() {
  queued_ = false;
  if (!seated_) greets_ = wait_from(now(), *client_.end);
  if (!seated_ && !ending_) shared_room_.over() ? end(Reason::kServerUnreachable) : take_seat();
  for (const Kept& one : std::exchange(kept_, {})) on_frames(*client_.end, {Lane::kStream, one.bytes, one.marks});
  if (!queued_ && !ending_) client_.resume(kAwaitsSeat);
}

bool RoomGuest::give_seat(core::Id seat) {
  if (ending_) return false;
  if (client_.id != 0) only_resumes_ = false;  // this is the seat that it had
  client_.id = seat;
  note("player " + std::to_string(seat) + " of its room");
  return true;
}

// -- The room ---------------------------------------------------------------------------------------------------------

bool RoomGuest::send(Lane lane, const SharedBytes& bytes) {
  name(bytes.bytes);
  last_passed_ = now();  // a spectator may never send anything
  client_.send(*worker_route_, lane, bytes, shared_room_.wall_in_call());
  if (client_.overflows(limits_) && client_.id != 0 && !std::exchange(overflowed_, true))
    shared_room_.overflowed(client_.id);
  return !std::exchange(touched_, true);
}

void RoomGuest::flush() {
  touched_ = false;
  client_.end->flush();
}

void RoomGuest::close(std::string_view why, std::uint32_t code) {
  client_.id = 0;
  flush();
  let_go(shared_room_.end_reason().value_or(turned_away_ ? Reason::kServerDeclined : Reason::kClientLeft), why, code);
  flush();
  finish();
}

// -- To another route -------------------------------------------------------------------------------------------------

/// A viewer of a replay or a broadcast is told where to connect. So is a player of a lockstep arena: elsewhere, its
/// client's time would go back. And so is who is moved to one (mover.h).
void RoomGuest::move(const std::shared_ptr<MoveOrder>& order) {
  const bool lockstep = shared_room_.has_own_time() || owner_.route(order->route).route.lockstep;
  if (!worker_route_->route.options->arena_faces || lockstep) return Session::move(order);
  if (const auto why = objection_to_move(owner_.route(order->route))) return order->answer_stays(*why);
  if (is_on_the_way()) return order->answer_stays("the player is on the way to another route already");
  if (!shared_room_.can_take_out(client_.id)) return order->answer_stays("the player has not joined yet");
  next_ = std::make_unique<BridgeSession>(*this);
  next_->move(order);
}

bool RoomGuest::is_on_the_way() const { return next_ != nullptr && next_->mover().is_under_way(); }

/// It may be on the way there.
bool RoomGuest::leave_server(std::string_view server, std::string_view why) {
  Session* const next = next_.get();
  return next != nullptr && next->leave_server(server, why);
}

void RoomGuest::look_into_arena() {
  if (next_ != nullptr) next_->look_into_arena();
}

bool RoomGuest::try_claim_session(std::uint32_t number) {
  returns_to_ = owner_.claim(*this, number);
  return returns_to_.has_value();
}

void RoomGuest::take_up_session() {
  leave("took up its lost session");
  hand_back(*returns_to_);
}

std::optional<core::DetachedPlayer> RoomGuest::leave_room() {
  auto taken = shared_room_.take_out(client_.id);
  if (!taken) return taken;
  flush();
  BridgeSession& next = *next_;
  next.adopt_client(*this);
  owner_.replace(*this, std::move(next_));
  return taken;
}

// -- From the network -------------------------------------------------------------------------------------------------

/// What comes before it has a seat is kept.
bool RoomGuest::takes(const Frames& frames) {
  if (seated_) return true;
  if (frames.lane == Lane::kDatagram) return worker_route_->dropped(Drop::kNotLinked), false;
  kept_.push_back({{frames.bytes.begin(), frames.bytes.end()}, {frames.marks.begin(), frames.marks.end()}});
  return false;
}

// -- Going down -------------------------------------------------------------------------------------------------------

/// A client that broke a rule is still connected and is told so. In all other cases the client is gone.
void RoomGuest::departed(End&, const End::Departure& departure) {
  if (ending_) return;
  if (departure.how == How::kFlooded) {  // it could not be paused
    set_reason(Reason::kBadFrame, departure.why, departure.fault);
    return end(Reason::kBadFrame, departure.fault);
  }
  const bool unasked = departure.how == How::kWrong && !client_.up;
  const Reason reason = unasked ? Reason::kBadRequest : reason_of_client(departure.how);
  set_reason(reason, departure.why, departure.fault);
  if (departure.how == How::kWrong) return end(reason, departure.fault);
  if (const core::Id seat = std::exchange(client_.id, 0)) {
    const auto absence = shared_room_.lost(*this, seat, text(reason), departure.code);
    if (absence) expect_return(*absence);
  }
  finish();
}

/// Its player may come back, also while the route drains.
void RoomGuest::expect_return(const core::Absence& absence) {
  const auto until = steady_seconds() + static_cast<std::time_t>(absence.within / core::kSecond) + 1;
  accept_route_.route.listener->admission.may_return(info_.client, until);
}

void RoomGuest::dismiss(Reason reason, std::string_view why) {
  if (client_.id != 0) return shared_room_.dismiss(client_.id, why.empty() ? text(reason) : why);
  tell_unseated(reason);
  finish();
}

void RoomGuest::leave(const char* why) {
  if (const core::Id seat = std::exchange(client_.id, 0)) shared_room_.gone(seat, why, 0);
}

void RoomGuest::shut_down() {
  shared_room_.leave_queues(*this);
  if (next_ != nullptr) next_->mover().cancel("the player leaves");
  client_.end->shut_down(why_.empty() ? words(reason()) : why_, code_for(client_));
}

void RoomGuest::hang_up() {
  client_.end->hang_up();
  leave("did not disconnect in time");
}

// -- In time ----------------------------------------------------------------------------------------------------------

bool RoomGuest::on_tick(Millis now) {
  if (next_ != nullptr && !next_->tick_move(now)) next_.reset();
  if (shared_room_.end_reason()) set_reason(*shared_room_.end_reason());  // the client may stay after the goodbye
  return !reason_;
}

std::optional<Reason> RoomGuest::overdue(Millis now) const {
  const Millis last_passed = std::max(last_passed_, client_.end->last_datagram());
  if (!spoke_ && !queued_ && late(now, greets_, limits_.greet_ms, *client_.end)) return Reason::kGreetTimeout;
  if (client_.end->waiting() && late(now, client_.last_progress, limits_.stall_ms)) return Reason::kClientStalled;
  if (late(now, last_passed, limits_.idle_ms)) return Reason::kIdle;
  return std::nullopt;
}

}  // namespace entente::relay
