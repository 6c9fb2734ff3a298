#include "proxy/relay/sessions/crossing.h"

#include <algorithm>
#include <utility>

#include "proxy/base/steady_wall.h"
#include "proxy/relay/ends/enet_reason.h"
#include "proxy/relay/upstream/server_probes.h"

namespace entente::relay {

using How = End::Departure::How;

namespace {

constexpr Millis kMoveWithin = 10'000;  // the next server must let the player in by then; or Limits::ready_ms, if less

}  // namespace

Crossing::Crossing(const Mover& mover, std::shared_ptr<MoveOrder> order, WorkerRoute& to, MovedPlace place,
                   const LinkInfo& next)
    : mover_(mover),
      order_(std::move(order)),
      to_(to),
      ref_(to.route),
      place_(std::move(place)),
      info_(next),
      dial_(static_cast<Dial::User&>(*this)),
      began_(mover.worker_route.loop.now()),
      tries_since_(began_) {}

// -- Beginning --------------------------------------------------------------------------------------------------------

void Crossing::use_server(bool finding) {
  info_.has_room = true;
  finding_ = finding;
  next_.end = make_end(to_, *this,
                       {.facing = Facing::kServer,
                        .game = *info_.game,
                        .dialect = info_.dialect,
                        .limits = mover_.limits,
                        .finds_dialect = finding,
                        .works_for = mover_.client.client});
}

void Crossing::use_arena(std::unique_ptr<ArenaEnd> end) {
  arena_end_ = end.get();
  next_.end = std::move(end);
  next_.up = true;
}

void Crossing::begin(std::unique_ptr<core::Back> back, trace::Face face) {
  mover_.host.note_move("is moved to " + to_.route.named());
  next_.end->set_priority(net::Priority::kPlayer);
  mover_.host.call_for_move(
      [&](RecordedRoom& room, core::Micros at) { room.begin_move(std::move(back), std::move(face), at); });
}

void Crossing::enter_arena() {
  mover_.host.call_for_move(
      [](RecordedRoom& room, core::Micros at) { room.back_opened(core::kNextBackId, {}, 0, false, at); });
}

void Crossing::begin_dial(Upstream* first) {
  dial_.begin(to_, mover_.limits.connect_ms, info_.game->transport(), mover_.client, first,
              finding_ ? std::nullopt : std::optional(info_.dialect));
}

int Crossing::dial(const net::Address& server, Outgoing outgoing) {
  info_.server = server;
  mover_.host.note_move("dialling " + server.text() + ", to move there");
  return next_.end->connect(server, std::move(outgoing));
}

void Crossing::dial_failed(Reason why) {
  const char* const failed = why == Reason::kServerDeclined ? "its servers are full" : "its server cannot be reached";
  cancel(why == Reason::kServerTimeout ? text(why) : failed);
}

/// The route's servers are full or down, and its players wait for them: this one waits behind them, and plays on.
void Crossing::tell_waits() {
  const Route& route = to_.route;
  const std::size_t waiting = route.upstreams.waiting();
  const std::string behind = waiting > 1 ? ", behind " + std::to_string(waiting - 1) + " more" : "";
  const std::string told =
      "waits for its servers" + behind + ", for up to " + std::to_string(route.upstreams.rules().hold_ms / 1000) + " s";
  order_->set_waiting_for(told);
  mover_.host.note_move(told);
  mover_.worker_route.log_info(LogKind::kMoved, mover_.host.who() + " is moved to " + route.named() + ": " + told,
                               about(mover_.client));
}

void Crossing::tick(Millis now) {
  if (dial_.looks_up()) return dial_.tick(now);
  if (dial_.holding()) {
    if (!std::exchange(waits_, true)) tell_waits();
    tries_since_ = now;
    return dial_.tick(now);
  }
  if (dial_.late(now, *next_.end)) {
    next_.end->hang_up();
    return dial_.timed_out();
  }
  const Millis ready_ms = mover_.limits.ready_ms;
  const Millis within = ready_ms != 0 ? std::min(ready_ms, kMoveWithin) : kMoveWithin;
  if (now >= tries_since_ + within) cancel("it did not let the player in within " + std::to_string(within) + " ms");
}

void Crossing::cancel(const std::string& why) {
  mover_.host.call_for_move([&](RecordedRoom& room, core::Micros at) { room.cancel_move(why, at); });
}

// -- The next server --------------------------------------------------------------------------------------------------

void Crossing::opened(End& end, const core::Peer& peer) {
  next_.up = true;
  next_.last_progress = mover_.worker_route.loop.now();
  dial_.succeeded();
  info_.link = mover_.host.next_link();
  info_.session = mover_.client.link;
  info_.client = end.local_address();
  if (!finding_) open_tap();
  mover_.host.call_for_move([&](RecordedRoom& room, core::Micros at) {
    room.back_opened(core::kNextBackId, peer, info_.link, finding_, at);
  });
}

void Crossing::open_tap() {
  if (mover_.worker_route.tap != nullptr) mover_.worker_route.tap_opened(info_, steady_wall_now());
}

void Crossing::close_tap(const std::string& why) {
  if (mover_.worker_route.tap != nullptr && info_.link != 0 && !finding_)
    mover_.worker_route.tap->closed(info_.link, why, mover_.clock.wall_by_now());
}

void Crossing::found(End&, std::optional<std::size_t> dialect) {
  if (!dialect) return cancel(cannot_tell_dialect(*info_.game, info_.server.text()));
  finding_ = false;
  info_.dialect = *dialect;
  open_tap();
  mover_.host.call_for_move([&](RecordedRoom& room, core::Micros at) {
    room.back_speaks(core::kNextBackId, *dialect, info_.game->dialects()[*dialect].name, at);
  });
}

void Crossing::received(End&, const Frames& frames) {
  if (arena_end_ != nullptr)
    return mover_.host.call_for_move(
        [&](RecordedRoom& room, core::Micros at) { room.received_from_arena(core::kNextBackId, frames, at); });
  next_.hear(mover_.worker_route, frames, mover_.clock.wall_by_now());
  mover_.host.call_for_move([&](RecordedRoom& room, core::Micros at) { room.received(core::kNextBackId, frames, at); });
}

void Crossing::departed(End&, const End::Departure& departure) {
  if (is_over()) return;
  if (dial_.under_way() && departure.how == How::kBroke) return dial_.failed(departure.error);
  if (dial_.under_way()) dial_.declined();
  std::string why = departure.why;
  if (why.empty()) why = *departure.fault.what ? departure.fault.what : text(reason_of_server(departure.how));
  mover_.host.call_for_move(
      [&](RecordedRoom& room, core::Micros at) { room.gone(core::kNextBackId, why, at, departure.code); });
}

// -- What the room says -----------------------------------------------------------------------------------------------

void Crossing::send(Lane lane, Bytes bytes) {
  if (finding_) return;  // nothing may be sent to it yet
  mover_.host.sent_to_next(bytes.size());
  if (arena_end_ != nullptr)
    next_.end->send(lane, bytes);
  else
    next_.send(mover_.worker_route, lane, {bytes, {}}, mover_.clock.wall_in_call());
}

void Crossing::flush() {
  if (next_.end != nullptr) next_.end->flush();
}

void Crossing::close(std::string_view why, std::uint32_t code) {
  blame(why);
  if (!next_.up) return next_.end->hang_up();
  next_.end->shut_down(why, code != 0 ? code : parting_code(*info_.game, Facing::kServer, Reason::kClientLeft));
}

// -- Ending -----------------------------------------------------------------------------------------------------------

void Crossing::fail(std::string_view why, bool other_world) {
  state_ = State::kFailed;
  blame(why);
  other_world_ = other_world;
}

std::unique_ptr<End> Crossing::take_end(End::User& user) {
  next_.end->set_user(user);
  return std::move(next_.end);
}

std::unique_ptr<End> Crossing::part(End::User& user) {
  close_tap(why_);
  dial_.leave_server();
  if (!next_.up) next_.end->hang_up();
  return take_end(user);
}

}  // namespace entente::relay
