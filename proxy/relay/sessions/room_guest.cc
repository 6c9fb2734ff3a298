#include "proxy/relay/sessions/room_guest.h"

#include <algorithm>

#include "proxy/relay/ends/enet_reason.h"

namespace entente::relay {

using How = BridgeEnd::Departure::How;

RoomGuest::RoomGuest(WorkerRoute& listener, Owner& owner, SharedRoom& shared_room, LinkId link, const Limits& limits,
                     const net::Address& client, const EnetCaller& enet)
    : listener_(listener),
      worker_route_(&listener),
      owner_(owner),
      shared_room_(shared_room),
      limits_(limits),
      rates_(limits, listener.loop.now()),
      alarm_(listener.loop, *this),
      began_(listener.loop.now()),
      moved_(began_),
      greets_since_(began_) {
  const Route& route = listener.route;
  party_.info = {link, &route.game, route.dialect, client, route.listener, route.listener};
  BridgeEnd::User& user = *this;
  party_.end = make_bridge_end(listener, user,
                               {.side = BridgeSide::kFront,
                                .game = route.game,
                                .dialect = route.dialect,
                                .limits = limits_,
                                .gathers = true,
                                .enet = enet});
}

RoomGuest::~RoomGuest() = default;

// -- Coming in --------------------------------------------------------------------------------------------------------

void RoomGuest::start(net::Fd client) {
  if (client) party_.info.listener = net::local_address(client.get());
  if (!party_.end->adopt(std::move(client))) end(Reason::kNoFiles);
}

/// A client asks for `path`: another route of this listener may be meant. All of them lead here.
WorkerRoute* RoomGuest::route_for(std::string_view path) {
  WorkerRoute* const chosen = owner_.route_at(listener_.route, path);
  if (chosen != nullptr) worker_route_ = chosen;
  return chosen;
}

void RoomGuest::opened(BridgeEnd&, const core::Peer& peer) {
  moved_ = party_.took = listener_.loop.now();
  party_.up = true;
  worker_route_->counters.opened.add();
  peer_ = peer;
  if (worker_route_->route.fallback) return alarm_.set(listener_.loop.nanos() + kSilence);
  if (!worker_route_->route.clients_name_dialect) seat(party_.info.dialect);
}

/// Who has not said its greeting by now is of the dialect in which servers speak first.
void RoomGuest::rang() {
  if (seated_ || queued_ || ending_) return;
  if (party_.end->is_held_up())
    return alarm_.set(listener_.loop.nanos() + kSilence);  // what it said waits for its turn
  party_.end->hears(*worker_route_->route.fallback);
  seat(*worker_route_->route.fallback);
}

/// Its dialect is known: it waits for its seat, and is not read meanwhile.
void RoomGuest::seat(std::size_t dialect) {
  party_.info.dialect = dialect;
  if (shared_room_.over()) return end(Reason::kServerRefused);
  queued_ = true;
  party_.pause(kQueued);
  shared_room_.wait_for_seat(*this);
}

void RoomGuest::take_seat() {
  const std::size_t dialect = party_.info.dialect;
  auto front = worker_route_->route.bridge->front(dialect);
  if (front == nullptr) {
    worker_route_->say(Line::kDialect, "a client speaks " + std::string(party_.info.game->name()) + " " +
                                           std::string(party_.info.game->dialects()[dialect].name) +
                                           ", which has no front yet; `entente games` says what has");
    return end(Reason::kBadRequest);
  }
  seated_ = true;
  worker_route_->tap_opened(party_.info, shared_room_.wall_by_now());
  worker_route_->opened(party_.info);
  shared_room_.seat(*this, std::move(front), peer_);
}

void RoomGuest::waits_to_enter() {
  spoke_ = queued_ = true;
  party_.pause(kQueued);
}

void RoomGuest::take_turn() {
  queued_ = false;
  if (!seated_) greets_since_ = listener_.loop.now();
  if (!seated_ && !ending_) shared_room_.over() ? end(Reason::kServerRefused) : take_seat();
  for (const Kept& one : std::exchange(kept_, {}))
    if (!ending_) hear(one.lane, one.bytes, one.frames);
  if (!queued_ && !ending_) party_.resume(kQueued);
}

bool RoomGuest::sits(core::Id seat) {
  if (ending_) return false;
  party_.id = seat;
  if (worker_route_->tap)
    worker_route_->tap->note(party_.info.link, "player " + std::to_string(seat) + " of its room", wall_now());
  return true;
}

// -- The room ---------------------------------------------------------------------------------------------------------

bool RoomGuest::send(Lane lane, Bytes bytes, bool lent) {
  if (!named_ && worker_route_->route.with_datagrams()) name(bytes);
  moved_ = listener_.loop.now();  // who only watches never says a word
  party_.send(*worker_route_, lane, bytes, shared_room_.wall(), lent);
  const bool too_much = waiting() > kMostWaiting * limits_.high_water + party_.info.game->largest_burst();
  if (too_much && party_.id != 0 && !std::exchange(overflowed_, true)) shared_room_.overflowed(party_.id);
  return !std::exchange(touched_, true);
}

/// The first that it is sent may say which player's datagrams are its own.
void RoomGuest::name(Bytes greeting) {
  named_ = true;
  if (const auto player = party_.info.game->greeted_as(greeting)) owner_.named(*this, *player);
}

void RoomGuest::flush() {
  touched_ = false;
  party_.end->flush();
}

void RoomGuest::close(std::string_view why, std::uint32_t code) {
  if (!turned_away_ && party_.info.game->bans_by(code)) worker_route_->front_banned(party_.info.client, why);
  because(shared_room_.ends().value_or(turned_away_ ? Reason::kServerDeclined : Reason::kClientLeft), why);
  party_.id = 0;
  flush();
  party_.end->closes_after(goodbye());
  party_.up ? party_.end->part(why, code_for(code)) : party_.end->hang_up();
  flush();
  finish();
}

// -- From the network -------------------------------------------------------------------------------------------------

void RoomGuest::received(BridgeEnd&, Lane lane, Bytes bytes, std::size_t frames) {
  if (ending_) return;
  moved_ = listener_.loop.now();
  if (!seated_ && !queued_) seat(party_.info.game->named_by_client(bytes).value_or(party_.info.dialect));
  if (ending_) return;
  if (seated_) return hear(lane, bytes, frames);
  if (lane == Lane::kDatagram) return worker_route_->dropped(Drop::kNotLinked);
  kept_.push_back({lane, Buffer(bytes.begin(), bytes.end()), frames});
}

void RoomGuest::hear(Lane lane, Bytes bytes, std::size_t frames) {
  party_.hear(*worker_route_, lane, bytes, frames, shared_room_.wall_by_now());
  heard_words_ = 0;
  shared_room_.received(party_.id, lane, bytes);
  if (lane != Lane::kStream) return;
  party_.said += bytes.size();
  if (!ending_) charge(bytes.size(), std::max(frames, heard_words_));
}

void RoomGuest::received_control(BridgeEnd&, std::size_t bytes) {
  if (!ending_) charge(bytes, 1);
}

/// Who is over its rates is not read until it has paid.
void RoomGuest::charge(std::size_t bytes, std::size_t messages) {
  if (rates_.take(bytes, messages, listener_.loop.now())) return;
  worker_route_->counters.throttled.add();
  party_.pause(kRate);
}

void RoomGuest::datagram(const net::Address& from, Bytes datagram) {
  if (!party_.up || ending_) return worker_route_->dropped(Drop::kNotLinked);
  party_.end->datagram(from, datagram);
}

void RoomGuest::wrote(BridgeEnd&) { party_.took = listener_.loop.now(); }

// -- Going down -------------------------------------------------------------------------------------------------------

/// The first reason is the one that counts; from then on it has so long to say goodbye.
void RoomGuest::because(Reason reason, std::string_view why, const Fault& fault) {
  if (reason_) return;
  reason_ = reason;
  gone_by_ = listener_.loop.now() + goodbye() + limits_.linger_ms;
  why_ = why;
  fault_ = fault;
}

/// Who is turned away may read why, unless we are shutting down.
Millis RoomGuest::goodbye() const { return goodbye_ms(*party_.info.game, reason_.value_or(Reason::kClientLeft)); }

void RoomGuest::stop() {
  if (ending_) gone_by_ = std::min(gone_by_, listener_.loop.now() + limits_.linger_ms);
  end(Reason::kStopped);
}

/// Who broke a rule is still there to be told so; anybody else is gone.
void RoomGuest::departed(BridgeEnd&, const BridgeEnd::Departure& departure) {
  if (ending_) return;
  if (departure.how == How::kFlooded) {  // it could not be made to wait
    because(Reason::kBadFrame, departure.why, departure.fault);
    return end(Reason::kBadFrame);
  }
  const bool unasked = departure.how == How::kWrong && !party_.up;
  const Reason reason = unasked ? Reason::kBadRequest : reason_of_client(departure.how);
  because(reason, departure.why, departure.fault);
  if (departure.how == How::kWrong) return end(reason);
  if (const core::Id seat = std::exchange(party_.id, 0)) shared_room_.lost(*this, seat, text(reason), departure.code);
  leave(text(reason));
}

/// What its front leaves unsaid, the reason says in its game's own number.
std::uint32_t RoomGuest::code_for(std::uint32_t said) const {
  return said != 0 ? said : parting_code(*party_.info.game, BridgeSide::kFront, reason_.value_or(Reason::kClientLeft));
}

/// By us: its front says goodbye.
void RoomGuest::end(Reason reason, std::string_view why) {
  if (ending_) return;
  because(reason);
  party_.id != 0 ? shared_room_.dismiss(party_.id, why.empty() ? text(reason) : why) : leave(text(reason));
}

void RoomGuest::kick(std::string_view why) {
  const std::string said = std::string(text(Reason::kKicked)) + (why.empty() ? "" : ": ") + std::string(why);
  if (worker_route_->tap && party_.up) worker_route_->tap->note(party_.info.link, said, wall_now());
  end(Reason::kKicked, said);
}

SessionReport RoomGuest::report() const {
  return {worker_route_->route.index, party_.info, listener_.loop.now() - began_, party_.said,
          shared_room_.name_of(party_.id)};
}

/// Without a word.
void RoomGuest::leave(const char* why, std::uint32_t code) {
  if (const core::Id seat = std::exchange(party_.id, 0)) shared_room_.gone(seat, why, code);
  if (ending_) return;
  party_.end->part(why_, code_for(0));
  finish();
}

/// It has no seat any more: what was said goes out.
void RoomGuest::finish() {
  if (std::exchange(ending_, true)) return;
  if (queued_) shared_room_.leave_queues(*this);
  gone_by_ = listener_.loop.now() + goodbye() + limits_.linger_ms;
  tell_end();
  settle();
}

void RoomGuest::tell_end() {
  const Reason reason = reason_.value_or(Reason::kClientLeft);
  if (!party_.up) worker_route_->counters.opened.add();
  worker_route_->ended(party_.info, reason, fault_, party_.said);
  if (!worker_route_->tap || !seated_) return;
  std::string why = text(reason);
  if (*fault_.what) why += std::string(": ") + fault_.what + " in " + fault_.field;
  worker_route_->tap->closed(party_.info.link, why, shared_room_.wall_by_now());
}

void RoomGuest::settle() {
  if (!ending_ || done_ || party_.end->is_open()) return;
  done_ = true;
  owner_.done(*this);
}

// -- In time ----------------------------------------------------------------------------------------------------------

void RoomGuest::tick(Millis now) {
  if (shared_room_.ends()) because(*shared_room_.ends());  // its front was told goodbye, and may not go
  if (gone_by_ && now >= gone_by_) {                       // it was to go long ago
    party_.end->hang_up();
    leave("does not go");
    return settle();
  }
  if (reason_) return;
  if ((party_.paused & kRate) != 0 && rates_.ready(now)) party_.resume(kRate);
  if (const auto reason = overdue(now)) end(*reason);
}

std::optional<Reason> RoomGuest::overdue(Millis now) const {
  const Millis moved = std::max(moved_, party_.end->last_datagram());
  if (!spoke_ && !queued_ && late(now, greets_since_, limits_.greet_ms, *party_.end)) return Reason::kGreetTimeout;
  if (party_.end->waiting() && late(now, party_.took, limits_.stall_ms)) return Reason::kClientStalled;
  if (late(now, moved, limits_.idle_ms)) return Reason::kIdle;
  return std::nullopt;
}

}  // namespace entente::relay
