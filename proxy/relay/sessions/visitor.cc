#include "proxy/relay/sessions/visitor.h"

#include <utility>

namespace entente::relay {
namespace {

constexpr std::size_t kMuch = 4 * 1024;                 // after taking this many bytes, tells the session
constexpr std::size_t kMostUntaken = 32 * 1024 * 1024;  // bytes that wait; more than the largest world

}  // namespace

Visitor::Visitor(net::Loop& loop, SharedRoom& room, Owner& owner, Visit visit)
    : loop_(loop),
      room_(room),
      owner_(owner),
      visit_(std::move(visit)),
      peer_{visit_.client.client.text(), 0, "", visit_.client.client.host_key().ip_text()} {
  if (visit_.client.client.port() != 0) set_party(loop.client_party(visit_.client.client));  // else it is a bot
}

// -- From the session -------------------------------------------------------------------------------------------------

void Visitor::run() {
  if (queued_ && !done_ && room_.over()) return leave("the arena is closed");
  while (!done_ && !queued_ && take_more()) {
    const Frames some = in_.pop(kFramesAtOnce);
    if (seat_ != 0) room_.take_frames(seat_, some);
    if (loop_.time_is_up()) return look();
  }
  if (!done_ && !queued_ && ends_) leave(visit_.passage->to_room.why());
}

/// Whether there is something that the session sent.
bool Visitor::take_more() {
  if (!in_.empty()) return true;
  in_.clear();
  if (ends_) return false;
  ends_ = !visit_.passage->to_room.take(in_);
  if (in_.size() >= kMuch) owner_.tell_session(visit_);
  return !in_.empty();
}

void Visitor::take_turn() {
  queued_ = false;
  if (done_) return;
  if (room_.over()) return leave("the arena is closed");
  if (seat_ == 0) room_.seat(*this, visit_.front(), peer_);
  look();
}

// -- From the room ----------------------------------------------------------------------------------------------------

bool Visitor::give_seat(core::Id seat) {
  if (done_) return false;
  seat_ = seat;
  return true;
}

bool Visitor::send(Lane, const SharedBytes& frame) {
  if (parted_) return false;
  out_.add(frame.bytes);
  if (seat_ != 0 && waiting() > kMostUntaken && !std::exchange(overflowed_, true)) room_.overflowed(seat_);
  return !std::exchange(touched_, true);
}

void Visitor::flush() {
  touched_ = false;
  if (visit_.passage->to_session.put(out_)) owner_.tell_session(visit_);
}

void Visitor::spoke(const core::Intent& intent) {
  if (const auto* wish = core::as<words::Enter>(intent)) watches_ = wish->role() == words::WATCH;
}

/// A player who may only watch waits for the server instead.
void Visitor::player_entered(const words::Player& player) {
  if (player.role() == words::WATCH && !watches_) return part("it is full");
  visit_.passage->entered = true;
}

void Visitor::close(std::string_view why, std::uint32_t) {
  seat_ = 0;
  part(why);
  finish();
}

// -- The end ----------------------------------------------------------------------------------------------------------

/// From now on, nothing from the room reaches the session. The session takes its player back.
void Visitor::part(std::string_view why) {
  if (std::exchange(parted_, true)) return;
  out_.clear();
  if (visit_.passage->to_session.close(why)) owner_.tell_session(visit_);
}

void Visitor::leave(std::string_view why) {
  if (done_) return;
  part(why);
  if (const core::Id seat = std::exchange(seat_, 0)) room_.gone(seat, why, 0);
  finish();
}

void Visitor::finish() {
  if (std::exchange(done_, true)) return;
  room_.leave_queues(*this);
  owner_.gone(*this);
}

}  // namespace entente::relay
