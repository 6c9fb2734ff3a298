#include "proxy/relay/sessions/bridge_session.h"

#include <algorithm>
#include <utility>

#include "proxy/relay/sessions/room_guest.h"

namespace entente::relay {

using How = End::Departure::How;

BridgeSession::BridgeSession(WorkerRoute& accept_route, Owner& owner, const AcceptedClient& newcomer)
    : RoomSession(accept_route, owner, room_, newcomer, false),
      no_dial_reason_(newcomer.no_dial_reason),
      where_(*this, Standing::kGreets, newcomer.server == nullptr && accept_route.route.detects_before_sessions()),
      room_(accept_route.loop, *this) {
  info_.has_room = true;
  where_.begin_at(newcomer.server_dialect);
  room_.set_priority(net::Priority::kNewcomer);
}

BridgeSession::BridgeSession(RoomGuest& guest)
    : RoomSession(guest, room_, Successor()),
      where_(*this, Standing::kPlays, false),
      room_(accept_route_.loop, *this),
      guest_(&guest),
      entered_(true) {
  info_.has_room = true;
  plays_ = true;
  where_.begin_at(0);
  room_.set_priority(net::Priority::kPlayer);
  room_.expect(guest);
}

void BridgeSession::adopt_client(RoomGuest& guest) {
  guest_ = nullptr;
  RoomSession::adopt_client(guest);
}

bool BridgeSession::tick_move(Millis now) {
  const bool past_ends = where_.has_past();
  where_.tick(now);
  return where_.mover.is_under_way() || past_ends;
}

// -- Coming up --------------------------------------------------------------------------------------------------------

/// A client requests `path`, which may belong to another route of this listener.
WorkerRoute* BridgeSession::route_for(std::string_view path) {
  WorkerRoute* const chosen = owner_.route_at(accept_route_.route, path);
  if (chosen == nullptr || chosen == worker_route_) return chosen;
  go_by(*chosen);
  info_.server = chosen->route.upstreams.any_address();
  where_.begin_at(chosen_ != nullptr ? chosen_->dialect().value_or(0) : 0);
  return chosen;
}

void BridgeSession::opened(End&, const core::Peer& peer) {
  client_.come_up();
  client_.last_progress = last_passed_ = now();
  room_.is_open() ? room_.returned(peer) : greet(peer);
}

/// The client's dialect is known: makes the room.
void BridgeSession::seat(std::size_t dialect) {
  info_.dialect = dialect;
  const BridgeOptions& bridge = *worker_route_->route.options->bridge;
  auto front = bridge.front(dialect);
  auto back = where_.back_for(where_.here());
  if (front == nullptr || back == nullptr) return lack_face(front == nullptr ? client_ : where_.here());
  open_tap(room_.wall_in_call());
  room_.open(std::move(front), std::move(back));
}

/// Once the player has entered and the world is ready, the session is served before newcomers. Returns why it must end,
/// if there is no place for it.
std::optional<Reason> BridgeSession::play() {
  if (std::exchange(plays_, true)) return std::nullopt;
  if (const auto why = count_as_client()) return why;
  client_.end->set_priority(net::Priority::kPlayer);
  where_.here().end->set_priority(net::Priority::kPlayer);
  room_.set_priority(net::Priority::kPlayer);
  return std::nullopt;
}

/// Ends the session, because a peer has shown a dialect that cannot be bridged.
void BridgeSession::lack_face(const CountedEnd& side) {
  const bool client = side.facing == Facing::kClient;
  warn(LogKind::kDialect, (client ? "a client speaks " : "the server speaks ") + spoken(side.info) +
                              ", which cannot be bridged yet; `entente games` lists what can");
  end(client ? Reason::kClientDialect : Reason::kDialectMismatch);
}

/// Tells the player its name, if it had another one when it began to wait or to move: its client may still show that.
void BridgeSession::tell_new_name() {
  if (known_name_.empty() || name_ == known_name_ || !info_.game->has_chat() || ending_) return;
  known_name_ = name_;
  announce_in_room("your name here is '" + clean(name_) + "'");
}

// -- Away and back ----------------------------------------------------------------------------------------------------

/// A client lost its link: its seat is kept if its front says so.
bool BridgeSession::stays(const End::Departure& departure) {
  if (reason_ || (departure.how != How::kLeft && departure.how != How::kBroke)) return false;
  const std::optional<core::Absence> absence = room_.keep();
  if (!absence) return false;
  client_.up = false;
  client_.pauses.clear();
  client_.end->hang_up();
  where_.here().resume(kOtherSlow);
  note("its link broke; the seat is kept for " + std::to_string(absence->within / core::kSecond) + " s");
  away_ = true;
  owner_.away(*this, *absence);
  return true;
}

void BridgeSession::give_way() {
  if (!away_ || ending_) return;
  note("its seat goes to somebody who is there");
  set_reason(Reason::kClientLeft);
  room_.gone(client_.id, "its seat went to somebody else");
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

// -- From the network -------------------------------------------------------------------------------------------------

void BridgeSession::wrote(End&) {
  if (!ending_) room_.note_progress(client_);
}

void BridgeSession::look_into_arena() {
  for (const Place* place : {&where_.here(), where_.next()})
    if (place != nullptr && place->arena() != nullptr) place->arena()->look();
}

// -- Going down -------------------------------------------------------------------------------------------------------

/// A client that broke a rule is still connected and is told so. In all other cases it is gone.
void BridgeSession::departed(End&, const End::Departure& departure) {
  if (departure.how == How::kFlooded) return end(client_.flooded_by(), departure.fault);
  if (stays(departure)) return;
  const bool wrong = departure.how == How::kWrong;
  const Reason reason = wrong && !client_.up ? Reason::kBadRequest : reason_of_client(departure.how);
  set_reason(reason, departure.why, departure.fault);
  if (!room_.is_open()) return end(reason, departure.fault);
  if (wrong) return room_.end(words(reason));
  room_.gone(client_.id, departure.why.empty() ? why_for_player(reason) : departure.why, departure.code);
}

bool BridgeSession::leave_server(std::string_view server, std::string_view why) {
  const auto leads_there = [&](const Place* place) {
    return place != nullptr && place->dial != nullptr && place->dial->server_name() == server;
  };
  if (ending_) return false;
  if (leads_there(where_.next()))
    where_.is_moving() ? where_.mover.cancel("its server is drained") : where_.meanwhile.dial_later(now());
  if (!leads_there(&where_.here())) return false;
  if (!where_.hold.begin_drained()) end_drained(why);
  return true;
}

/// Meanwhile, or on its way to another route, it waits for the server that is next.
void BridgeSession::leave_queue() {
  for (const Place* place : {&where_.here(), where_.next()})
    if (place != nullptr && place->dial != nullptr) place->dial->leave_queue();
}

void BridgeSession::dismiss(Reason reason, std::string_view why) {
  if (!room_.is_open()) tell_unseated(reason);
  if (!room_.is_open() || room_.room().over()) return finish();
  room_.end(why.empty() ? text(reason) : why);
}

void BridgeSession::shut_down() {
  room_.sleep();
  const Place& here = where_.here();
  if (here.dial != nullptr && here.dial->under_way()) here.end->hang_up();
  if (where_.next() != nullptr) where_.next()->end->hang_up();
  for (const CountedEnd* side : {static_cast<const CountedEnd*>(&client_), static_cast<const CountedEnd*>(&here)})
    side->end->shut_down(why_.empty() ? words(reason()) : why_, code_for(*side));
}

void BridgeSession::hang_up() {
  client_.end->hang_up();
  where_.here().end->hang_up();
  if (where_.next() != nullptr) where_.next()->end->hang_up();
}

bool BridgeSession::is_linked() const {
  const Place* const next = where_.next();
  return client_.end->is_open() || where_.here().end->is_open() || (next != nullptr && next->end->is_open());
}

void BridgeSession::tell_end() {
  Session::tell_end();
  if (plays_) where_.route().route.known_world.forget_players();
  where_.end(reason());
  if (room_.is_open()) worker_route_->words_dropped(info_, room_.room().ledger());
}

void BridgeSession::close_tap(const std::string& why) {
  room_.tell_rest();
  for (const Place* place : {&where_.here(), where_.next()})
    if (place != nullptr) place->close_tap(*worker_route_, why, wall());
  Session::close_tap(why);
}

// -- For the operator -------------------------------------------------------------------------------------------------

std::string BridgeSession::arena_name() const {
  const Route& route = at();
  if (where_.here().arena() == nullptr) return "";
  if (where_.is_in_arena_meanwhile()) return route.options->bridge->while_down->arena;
  return route.options->arena_faces ? route.options->arena_faces->arena : "";
}

std::optional<std::size_t> BridgeSession::moved_to() const {
  const WorkerRoute* const route = where_.mover.route();
  return route != nullptr ? std::optional(route->route.index) : std::nullopt;
}

// -- In time ----------------------------------------------------------------------------------------------------------

bool BridgeSession::on_tick(Millis now) {
  if (where_.is_out() && (entered_ || !where_.here().up)) last_passed_ = now;  // limited by the hold
  where_.tick(now);
  if (plays_ && where_.here().arena() == nullptr) where_.route().route.known_world.update(room_.room().world(), now);
  where_.meanwhile.tick();
  if (ending_) return false;
  const Place& here = where_.here();
  const bool stalled = here.up && here.end->waiting() && late(now, here.last_progress, limits_.stall_ms);
  if (stalled && where_.hold.begin(text(Reason::kServerStalled))) return !ending_;
  if (room_.owes_world()) room_.look();
  return !ending_ && !where_.give_up_late(now);
}

std::optional<Reason> BridgeSession::overdue(Millis now) const {
  const Place& here = where_.here();
  const Millis last_passed = std::max({last_passed_, client_.end->last_datagram(), here.end->last_datagram()});
  if (where_.standing() == Standing::kGreets && late(now, began_, limits_.greet_ms, *client_.end))
    return Reason::kGreetTimeout;
  if (client_.end->waiting() && late(now, client_.last_progress, limits_.stall_ms)) return Reason::kClientStalled;
  if (here.up && here.end->waiting() && late(now, here.last_progress, limits_.stall_ms)) return Reason::kServerStalled;
  if (late(now, last_passed, limits_.idle_ms)) return Reason::kIdle;
  return std::nullopt;
}

}  // namespace entente::relay
