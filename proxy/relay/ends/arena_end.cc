#include "proxy/relay/ends/arena_end.h"

#include <cerrno>
#include <utility>

namespace entente::relay {

ArenaEnd::ArenaEnd(End::User& user, std::shared_ptr<Passage> passage, std::function<void()> tell_arena,
                   std::function<void()> tell_us)
    : End(user), passage_(std::move(passage)), tell_arena_(std::move(tell_arena)), tell_us_(std::move(tell_us)) {}

ArenaEnd::~ArenaEnd() { hang_up(); }

void ArenaEnd::look() {
  if (!open_) return;
  if (waiting() == 0) user().wrote(*this);
  if (!open_ || !reads_) return;
  const bool goes_on = passage_->to_session.take(in_);
  if (!in_.empty()) user().received(*this, in_.frames());
  in_.clear();
  if (open_ && !goes_on) user().departed(*this, {Departure::How::kLeft, 0, Fault{""}, passage_->to_session.why()});
}

int ArenaEnd::connect(const net::Address&, Outgoing) { return EOPNOTSUPP; }

void ArenaEnd::send(Lane, Bytes frame) {
  if (open_) out_.add(frame);
}

void ArenaEnd::flush() {
  if (!out_.empty() && passage_->to_room.put(out_)) tell_arena_();
}

/// What came while this end was not read is not announced again, so it has look() called.
void ArenaEnd::set_reading(bool on) {
  if (!std::exchange(reads_, on) && on) tell_us_();
}

void ArenaEnd::shut_down(std::string_view why, std::uint32_t) {
  flush();
  close(why);
}

void ArenaEnd::close(std::string_view why) {
  if (!std::exchange(open_, false)) return;
  out_.clear();
  if (passage_->to_room.close(why)) tell_arena_();
}

}  // namespace entente::relay
