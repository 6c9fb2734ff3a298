#include "proxy/relay/sessions/crossing.h"

#include <algorithm>
#include <utility>

#include "proxy/relay/ends/enet_reason.h"
#include "proxy/relay/probes/server_probes.h"

namespace entente::relay {

using How = End::Departure::How;

namespace {

constexpr Millis kMoveWithin = 10'000;  // the next server must let the player in by then; or Limits::ready_ms, if less

}  // namespace

Crossing::Crossing(const Mover& mover, std::shared_ptr<MoveOrder> order, WorkerRoute& to, MovedPlace admission_place,
                   const LinkInfo& next)
    : mover_(mover),
      order_(std::move(order)),
      to_(to),
      ref_(to.route),
      admission_place_(std::move(admission_place)),
      next_(std::make_unique<Place>(static_cast<Place::User&>(*this), next, core::kNextBackId)),
      dial_(static_cast<Dial::User&>(*this)),
      began_(mover.worker_route.loop.now()),
      tries_since_(began_) {}

// -- Beginning --------------------------------------------------------------------------------------------------------

void Crossing::use_server(bool finds_dialect) {
  next_->info.has_room = true;
  next_->lead_to_server(to_, mover_.limits, mover_.client.client, finds_dialect);
}

void Crossing::begin(std::unique_ptr<core::Back> back, trace::Face face) {
  mover_.host.note_move("is moved to " + to_.route.named());
  next_->end->set_priority(net::Priority::kPlayer);
  mover_.host.call_for_move(
      [&](RecordedRoom& room, core::Micros at) { room.begin_move(std::move(back), std::move(face), at); });
}

void Crossing::enter_arena() {
  mover_.host.call_for_move(
      [](RecordedRoom& room, core::Micros at) { room.back_opened(core::kNextBackId, {}, 0, false, at); });
}

void Crossing::begin_dial(Upstream* first) {
  dial_.begin(to_, mover_.limits.connect_ms, next_->info.game->transport(), mover_.client, first,
              next_->wanted_dialect());
}

int Crossing::dial(const net::Address& server, Outgoing outgoing) {
  next_->info.server = server;
  mover_.host.note_move("dialling " + server.text() + ", to move there");
  return next_->end->connect(server, std::move(outgoing));
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
  if (dial_.late(now, *next_->end)) {
    next_->end->hang_up();
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

void Crossing::place_opened(Place& place, const core::Peer& peer) {
  place.come_up(mover_.worker_route.loop.now());
  dial_.succeeded();
  place.info.link = mover_.host.next_link();
  place.info.session = mover_.client.link;
  place.info.client = place.end->local_address();
  if (!place.finds_dialect()) place.open_tap(mover_.worker_route);
  mover_.host.call_for_move([&](RecordedRoom& room, core::Micros at) {
    room.back_opened(core::kNextBackId, peer, place.info.link, place.finds_dialect(), at);
  });
}

void Crossing::close_tap(const std::string& why) {
  if (next_ != nullptr) next_->close_tap(mover_.worker_route, why, mover_.clock.wall_by_now());
}

void Crossing::place_found(Place& place, std::optional<std::size_t> dialect) {
  const LinkInfo& info = place.info;
  if (!dialect) return cancel(cannot_tell_dialect(*info.game, info.server.text()));
  place.found(*dialect);
  place.open_tap(mover_.worker_route);
  mover_.host.call_for_move([&](RecordedRoom& room, core::Micros at) {
    room.back_speaks(core::kNextBackId, *dialect, info.game->dialects()[*dialect].name, at);
  });
}

void Crossing::place_received(Place& place, const Frames& frames) {
  if (place.arena() != nullptr)
    return mover_.host.call_for_move(
        [&](RecordedRoom& room, core::Micros at) { room.received_from_arena(core::kNextBackId, frames, at); });
  place.hear(mover_.worker_route, frames, mover_.clock.wall_by_now());
  mover_.host.call_for_move([&](RecordedRoom& room, core::Micros at) { room.received(core::kNextBackId, frames, at); });
}

void Crossing::place_departed(Place&, const End::Departure& departure) {
  if (is_over()) return;
  if (dial_.under_way() && departure.how == How::kBroke) return dial_.failed(departure.error);
  if (dial_.under_way()) dial_.declined();
  std::string why = departure.why;
  if (why.empty()) why = *departure.fault.what ? departure.fault.what : text(reason_of_server(departure.how));
  mover_.host.call_for_move(
      [&](RecordedRoom& room, core::Micros at) { room.gone(core::kNextBackId, why, at, departure.code); });
}

// -- What the room says -----------------------------------------------------------------------------------------------

void Crossing::close(std::string_view why, std::uint32_t code) {
  blame(why);
  if (!next_->up) return next_->end->hang_up();
  next_->end->shut_down(why, code != 0 ? code : parting_code(*next_->info.game, Facing::kServer, Reason::kClientLeft));
}

// -- Ending -----------------------------------------------------------------------------------------------------------

void Crossing::fail(std::string_view why, bool other_world) {
  state_ = State::kFailed;
  blame(why);
  other_world_ = other_world;
}

std::unique_ptr<Place> Crossing::part() {
  close_tap(why_);
  dial_.leave_server();
  if (!next_->up) next_->end->hang_up();
  return std::move(next_);
}

}  // namespace entente::relay
