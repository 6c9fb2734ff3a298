#include "proxy/relay/sessions/room_host.h"

#include <limits>

#include "proxy/base/steady_wall.h"

namespace entente::relay {

RoomHost::RoomHost(net::Loop& loop) : alarm_(loop, static_cast<net::Alarm::User&>(*this)), loop_(loop) {
  start_clock();
}

void RoomHost::start_clock() {
  epoch_ = loop_.nanos();
  began_wall_ = wall_ = steady_wall_now();
}

void RoomHost::open_room(std::unique_ptr<core::Back> back, const core::RoomOptions& options, TapSink* tap, LinkId link,
                         bool with_secrets, std::shared_ptr<Broadcast> broadcast) {
  tap_ = tap;
  link_ = link;
  words_.emplace(tap, with_secrets_ = with_secrets);
  broadcast_ = std::move(broadcast);
  if (broadcast_) source_id_ = broadcast_->begin();
  room_.emplace(static_cast<core::Room::Host&>(*this), std::move(back), options);
}

std::uint64_t RoomHost::wakes_at() const {
  const core::Micros wake = room_->next_wake();
  return wake == std::numeric_limits<core::Micros>::max() ? kNever : epoch_ + wake * 1000;
}

void RoomHost::take_frames(core::Id end, const Frames& frames) {
  call_room([&](core::Room& room, core::Micros at) {
    calls_.received(end, at);
    room.received(end, frames, at);
  });
}

void RoomHost::heard(const core::Intent& intent) {
  echoes_.hear(intent);
  words_->tell(link_, intent, began_wall_ + intent.at * 1000);
}

void RoomHost::told(const core::Fact& fact) {
  const auto hidden = echoes_.without(fact, is_of_one());
  words_->tell(link_, hidden && !with_secrets_ ? *hidden : fact, began_wall_ + fact.at * 1000);
  if (broadcast_ && broadcast_->wanted())
    broadcast_->tell(source_id_, hidden ? *hidden : fact, epoch_ + fact.at * 1000);
}

void RoomHost::share_clock(const RoomHost& other) {
  epoch_ = other.epoch_;
  began_wall_ = wall_ = other.began_wall_;
}

void RoomHost::begin_words(TapSink* tap, bool with_secrets, const core::WorldState& world) {
  tap_ = tap;
  words_.emplace(tap, with_secrets_ = with_secrets);
  if (words_->owes_world(micros())) words_->tell(link_, world, micros(), wall_);
}

void RoomHost::record_calls(trace::RoomBegan began) {
  began.set_wall(began_wall_);
  calls_.begin(tap_, link_, began);
}

std::size_t RoomHost::waiting_for(core::Id end, std::size_t now) const {
  auto& waiting = waiting_[side_of(end)];
  if (!waiting) {
    waiting = now;
    calls_.told_waiting(end, now);
  }
  return *waiting;
}

void RoomHost::note_sent(core::Id end, std::size_t bytes) {
  auto& waiting = waiting_[side_of(end)];
  if (waiting) *waiting += bytes;
}

bool RoomHost::note_answer(bool answer) {
  calls_.answered(answer);
  return answer;
}

void RoomHost::tell_rest() {
  calls_.flush(wall_);
  if (tap_ == nullptr || room_->ledger().entries().empty()) return;
  tap_->note(link_, "not forwarded: " + text(room_->ledger(), SIZE_MAX), steady_wall_now());
}

}  // namespace entente::relay
