#include "proxy/relay/ends/arena_end.h"

#include <cerrno>
#include <utility>

namespace entente::relay {

ArenaEnd::ArenaEnd(net::Loop& loop, std::shared_ptr<net::Party> party, End::User& user,
                   std::shared_ptr<Passage> passage, std::function<void()> tell_arena)
    : End(user), loop_(loop), passage_(std::move(passage)), tell_arena_(std::move(tell_arena)) {
  set_party(std::move(party));
}

ArenaEnd::~ArenaEnd() { hang_up(); }

void ArenaEnd::run() {
  if (!open_) return;
  if (waiting() == 0) user().wrote(*this);
  while (open_ && reads_) {
    if (in_.empty()) {
      in_.clear();
      ends_ = ends_ || !passage_->to_session.take(in_);
    }
    if (in_.empty()) break;
    user().on_frames(*this, in_.pop(kFramesAtOnce));
    if (loop_.time_is_up()) return loop_.serve(*this);
  }
  if (open_ && reads_ && ends_ && !std::exchange(told_end_, true))
    user().departed(*this, {Departure::How::kLeft, 0, Fault{""}, passage_->to_session.why()});
}

int ArenaEnd::connect(const net::Address&, Outgoing) { return EOPNOTSUPP; }

void ArenaEnd::send(Lane, Bytes frame) {
  if (open_) out_.add(frame);
}

void ArenaEnd::flush() {
  if (!out_.empty() && passage_->to_room.put(out_)) tell_arena_();
}

/// What came while this end was not read is not announced again.
void ArenaEnd::set_reading(bool on) {
  if (!std::exchange(reads_, on) && on) look();
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
